r"""From predicted codewords back to label vectors: the vector of the highest score, with proof.

(1)  maximise  b_i'y − ½ y'W y   over the label vectors y, as zeros and ones.

Few label vectors are listed. Of many, a tree of partial vectors is searched level by level for all
rows together: class variable after class variable is given each of its values, what is left is
relaxed to the box, and a partial vector is dropped when its bound, (2) of `box`, is not above the
best whole vector that is known. As y_j² = y_j, a multiple of the unit matrix may go over from W to
b, by as much as leaves W semidefinite: the score of no label vector changes, but the bounds become
tighter. Of each row at most ``width`` partial vectors are kept; if more are left, those of the
lowest bounds are let go, and what the best of them might have been is the *gap* of the row: 0 where
the answer is proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jointbayes.arrays import Floats, Labels, Mask
from jointbayes.budgets import BLOCK_CELLS
from jointbayes.learners.coding.box import ascend, values_at
from jointbayes.learners.coding.indicators import blocks_of, every_vector, indicators_of

__all__ = ["LISTED_VECTORS", "Decoded", "decode_by_list", "decode_by_search", "decode_codewords"]

LISTED_VECTORS = 1 << 14
"""Most label vectors that are listed."""

BOUND_SWEEPS = 12
"""Sweeps over the coordinates for the bound of a partial vector."""

TIE = 1e-9
"""A bound that is above the best known by less than this is not above it."""


@dataclass(frozen=True, eq=False)
class Decoded:
    """(n, d) codes of the best label vectors, and (n,) how much better others could be."""

    codes: Labels
    gap: Floats


def decode_codewords(
    W: Floats, b: Floats, cards: Sequence[int], *, empty: str = "allow", width: int = 64
) -> Decoded:
    """Return the label vectors of the highest scores (1); listed, or searched for.

    Parameters
    ----------
    W, b
        (q, q) and (n, q), of (1).
    cards
        How many values each class variable has.
    empty
        Whether the vector of codes 0 may be an answer, "allow" or "forbid".
    width
        Most partial vectors of a row.

    Examples
    --------
    >>> found = decode_codewords(np.eye(2), np.array([[0.9, 0.1], [0.1, 0.1]]), (2, 2))
    >>> found.codes.tolist(), found.gap.tolist()
    ([[1, 0], [0, 0]], [0.0, 0.0])
    """
    if np.prod(np.array(cards, dtype=float)) <= LISTED_VECTORS:
        return decode_by_list(W, b, cards, empty=empty)
    return decode_by_search(W, b, cards, empty=empty, width=width)


def decode_by_list(W: Floats, b: Floats, cards: Sequence[int], *, empty: str = "allow") -> Decoded:
    """Return the same from the list of all label vectors."""
    vectors = every_vector(cards)[1:] if empty == "forbid" else every_vector(cards)
    ones = indicators_of(vectors, cards)
    own = 0.5 * ((ones @ W) * ones).sum(axis=1)
    step = max(1, BLOCK_CELLS // len(ones))
    best = [(b[i : i + step] @ ones.T - own).argmax(axis=1) for i in range(0, len(b), step)]
    chosen = np.concatenate(best) if best else np.zeros(0, dtype=np.intp)
    return Decoded(vectors[chosen], np.zeros(len(b)))


def decode_by_search(
    W: Floats, b: Floats, cards: Sequence[int], *, empty: str = "allow", width: int = 64
) -> Decoded:
    """Return the same by searching among partial vectors, a few rows at a time."""
    least = max(0.0, float(np.linalg.eigvalsh(W)[0]) - 1e-9)
    tight, shifted = W - least * np.eye(len(W)), b - 0.5 * least
    step = max(1, BLOCK_CELLS // (len(W) * width * max(cards)))
    parts = [
        _search(tight, shifted[i : i + step], cards, empty, width) for i in range(0, len(b), step)
    ]
    if not parts:
        return Decoded(np.zeros((0, len(cards)), dtype=np.intp), np.zeros(0))
    codes = np.concatenate([part.codes for part in parts])
    return Decoded(codes, np.concatenate([part.gap for part in parts]))


def _search(W: Floats, b: Floats, cards: Sequence[int], empty: str, width: int) -> Decoded:
    blocks, n = blocks_of(cards), len(b)
    relaxed = ascend(W, b, np.full_like(b, 0.5), 100)
    best = _rounded(relaxed, cards, empty)
    best, score = _climbed(W, b, best, cards, empty)
    lost = np.full(n, -np.inf)  # the best bound of what was let go
    row, point, fixed = np.arange(n), relaxed, np.zeros(b.shape, dtype=bool)
    for j in _order(relaxed, blocks):
        row, point, fixed = _branch(row, point, fixed, blocks[j], cards[j])
        point = ascend(W, b[row], point, BOUND_SWEEPS, fixed)
        bound = upper_bounds_of_free(W, b[row], point, fixed)
        whole = _rounded(point, cards, empty)
        value = values_at(W, b[row], indicators_of(whole, cards))
        for at in np.argsort(value, kind="stable"):  # the highest of a row is written last
            if value[at] > score[row[at]]:
                best[row[at]], score[row[at]] = whole[at], value[at]
        alive = bound > score[row] + TIE
        alive &= _among_best(row, np.where(alive, bound, -np.inf), width, lost)
        row, point, fixed = row[alive], point[alive], fixed[alive]
        if not len(row):
            break
    return Decoded(best, np.maximum(lost - score, 0.0))


def upper_bounds_of_free(W: Floats, b: Floats, y: Floats, fixed: Mask) -> Floats:
    """Return (n,) bounds of (1) over the box, fixed coordinates staying where they are.

    >>> W, b = np.eye(2), np.array([[3.0, 0.0]])
    >>> upper_bounds_of_free(W, b, np.array([[0.0, 0.0]]), np.array([[True, False]])).tolist()
    [0.0]
    >>> upper_bounds_of_free(W, b, np.array([[0.0, 0.0]]), np.array([[False, False]])).tolist()
    [3.0]
    """
    slope = np.where(fixed, 0.0, b - y @ W)
    return np.asarray(values_at(W, b, y) + np.maximum(-y * slope, (1 - y) * slope).sum(axis=1))


def _order(relaxed: Floats, blocks: Sequence[slice]) -> Labels:
    """Return class variables, those first that rows are least sure of."""
    doubt = (relaxed * (1 - relaxed)).mean(axis=0)
    return np.argsort([-doubt[block].max() for block in blocks], kind="stable")


def _branch(
    row: Labels, point: Floats, fixed: Mask, block: slice, card: int
) -> tuple[Labels, Floats, Mask]:
    """Give one class variable each of its values, in every partial vector."""
    values = indicators_of(np.arange(card)[:, None], (card,))
    points = np.repeat(point, card, axis=0)
    points[:, block] = np.tile(values, (len(point), 1))
    known = np.repeat(fixed, card, axis=0)
    known[:, block] = True
    return np.repeat(row, card), points, known


def _among_best(row: Labels, bound: Floats, width: int, lost: Floats) -> Mask:
    """Say which partial vectors are among the best of their row; note what the others promise."""
    order = np.lexsort((-bound, row))
    ordered = row[order]
    place = np.arange(len(row)) - np.searchsorted(ordered, ordered)
    kept = np.empty(len(row), dtype=bool)
    kept[order] = place < width
    np.maximum.at(lost, row[~kept], bound[~kept])
    return kept


def _rounded(point: Floats, cards: Sequence[int], empty: str) -> Labels:
    """Return the nearest label vectors; never the one of codes 0 if that is forbidden."""
    columns = [
        point[:, block].argmax(axis=1) if k != 2 else point[:, block.start] > 0.5
        for block, k in zip(blocks_of(cards), cards, strict=True)
    ]
    codes = np.stack(columns, axis=1).astype(np.intp)
    if empty == "forbid":
        zero = np.flatnonzero(~codes.any(axis=1))
        codes[zero, point[zero].argmax(axis=1)] = 1  # labels are binary here: one column each
    return codes


def _climbed(
    W: Floats, b: Floats, codes: Labels, cards: Sequence[int], empty: str
) -> tuple[Labels, Floats]:
    """Change one class variable of each row at a time while that helps."""
    codes, score = codes.copy(), values_at(W, b, indicators_of(codes, cards))
    for _ in range(2):
        for j, card in enumerate(cards):
            for value in range(card):
                tried = codes.copy()
                tried[:, j] = value
                found = values_at(W, b, indicators_of(tried, cards))
                better = (found > score) & (tried.any(axis=1) | (empty == "allow"))
                codes[better], score[better] = tried[better], found[better]
    return codes, score
