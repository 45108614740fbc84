"""Decisions among the label vectors that obey rules.

Up to 12 labels all of them are compared. Beyond, a loss that adds up label by label (hamming,
Weighted) is minimised exactly: what an answer costs is a factor graph of one table per label, and
its best vector under the rules is found as that of any other posterior. For losses between sets the
best of candidates is taken, and marked: the likeliest vectors that obey, and the decision for
hamming.
"""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.budgets import ENUMERATED_LABELS
from jointbayes.decision.criteria import Criterion, criterion_of
from jointbayes.errors import DataError
from jointbayes.inference.graphs.plan import merge_factors, plan_factors
from jointbayes.inference.lists import count_vectors, select, vectors
from jointbayes.posterior import FactorGraph, Posterior
from jointbayes.posterior.among import among
from jointbayes.rules import Automaton, at_least, compile_rules

__all__ = ["minimize_obeying"]

LIKELIEST = 32
"""Vectors that are tried for a loss between sets, where there are too many to try all."""


def minimize_obeying(post: Posterior, criterion: Criterion, empty: str) -> Labels:
    """Return the (n, d) codes of least expected loss among the vectors that obey."""
    automata = post.obeyed
    if empty == "forbid":
        automata = (*automata, *compile_rules([at_least(1)], post.space))
    if count_vectors(post.space.cards) <= 1 << ENUMERATED_LABELS:
        return _least_of_all(post, criterion, automata)
    if criterion.costs is not None:
        return _least_sum(post, criterion.costs(post), automata)
    return _least_candidate(post, criterion, automata)


def _least_of_all(post: Posterior, criterion: Criterion, automata: tuple[Automaton, ...]) -> Labels:
    every = vectors(post.space.cards, count_vectors(post.space.cards))
    legal = every[np.all([automaton.obeys(every) for automaton in automata], axis=0)]
    if not len(legal):
        raise DataError("no label vector that is not empty obeys the rules; say empty='allow'")
    found = []
    for part in post._blocks(4 * len(legal) * len(post.space)):
        shown = np.broadcast_to(legal, (len(part), *legal.shape))
        found.append(legal[criterion.expected(part, shown).argmin(axis=1)])
    return np.concatenate(found)


def _least_sum(post: Posterior, costs: list[Floats], automata: tuple[Automaton, ...]) -> Labels:
    """Return the vectors of least sum of costs (n, k_j), label by label."""
    plan = plan_factors([(j,) for j in range(len(costs))], post.space.cards)
    graph = FactorGraph(plan, merge_factors(plan, [-cost for cost in costs], len(post)), post.space)
    cheapest, log_p = among(graph, automata)
    if np.isneginf(log_p).any():
        raise DataError("no label vector that is not empty obeys the rules; say empty='allow'")
    return cheapest._mode()


def _least_candidate(
    post: Posterior, criterion: Criterion, automata: tuple[Automaton, ...]
) -> Labels:
    codes, log_p = post._top(LIKELIEST)
    costs = criterion_of("hamming", post.space).costs
    assert costs is not None  # of each label by itself
    by_label = _least_sum(post, costs(post), automata)[:, None]
    obeys = np.all([automaton.obeys(codes) for automaton in automata], axis=0)
    loss = np.where(obeys & (log_p > -np.inf), criterion.expected(post, codes), np.inf)
    tried = np.concatenate([codes, by_label], axis=1)
    loss = np.concatenate([loss, criterion.expected(post, by_label)], axis=1)
    return select(tried, -loss, 1)[0][:, 0]
