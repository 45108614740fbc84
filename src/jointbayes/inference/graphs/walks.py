r"""Walk along a path on a batch of rows: sums, the k best, marginals, sizes and samples.

With :math:`m(s, o)` what is known of (state, open variables) before a turn, the table of the turn
that opens v is

.. math:: T(s', v, o) = \log \sum_{s \to s' \text{ by } v} \exp m(s, o) + \text{factors}      (1)

and the next :math:`m` sums the variables that are closed out of it. A walk backwards meets the same
tables as conditionals, P(closed | state, open) and P(state before | state after, open), which
marginals and samples follow. Tables have the state first and the rows *last*, so that every
operation is one long vector. Each walk takes O(cells) per row, the k best O(k log k) times that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.inference.graphs.axes import spread
from jointbayes.inference.graphs.paths import Path, Turn
from jointbayes.inference.logs import log_sum
from jointbayes.inference.sampling import draw_codes

__all__ = ["count_along", "rank_along", "sample_along", "sum_along", "weigh_along"]


@dataclass(frozen=True, eq=False)
class Weights:
    """What a walk of sums leaves behind at a turn: conditionals by (state, open variables, row).

    Parameters
    ----------
    closed
        P(closed variables | state after, variables that stay open).
    before
        P(state before | state after, open variables), states (after, value, m); None if m = 1.
    """

    closed: Floats
    before: Floats | None


def sum_along(path: Path, tables: Sequence[Floats]) -> Floats:
    """Return log Σ of everything (n,).

    Three coins, at most one of them heads: four of eight ways.

    >>> from jointbayes.inference.graphs.paths import plan_path
    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> from jointbayes.labels import LabelSpace
    >>> from jointbayes.rules import compile_rules, exclusive
    >>> space = LabelSpace(tuple("abc"), (np.array([0, 1]),) * 3)
    >>> plan = plan_factors([(0,), (1,), (2,)], space.cards)
    >>> path = plan_path(plan, compile_rules([exclusive()], space))
    >>> np.exp(sum_along(path, [np.log(np.full((2, 1), 0.5))] * 3)).round(9).tolist()
    [0.5]
    """
    n = tables[0].shape[-1]
    if not len(path.tallies):  # nothing is accepted
        return np.full(n, -np.inf)
    message = np.zeros((1, n))
    for turn in path.turns:
        lists = _reached(turn, message)
        table = lists[:, :, 0] if lists.shape[2] == 1 else log_sum(lists, axis=2)
        table = _with_factors(path, turn, table, tables)
        message = log_sum(table, axis=turn.axes) if turn.axes else table
    return log_sum(message, axis=0)


def weigh_along(path: Path, tables: Sequence[Floats]) -> tuple[list[Weights], Floats]:
    """Return the conditionals of every turn, and P(last state) (states, n)."""
    message, found = np.zeros((1, tables[0].shape[-1])), []
    for turn in path.turns:
        lists = _reached(turn, message)
        before, table = (None, lists[:, :, 0]) if lists.shape[2] == 1 else _shares(lists, (2,))
        closed, message = _shares(_with_factors(path, turn, table, tables), turn.axes)
        found.append(Weights(closed, before))
    return found, _shares(message, (0,))[0]


def count_along(path: Path, tables: Sequence[Floats], d: int) -> Floats:
    """Return P(first d variables = value, tally) as (n, values of all of them, tallies).

    Values of one variable stand behind each other; tallies are 0 if the path has none.
    """
    weights, last = weigh_along(path, tables)
    n, tallies = last.shape[-1], path.tallies
    belief = np.zeros((int(tallies.max()) + 1, *last.shape))
    belief[tallies, np.arange(len(tallies))] = last
    found: dict[int, Floats] = {}
    for turn, weight in zip(reversed(path.turns), reversed(weights), strict=True):
        spread_out = np.expand_dims(belief, tuple(1 + axis for axis in turn.axes))
        whole = spread_out * weight.closed
        found[turn.variable] = whole.sum(axis=(1, *range(3, whole.ndim - 1)))
        values = np.arange(turn.after.shape[1])
        share = whole[:, turn.after, values]
        if weight.before is not None:
            share *= weight.before[turn.after, values, turn.slot]
        share[:, turn.after < 0] = 0.0
        belief = share.sum(axis=2)
    every = np.concatenate([found[v] for v in range(d)], axis=1)
    return every.transpose(2, 1, 0).reshape(n, every.shape[1], len(every))


def sample_along(
    path: Path, tables: Sequence[Floats], size: int, rng: np.random.Generator
) -> Labels:
    """Return (size, n, d) codes, drawn backwards."""
    weights, last = weigh_along(path, tables)
    rows = np.arange(last.shape[-1])
    shape = (size, len(rows))
    state = draw_codes(last.T[None], rng.random(shape))
    codes = np.empty((len(path.cards), *shape), dtype=np.intp)
    for turn, weight in zip(reversed(path.turns), reversed(weights), strict=True):
        v = turn.variable
        if turn.closed:
            p = _last(weight.closed, turn.axes)[(state, *codes[list(turn.kept)], rows)]
            _unravel(path, turn, draw_codes(p, rng.random(shape)), codes)
        chosen = np.zeros(shape, dtype=np.intp)
        if weight.before is not None:
            at = (state, codes[v], *codes[list(turn.frontier[1:])], rows)
            chosen = draw_codes(_last(weight.before, (2,))[at], rng.random(shape))
        state = turn.before[state, codes[v], chosen]
    return codes.transpose(1, 2, 0)


def rank_along(path: Path, tables: Sequence[Floats], k: int) -> tuple[Labels, Floats]:
    """Return the codes (n, m, d) of the m ≤ k largest sums of factors, and these sums (n, m).

    Where fewer are possible sums are −inf, and their codes mean nothing.
    """
    lists, chosen = np.zeros((1, 1, tables[0].shape[-1])), []
    for turn in path.turns:
        reached = np.moveaxis(lists[:, turn.before], 3, 1)  # lists, m, state, value, open …, row
        reached[:, np.moveaxis(turn.before, 2, 0) < 0] = -np.inf
        # A list that is not joined with another one stays in order.
        entry, lists = (None, reached[:, 0]) if reached.shape[1] == 1 else _first(reached, 1, k)
        for i in turn.tables:
            lists += spread(tables[i], path.scopes[i], turn.frontier)
        closed = len(turn.axes)
        value = None
        if closed:
            places = range(1, 1 + closed)
            value, lists = _first(np.moveaxis(lists, [1 + a for a in turn.axes], places), closed, k)
        chosen.append((entry, value))
    state, score = _first(lists, 1, k)
    entry, state = np.divmod(state, lists.shape[1])
    codes, rows = np.empty((len(path.cards), *state.shape), dtype=np.intp), np.arange(len(state[0]))
    for turn, (by_entry, by_value) in zip(reversed(path.turns), reversed(chosen), strict=True):
        if by_value is not None:
            picked = by_value[(entry, state, *codes[list(turn.kept)], rows)]
            entry, value = np.divmod(picked, prod(path.cards[v] for v in turn.closed))
            _unravel(path, turn, value, codes)
        v, way = turn.variable, np.zeros_like(state)
        if by_entry is not None:
            picked = by_entry[(entry, state, codes[v], *codes[list(turn.frontier[1:])], rows)]
            entry, way = np.divmod(picked, turn.before.shape[2])
        state = turn.before[state, codes[v], way]
    return codes.transpose(2, 1, 0), score.T


def _reached(turn: Turn, message: Floats) -> Floats:
    """Return what is known of (state after, value, m states before, open variables, row)."""
    lists = message[turn.before]
    lists[turn.before < 0] = -np.inf
    return lists


def _with_factors(path: Path, turn: Turn, table: Floats, tables: Sequence[Floats]) -> Floats:
    for i in turn.tables:
        table += spread(tables[i], path.scopes[i], turn.frontier)
    return table


def _shares(table: Floats, axes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return exp(table) normalised over some axes, and the logarithm of what it summed to."""
    if not axes:
        return np.ones((1,) * table.ndim), table
    top = table.max(axis=axes, keepdims=True)
    top[np.isneginf(top)] = 0.0
    weights = np.exp(table - top)
    total = weights.sum(axis=axes, keepdims=True)
    weights /= np.where(total == 0, 1.0, total)
    with np.errstate(divide="ignore"):
        return weights, np.squeeze(np.log(total) + top, axis=axes)


def _first(lists: Floats, joined: int, k: int) -> tuple[Labels, Floats]:
    """Join lists (entries, axes that are joined …, …): where the k largest stood, and they."""
    shape = lists.shape
    values = lists.reshape(prod(shape[: 1 + joined]), *shape[1 + joined :])
    if k == 1:
        order = values.argmax(axis=0)[None]
    else:
        order = np.argsort(-values, axis=0, kind="stable")[:k]
    return order.astype(np.int32), np.take_along_axis(values, order, axis=0)


def _last(weights: Floats, axes: tuple[int, ...]) -> Floats:
    """Return weights with some axes made one, behind the rows."""
    turned = np.moveaxis(weights, axes, range(-len(axes), 0))
    kept = turned.ndim - len(axes)
    return turned.reshape(*turned.shape[:kept], prod(turned.shape[kept:]))


def _unravel(path: Path, turn: Turn, value: Labels, codes: Labels) -> None:
    """Write the codes of the variables that a turn closes, given their number together."""
    for v in reversed([u for u in turn.frontier if u in turn.closed]):
        value, codes[v] = np.divmod(value, path.cards[v])
