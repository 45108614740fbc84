"""Searches over prefixes of a chain of variables, for many rows at once.

A *step* gives the log-probabilities of the next variable for rows and the values before it.
Prefixes only lose probability as they grow, so that a search is a proof:

- :func:`beam` grows the best prefixes of every row, variable by variable, and remembers the best
  that it had to drop: no vector that was not found is more probable;
- :func:`prove` widens the beam for the rows where that bound is above the k-th best vector found,
  and never keeps a prefix less probable than that one. It visits the prefixes that a best-first
  search visits, level by level, for all rows together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.budgets import BLOCK_CELLS
from jointbayes.inference.sampling import draw_codes

__all__ = ["Conditional", "Reached", "beam", "enumerate_all", "prove", "walk", "walk_often"]

Conditional = Callable[[int, Labels, Labels], Floats]
"""(place, (m,) rows, (m, place) values before) → (m, k) log-probabilities of the value there."""

ROUNDING = 1e-9
"""What two computations of the same log-probability may be apart."""

WIDENING = 8

CELLS = 2**23
"""Codes that a beam may hold at once: rows are taken in parts so that there are no more."""


@dataclass(frozen=True, eq=False)
class Reached:
    """The best vectors of each row, in the order of the chain.

    Parameters
    ----------
    codes
        (n, m, d) vectors, best first.
    log_p
        (n, m) their log-probabilities; −inf where fewer were found.
    bound
        (n,) log-probability that no other vector exceeds.
    visited
        (n,) prefixes whose next variable was asked for.
    """

    codes: Labels
    log_p: Floats
    bound: Floats
    visited: Labels


def beam(
    step: Conditional, rows: Labels, cards: Sequence[int], width: int, floor: Floats | None = None
) -> Reached:
    """Grow the ``width`` best prefixes of each row; those below the row's ``floor`` are let go.

    Examples
    --------
    A chain whose likelier beginning leads astray, and a beam that is wide enough to see it:

    >>> def step(place, rows, before):
    ...     p = [[0.6, 0.4]] if place == 0 else np.array([[0.5, 0.5], [0.1, 0.9]])[before[:, 0]]
    ...     return np.log(np.broadcast_to(p, (len(rows), 2)))
    >>> for width in (1, 2):
    ...     found = beam(step, np.arange(1), (2, 2), width)
    ...     print(found.codes[0, 0], np.exp([found.log_p[0, 0], found.bound[0]]).round(2))
    [0 0] [0.3 0.4]
    [1 1] [0.36 0.3 ]
    """
    n = len(rows)
    codes, log_p = np.zeros((n, 1, 0), dtype=np.intp), np.zeros((n, 1))
    bound, visited = np.full(n, -np.inf), np.zeros(n, dtype=np.intp)
    low = np.full((n, 1), -np.inf) if floor is None else floor[:, None] - ROUNDING
    for place, card in enumerate(cards):
        row, slot = np.nonzero(log_p > -np.inf)
        visited += np.bincount(row, minlength=n)
        children = np.full((*log_p.shape, card), -np.inf)
        children[row, slot] = log_p[row, slot, None] + step(place, rows[row], codes[row, slot])
        grown = children.reshape(n, log_p.shape[1] * card)
        grown[grown < low] = -np.inf
        most = int((grown > -np.inf).sum(axis=1).max(initial=0))
        order = np.argsort(-grown, axis=1, kind="stable")[:, : max(most, 1)]
        log_p = np.take_along_axis(grown, order, axis=1)
        if order.shape[1] > width:
            bound = np.maximum(bound, log_p[:, width])
            order, log_p = order[:, :width], log_p[:, :width]
        before, value = np.divmod(order, card)
        codes = np.take_along_axis(codes, before[:, :, None], axis=1)
        codes = np.concatenate([codes, value[:, :, None]], axis=2)
    return Reached(codes, log_p, bound, visited)


def prove(
    step: Conditional,
    rows: Labels,
    cards: Sequence[int],
    k: int,
    limit: int,
    seconds: float | None = None,
) -> Reached:
    """Return the k best vectors of each row, proven where ``bound`` is not above the k-th.

    The beam is widened up to ``limit`` prefixes, as long as ``seconds`` are not over. Lists may go
    on after the k-th vector, with those that are as likely, and are shorter where the others are
    impossible.
    """
    width, end = min(k, limit), np.inf if seconds is None else perf_counter() + seconds
    found = beam(step, rows, cards, width)
    while width < limit:
        last = found.log_p[:, k - 1] if found.log_p.shape[1] >= k else np.full(len(rows), -np.inf)
        unproven = np.flatnonzero((found.bound >= last) & (found.bound > -np.inf))
        if not len(unproven):
            break
        width = min(WIDENING * width, limit)
        size = max(1, CELLS // (width * max(cards) * len(cards)))
        for start in range(0, len(unproven), size):
            if perf_counter() > end:
                return found
            at = unproven[start : start + size]
            found = _replace(found, at, beam(step, rows[at], cards, width, last[at]), k)
    return found


def _replace(found: Reached, at: Labels, more: Reached, k: int) -> Reached:
    """Put the lists of some rows in place; all are made as long as the longest has ties."""
    last = min(k, more.log_p.shape[1]) - 1
    tied = int((more.log_p >= more.log_p[:, last : last + 1]).sum(axis=1).max(initial=1))
    length = max(found.log_p.shape[1], tied)
    more = Reached(more.codes[:, :length], more.log_p[:, :length], more.bound, more.visited)
    codes, log_p = _lengthen(found, length)
    codes[at], log_p[at] = _lengthen(more, length)
    bound, visited = found.bound.copy(), found.visited.copy()
    bound[at] = more.bound
    visited[at] += more.visited
    return Reached(codes, log_p, bound, visited)


def _lengthen(found: Reached, length: int) -> tuple[Labels, Floats]:
    more = length - found.log_p.shape[1]
    codes = np.pad(found.codes, ((0, 0), (0, more), (0, 0)))
    return codes, np.pad(found.log_p, ((0, 0), (0, more)), constant_values=-np.inf)


def enumerate_all(step: Conditional, rows: Labels, cards: Sequence[int]) -> Floats:
    """Return the (n, m) log-probabilities of all m vectors, in order of the chain.

    >>> half = lambda place, rows, before: np.log(np.full((len(rows), 2), 0.5))
    >>> np.exp(enumerate_all(half, np.arange(1), (2, 2))).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """
    n = len(rows)
    codes, log_p = np.zeros((1, 0), dtype=np.intp), np.zeros((n, 1))
    for place, card in enumerate(cards):
        m = len(codes)
        values = step(place, np.repeat(rows, m), np.tile(codes, (n, 1)))
        log_p = (log_p[:, :, None] + values.reshape(n, m, card)).reshape(n, m * card)
        value = np.tile(np.arange(card), m)[:, None]
        codes = np.hstack([np.repeat(codes, card, axis=0), value])
    return log_p


def walk(
    step: Conditional, rows: Labels, cards: Sequence[int], rng: np.random.Generator
) -> tuple[Labels, Floats, list[Floats]]:
    """Draw one vector for each row, value by value.

    Returns the (n, d) vectors, their (n,) importance: the log-probability that the steps left to
    the values allowed, 0 if nothing is forbidden; and the (n, k) probabilities of every value at
    the time it was drawn.
    """
    codes = np.zeros((len(rows), len(cards)), dtype=np.intp)
    importance, seen = np.zeros(len(rows)), []
    for place in range(len(cards)):
        p = np.exp(step(place, rows, codes[:, :place]))
        total = p.sum(axis=1)
        with np.errstate(divide="ignore"):
            importance += np.log(np.minimum(total, 1.0))
        seen.append(p)
        codes[:, place] = draw_codes(np.where(total[:, None] > 0, p, 1.0), rng.random(len(rows)))
    return codes, importance, seen


def walk_often(
    step: Conditional, n: int, cards: Sequence[int], size: int, rng: Any
) -> tuple[Labels, Floats, list[Floats]]:
    """Draw ``size`` vectors for each of n rows.

    Returns (size, n, d) vectors, their (size, n) importance and the mean (n, k) of the
    probabilities of every value.
    """
    rng, d = np.random.default_rng(rng), len(cards)
    codes = np.empty((size, n, d), dtype=np.intp)
    importance, means = np.empty((size, n)), [np.zeros((n, k)) for k in cards]
    block = max(1, BLOCK_CELLS // max(n * d, 1))
    for start in range(0, size, block):
        part = slice(start, min(start + block, size))
        count = part.stop - part.start
        drawn, log_w, seen = walk(step, np.tile(np.arange(n), count), cards, rng)
        codes[part], importance[part] = drawn.reshape(count, n, d), log_w.reshape(count, n)
        for place, p in enumerate(seen):
            means[place] += p.reshape(count, n, p.shape[1]).sum(axis=0) / size
    return codes, importance, means
