"""Which distribution a column of NaiBX has, decided by the first rows, and the units it is in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.encoding import learn_encoder
from jointbayes.encoding.learning import nominal_positions
from jointbayes.encoding.numbers import TILE, finite_sparse, nominal_part, side_by_side
from jointbayes.encoding.variable import as_numbers, checked_numbers
from jointbayes.errors import ParameterError
from jointbayes.models.naibx.columns import CODED, KINDS, Columns
from jointbayes.table import Table

__all__ = ["RARE", "WORDS", "learn_columns"]


SOME = 1024
"""Rows that are enough to find a number near the mean, or one that is neither 0 nor 1."""

WORDS, RARE = 50, 0.8
"""So many columns or more, so much of them 0 or more, none negative: counts of words."""


def learn_columns(
    X: Any,
    features: Any = "auto",
    categorical_features: Any = "from_dtype",
    are_words: Callable[[Any, list[int]], bool] | None = None,
) -> Columns:
    """Decide the kind of every column of a Table or CSR matrix.

    Parameters
    ----------
    X
        The first rows.
    features
        "auto", "gaussian", "bernoulli", "multinomial" or "poisson", or one of these for each
        column: what columns of numbers are. "auto": those within {0, 1} are Bernoulli, the others
        Gaussian; all are multinomial if they look like counts of words: 50 of them or more, no
        number negative, four of five 0, and some neither 0 nor 1. "categorical" is for columns of
        numbers and of text: one distribution of all values.
    categorical_features
        "from_dtype", or the nominal columns as a mask, positions or names; text is nominal anyway.
    are_words
        Says of X and the positions of its columns of numbers whether they look like counts of
        words, where X is not all that is known of the rows.

    Examples
    --------
    >>> table = Table.of([[0.5, 1, 2], [2.5, 0, 2], [3.5, 1, 7]])
    >>> learn_columns(table, categorical_features=[2]).kinds
    ('gaussian', 'bernoulli', 'nominal')
    """
    names = X.names if isinstance(X, Table) else tuple(f"x{j}" for j in range(X.shape[1]))
    asked = _per_column(features, names)
    kinds = _nominal_or_not(X, names, categorical_features, asked)
    free = [j for j, kind in enumerate(kinds) if kind == "auto"]
    if len(free) >= WORDS and (are_words or _are_words)(X, free):
        kinds = ["multinomial" if kind == "auto" else kind for kind in kinds]
    if isinstance(X, Table):
        kinds = [
            _guess(as_numbers(column)) if kind == "auto" else kind
            for kind, column in zip(kinds, X.columns, strict=True)
        ]
        dates = frozenset(j for j, column in enumerate(X.columns) if column.kind == "date")
    else:
        X = finite_sparse(X, names)
        other = np.bincount(X.indices[~_within(X.data)], minlength=X.shape[1]) > 0
        guess = np.where(other, "gaussian", "bernoulli").tolist()
        kinds = [g if kind == "auto" else kind for kind, g in zip(kinds, guess, strict=True)]
        dates = frozenset()
    coded = [j for j, kind in enumerate(kinds) if kind in CODED]
    encoder = None
    if coded:
        chosen = nominal_part(X, names, coded)
        encoder = learn_encoder(chosen, categorical_features=chosen.names)
    gaussian = [j for j, kind in enumerate(kinds) if kind == "gaussian"]
    return Columns(names, tuple(kinds), *_units(X, gaussian), encoder, dates)


def _per_column(features: Any, names: tuple[str, ...]) -> list[str]:
    legal = ("auto", *KINDS, "categorical")
    given = [features] * len(names) if isinstance(features, str) else list(features)
    if len(given) != len(names) or any(kind not in legal for kind in given):
        odd = next((kind for kind in given if kind not in legal), f"{len(given)} kinds")
        raise ParameterError(
            f"NaiBX: features holds {odd!r}; give one of {', '.join(legal)}, "
            f"or one for each of the {len(names)} columns"
        )
    return given


def _nominal_or_not(
    X: Any, names: tuple[str, ...], categorical_features: Any, asked: Sequence[str]
) -> list[str]:
    chosen = nominal_positions(categorical_features, names) or ()
    kinds = ["nominal" if j in chosen else kind for j, kind in enumerate(asked)]
    if isinstance(X, Table):
        for j, column in enumerate(X.columns):
            numbers = as_numbers(column)
            if numbers is None or (
                column.is_coded and asked[j] == "auto" and not _within(numbers).all()
            ):
                kinds[j] = "nominal"
    return ["categorical" if a == "categorical" else k for a, k in zip(asked, kinds, strict=True)]


def _are_words(X: Any, columns: list[int]) -> bool:
    """Say whether numbers look like counts of words, or like what became of them."""
    if isinstance(X, Table):
        held = [as_numbers(X.columns[j]) for j in columns]
        parts = [numbers for numbers in held if numbers is not None]
    else:
        chosen = np.zeros(X.shape[1], dtype=bool)
        chosen[columns] = True
        parts = [np.asarray(X.data, dtype=np.float64)[chosen[X.indices]]]
    filled = sum(int(np.count_nonzero(numbers)) for numbers in parts)
    if filled > (1 - RARE) * X.shape[0] * len(columns):
        return False
    legal = all((numbers[numbers != 0] > 0).all() for numbers in parts)
    return legal and not all(_within(numbers).all() for numbers in parts)


def _guess(numbers: Floats | None) -> str:
    assert numbers is not None  # columns without numbers are nominal already
    binary = _within(numbers[:SOME]).all() and _within(numbers).all()
    return "bernoulli" if binary else "gaussian"


def _within(numbers: Floats) -> NDArray[np.bool_]:
    return np.asarray((numbers == 0) | (numbers == 1) | np.isnan(numbers))


def _units(X: Any, gaussian: list[int]) -> tuple[Floats, Floats]:
    """Return s and s c of (1)."""
    origin = np.zeros(len(gaussian))
    if not isinstance(X, Table):
        largest = np.zeros(X.shape[1])
        np.maximum.at(largest, X.indices, np.where(np.isnan(X.data), 0.0, np.abs(X.data)))
        return _power(largest[gaussian]), origin
    columns = [checked_numbers(X.columns[j], X.columns[j].kind) for j in gaussian]
    scale = _power(_largest(columns))
    for i, numbers in enumerate(columns):
        some = numbers[:: max(1, len(numbers) // SOME)]
        some = some[np.isfinite(some)]
        origin[i] = (some * scale[i]).mean() if len(some) else 0.0
    return scale, origin


def _largest(columns: list[Floats]) -> Floats:
    """Return the largest absolute number of every column, 0 where all are missing."""
    largest, beside = np.zeros(len(columns)), side_by_side(columns)
    for start in range(0, len(columns[0]) if columns else 0, TILE):
        tile = slice(start, start + TILE)
        if beside is not None:
            ends = np.fmax(np.fmax.reduce(beside[tile]), -np.fmin.reduce(beside[tile]))
        else:
            ends = np.array(
                [max(np.fmax.reduce(x[tile]), -np.fmin.reduce(x[tile])) for x in columns]
            )
        largest = np.fmax(largest, ends)
    return largest


def _power(largest: Any) -> Any:
    """Return the power of 2 that brings a number near 1; 1 for 0 (and what is close to it)."""
    exponent = np.clip(np.frexp(largest)[1], -1000, 1000)
    return np.where(largest > 0, np.ldexp(1.0, -exponent), 1.0)
