r"""Streams: every row is answered before it is learned (prequential evaluation).

Several models learn side by side. Which of them answers may be chosen online: the one of least loss
so far, here 1 − F1 of the rows that came before, so that a stream chooses its own half-life.

A figure of a stream is no mean over folds. Exact match, Hamming loss and example F1 are means over
rows; of micro and macro F1 every row has the pseudo-value of the jackknife,

.. math:: \theta + (n - 1) (\bar\theta_{(\cdot)} - \theta_{(i)}),                          (1)

whose mean is θ, the figure of the whole stream. Sums over twenty pieces of the stream, one after
the other, stand for folds: how much they scatter says what chance explains, drift included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels
from jointbayes.datasets import Dataset
from jointbayes.labels import learn_labels
from jointbayes.models.naibx.kinds import learn_columns
from jointbayes.models.naibx.naibx import NaiBX

__all__ = ["ONLINE", "answer_stream", "leaders", "score_stream", "stream_naibx"]

PIECES = 20
"""Pieces of a stream that stand for folds."""

HALF_LIVES: Mapping[str, float | None] = {
    "NaiBX": None,
    "NaiBX, half-life 100": 100.0,
    "NaiBX, half-life 10": 10.0,
}

ONLINE = "NaiBX, half-life chosen online"


def answer_stream(models: Sequence[Any], X: Any, Y: Labels) -> NDArray[np.bool_]:
    """Return (m, n − 1, q) what each model says of every row but the first before it learns it.

    Parameters
    ----------
    models
        m models that learn online; they are left as they are after the last row.
    X
        (n, p) rows, a Table or a CSR matrix.
    Y
        (n, q) labels, 0 or 1.

    Examples
    --------
    >>> from jointbayes.table import Table
    >>> Y = np.array([[1, 0], [0, 1]] * 3)
    >>> said = answer_stream([NaiBX(features="gaussian")], Table.of(Y[:, :1] * 2.5), Y)
    >>> said[0, -1].tolist()
    [False, True]
    """
    n, q = Y.shape
    said = np.empty((len(models), n - 1, q), dtype=bool)
    declared: Any = [np.array([0, 1])] * q
    for i in range(n):
        row = X[i : i + 1]
        for k, model in enumerate(models):
            if i:
                said[k, i - 1] = np.asarray(model.predict(row))[0] == 1
            model.partial_fit(row, Y[i : i + 1], classes=None if i else declared)
    return said


def leaders(losses: Floats) -> Labels:
    """Return (n,) which of m models has the least loss before each row; the first one of equals.

    >>> leaders(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])).tolist()
    [0, 1, 1]
    """
    before = np.cumsum(losses, axis=1) - losses
    return np.asarray(before.argmin(axis=0))


def score_stream(Y: NDArray[np.bool_], said: NDArray[np.bool_]) -> dict[str, list[float]]:
    """Return five metrics of (n, q) answers to labels, each by `PIECES` of the stream.

    >>> Y = np.eye(2, dtype=bool)[[0, 1] * 20]
    >>> found = score_stream(Y, np.ones_like(Y))
    >>> [round(float(np.mean(found[name])), 3) for name in ("hamming_loss", "f1_zero", "f1_macro")]
    [0.5, 0.667, 0.667]
    """
    hits, wrong = Y & said, Y ^ said
    return {
        "subset_accuracy": _in_pieces(np.asarray(~wrong.any(axis=1), dtype=np.float64)),
        "hamming_loss": _in_pieces(wrong.sum(axis=1) / wrong.shape[1]),
        "f1_zero": _in_pieces(_f1(hits.sum(axis=1), wrong.sum(axis=1))),
        "f1_micro": _in_pieces(_f1_by_row(hits.sum(axis=1)[:, None], wrong.sum(axis=1)[:, None])),
        "f1_macro": _in_pieces(_f1_by_row(hits, wrong)),
    }


def _f1(hits: Any, wrong: Any) -> Floats:
    """Return 2 TP / (2 TP + FP + FN), 0 where there is nothing."""
    of = 2.0 * hits + wrong
    return np.asarray(np.divide(2.0 * hits, of, out=np.zeros(np.shape(of)), where=of > 0))


def _f1_by_row(hits: Any, wrong: Any) -> Floats:
    """Return (n,) pseudo-values (1) of the mean F1 of columns."""
    whole = float(_f1(hits.sum(axis=0), wrong.sum(axis=0)).mean())
    without = _f1(hits.sum(axis=0) - hits, wrong.sum(axis=0) - wrong).mean(axis=1)
    return np.asarray(whole + (len(hits) - 1) * (without.mean() - without))


def _in_pieces(values: Floats) -> list[float]:
    """Return sums over pieces, so scaled that their mean is the mean of all values."""
    pieces = np.array_split(values, min(PIECES, len(values)))
    return [float(piece.sum()) * len(pieces) / len(values) for piece in pieces]


def stream_naibx(dataset: Dataset, _splitter: Any, algorithm: str) -> dict[str, list[float]]:
    """Return the metrics of NaiBX, with a half-life or the one chosen online, on rows in order.

    >>> X, Y = [[0.0], [9.0]] * 20, [[1, 0], [0, 1]] * 20
    >>> found = stream_naibx(Dataset.of(X, Y), None, ONLINE)
    >>> round(float(np.mean(found["subset_accuracy"])), 2)
    0.97
    """
    Y, said = _race(dataset)
    if algorithm != ONLINE:
        return score_stream(Y, said[list(HALF_LIVES).index(algorithm)])
    losses = [1 - _f1((Y & one).sum(axis=1), (Y ^ one).sum(axis=1)) for one in said]
    chosen = leaders(np.stack(losses))
    return score_stream(Y, said[chosen, np.arange(len(Y))])


@lru_cache(maxsize=1)
def _race(dataset: Dataset) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the labels of every row but the first, and what each half-life says of them.

    Columns have the kinds that the whole file tells, as a header would; nothing else is looked up.
    """
    Y = learn_labels(dataset.Y).encode(dataset.Y)
    kinds = [
        "auto" if kind in ("nominal", "categorical") else kind
        for kind in learn_columns(dataset.X).kinds
    ]
    models = [NaiBX(features=kinds, half_life=life, n_jobs=1) for life in HALF_LIVES.values()]
    return Y[1:] == 1, answer_stream(models, dataset.X, Y)
