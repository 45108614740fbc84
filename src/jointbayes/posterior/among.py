"""Every kind of posterior among the label vectors that obey rules.

Lists keep the vectors that obey; independent labels, trees and products of small parts become
factor graphs with rules (`jointbayes.posterior.obeying`); the members of a mixture obey one by one
and are weighed by how likely they did. Of chains and cascades all vectors are listed where they are
few, else the best that obey are looked for among the best of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.errors import DataError
from jointbayes.inference.graphs.plan import merge_factors
from jointbayes.inference.graphs.tables import rows_first
from jointbayes.inference.lists import count_vectors, select
from jointbayes.inference.logs import log_sum
from jointbayes.labels import LabelSpace
from jointbayes.posterior.blocks import Blocks
from jointbayes.posterior.factor_graph import FactorGraph
from jointbayes.posterior.independent import Independent
from jointbayes.posterior.listed import Listed
from jointbayes.posterior.mixture import Mixture
from jointbayes.posterior.obeying import obeying_graph, obeying_path, unfolded_graph
from jointbayes.posterior.pooled_marginals import PooledMarginals
from jointbayes.posterior.posterior import Posterior
from jointbayes.posterior.product import Product
from jointbayes.posterior.reweighted import reweigh, total_mass
from jointbayes.posterior.ruled_graph import RuledGraph
from jointbayes.posterior.ruled_path import RuledPath, cached_plan
from jointbayes.posterior.tree import Tree
from jointbayes.rules import Automaton, compile_rules

__all__ = ["subject_to"]

Obeyed = tuple[Posterior, Floats]
"""The posterior among the vectors that obey, and log P(obeys); as it was where none does."""

Factor = tuple[tuple[int, ...], Floats]

TABULATED = 1 << 12
"""Cells up to which a list of vectors is one factor."""

FIRST, LONGEST = 16, 4096
"""Lengths of the lists of best vectors in which those that obey are looked for."""


def subject_to(posterior: Posterior, rules: Sequence[Any]) -> Posterior:
    """Return the posterior among the vectors that obey, or refuse rows in which none does."""
    automata = compile_rules(rules, posterior.space)
    after, log_p = among(posterior, automata)
    impossible = np.isneginf(log_p)
    if impossible.any():
        raise DataError(
            f"subject_to: no label vector of any probability obeys {', '.join(map(str, rules))} in "
            f"row {int(impossible.argmax())}; leave that row or a rule out"
        )
    return after.wearing(posterior.frame, (*posterior.obeyed, *automata))


@singledispatch
def among(post: Posterior, automata: Sequence[Automaton]) -> Obeyed:
    """Return the posterior among the vectors that automata accept."""
    change = Obeying(tuple(automata))
    return reweigh(post, change), total_mass(post, change)


@among.register
def _(post: FactorGraph, automata: Sequence[Automaton]) -> Obeyed:
    return obeying_graph(post, automata)


@among.register(Independent)
@among.register(Tree)
def _(post: Posterior, automata: Sequence[Automaton]) -> Obeyed:
    factors = factors_of(post)
    assert factors is not None  # both kinds are factor graphs
    return obeying_graph(_graph(post, factors), automata)


@among.register
def _(post: RuledPath, automata: Sequence[Automaton]) -> Obeyed:
    return obeying_path(post, automata)


@among.register
def _(post: RuledGraph, automata: Sequence[Automaton]) -> Obeyed:
    after, log_p = unfolded_graph(post.graph, automata)
    if isinstance(after, FactorGraph):
        return replace(post, graph=after), log_p
    assert isinstance(after, RuledGraph)  # of what was unfolded
    return replace(after, automata=(*post.automata, *after.automata), space=post.space), log_p


@among.register
def _(post: Listed, automata: Sequence[Automaton]) -> Obeyed:
    obeys = np.all([automaton.obeys(post.vectors) for automaton in automata], axis=0)
    log_p = np.where(obeys, post.log_p, -np.inf)
    total = log_sum(log_p, axis=1)
    gone = np.isneginf(total)[:, None]
    after = np.where(gone, post.log_p, log_p - np.where(gone, 0.0, total[:, None]))
    return Listed(post.vectors, after, post.space), total


@among.register
def _(post: Mixture, automata: Sequence[Automaton]) -> Obeyed:
    parts, log_p = zip(*(among(part, automata) for part in post.parts), strict=True)
    log_w = post.log_w + np.stack(log_p, axis=1)
    total = log_sum(log_w, axis=1)
    gone = np.isneginf(total)[:, None]
    weights = np.where(gone, post.log_w, log_w - np.where(gone, 0.0, total[:, None]))
    return Mixture(parts, weights, post.space), total


@among.register
def _(post: Blocks, automata: Sequence[Automaton]) -> Obeyed:
    mass = [among(part, automata)[1] for _, part in post._parts()]
    return post._after(lambda part, _: among(part, automata)[0]), np.concatenate(mass)


@among.register
def _(post: PooledMarginals, automata: Sequence[Automaton]) -> Obeyed:
    joint, log_p = among(post.joint, automata)
    return PooledMarginals(joint, [among(member, automata)[0] for member in post.members]), log_p


@among.register
def _(post: Product, automata: Sequence[Automaton]) -> Obeyed:
    """Parts that share an automaton become one; the others are left as they are."""
    where = {j: i for i, columns in enumerate(post._columns) for j in columns}
    group = list(range(len(post.parts)))
    for automaton in automata:
        touched = {group[where[j]] for j in automaton.labels}
        group = [min(touched) if g in touched else g for g in group]
    parts, log_p = [], np.zeros(len(post))
    for g in dict.fromkeys(group):
        members = [i for i, own in enumerate(group) if own == g]
        columns = sorted(j for i in members for j in post._columns[i])
        place = {j: i for i, j in enumerate(columns)}
        own = [
            replace(a, labels=tuple(place[j] for j in a.labels))
            for a in automata
            if a.labels[0] in place
        ]
        part = _joined([post.parts[i] for i in members], post.space, columns)
        if own:
            obey = among.dispatch(Posterior) if isinstance(part, Product) else among
            part, mass = obey(part, own)
            log_p = log_p + mass
        parts.append(part)
    return Product(parts, post.space), log_p


def _joined(parts: Sequence[Posterior], space: LabelSpace, columns: Sequence[int]) -> Posterior:
    """Return one posterior of several parts of a product: a factor graph if they all are."""
    if len(parts) == 1:
        return parts[0]
    whole = Product(parts, space.take(columns))
    factors = []
    for part, own in zip(parts, whole._columns, strict=True):
        found = factors_of(part)
        if found is None:
            return whole
        factors += [(tuple(own[v] for v in scope), table) for scope, table in found]
    return _graph(whole, factors)


def factors_of(post: Posterior) -> list[Factor] | None:
    """Return a posterior as factors (scope, (n, values …) logarithms), if it is a product of such.

    >>> space = LabelSpace(("a", "b"), (np.array([0, 1]),) * 2)
    >>> [scope for scope, _ in factors_of(Independent([np.log([[0.5, 0.5]])] * 2, space))]
    [(0,), (1,)]
    """
    if isinstance(post, Independent):
        return [((j,), p) for j, p in enumerate(post.log_p)]
    if isinstance(post, Tree):
        return [
            ((j,), p[:, 0]) if parent < 0 else ((parent, j), p)
            for j, (parent, p) in enumerate(zip(post.parents, post.log_p, strict=True))
        ]
    if isinstance(post, FactorGraph):
        return list(zip(post.plan.scopes, rows_first(post.tables), strict=True))
    if isinstance(post, Listed) and count_vectors(post.space.cards) <= TABULATED:
        table = np.full((len(post), *post.space.cards), -np.inf)
        table[(slice(None), *post.vectors.T)] = post.log_p
        return [(tuple(range(len(post.space))), table)]
    return None


def _graph(post: Posterior, factors: Sequence[Factor]) -> FactorGraph:
    plan = cached_plan(tuple(scope for scope, _ in factors), tuple(post.space.cards))
    tables = merge_factors(plan, [table for _, table in factors], len(post))
    return FactorGraph(plan, tables, post.space)


@dataclass(frozen=True)
class Obeying:
    """The change of a posterior that keeps what all automata accept."""

    automata: tuple[Automaton, ...]

    def scores(self, codes: Labels, log_p: Floats) -> Floats:
        """Return log P where a vector obeys, −inf elsewhere."""
        obeys = np.all([automaton.obeys(codes) for automaton in self.automata], axis=0)
        return np.where(obeys, log_p, -np.inf)

    def best(self, base: Posterior, k: int) -> tuple[Labels, Floats]:
        """Return the first k that obey among the best of P; lists grow until there are as many."""
        length = max(k, FIRST)
        while True:
            codes, log_p = base._best(length)
            scores = self.scores(codes, log_p)
            found = (scores > -np.inf).sum(axis=1)
            if (found >= k).all() or codes.shape[1] < length or length >= LONGEST:
                gap = np.where((found > 0) | (codes.shape[1] < length), base.gap(), np.inf)
                return select(codes, scores, k)[0], gap
            length *= 4
