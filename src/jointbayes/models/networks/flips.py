r"""Why each label has its value: against its flip, all other labels held at the answer.

Given the other labels, only the tables that mention label i change with it, so with ŷ the answer
and y′ the same but for the best other value of label i,

(1)  log P(ŷ | x) / P(y′ | x) = Σ_t [log t(ŷ) − log t(y′)] + Σ_j [log P(x_j | ŷ) − log P(x_j | y′)]

over the class tables t and the features j below label i. A logarithmic pool of networks is a sum of
the same kind, so it is told exactly too.
"""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.codes import Codes
from jointbayes.estimator.explanation import Explanation
from jointbayes.inference.graphs.evidence import Factors
from jointbayes.labels import LabelSpace
from jointbayes.network import Network

__all__ = ["explain_flips"]


def explain_flips(
    name: str,
    feature_names: tuple[str, ...],
    answer: Labels,
    codes: Codes,
    network: Network,
    class_factors: Factors,
    space: LabelSpace,
) -> Explanation:
    """Explain (n, d) answers label by label: arrays of the explanation have the axes (n, d, …)."""
    n, d = answer.shape
    flip = answer.copy()
    base = np.zeros((n, d))
    contributions = np.zeros((n, d, len(feature_names)))
    row = np.arange(n)
    for i in range(d):
        values = [_with(answer, i, v) for v in range(space.cards[i])]
        prior = np.stack([_class_part(class_factors, y, i) for y in values], axis=1)
        told = np.stack([_feature_parts(network, codes, y, i) for y in values], axis=1)
        total = prior + told.sum(axis=2)
        total[row, answer[:, i]] = -np.inf
        other = total.argmax(axis=1) if space.cards[i] > 1 else answer[:, i]
        flip[:, i] = other
        base[:, i] = prior[row, answer[:, i]] - prior[row, other]
        contributions[:, i] = told[row, answer[:, i]] - told[row, other]
    return Explanation(
        name=name,
        feature_names=feature_names,
        answer=space.decode(answer),
        runner_up=space.decode(flip),
        log_odds=base + contributions.sum(axis=2),
        base=base,
        contributions=contributions,
        remainder=np.zeros((n, d)),
    )


def _with(answer: Labels, i: int, value: int) -> Labels:
    changed = answer.copy()
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
