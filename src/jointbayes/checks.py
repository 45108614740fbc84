"""What has to hold of arrays from a file before anything is computed with them.

A kernel looks where an array of indices points. So a class whose arrays may come from a model file
has a method ``_check_stored`` that says in these words what has to hold of them; `storage` calls it
for everything that it loads. Each raises a `DataError` that names the array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import DataError

__all__ = [
    "check_attributes",
    "check_cards",
    "check_contiguous",
    "check_counts",
    "check_finite",
    "check_indices",
    "check_log_probabilities",
    "check_shape",
    "check_that",
]

HUGE = 1e150
"""Larger numbers have no squares."""

LOWEST = -746.0
"""Below the logarithm of the least positive number there is."""


def check_that(holds: Any, sentence: str) -> None:
    """Refuse with a sentence what does not hold.

    >>> check_that(2 > 1, "two is less than one")
    """
    if not holds:
        raise DataError(sentence)


def check_shape(name: str, array: NDArray[Any], shape: tuple[int | None, ...]) -> None:
    """Refuse an array of another shape; None stands for any length.

    >>> check_shape("cuts", np.zeros((2, 3)), (None, 4))
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: cuts has the shape (2, 3), not (any, 4)
    """
    fits = array.ndim == len(shape) and all(
        want is None or have == want for have, want in zip(array.shape, shape, strict=True)
    )
    wanted = ", ".join("any" if size is None else str(size) for size in shape)
    check_that(fits, f"{name} has the shape {array.shape}, not ({wanted})")


def check_contiguous(**arrays: NDArray[Any]) -> None:
    """Refuse arrays that are not stored row by row, as kernels read them."""
    for name, array in arrays.items():
        check_that(array.flags.c_contiguous, f"{name} is not stored row by row")


def _check_floats(name: str, array: NDArray[Any], shape: tuple[int | None, ...]) -> None:
    check_shape(name, array, shape)
    check_that(array.dtype == np.float64, f"{name} holds {array.dtype}, not float64")


def check_finite(name: str, array: NDArray[Any], shape: tuple[int | None, ...]) -> None:
    """Refuse numbers that are not finite, or so large that products are not."""
    _check_floats(name, array, shape)
    check_that((np.abs(array) < HUGE).all(), f"{name} holds a number that is not finite")


def check_counts(name: str, array: NDArray[Any], shape: tuple[int | None, ...]) -> None:
    """Refuse counts, or weights, that are negative, not finite, or so large that sums are not.

    >>> check_counts("n_c", np.array([3.0, -1.0]), (2,))
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: n_c holds a number that is not a count
    """
    _check_floats(name, array, shape)
    legal = (array >= 0) & (array < HUGE)  # NaN is neither
    check_that(legal.all(), f"{name} holds a number that is not a count")


def check_log_probabilities(name: str, array: NDArray[Any], shape: tuple[int | None, ...]) -> None:
    """Refuse what cannot be the logarithm of a probability; −inf can.

    >>> check_log_probabilities("log_prior", np.array([-0.7, np.nan]), (2,))
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: log_prior holds a number that is not a logarithm of a probability
    """
    _check_floats(name, array, shape)
    legal = (array <= 1e-9) & ((array >= LOWEST) | (array == -np.inf))
    check_that(legal.all(), f"{name} holds a number that is not a logarithm of a probability")


def check_indices(name: str, array: Any, below: int, least: int = 0) -> None:
    """Refuse whole numbers outside ``least`` … ``below`` − 1.

    >>> check_indices("features", (0, 3), 3)
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: features holds 3, which is not within 0 … 2
    """
    values = np.asarray(array)
    if not values.size:
        return
    check_that(values.dtype.kind in "iu", f"{name} holds {values.dtype.name}, not whole numbers")
    for extreme in (int(values.min()), int(values.max())):
        check_that(
            least <= extreme < below,
            f"{name} holds {extreme}, which is not within {least} … {below - 1}",
        )


def check_cards(name: str, cards: Sequence[int]) -> None:
    """Refuse numbers of values that are not positive, or more than codes can tell apart."""
    check_indices(name, cards, 2**31, least=1)


def check_attributes(model: Any, **kinds: Any) -> None:
    """Refuse a fitted model that lacks an attribute, or has another thing in its place.

    >>> from types import SimpleNamespace
    >>> check_attributes(SimpleNamespace(order_=(1, 0)), order_=tuple)
    """
    for name, kind in kinds.items():
        check_that(isinstance(getattr(model, name, None), kind), f"its {name} is missing or wrong")
