r"""describe: what a data set holds, before anything is learned from it.

With n rows and d class variables, Y the label matrix:

- cardinality: mean number of relevant labels of a row; density: cardinality / d;
- label sets: distinct rows of Y;
- strength of a pair of labels: their mutual information in bits,
  I(A; B) = Σ p(a, b) log₂ p(a, b) / (p(a) p(b)), over the rows in which both are known.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Ints, Values
from jointbayes.codes import Codes
from jointbayes.counts import count_pairs
from jointbayes.datasets import Dataset
from jointbayes.datasets.pair import rows_and_labels
from jointbayes.datasets.recast import distinct
from jointbayes.datasets.roles import is_missing_label
from jointbayes.doors import Shown
from jointbayes.information import conditional_information
from jointbayes.labels import learn_labels
from jointbayes.rules.proposals import ProposedRule, propose_rules
from jointbayes.table import Table

__all__ = ["LabelCount", "LabelPair", "Summary", "describe", "label_facts"]

MAX_VALUES = 4096  # values of all labels together, beyond which pairs are not compared
PAIRS_KEPT = 20


@dataclass(frozen=True)
class LabelCount:
    """A label, or a value of a class variable, and the rows that carry it."""

    label: str
    value: Any
    rows: int


@dataclass(frozen=True)
class LabelPair:
    """Two class variables, their mutual information, and how binary labels go along.

    ``direction`` is ``"together"`` or ``"apart"`` for binary labels, else empty.
    """

    first: str
    second: str
    bits: float
    direction: str


@dataclass(frozen=True, repr=False)
class Summary(Shown):
    """What ``describe`` found; ``as_dict`` is plain Python, ready for JSON.

    ``task`` is ``"multi-class"`` (one class variable), ``"multi-label"`` (several binary ones) or
    ``"multi-dimensional"``. Cardinality, density and rows without a label exist for binary labels
    only. ``binary_features`` are the numeric ones that hold nothing but 0 and 1. ``counts`` are
    sorted from the commonest to the rarest; ``pairs`` are the strongest ones, None where there are
    too many values to compare. ``rules`` are those of `jointbayes.rules` that no row breaks, and
    that labels which were independent would have broken.
    """

    name: str
    source: str
    task: str
    rows: int
    rows_dropped: int
    features: dict[str, int]
    binary_features: int
    nonzero: float | None
    identifiers: tuple[str, ...]
    missing_values: int
    missing_labels: int
    rows_with_missing_labels: int
    labels: dict[str, int]
    label_sets: int
    cardinality: float | None
    density: float | None
    rows_without_label: int | None
    counts: tuple[LabelCount, ...]
    pairs: tuple[LabelPair, ...] | None
    rules: tuple[ProposedRule, ...] = ()

    def __repr__(self) -> str:
        features, labels = sum(self.features.values()), len(self.labels)
        said = [_counted(self.rows, "row"), _counted(features, "feature")]
        said.append(_counted(labels, "label"))
        return f"Summary of {self.name}: {', '.join(said)}, {self.task}"

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as dictionaries, lists, numbers and strings."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


def describe(X: Any, Y: Any = None) -> Summary:
    """Count rows, features by kind, labels, missing values, and find the strongest label pairs.

    Parameters
    ----------
    X, Y
        Rows and labels, as `fit` takes them, or a `Dataset` in place of both: what ``load_dataset``
        returned.

    Returns
    -------
    Summary
        Frozen, and plain to the bottom.

    Examples
    --------
    The labels *dry* and *wet* exclude each other, which is worth one bit:

    >>> from jointbayes.table import Column
    >>> clouds = Column.of("clouds", ["low", "high", None, "low"])
    >>> X = Table((clouds, Column.of("wind", [1.0, 2.0, 3.0, 4.0])))
    >>> dry, wet = Column.of("dry", [1, 0, 1, 0]), Column.of("wet", [0, 1, 0, 1])
    >>> summary = describe(X, Table((dry, wet)))
    >>> summary
    Summary of data: 4 rows, 2 features, 2 labels, multi-label
    >>> summary.task, summary.features, summary.missing_values, summary.cardinality
    ('multi-label', {'nominal': 1, 'numeric': 1}, 1, 1.0)
    >>> summary.pairs
    (LabelPair(first='dry', second='wet', bits=1.0, direction='apart'),)
    """
    dataset = X if isinstance(X, Dataset) and Y is None else Dataset.of(*rows_and_labels(X, Y))
    return Summary(
        name=dataset.name,
        source=dataset.source,
        rows=len(dataset),
        rows_dropped=dataset.rows_dropped,
        features=_kinds(dataset.X),
        binary_features=_binary(dataset.X),
        nonzero=_nonzero(dataset.X),
        identifiers=dataset.identifiers,
        missing_values=_missing_values(dataset.X),
        **label_facts(dataset.Y, dataset.label_names, np.ones(len(dataset), dtype=np.int64)),
    )


def label_facts(Y: Values, names: tuple[str, ...], times: Ints) -> dict[str, Any]:
    """Return what a `Summary` says of labels: of label vectors, each of which is there so often.

    >>> label_facts(np.array([[1, 0], [1, 1]]), ("dry", "cold"), np.array([3, 1]))["cardinality"]
    1.25
    """
    codes, values, binary = _coded_labels(Y)
    relevant = (codes == 1).sum(axis=1) if binary else None
    cardinality = None if relevant is None else float(np.average(relevant, weights=times))
    missing = codes < 0
    return {
        "task": (
            "multi-label" if binary else "multi-dimensional" if len(values) > 1 else "multi-class"
        ),
        "missing_labels": int(times @ missing.sum(axis=1)),
        "rows_with_missing_labels": int(times @ missing.any(axis=1)),
        "labels": {name: len(v) for name, v in zip(names, values, strict=True)},
        "label_sets": _distinct_rows(codes),
        "cardinality": cardinality,
        "density": None if cardinality is None else cardinality / len(values),
        "rows_without_label": None if relevant is None else int(times @ (relevant == 0)),
        "counts": _counts(codes, values, names, times, binary=binary),
        "pairs": _pairs(codes, values, names, times, binary=binary),
        "rules": propose_rules(codes, names, times) if binary else (),
    }


def _coded_labels(Y: Values) -> tuple[Ints, list[list[Any]], bool]:
    """Return (n, d) codes, −1 = missing, the values of every column, and whether rows are sets."""
    table = Y.reshape(len(Y), -1)
    missing = is_missing_label(table)
    found = [distinct(column[~gone]) for column, gone in zip(table.T, missing.T, strict=True)]
    known = [values if len(values) else np.array([0, 1]) for values, _ in found]
    space = learn_labels(np.zeros((1, len(known)), dtype=np.int64), known)
    binary = len(known) > 1 and space.binary and not missing.all()
    codes = np.full(table.shape, -1, dtype=np.int64)
    values: list[list[Any]] = []
    for j, (held, places) in enumerate(found):
        classes = space.classes[j] if len(held) or binary else held
        order = {value: code for code, value in enumerate(classes.tolist())}
        codes[~missing[:, j], j] = np.array([order[v] for v in held.tolist()], dtype=int)[places]
        values.append([_plain(value) for value in classes.tolist()])
    return codes, values, binary


def _distinct_rows(codes: Ints) -> int:
    narrow = np.ascontiguousarray(codes, dtype=np.min_scalar_type(-max(codes.max(initial=1), 1)))
    return len(np.unique(narrow.view(f"V{narrow.itemsize * narrow.shape[1]}")))


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _kinds(X: Any) -> dict[str, int]:
    if not isinstance(X, Table):
        return {"numeric": int(X.shape[1])}
    kinds = [column.kind for column in X.columns]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def _binary(X: Any) -> int:
    if not isinstance(X, Table):
        return int(X.shape[1] - len(np.unique(X.indices[X.data != 1])))
    numbers = (c.values[~c.missing] for c in X.columns if c.kind == "numeric")
    return sum(bool(len(v)) and bool(((v == 0) | (v == 1)).all()) for v in numbers)


def _nonzero(X: Any) -> float | None:
    return None if isinstance(X, Table) else float(X.nnz / max(X.shape[0] * X.shape[1], 1))


def _missing_values(X: Any) -> int:
    if isinstance(X, Table):
        return sum(int(column.missing.sum()) for column in X.columns)
    return int(np.isnan(X.data).sum())


def _counts(
    codes: Ints, values: list[list[Any]], names: tuple[str, ...], times: Ints, *, binary: bool
) -> tuple[LabelCount, ...]:
    """Count every value of every class variable; of binary labels only that they are relevant."""
    counts = []
    for j, (name, known) in enumerate(zip(names, values, strict=True)):
        rows = np.bincount(codes[:, j] + 1, times, minlength=len(known) + 1)[1:]
        wanted = range(1, 2) if binary else range(len(known))
        counts += [LabelCount(name, known[k], int(rows[k])) for k in wanted]
    return tuple(sorted(counts, key=lambda count: -count.rows))


def _pairs(
    codes: Ints, values: list[list[Any]], names: tuple[str, ...], times: Ints, *, binary: bool
) -> tuple[LabelPair, ...] | None:
    cards = tuple(max(len(v), 1) for v in values)  # a label may never be known
    if sum(cards) > MAX_VALUES:
        return None
    not_observed = np.where(codes < 0, cards, codes)
    everyone = np.zeros(len(codes), dtype=np.int64)  # one class: plain mutual information
    weights = None if (times == 1).all() else times.astype(np.float64)
    counts = count_pairs(Codes.of(not_observed, cards, everyone, (1,)), weights)
    bits = np.round(conditional_information(counts), 10)  # independent labels share nothing
    first, second = np.triu_indices(len(values), k=1)
    order = np.argsort(-bits[first, second], kind="stable")[:PAIRS_KEPT]
    pairs = zip(first[order].tolist(), second[order].tolist(), strict=True)
    return tuple(
        LabelPair(
            names[i],
            names[j],
            float(bits[i, j]),
            _direction(counts.block(i, j)[0]) if binary else "",
        )
        for i, j in pairs
    )


def _direction(met: NDArray[np.float64]) -> str:
    """Say whether two labels come together, from how often 0 and 1 of each met."""
    return "together" if met[0, 0] * met[1, 1] >= met[0, 1] * met[1, 0] else "apart"
