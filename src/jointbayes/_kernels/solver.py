r"""The k best vectors of factor graphs of one structure, row by row, with proof: branch and bound.

The sum of factors is rewritten, without changing it for any y, as

.. math::
    \sum_f t_f(y) = c + \sum_v u_v(y_v) + \sum_f t'_f(y)
    \le c + \sum_v \max u_v + \sum_f \max t'_f

A *sweep* takes the variables in turn. Each collects in u_v, for every value, the maxima of the
tables that mention it, moves its own maximum to c, and hands equal shares of the rest to those
tables that have variables still to come. After a sweep all maxima are 0 and the bound is c. When v
has collected, c + u_v(y) bounds all vectors with that value: values that cannot beat the vectors
found so far are dropped, and tables cut down to what is left.

When sweeps, forwards and backwards, gain little, tables that share two variables are made to
*agree* before each further round: what they say of the pair, their maxima for all of its values, is
replaced by its mean, which leaves the sum of the tables as it is. When that gains little too, the
problem is split by the values of one variable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import FLOATS, INT64, array, takes
from jointbayes.arrays import Floats, Ints

__all__ = ["best_vectors"]


Scope = tuple[int, ...]

TOLERANCE = 1e-9
"""A vector that is not listed beats the last of a proven list by no more than this."""

PROGRESS, PATIENCE, ROUNDS = 0.05, 2, 50
"""Sweep until two rounds gained less than this share of the gap, or for so many rounds."""


@takes(
    cards=INT64,
    scope_at=INT64,
    scopes=INT64,
    at=INT64,
    shared=FLOATS,
    rows=array("float64", axes=2),
)
def best_vectors(  # noqa: PLR0913, PLR0917  # the arrays of a graph cross to C++ one by one
    cards: Ints,
    scope_at: Ints,
    scopes: Ints,
    at: Ints,
    shared: Floats,
    rows: Floats,
    k: int,
    max_nodes: int,
    max_seconds: float,
    threads: int,
) -> tuple[Ints, Floats, Floats, Ints]:
    """Return codes (n, k, d), sums (n, k), a bound on what is not listed (n,), branches (n,).

    Factor f is over the ascending ``scopes[scope_at[f] : scope_at[f + 1]]``; its cells begin at
    ``at[f]`` of (shared, row). Lists are filled up with −inf; the bound is −inf if the list is
    proven, to ``TOLERANCE``.
    """
    del threads  # rows are independent of each other
    n, d = len(rows), len(cards)
    codes, score = np.zeros((n, k, d), dtype=np.int64), np.full((n, k), -np.inf)
    bound, nodes = np.empty(n), np.empty(n, dtype=np.int64)
    for row in range(n):
        cells = np.concatenate([shared, rows[row]])
        tables = {}
        for f in range(len(at)):
            scope = tuple(scopes[scope_at[f] : scope_at[f + 1]].tolist())
            shape = cards[list(scope)]
            tables[scope] = cells[at[f] : at[f] + shape.prod()].reshape(shape)
        problem, floor = _first_problem(tables, cards)
        search = _Search(k, floor, max_nodes, monotonic() + max_seconds)
        bound[row] = search.solve(problem, np.inf)
        nodes[row] = search.nodes
        for i, (_, found) in enumerate(search.best):
            codes[row, i] = found
            score[row, i] = sum(t[tuple(codes[row, i, list(s)])] for s, t in tables.items())
    return codes, score, bound, nodes


@dataclass
class _Problem:
    """What is left of a row: by variable its codes and their weights, by scope the tables."""

    constant: float
    values: dict[int, Ints]
    unary: dict[int, Floats]
    tables: dict[Scope, Floats]
    fixed: dict[int, int]

    def sweep(self, last: int, bound: float, threshold: float) -> _Sweep:
        alive, margin = {}, {}
        for v in sorted(self.values, reverse=last == 0):
            uses = [scope for scope in self.tables if v in scope]
            said = {s: self.tables[s].max(axis=_others(s, v)) for s in uses}
            u = self.unary[v] + sum(said.values())
            self.constant += u.max()
            u = u - u.max()
            told = [s for s in uses if s[last] != v]
            share = 1 / max(1, *(sum(s[end] != v for s in uses) for end in (0, -1)))
            for s in uses:
                delta = (share * u if s in told else 0.0) - said[s]
                self.tables[s] = self.tables[s] + np.expand_dims(delta, _others(s, v))
            self.unary[v] = u * max(0.0, 1 - share * len(told))
            alive[v] = bound + u > threshold
            margin[v] = -float(np.sort(u)[-2])
        return _Sweep(alive, margin)

    def agree(self) -> bool:
        """Level what tables say of the pairs that they share; return whether there are any."""
        sharing: dict[tuple[int, int], list[Scope]] = {}
        for scope in self.tables:
            for pair in combinations(scope, 2):
                sharing.setdefault(pair, []).append(scope)
        sharing = {pair: scopes for pair, scopes in sharing.items() if len(scopes) > 1}
        for pair, scopes in sorted(sharing.items()):
            said = [self.tables[s].max(axis=_others(s, *pair)) for s in scopes]
            for s, own in zip(scopes, said, strict=True):
                delta = np.mean(said, axis=0) - own
                self.tables[s] = self.tables[s] + np.expand_dims(delta, _others(s, *pair))
        return bool(sharing)

    def cut(self, alive: dict[int, NDArray[np.bool_]]) -> _Problem:
        """Keep what is alive; variables with one value left are fixed, nested factors added up."""
        values = {v: own[alive[v]] for v, own in self.values.items()}
        unary = {v: own[alive[v]] for v, own in self.unary.items()}
        single = {v for v, own in values.items() if len(own) == 1}
        out = _Problem(
            self.constant + sum(float(unary[v][0]) for v in single),
            {v: own for v, own in values.items() if v not in single},
            {v: own for v, own in unary.items() if v not in single},
            {},
            self.fixed | {v: int(values[v][0]) for v in single},
        )
        for scope, table in sorted(self.tables.items(), key=lambda item: -len(item[0])):
            left = tuple(v for v in scope if v not in single)
            kept = table[np.ix_(*(alive[v] for v in scope))]
            out.add(left, kept.reshape([len(values[v]) for v in left]))
        return out

    def add(self, scope: Scope, table: Floats) -> None:
        if not scope:
            self.constant += float(table)
        elif len(scope) == 1:
            self.unary[scope[0]] = self.unary[scope[0]] + table
        else:
            host = next((h for h in self.tables if set(scope) <= set(h)), scope)
            axes = tuple(i for i, v in enumerate(host) if v not in scope)
            self.tables[host] = self.tables.get(host, 0.0) + np.expand_dims(table, axes)

    def score(self, place: dict[int, int]) -> float:
        total = self.constant + sum(u[place[v]] for v, u in self.unary.items())
        return float(total + sum(t[tuple(place[v] for v in s)] for s, t in self.tables.items()))

    def codes(self, place: dict[int, int]) -> tuple[int, ...]:
        known = self.fixed | {v: int(own[place[v]]) for v, own in self.values.items()}
        return tuple(known[v] for v in sorted(known))


@dataclass(frozen=True)
class _Sweep:
    """Which values can be in a better vector, and how far the second value is behind the first."""

    alive: dict[int, NDArray[np.bool_]]
    margin: dict[int, float]

    @property
    def removed(self) -> bool:
        return not all(alive.all() for alive in self.alive.values())


@dataclass
class _Search:
    k: int
    floor: float
    max_nodes: int
    deadline: float
    nodes: int = 0
    best: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)

    @property
    def threshold(self) -> float:
        return (self.floor if len(self.best) < self.k else self.best[-1][0]) + TOLERANCE

    @property
    def spent(self) -> bool:
        return self.nodes > self.max_nodes or monotonic() > self.deadline

    def solve(self, problem: _Problem, bound: float) -> float:
        """List what is above the threshold; return a bound on what is left undone, or −inf."""
        self.nodes += 1
        problem, bound, margin = self.tighten(problem, bound)
        if bound > -np.inf and not self.spent and problem.agree():
            problem, bound, margin = self.tighten(problem, bound, in_pairs=True)
        if bound == -np.inf or self.spent:
            return bound
        return self.branch(problem, bound, margin)

    def tighten(
        self, problem: _Problem, bound: float, *, in_pairs: bool = False
    ) -> tuple[_Problem, float, dict[int, float]]:
        """Lower the bound until that gains little, or to −inf if nothing is left."""
        quiet = rounds = 0
        margin: dict[int, float] = {}
        while quiet < PATIENCE and rounds < ROUNDS:
            before, removed = bound, False
            for last in (-1, 0):  # forwards, backwards: where in a scope the last variable is
                sweep = problem.sweep(last, bound, self.threshold)
                bound, margin = min(bound, problem.constant), sweep.margin
                if bound <= self.threshold:
                    return problem, -np.inf, margin
                if sweep.removed:
                    problem, removed = problem.cut(sweep.alive), True
            self.decode(problem)
            if bound <= self.threshold or not problem.values:
                return problem, -np.inf, margin
            if self.spent:
                break
            slow = before - bound < PROGRESS * (bound - self.threshold)
            quiet, rounds = (0, 0) if removed else (quiet + slow, rounds + 1)
            if in_pairs:
                problem.agree()
        return problem, bound, margin

    def branch(self, problem: _Problem, bound: float, margin: dict[int, float]) -> float:
        gap, opened = bound - self.threshold, -np.inf
        told = {
            v: sum(float(np.ptp(t)) for s, t in problem.tables.items() if v in s)
            for v in problem.values
        }
        v = max(problem.values, key=lambda w: (told[w] * (1 - margin[w] / gap), -w))
        alive = {w: np.ones(len(own), dtype=bool) for w, own in problem.values.items()}
        for c in np.argsort(-problem.unary[v], kind="stable"):
            alive[v] = np.arange(len(alive[v])) == c
            opened = max(opened, bound if self.spent else self.solve(problem.cut(alive), bound))
        return opened

    def decode(self, problem: _Problem) -> None:
        """Offer a good vector, value by value, and those that differ from it in one place."""
        place: dict[int, int] = {}
        for v in sorted(problem.values):
            u = problem.unary[v].copy()
            for scope, table in problem.tables.items():
                if v in scope:
                    known = tuple(place.get(w, slice(None)) for w in scope)
                    left = tuple(w for w in scope if w not in place)
                    u += table[known].max(axis=_others(left, v))
            place[v] = int(u.argmax())
        while (better := self.flip(problem, place)) is not None:
            place = better

    def flip(self, problem: _Problem, place: dict[int, int]) -> dict[int, int] | None:
        top, found = problem.score(place), None
        self.offer(top, problem.codes(place))
        for v, own in problem.values.items():
            for c in range(len(own)):
                near = place | {v: c}
                score = problem.score(near)
                if score > top:
                    top, found = score, near
                if self.k > 1:
                    self.offer(score, problem.codes(near))
        return found

    def offer(self, score: float, codes: tuple[int, ...]) -> None:
        if score > self.threshold - TOLERANCE and all(codes != own for _, own in self.best):
            self.best = sorted([*self.best, (score, codes)], key=lambda e: -e[0])[: self.k]


def _others(scope: Scope, *kept: int) -> tuple[int, ...]:
    return tuple(i for i, w in enumerate(scope) if w not in kept)


def _first_problem(tables: dict[Scope, Floats], cards: Ints) -> tuple[_Problem, float]:
    """Return the problem of a row, and a number below all vectors that are possible.

    Cells of −inf become so low that a vector with one of them is below any without.
    """
    finite = [table[np.isfinite(table)] for table in tables.values()]
    finite = [own if own.size else np.zeros(1) for own in finite]
    span = 1.0 + sum(float(np.ptp(own)) for own in finite)
    values = {v: np.arange(card) for v, card in enumerate(cards)}
    problem = _Problem(0.0, values, {v: np.zeros(card) for v, card in enumerate(cards)}, {}, {})
    for (scope, table), own in zip(tables.items(), finite, strict=True):
        problem.add(scope, np.where(np.isneginf(table), own.max() - 2 * span, table))
    alive = {v: np.ones(card, dtype=bool) for v, card in enumerate(cards)}
    return problem.cut(alive), sum(float(own.min()) for own in finite) - 1.0
