"""What a metric is where some of the true labels are not known (NaN, None, NA).

A mean over entries is taken over the known ones; a macro average looks at each label over the rows
that know it. Any other metric compares whole label vectors: it is that of the rows all of whose
labels are known, and NaN without any.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, ParamSpec, cast

import numpy as np
from scipy import sparse

from jointbayes.arrays import Labels
from jointbayes.labels.columns import split_columns
from jointbayes.labels.known import entries_known
from jointbayes.metrics.targets import weights_of_rows
from jointbayes.posterior import Posterior
from jointbayes.table.given import take_rows

__all__ = ["over_known"]

P = ParamSpec("P")
Counted = Literal["entries", "rows"]


def over_known(counted: Counted) -> Callable[[Callable[P, float]], Callable[P, float]]:
    """Let a metric take labels of which some are not known.

    Parameters
    ----------
    counted
        "entries" if the metric is a mean over the entries of the label matrix, "rows" if it
        compares whole label vectors.

    Examples
    --------
    One of three known entries is wrong, in the only row that tells both labels:

    >>> from jointbayes.metrics import f1, hamming_loss
    >>> Y, answer = [[0, 1], [None, 1]], np.array([[1, 1], [1, 1]])
    >>> [round(metric(Y, answer), 3) for metric in (hamming_loss, f1)]
    [0.333, 0.667]
    """

    def decorate(metric: Callable[P, float]) -> Callable[P, float]:
        @wraps(metric)
        def measure(Y_true: Any, answer: Any, **options: Any) -> float:
            columns, names = split_columns(Y_true)
            if isinstance(names, str) or not columns or entries_known(Y_true).all():
                return float(cast("Any", metric)(Y_true, answer, **options))
            by_label = counted == "entries" or options.get("average") == "macro"
            return (_by_label if by_label else _by_row)(metric, Y_true, answer, options)

        return cast("Callable[P, float]", measure)

    return decorate


def _by_row(metric: Any, Y: Any, answer: Any, options: dict[str, Any]) -> float:
    """Return the metric of the rows all of whose labels are known."""
    known = entries_known(Y)
    rows = np.flatnonzero(known.all(axis=1))
    weight = weights_of_rows(options.get("sample_weight"), len(known))[rows]
    if not weight.any():
        return np.nan
    own = {**options, "sample_weight": weight}
    return float(metric(take_rows(Y, rows), _of_rows(answer, rows), **own))


def _by_label(metric: Any, Y: Any, answer: Any, options: dict[str, Any]) -> float:
    """Return the mean of the metric of each label: over known entries, or over labels."""
    known, classes = entries_known(Y), options.get("classes")
    weight = weights_of_rows(options.get("sample_weight"), len(known))
    macro, found, shares = options.get("average") == "macro", [], []
    for j, column in enumerate(split_columns(Y)[0]):
        rows = np.flatnonzero(known[:, j] & (weight > 0))
        if len(rows):
            own = {**options, "sample_weight": weight[rows]}
            own["classes"] = None if classes is None else [classes[j]]
            found.append(metric(column[rows, None], _of_label(answer, j, rows), **own))
            shares.append(1.0 if macro else weight[rows].sum())
    return float(np.average(found, weights=shares)) if found else np.nan


def _of_rows(answer: Any, rows: Labels) -> Any:
    if isinstance(answer, Posterior):
        return answer[rows]
    if _are_marginals(answer):
        return [np.asarray(p)[rows] for p in answer]
    return take_rows(answer, rows)


def _of_label(answer: Any, j: int, rows: Labels) -> Any:
    if _are_marginals(answer):
        return [np.asarray(answer[j])[rows]]
    dense = answer.toarray() if sparse.issparse(answer) else np.asarray(answer)
    return dense[rows][:, [j]]


def _are_marginals(answer: Any) -> bool:
    """Whether an answer is a list of the probabilities of each label's values."""
    return isinstance(answer, list) and np.ndim(answer[0]) == 2
