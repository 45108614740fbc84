"""Metrics where some of the true labels are not known: over known entries, or over whole rows.

A metric that is a mean over entries (`ENTRIES`) is taken label by label over the rows that know the
label, and averaged over all known entries; a macro average is that over labels. Any other metric
looks at whole label vectors: it is that of the rows all of whose labels are known, NaN without any.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes.arrays import Labels
from jointbayes.labels import LabelSpace
from jointbayes.labels.known import KnownLabels, known_labels
from jointbayes.metrics.registry import METRICS

__all__ = ["ENTRIES", "is_by_entry", "measure_known", "rows_told"]

ENTRIES = ("hamming_accuracy", "hamming_loss", "log_loss", "brier_score")
"""Metrics that are means over entries."""


def is_by_entry(name: str) -> bool:
    """Say whether a metric needs no row all of whose labels are known.

    >>> is_by_entry("hamming_loss"), is_by_entry("f1_macro"), is_by_entry("subset_accuracy")
    (True, True, False)
    """
    return name in ENTRIES or name.endswith("_macro")


def rows_told(Y: Any) -> Labels:
    """Return the rows all of whose labels are known.

    >>> rows_told([[0, 1], [None, 1]]).tolist()
    [0]
    """
    some = known_labels(Y)
    if isinstance(some, KnownLabels):
        return np.flatnonzero(some.known.all(axis=1))
    return np.arange(Y.shape[0] if hasattr(Y, "shape") else len(Y))


def measure_known(name: str, Y: Any, answer: Any, space: LabelSpace) -> float:
    """Return a metric of an answer to labels of which some may not be known.

    Parameters
    ----------
    name
        A key of `METRICS`.
    Y
        The labels.
    answer
        What the metric needs: labels, marginals as a list or an array, or a posterior.
    space
        All values the labels have.

    Examples
    --------
    One of three known entries is wrong, in the only row that tells both labels:

    >>> from jointbayes.labels import learn_labels
    >>> Y, answer = [[0, 1], [None, 1]], np.array([[1, 1], [1, 1]])
    >>> space = learn_labels([[0, 0], [1, 1]])
    >>> [round(measure_known(name, Y, answer, space), 3) for name in ("hamming_loss", "f1")]
    [0.333, 0.667]
    """
    metric, some = METRICS[name], known_labels(Y)
    classes: Any = space.classes[0] if space.single else list(space.classes)
    if not isinstance(some, KnownLabels):
        return metric(Y, answer, classes=classes)
    codes = space.encode(some)
    if space.single or not is_by_entry(name):
        rows = np.flatnonzero(some.known.all(axis=1))
        truth = space.decode(codes[rows])
        truth = truth[:, 0] if space.single else truth
        return metric(truth, _take(answer, rows), classes=classes) if len(rows) else np.nan
    found, weights = [], []
    for j, known in enumerate(some.known.T):
        rows, one = np.flatnonzero(known), space.take([j])
        if len(rows):
            truth = one.decode(codes[rows][:, [j]])
            column = _take(_column(answer, j), rows)
            found.append(metric(truth, column, classes=list(one.classes)))
            weights.append(len(rows) if name in ENTRIES else 1)
    return float(np.average(found, weights=weights))


def _take(answer: Any, rows: Labels) -> Any:
    return [p[rows] for p in answer] if isinstance(answer, list) else answer[rows]


def _column(answer: Any, j: int) -> Any:
    return [answer[j]] if isinstance(answer, list) else np.asarray(answer)[:, [j]]
