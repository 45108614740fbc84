r"""Why a network gives each label its value.

Given the other labels, only the tables that mention label i change with it, so with ŷ the answer
and y′ the same but for the best other value of label i,

(1)  log P(ŷ | x) / P(y′ | x) = Σ_t [log t(ŷ) − log t(y′)] + Σ_j [log P(x_j | ŷ) − log P(x_j | y′)]

over the class tables t and the features j below label i. A logarithmic pool of networks is a sum of
the same kind, so it is told exactly too. Of the class tables, what they are on average over the
label vectors of training is the label's own part, the rest is what the other labels say.
"""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.codes import Codes
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.flips import Asked, Terms, explain_flips
from jointbayes.inference.graphs.evidence import Factors
from jointbayes.models.networks.vector_counts import VectorCounts
from jointbayes.network import Network

__all__ = ["explain_network"]


def explain_network(
    asked: Asked, codes: Codes, network: Network, class_factors: Factors, known: VectorCounts
) -> Explanation:
    """Explain the answers of a network, or of a pool that differs in the class factors alone."""
    weights = known.counts.n_c / known.counts.n_c.sum()

    def terms(i: int) -> Terms:
        values, seen = (
            [_with(vectors, i, v) for v in range(known.class_cards[i])]
            for vectors in (asked.answer, known.vectors)
        )
        told = np.stack([_class_part(class_factors, y, i) for y in values], axis=1)
        usual = np.stack([weights @ _class_part(class_factors, y, i) for y in seen])
        features = np.stack([_feature_parts(network, codes, y, i) for y in values], axis=1)
        base = np.broadcast_to(usual, told.shape)
        return Terms(base, told - usual, features, np.zeros_like(told))

    return explain_flips(asked, terms)


def _with(vectors: Labels, i: int, value: int) -> Labels:
    changed = vectors.copy()
    changed[:, i] = value
    return changed


def _class_part(factors: Factors, y: Labels, i: int) -> Floats:
    total = np.zeros(len(y))
    for scope, table in factors.items():
        if i in scope:
            total += table[tuple(y[:, j] for j in scope)]
    return total


def _feature_parts(network: Network, codes: Codes, y: Labels, i: int) -> Floats:
    """Return (n, p), log P(x_j | its class parents) of the features below label i, else 0."""
    d = network.n_targets
    out = np.zeros((len(y), len(network.cards) - d))
    for v in range(d, len(network.cards)):
        scope = network.families[v][1:]
        if i not in scope:
            continue
        x = codes.column(v - d + codes.n_targets)
        seen = np.flatnonzero(x < network.cards[v])
        place = (x[seen], *(y[seen, j] for j in scope))
        out[seen, v - d] = network.log_tables[v][place]
    return out
