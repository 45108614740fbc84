"""Folds within the training rows: what a model says of rows that it has not seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from jointbayes.arrays import Labels
from jointbayes.estimator.ranges import check_parameters
from jointbayes.estimator.reading import Labelled, read_columns

__all__ = ["deal_folds", "learn_rows", "with_others"]


def deal_folds(codes: Labels, n_folds: int, seed: int) -> Sequence[Labels]:
    """Return the row numbers of each fold; rows of the same label vector go to folds in turn.

    There are never more folds than rows.

    >>> codes = np.array([[0, 1], [1, 0], [0, 1], [1, 0]])
    >>> [codes[rows].sum(axis=0).tolist() for rows in deal_folds(codes, 2, seed=0)]
    [[1, 1], [1, 1]]
    """
    n = len(codes)
    _, vector = np.unique(codes, axis=0, return_inverse=True)
    order = np.random.default_rng(seed).permutation(n)
    order = order[np.argsort(vector.ravel()[order], kind="stable")]
    fold = np.empty(n, dtype=np.intp)
    fold[order] = np.arange(n) % n_folds
    return [np.flatnonzero(fold == i) for i in range(min(n_folds, n))]


def with_others(folds: Sequence[Labels]) -> Iterator[tuple[Labels, Labels]]:
    """Yield the row numbers of each fold, and those of all others.

    >>> [others.tolist() for _, others in with_others([np.array([1]), np.array([0, 2])])]
    [[0, 2], [1]]
    """
    every = np.arange(sum(map(len, folds)))
    return ((fold, np.setdiff1d(every, fold)) for fold in folds)


def learn_rows(model: Any, rows: Labelled) -> Any:
    """Return a clone of one of our models that has learned labelled rows, and knows their labels.

    >>> from jointbayes import BinaryRelevance, Table
    >>> from jointbayes.labels import learn_labels
    >>> Y = np.array([[0, 1], [1, 0]] * 4)
    >>> X = Table.of(Y[:, :1].astype(float))
    >>> learned = learn_rows(BinaryRelevance(), Labelled(X, Y, learn_labels(Y)))
    >>> learned.predict(X[:2]).tolist()
    [[0, 1], [1, 0]]
    """
    learned = clone(model)
    check_parameters(learned)
    learned._teach(replace(rows, X=read_columns(learned, rows.X, reset=True)))
    learned._adopt(rows.space)
    return learned
