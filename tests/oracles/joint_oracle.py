"""The joint distribution of one row as a dictionary, and every answer by its definition."""

from __future__ import annotations

from itertools import permutations, product
from math import exp, inf, log


def independent(tables, cards):
    """P(y) = ∏_j p_j(y_j); ``tables[j][c]``."""
    return tree([-1] * len(cards), [[table] for table in tables], cards)


def tree(parents, tables, cards):
    """P(y) = ∏_j p_j(y_j | y_parent); ``tables[j][parent value][c]``."""
    joint = {}
    for y in product(*map(range, cards)):
        p = 1.0
        for j, parent in enumerate(parents):
            p *= tables[j][0 if parent < 0 else y[parent]][y[j]]
        joint[y] = p
    return joint


def listed(vectors, probabilities, cards):
    """P(y) of listed vectors; 0 elsewhere."""
    joint = dict.fromkeys(product(*map(range, cards)), 0.0)
    for vector, p in zip(vectors.tolist(), probabilities, strict=True):
        joint[tuple(vector)] = p
    return joint


def grouped(parts, columns, cards):
    """P(y) = ∏_g P_g(y_g) over groups of columns."""
    joint = {}
    for y in product(*map(range, cards)):
        p = 1.0
        for part, group in zip(parts, columns, strict=True):
            p *= part[tuple(y[j] for j in group)]
        joint[y] = p
    return joint


def mixed(parts, weights):
    """P(y) = Σ_m w_m P_m(y)."""
    return {y: sum(w * part[y] for w, part in zip(weights, parts, strict=True)) for y in parts[0]}


def factored(scopes, tables, cards):
    """P(y) ∝ exp Σ_f table_f(y_scope), the tables being nested lists of logarithms."""
    joint = {}
    for y in product(*map(range, cards)):
        total = 0.0
        for scope, table in zip(scopes, tables, strict=True):
            cell = table
            for v in scope:
                cell = cell[y[v]]
            total += cell
        joint[y] = exp(total)
    z = sum(joint.values())
    return {y: p / z for y, p in joint.items()}


def chained(order, tables, cards):
    """P(y) = ∏_t p_t(y_order(t) | y of the places before); ``tables[t][…before][c]``."""
    joint = {}
    for y in product(*map(range, cards)):
        p, before = 1.0, []
        for j, table in zip(order, tables, strict=True):
            before.append(y[j])
            cell = table
            for c in before:
                cell = cell[c]
            p *= cell
        joint[y] = p
    return joint


def picked(log_size, base, by_size, together):
    """P(S) = P(M = |S|) Σ over orders of ∏ p(next label | those before), by definition."""
    d = len(base)
    joint = dict.fromkeys(product(range(2), repeat=d), 0.0)
    for m in range(d + 1):
        for order in permutations(range(d), m):
            p, before = exp(log_size[m]), []
            for y in order:
                rest = [j for j in range(d) if j not in before]
                weight = {
                    j: exp(base[j] + by_size[m][j] + sum(together[i][j] for i in before))
                    for j in rest
                }
                p *= weight[y] / sum(weight.values())
                before.append(y)
            joint[tuple(int(j in order) for j in range(d))] += p
    return joint


def stepped(log_size, tables):
    """P(S) = P(M = |S|) Σ over orders of ∏ p(next label | |S|, those before), from p[m][F][y].

    Number F is the set that holds label j if bit d − 1 − j is set.
    """
    d = len(log_size) - 1
    joint = dict.fromkeys(product(range(2), repeat=d), 0.0)
    for m in range(d + 1):
        for order in permutations(range(d), m):
            p, before = exp(log_size[m]), 0
            for y in order:
                p *= tables[m][before][y]
                before += 1 << (d - 1 - y)
            joint[tuple(int(j in order) for j in range(d))] += p
    return joint


def power(joint, t):
    """P(y)^t, normalised."""
    raised = {y: p**t if p > 0 else 0.0 for y, p in joint.items()}
    z = sum(raised.values())
    return {y: p / z for y, p in raised.items()}


def condition(joint, known):
    """P(y | known), with ``known`` a dictionary from label to code."""
    kept = {y: p if all(y[j] == c for j, c in known.items()) else 0.0 for y, p in joint.items()}
    z = sum(kept.values())
    return {y: p / z for y, p in kept.items()}


def log_ranked(joint, k):
    """The k largest log-probabilities."""
    return [log(p) if p > 0 else -inf for p in sorted(joint.values(), reverse=True)[:k]]


def marginal(joint, j, card):
    """P(Y_j = c) for every c."""
    return [sum(p for y, p in joint.items() if y[j] == c) for c in range(card)]


def size_joint(joint, j, size):
    """P(Y_j = 1, |Y| = size)."""
    return sum(p for y, p in joint.items() if y[j] == 1 and sum(y) == size)


def subset_loss(y, z):
    return float(y != z)


def hamming_loss(y, z):
    return sum(a != b for a, b in zip(y, z, strict=True)) / len(y)


def f1_loss(y, z):
    common = sum(a and b for a, b in zip(y, z, strict=True))
    return 1 - (2 * common / (sum(y) + sum(z)) if sum(y) + sum(z) else 1.0)


def jaccard_loss(y, z):
    common = sum(a and b for a, b in zip(y, z, strict=True))
    union = sum(a or b for a, b in zip(y, z, strict=True))
    return 1 - (common / union if union else 1.0)


def f_beta_loss(beta):
    def loss(y, z):
        common = sum(a and b for a, b in zip(y, z, strict=True))
        below = beta**2 * sum(y) + sum(z)
        return 1 - ((1 + beta**2) * common / below if below else 1.0)

    return loss


def weighted_loss(false_positive, false_negative):
    def loss(y, z):
        costs = [
            fp if b > a else fn if a > b else 0.0
            for a, b, fp, fn in zip(y, z, false_positive, false_negative, strict=True)
        ]
        return sum(costs) / len(y)

    return loss


def worth_of_asking(joint, j, card, loss, legal):
    """Least expected loss now, less what it will be on average once label j is known."""

    def least(own):
        return min(sum(p * loss(y, z) for y, p in own.items()) for z in legal)

    after = 0.0
    for c in range(card):
        p = sum(p for y, p in joint.items() if y[j] == c)
        if p > 0:
            after += p * least(condition(joint, {j: c}))
    return least(joint) - after


LOSS = {"subset": subset_loss, "hamming": hamming_loss, "f1": f1_loss, "jaccard": jaccard_loss}


def expected(joint, answer, loss):
    """Σ_y P(y) loss(y, answer)."""
    return sum(p * LOSS[loss](y, tuple(answer)) for y, p in joint.items())
