"""Columns as bytes for trees: numbers in bins, categories in a learned order, missing apart.

A number falls into one of at most 255 bins, cut halfway between values. The categories of a nominal
column are ordered so that one cut can part those that go with different labels: by the mean of the
labels' indicators among their rows, along the direction in which these means differ most. Means are
drawn towards that of all rows, so that rare categories stand in the middle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes._kernels.joint_forest import MISSING, Columns
from jointbayes.arrays import Bytes, Floats, Labels, Values, Weights
from jointbayes.checks import check_shape, check_that
from jointbayes.codes import CodeArray, SparseCodes, offsets
from jointbayes.discretize.histogram import Histogram
from jointbayes.discretize.methods import midpoints
from jointbayes.discretize.transformers import Discretizer
from jointbayes.encoding.encoder import Encoder
from jointbayes.encoding.learning import learn_encoder

__all__ = ["BinnedColumns", "Bins", "kernel_columns", "learn_columns"]

SPARSE = 4
"""A column is stored sparsely if fewer than one row in so many is unlike the most frequent code."""

PRIOR = 2.0
"""Rows of the overall mean that every category's mean is mixed with."""


class Bins(Discretizer):
    """Cut into at most 255 bins of about equal weight, halfway between values.

    Examples
    --------
    >>> Bins().fit([[1], [2], [4]]).cuts_
    [array([1.5, 3. ])]
    """

    def cut(self, histogram: Histogram) -> Floats:
        """Return the cuts of one column."""
        values = histogram.values
        below = np.arange(len(values) - 1)
        if len(below) >= MISSING:
            reached = np.cumsum(histogram.weights)
            wanted = np.arange(1, MISSING) / MISSING * reached[-1] * (1 - 1e-12)
            below = np.unique(np.searchsorted(reached, wanted))
            below = below[below < len(values) - 1]
        return midpoints(values[below], values[below + 1])


@dataclass(frozen=True, eq=False)
class BinnedColumns:
    """What the bytes of every column mean.

    Parameters
    ----------
    encoder
        From columns to codes.
    places
        The byte of every code of every column, *not observed* included, one column after another.

    Examples
    --------
    Of three colours the middle one goes with the label as often as not:

    >>> from jointbayes.table import Column, Table
    >>> colour = Column.of("colour", ["red", "blue", "green", "green"] * 9)
    >>> size = Column.of("size", [1.0, 2.0, 2.0, np.nan] * 9)
    >>> X, Y = Table((colour, size)), np.array([[1], [0], [1], [0]] * 9)
    >>> learn_columns(X, Y, (2,)).bytes(X[:4]).tolist()
    [[2, 0], [0, 1], [1, 1], [1, 255]]
    """

    encoder: Encoder
    places: Bytes

    def _check_stored(self) -> None:
        check_shape("places", self.places, (int(self._starts[-1]),))
        check_that(self.places.dtype == np.uint8, "places are not bytes")

    @property
    def _starts(self) -> Labels:
        return offsets(tuple(card + 1 for card in self.encoder.cards)).astype(np.intp)

    def bytes(self, X: Any, n_jobs: int | None = None) -> Bytes:
        """Return the (n, p) bytes of rows, dense and row-major."""
        codes = self.codes(X, n_jobs)
        return np.ascontiguousarray(codes.dense() if isinstance(codes, SparseCodes) else codes)

    def codes(self, X: Any, n_jobs: int | None = None) -> CodeArray | SparseCodes:
        """Return the bytes of rows, those of a sparse matrix sparse."""
        codes, starts = self.encoder.encode(X, n_jobs), self._starts
        if isinstance(codes, SparseCodes):
            column = np.repeat(starts[:-1], np.diff(codes.indptr))
            return SparseCodes(
                self.places[column + codes.codes],
                codes.rows,
                codes.indptr,
                self.places[starts[:-1] + codes.default],
                codes.shape,
            )
        out = np.empty(codes.shape, dtype=np.uint8, order="F")
        for j, start in enumerate(starts[:-1]):
            np.take(self.places[start : starts[j + 1]], codes[:, j], out=out[:, j])
        return out


def learn_columns(
    X: Any,
    targets: Labels,
    cards: tuple[int, ...],
    weights: Weights = None,
    categorical_features: Any = "from_dtype",
    n_jobs: int | None = None,
) -> BinnedColumns:
    """Learn bins and orders from a Table or a sparse matrix and (n, d) label codes."""
    encoder = learn_encoder(
        X,
        categorical_features=categorical_features,
        discretizer=Bins(),
        sample_weight=weights,
        n_jobs=n_jobs,
    )
    codes: Any = None
    indicators: Any = None
    places = []
    for j, variable in enumerate(encoder.variables):
        place = np.full(variable.card + 1, MISSING, dtype=np.uint8)
        known = np.arange(variable.n_known)
        if variable.categories is not None and len(known) > 2:
            if codes is None:
                codes, indicators = encoder.encode(X, n_jobs), _indicators(targets, cards)
            column = codes.column(j) if isinstance(codes, SparseCodes) else codes[:, j]
            known = _order(column, indicators, weights, len(known))
        place[: len(known)] = known * min(1.0, MISSING / max(len(known), 1))
        places.append(place)
    return BinnedColumns(encoder, np.concatenate(places))


def _indicators(targets: Labels, cards: tuple[int, ...]) -> Floats:
    return np.hstack([(targets[:, [j]] == np.arange(1, k)) for j, k in enumerate(cards)]).astype(
        np.float64
    )


def _order(column: Values, indicators: Floats, weights: Weights, card: int) -> Labels:
    """Return the place of each category; where no label differs, as they come."""
    if not indicators.shape[1]:
        return np.arange(card)
    seen = column < card
    w = np.ones(len(column)) if weights is None else weights
    w, column, indicators = w[seen], column[seen].astype(np.intp), indicators[seen]
    count = np.bincount(column, w, card)
    centred = (indicators - np.average(indicators, axis=0, weights=w)) * w[:, None]
    sums = np.stack([np.bincount(column, z, card) for z in centred.T], axis=1)
    means = sums / (count + PRIOR)[:, None]
    _, _, directions = np.linalg.svd(means * np.sqrt(count)[:, None], full_matrices=False)
    direction = directions[0] * np.sign(directions[0][np.abs(directions[0]).argmax()])
    rank = np.argsort((means @ direction).round(9), kind="stable")
    place = np.empty(card, dtype=np.intp)
    place[rank] = np.arange(card)
    return place


def kernel_columns(codes: CodeArray | SparseCodes) -> tuple[Columns, Labels]:
    """Return the columns that vary as `grow_joint_forest` takes them, and which they are."""
    if isinstance(codes, SparseCodes):
        return _from_sparse(codes)
    return _from_dense(codes)


def _from_dense(codes: CodeArray) -> tuple[Columns, Labels]:
    n, slot, varying = len(codes), [], []
    dense: list[Any] = []
    lists: list[Any] = []
    for j, column in enumerate(codes.T):
        count = np.bincount(column, minlength=MISSING + 1)
        default = int(count.argmax())
        if count[default] == n:
            continue
        varying.append(j)
        if (n - count[default]) * SPARSE < n:
            rows = np.flatnonzero(column != default)
            slot.append(-1 - len(lists))
            lists.append((rows, column[rows], default))
        else:
            slot.append(len(dense))
            dense.append(column)
    return _columns(n, dense, lists, slot), np.array(varying, dtype=np.intp)


def _from_sparse(codes: SparseCodes) -> tuple[Columns, Labels]:
    n, slot, varying = codes.shape[0], [], []
    dense: list[Any] = []
    lists: list[Any] = []
    for j, default in enumerate(codes.default.tolist()):
        part = slice(codes.indptr[j], codes.indptr[j + 1])
        unlike = codes.codes[part] != default
        stored = int(unlike.sum())
        if not stored or (stored == n and (codes.codes[part] == codes.codes[part.start]).all()):
            continue
        varying.append(j)
        if stored * SPARSE < n:
            slot.append(-1 - len(lists))
            lists.append((codes.rows[part][unlike], codes.codes[part][unlike], default))
        else:
            slot.append(len(dense))
            dense.append(codes.column(j))
    return _columns(n, dense, lists, slot), np.array(varying, dtype=np.intp)


def _columns(n: int, dense: list[Any], lists: list[Any], slot: list[int]) -> Columns:
    matrix = np.empty((n, len(dense)), dtype=np.uint8, order="F")
    for j, column in enumerate(dense):
        matrix[:, j] = column
    rows, codes, defaults = zip(*lists, strict=True) if lists else ((), (), ())
    return (
        matrix,
        np.array(slot, dtype=np.int32),
        np.cumsum([0, *map(len, rows)], dtype=np.int64),
        np.concatenate([*rows, np.zeros(0)]).astype(np.int32),
        np.concatenate([*codes, np.zeros(0)]).astype(np.uint8),
        np.array(defaults, dtype=np.uint8),
    )
