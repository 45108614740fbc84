"""LKDB, AKDB and label-driven learning by definition (Sun 2017), on top of the plain oracle.

Features that a row lacks are left out of networks built for that row.
"""

from math import log2, prod

from oracle import (
    as_lists,
    joint,
    kdb,
    label_information,
    matrix,
    normalised,
    prim,
    tan,
)


def local_information(data, i, v):
    """I(x_i; C), Eq. 9."""
    whole, total = data.n_observed([i]), 0.0
    for c in range(data.n_classes):
        n = data.n({i: v}, c)
        if n > 0:
            total += n / whole * log2(n * whole / (data.n({i: v}) * data.n_observed([i], {}, c)))
    return total


def pointwise(data, i, v, j, w, c):
    """I(x_i; x_j | c), Eq. 18; values that never met have 0."""
    n = data.n({i: v, j: w}, c)
    if n == 0:
        return 0.0
    within = data.n_observed([i, j], {}, c)
    return log2(n * within / (data.n_observed([j], {i: v}, c) * data.n_observed([i], {j: w}, c)))


def smoothed(data, i, v, j, w, c):
    """Eq. 18 with P(v, w | c) = (n + m / k_v k_w) / (n(c) + m) and its margins."""
    ki, kj, m = data.cards[i], data.cards[j], data.m
    within = data.n_observed([i, j], {}, c) + m
    both = (data.n({i: v, j: w}, c) + m / (ki * kj)) / within
    left = (data.n_observed([j], {i: v}, c) + m / ki) / within
    right = (data.n_observed([i], {j: w}, c) + m / kj) / within
    return log2(both / (left * right))


def discounted(data, i, v, j, w, c):
    """Eq. 18 shrunk where the pair, or the rarer of its values, was seldom met."""
    n, rarer = data.n({i: v, j: w}, c), min(data.n({i: v}, c), data.n({j: w}, c))
    return pointwise(data, i, v, j, w, c) * n / (n + 1) * rarer / (rarer + 1)


def conditional_local(data, i, v, j, w):
    """I(x_i; x_j | C), Eq. 10."""
    whole = data.n_observed([i, j])
    return sum(
        data.n({i: v, j: w}, c) / whole * pointwise(data, i, v, j, w, c)
        for c in range(data.n_classes)
        if whole
    )


def row_joint(data, x, c, parents):
    """P(c) Π P(x_i | pa(x_i), c) over the features of ``parents``."""
    return data.p_class(c) * prod(
        data.p_value(i, x[i], {j: x[j] for j in above}, c) for i, above in parents.items()
    )


def local_parents(data, x, k):
    seen = [i for i in range(data.p) if x[i] is not None]
    ranked = sorted(seen, key=lambda i: (-round(local_information(data, i, x[i]), 10), i))
    parents = {}
    for place, i in enumerate(ranked):
        weight = {j: round(conditional_local(data, i, x[i], j, x[j]), 10) for j in ranked[:place]}
        parents[i] = sorted(weight, key=lambda j: (-weight[j], j))[:k]
    return parents


def lkdb(data, x, k=1):
    parents = local_parents(data, x, k)
    return normalised([row_joint(data, x, c, parents) for c in range(data.n_classes)])


def akdb(data, x, k=1):
    return [(a + b) / 2 for a, b in zip(kdb(data, x, k), lkdb(data, x, k), strict=True)]


def reduced(data, labels):
    """Eq. 16 for all pairs."""

    def weight(i, j):
        whole = data.n_observed([i, j])
        return sum(
            data.n_observed([i, j], {}, c) / whole * label_information(data, i, j, c)
            for c in labels
            if whole
        )

    return matrix(data, weight)


def reduced_relevance(data, labels, i):
    whole, total = data.n_observed([i]), 0.0
    for v in range(data.cards[i]):
        for c in labels:
            n = data.n({i: v}, c)
            if n > 0:
                total += (
                    n / whole * log2(n * whole / (data.n({i: v}) * data.n_observed([i], {}, c)))
                )
    return total


def refined_tan(data, x, labels):
    parents = as_lists(prim(reduced(data, labels)))
    return normalised([joint(data, x, c, parents) for c in labels])


def refined_kdb(data, x, labels, k):
    relevant = [round(reduced_relevance(data, labels, i), 10) for i in range(data.p)]
    weights = reduced(data, labels)
    ranked = sorted(range(data.p), key=lambda i: (-relevant[i], i))
    parents = {
        i: sorted(ranked[:place], key=lambda j: (-round(weights[i][j], 10), j))[:k]
        for place, i in enumerate(ranked)
    }
    return normalised([joint(data, x, c, parents) for c in labels])


def expert_parents(data, x, c, support):
    seen = [i for i in range(data.p) if x[i] is not None]

    def weight(i, j):
        rule = {"any": pointwise, "smoothed": smoothed, "discounted": discounted}[support]
        return rule(data, i, x[i], j, x[j], c)

    links = [[0.0 if i == j else weight(i, j) for j in seen] for i in seen]
    tree = prim(links) if seen else {}
    return {seen[i]: [] if p is None else [seen[p]] for i, p in tree.items()}


def says_of_label(data, i, v, c):
    """I(x_i; c): log2 of how much likelier a value is under a label; 0 if they never met."""
    n, whole = data.n({i: v}, c), data.n_observed([i])
    return log2(n * whole / (data.n({i: v}) * data.n_observed([i], {}, c))) if n else 0.0


def dependent_parents(data, x, c, support, k):
    """What KDB's ranking makes of what one row and one label say."""
    rule = {"any": pointwise, "smoothed": smoothed, "discounted": discounted}[support]
    seen = [i for i in range(data.p) if x[i] is not None]
    ranked = sorted(seen, key=lambda i: (-round(says_of_label(data, i, x[i], c), 10), i))
    parents = {}
    for place, i in enumerate(ranked):
        weight = {j: round(rule(data, i, x[i], j, x[j], c), 10) for j in ranked[:place]}
        parents[i] = sorted(weight, key=lambda j: (-weight[j], j))[:k]
    return parents


def experts(data, x, labels, support, k=None):
    """Trees, or with k networks of k parents for each feature."""

    def parents(c):
        if k is None:
            return expert_parents(data, x, c, support)
        return dependent_parents(data, x, c, support, k)

    return normalised([row_joint(data, x, c, parents(c)) for c in labels])


def label_driven(
    data,
    x,
    delta=0.1,
    combine="average",
    support="any",
    *,
    generalist=None,
    refine=None,
    rest="zero",
    k=None,
):
    """Algorithm 4; the answer over all labels, those that did not survive with 0 or as before."""
    general = (generalist or tan)(data, x)
    best = max(general)
    labels = [c for c, p in enumerate(general) if round(p / best, 10) >= delta]
    if len(labels) == 1:
        return general
    parts = []
    if combine != "experts":
        again = [general[c] for c in labels]
        parts.append((refine or (lambda *_: normalised(again)))(data, x, labels))
    if combine != "refined":
        parts.append(experts(data, x, labels, support, k))
    answer = [0.0] * data.n_classes if rest == "zero" else list(general)
    share = 1.0 if rest == "zero" else sum(general[c] for c in labels)
    for place, c in enumerate(labels):
        answer[c] = share * sum(part[place] for part in parts) / len(parts)
    return answer
