"""Splitters: folds and hold-outs that keep label proportions, as scikit-learn takes them.

A splitter has ``split(X, Y)`` and ``get_n_splits()`` and so serves as ``cv=`` anywhere. The
protocols of the papers by their short names (`as_splitter`): ``10`` is ten folds, ``"5x2"`` five
repetitions of two folds, ``"66%"`` one split with two thirds of the rows for training.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Labels
from jointbayes.errors import DataError, ParameterError
from jointbayes.table.given import take_rows
from jointbayes.validation.stratification import Stratify, carried_items, deal, even_out

__all__ = ["Folds", "HoldOut", "as_splitter", "train_test_split"]

Seed = int | np.random.Generator | None


@dataclass(frozen=True)
class Folds:
    """Cross-validation: each repetition cuts the rows into folds, each of which tests once.

    Parameters
    ----------
    n_splits
        Folds of one repetition.
    n_repeats
        Repetitions, each with folds of its own.
    stratify
        ``"iterative"`` keeps the proportions of all labels (multi-label, multi-dimensional and
        multi-class), ``"rarest"`` that of the label least often relevant, ``"none"`` none.
    random_state
        Seed or generator; the same seed gives the same folds.

    Examples
    --------
    A label that two of six rows carry is in each half once.

    >>> Y = np.array([[0, 1], [0, 0], [0, 1], [1, 0], [1, 0], [0, 0]])
    >>> splits = list(Folds(2, random_state=0).split(None, Y))
    >>> [Y[test].sum(axis=0).tolist() for _, test in splits]
    [[1, 1], [1, 1]]
    >>> np.sort(np.concatenate([test for _, test in splits])).tolist()
    [0, 1, 2, 3, 4, 5]
    """

    n_splits: int = 5
    n_repeats: int = 1
    stratify: Stratify = "iterative"
    random_state: Seed = None

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002  scikit-learn's signature
        """Return how many pairs `split` makes."""
        return self.n_splits * self.n_repeats

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Labels, Labels]]:  # noqa: ARG002  scikit-learn's signature
        """Yield (training rows, test rows), sorted, for every fold of every repetition."""
        _check_whole("n_splits", self.n_splits, 2)
        _check_whole("n_repeats", self.n_repeats, 1)
        shares = np.full(self.n_splits, 1 / self.n_splits)
        for part in _partitions(X, y, self, shares, self.n_repeats):
            for fold in range(self.n_splits):
                yield np.flatnonzero(part != fold), np.flatnonzero(part == fold)


@dataclass(frozen=True)
class HoldOut:
    """A share of the rows tests, the others train; as often as asked, drawn anew each time.

    Parameters
    ----------
    test_size
        Share of test rows, between 0 and 1.
    n_repeats
        Splits to draw.
    stratify, random_state
        As in `Folds`.

    Examples
    --------
    >>> y = np.repeat(["rare", "common"], [3, 30])
    >>> ((train, test),) = HoldOut(1 / 3, random_state=0).split(None, y)
    >>> len(train), len(test), int((y[test] == "rare").sum())
    (22, 11, 1)
    """

    test_size: float = 0.34
    n_repeats: int = 1
    stratify: Stratify = "iterative"
    random_state: Seed = None

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002  scikit-learn's signature
        """Return how many pairs `split` makes."""
        return self.n_repeats

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Labels, Labels]]:  # noqa: ARG002  scikit-learn's signature
        """Yield (training rows, test rows), sorted."""
        _check_whole("n_repeats", self.n_repeats, 1)
        if not 0 < self.test_size < 1:
            raise ParameterError(f"test_size must lie between 0 and 1; found {self.test_size!r}")
        shares = np.array([1 - self.test_size, self.test_size])
        for part in _partitions(X, y, self, shares, self.n_repeats):
            yield np.flatnonzero(part == 0), np.flatnonzero(part == 1)


Splitter = Folds | HoldOut


def as_splitter(cv: Any, *, random_state: Seed = None) -> Any:
    """Return the splitter that ``cv`` names, or ``cv`` itself where it is one.

    >>> as_splitter(10)
    Folds(n_splits=10, n_repeats=1, stratify='iterative', random_state=None)
    >>> as_splitter("5x2", random_state=0)
    Folds(n_splits=2, n_repeats=5, stratify='iterative', random_state=0)
    >>> as_splitter("66%").test_size
    0.34
    """
    if hasattr(cv, "split") and not isinstance(cv, str):
        return cv
    text = str(cv)
    if match := re.fullmatch(r"(?:(\d+)x)?(\d+)", text):
        return Folds(int(match[2]), int(match[1] or 1), random_state=random_state)
    if match := re.fullmatch(r"(\d+(?:\.\d+)?)%", text):
        return HoldOut(round(1 - float(match[1]) / 100, 6), random_state=random_state)
    raise ParameterError(
        f"cv must be a number of folds, repeats and folds ('5x2'), a share for training ('66%') "
        f"or a splitter; found {cv!r}"
    )


def train_test_split(
    X: Any,
    Y: Any,
    *,
    test_size: float = 0.34,
    stratify: Stratify = "iterative",
    random_state: Seed = None,
) -> tuple[Any, Any, Any, Any]:
    """Return X_train, X_test, Y_train, Y_test, in the containers that came in.

    >>> X, Y = np.arange(6), np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [0, 1]])
    >>> X_train, X_test, Y_train, Y_test = train_test_split(X, Y, test_size=0.5, random_state=0)
    >>> Y_train.sum(axis=0).tolist(), Y_test.sum(axis=0).tolist()
    ([1, 2], [1, 2])
    """
    ((train, test),) = HoldOut(test_size, 1, stratify, random_state).split(X, Y)
    return take_rows(X, train), take_rows(X, test), take_rows(Y, train), take_rows(Y, test)


def _partitions(
    X: Any, Y: Any, splitter: Splitter, shares: NDArray[np.float64], n_repeats: int
) -> Iterator[Labels]:
    """Yield (n,) parts of the rows, one array per repetition."""
    if Y is None:
        if splitter.stratify != "none":
            raise DataError("a stratified split needs the labels; pass y or set stratify='none'")
        Y = np.zeros(_length(X), dtype=int)
    elif X is not None and _length(X) != _length(Y):
        raise DataError(f"X has {_length(X)} rows and the labels {_length(Y)}; they must match")
    carried = carried_items(Y, splitter.stratify)
    if carried.shape[0] < len(shares):
        raise DataError(
            f"{carried.shape[0]} rows cannot be cut into {len(shares)} parts; give more rows"
        )
    rng = np.random.default_rng(splitter.random_state)
    for _ in range(n_repeats):
        part = even_out(carried, deal(carried, shares, rng), shares)
        if (np.bincount(part, minlength=len(shares)) == 0).any():
            raise DataError(
                f"{len(part)} rows leave a part empty when cut by {shares.tolist()}; "
                "give more rows or fewer folds"
            )
        yield part


def _check_whole(name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or int(value) < least:
        raise ParameterError(f"{name} must be a whole number from {least} on; found {value!r}")


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
