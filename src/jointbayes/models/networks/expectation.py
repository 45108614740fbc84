r"""The tables of networks from rows some labels of which are not known: expectation-maximisation.

With o the labels that a row tells, a step takes expected counts by the tables before,

(1)  n(v, ctx) = Σ_rows w P(v, ctx | features, o),

for the counts of the tables (2) of `multidimensional`, whose pseudo-counts a are those of a
Dirichlet prior. So no step lets fall

(2)  Σ_rows w log P(features, o) + Σ_cells a log P(v | ctx),

which is asserted. The first tables are those of available counts: of the rows in which the whole
family is known. Members of an ensemble share the tables of features, whose expected counts are
averaged; (2) is then the mean over the members. Steps end when no row's P(family | features, o) has
moved by 0.001.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.budgets import CACHE_CELLS
from jointbayes.codes import Codes, SparseCodes
from jointbayes.counts import count_singles
from jointbayes.inference.graphs.execute import believe_cliques, sum_product, sum_to
from jointbayes.inference.graphs.plan import Plan, Scope
from jointbayes.inference.graphs.tables import exclude
from jointbayes.labels import LabelSpace
from jointbayes.models.networks.multidimensional import Multidimensional, log_table
from jointbayes.network import Network

__all__ = ["Incomplete", "Maximised", "maximise_likelihood"]

STILL = 1e-3
"""Steps end when nothing that is believed of a row has moved by this much."""

MOST_STEPS = 500
ROUNDING = 1e-9

Beliefs = dict[Scope, Floats]
"""P(values of a scope | row): (values of the scope …, n)."""


@dataclass(frozen=True, eq=False)
class Incomplete:
    """Coded rows, of which some labels are −1: not known.

    Parameters
    ----------
    codes
        The features.
    labels
        (n, d) the labels.
    space
        What they mean.
    weights
        (n,) how often each row counts.
    """

    codes: Codes
    labels: Labels
    space: LabelSpace
    weights: Floats


@dataclass(frozen=True, eq=False)
class Maximised:
    """Networks whose tables make what is known likeliest, and (2) at every step."""

    learned: Multidimensional
    scores: tuple[float, ...]


def maximise_likelihood(start: Multidimensional, rows: Incomplete, ess: float) -> Maximised:
    """Return networks of the same arcs with the tables at the end of all steps."""
    believed = [_available(network, rows) for network in start.networks]
    learned = _maximise(start, rows, believed, ess)
    scores: list[float] = []
    for _ in range(MOST_STEPS):
        now, score = _expect(learned, rows, ess)
        if scores:
            fallen = score < scores[-1] - ROUNDING * abs(scores[-1])
            assert not fallen, "the likelihood of what is known has fallen"
            if _farthest(now, believed) < STILL:
                break
        scores.append(score)
        believed, learned = now, _maximise(learned, rows, now, ess)
    return Maximised(learned, tuple(scores))


def _available(network: Network, rows: Incomplete) -> Beliefs:
    """Return certainty where a row tells a whole family, and nothing where it does not."""
    cards = network.cards
    found = {}
    for scope in _scopes(network):
        shape = tuple(cards[v] for v in scope)
        told = np.flatnonzero((rows.labels[:, scope] >= 0).all(axis=1))
        cells = np.zeros((prod(shape), len(rows.labels)))
        cells[np.ravel_multi_index(rows.labels[told][:, scope].T, shape), told] = 1.0
        found[scope] = cells.reshape(*shape, -1)
    return found


def _scopes(network: Network) -> list[Scope]:
    """Return the class variables of every family of a network, each set once in each order."""
    classes = network.families[: network.n_targets]
    bridge = (family[1:] for family in network.families[network.n_targets :])
    return list(dict.fromkeys(scope for scope in (*classes, *bridge) if scope))


def _expect(learned: Multidimensional, rows: Incomplete, ess: float) -> tuple[list[Beliefs], float]:
    """Return what each network believes of every row, and (2)."""
    found, score = [], 0.0
    for network, member in zip(learned.networks, learned.members, strict=True):
        parts = [_believe(member, part) for part in _blocks(rows, member.plan)]
        found.append(
            {
                scope: np.concatenate([beliefs[scope] for beliefs, _ in parts], axis=-1)
                for scope in _scopes(network)
            }
        )
        score += rows.weights @ np.concatenate([log_z for _, log_z in parts])
        score += _log_prior(network.log_tables[: network.n_targets], ess)
    features = learned.networks[0].log_tables[learned.networks[0].n_targets :]
    return found, float(score / len(found) + _log_prior(features, ess))


def _log_prior(tables: Sequence[Floats], ess: float) -> float:
    return float(sum(ess / table.size * table.sum() for table in tables))


def _blocks(rows: Incomplete, plan: Plan) -> Iterator[Incomplete]:
    step = max(1, CACHE_CELLS // plan.largest)
    for i in range(0, len(rows.labels), step):
        part = slice(i, i + step)
        yield Incomplete(rows.codes[part], rows.labels[part], rows.space, rows.weights[part])


def _believe(member: Multidimensional, rows: Incomplete) -> tuple[Beliefs, Floats]:
    plan = member.plan
    post = member.condition(rows.codes, rows.space, plan.bytes, None)
    log_z, conditionals = sum_product(plan, exclude(plan, post.tables, rows.labels))
    cliques = believe_cliques(plan, conditionals)
    found = {}
    for scope in _scopes(member.networks[0]):
        first = min(scope, key=plan.at.__getitem__)  # whose clique has the others in it
        found[scope] = sum_to(cliques[first], plan.steps[plan.at[first]].clique, scope)
    return found, log_z


def _maximise(
    learned: Multidimensional, rows: Incomplete, believed: Sequence[Beliefs], ess: float
) -> Multidimensional:
    """Return the networks of expected counts (1)."""
    d, networks = learned.networks[0].n_targets, []
    features = _features(learned, rows, believed, ess)
    for network, beliefs in zip(learned.networks, believed, strict=True):
        counts = (beliefs[family] @ rows.weights for family in network.families[:d])
        classes = [log_table(n, -1, ess) for n in counts]
        networks.append(replace(network, log_tables=(*classes, *features)))
    return replace(learned, networks=tuple(networks))


def _features(
    learned: Multidimensional, rows: Incomplete, believed: Sequence[Beliefs], ess: float
) -> list[Floats]:
    below: dict[Scope, list[int]] = {}
    for j, parents in enumerate(learned.bridge.parents):
        below.setdefault(parents, []).append(j)
    tables: dict[int, Floats] = {}
    for scope, members in below.items():
        belief = np.ones(len(rows.labels))
        if scope:
            belief = np.mean([beliefs[scope] for beliefs in believed], axis=0)
        cells = belief.reshape(-1, belief.shape[-1])
        blocks = [_count(rows, members, rows.weights * q) for q in cells]
        for i, j in enumerate(members):
            table = np.stack([block[i] for block in blocks], axis=1)
            tables[j] = log_table(table.reshape(-1, *belief.shape[:-1]), 0, ess)
    return [tables[j] for j in range(len(tables))]


def _count(rows: Incomplete, members: list[int], weights: Floats) -> list[Floats]:
    """Return the weighted counts of the values of some features."""
    codes, cards, at = rows.codes.features, rows.codes.feature_cards, members
    if not isinstance(codes, SparseCodes):
        codes, cards = np.asfortranarray(codes[:, members]), tuple(cards[j] for j in members)
        at = list(range(len(members)))
    of_one = np.zeros((len(weights), 1), dtype=np.uint8)
    counts = count_singles(Codes(codes, cards, of_one, (1,)), weights)
    return [counts.block(j)[0] for j in at]


def _farthest(now: Sequence[Beliefs], before: Sequence[Beliefs]) -> float:
    return max(
        float(np.abs(a[scope] - b[scope]).max(initial=0.0))
        for a, b in zip(now, before, strict=True)
        for scope in a
    )
