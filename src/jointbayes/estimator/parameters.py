"""What parameters and attributes mean that many models share: said once, written out in each.

A docstring names them, alone or in a row, and says where the meaning is, which is also what an
editor shows that reads the file alone:

    categorical_features, loss, empty
        See `jointbayes.estimator.parameters`.

`documented` puts the meaning in the place of that sentence when the class is made, so that `help`,
a notebook and the reference show it in full.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import TypeVar

__all__ = ["MEANING", "SEE", "documented"]

Kind = TypeVar("Kind", bound=type)

SEE = "See `jointbayes.estimator.parameters`."

MEANING: Mapping[str, str] = {
    "categorical_features": 'Which columns are nominal: "from_dtype", a mask, indices or names.',
    "discretizer": (
        'How numbers are cut: "mdl", "quantile", "width", "median", one of the transformers of '
        "`jointbayes.discretize`, or any transformer from numbers to codes."
    ),
    "empty": (
        'Whether the empty label set is a legal answer: "auto" (if a training row is empty), '
        '"allow" or "forbid".'
    ),
    "loss": (
        'What `predict` minimizes in expectation: "subset", "hamming", "f1", "jaccard", or a loss '
        "of `jointbayes.losses`."
    ),
    "missing": '"value": a missing entry is a value of its own; "ignore": it is not observed.',
    "n_jobs": "Threads; None for every core the process may use.",
    "smoothing": "The m of the m-estimate (n + m/k) / (N + m); 0 stands for the limit m → 0.",
    "unknown": (
        '"refuse": every label of every row has to be known; "learn": NaN, None and NA are labels '
        "that are not known, and the model learns from rows as a first model completes them: with "
        "the labels that CTBN, or BinaryRelevance of more than 32 labels, finds most probable "
        "given the row and the labels that are known."
    ),
    "classes_": "The values of every label: a list of arrays; one array for one class variable.",
    "feature_names_in_": "The names of the columns, where they have names.",
    "label_names_": "The name of every label.",
    "n_features_in_": "The number of columns.",
}
"""The meaning of a parameter or attribute wherever a docstring does not say otherwise."""

_ENTRY = re.compile(
    rf"^(?P<margin> *)(?P<names>\w+(?:, \w+)*)\n +{re.escape(SEE)}$", flags=re.MULTILINE
)


def documented(kind: Kind) -> Kind:
    """Write out the meaning of what the docstring of a class refers to; a decorator.

    >>> @documented
    ... class Model:
    ...     '''A model; its parameters:
    ...
    ...     missing, n_jobs
    ...         See `jointbayes.estimator.parameters`.
    ...     '''
    >>> print(Model.__doc__)
    A model; its parameters:
    <BLANKLINE>
        missing
            "value": a missing entry is a value of its own; "ignore": it is not observed.
        n_jobs
            Threads; None for every core the process may use.
    """
    if kind.__doc__ is not None:  # Python without docstrings: -OO
        kind.__doc__ = _ENTRY.sub(_written_out, kind.__doc__)
    return kind


def _written_out(entry: re.Match[str]) -> str:
    margin = entry["margin"]
    lines: list[str] = []
    for name in entry["names"].split(", "):
        if name not in MEANING:
            raise KeyError(f"{name!r} has no meaning that models share; say in place what it is")
        body = textwrap.wrap(MEANING[name], 100 - len(margin) - 4)
        lines += [margin + name, *(f"{margin}    {line}" for line in body)]
    return "\n".join(lines)
