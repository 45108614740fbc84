"""The classifiers with one class variable by definition: plain loops, dictionaries, no tricks.

Rows are lists of codes, `None` for what was not observed. Everything is a sum over rows or over all
completions of a row, written as the papers and the design say it. Slow, and meant to be.
"""

from itertools import product
from math import log2, prod


class Data:
    """Coded rows with one class variable, and the counts one may ask of them."""

    def __init__(self, rows, labels, cards, n_classes, weights=None, smoothing=1.0):
        self.rows, self.labels, self.cards, self.n_classes = rows, labels, cards, n_classes
        self.weights = [1.0] * len(rows) if weights is None else weights
        self.m = smoothing
        self.p = len(cards)

    def n(self, values, label=None):
        """Rows that have these values (a dict by feature) and this label."""
        return sum(
            w
            for row, c, w in zip(self.rows, self.labels, self.weights, strict=True)
            if (label is None or c == label) and all(row[i] == v for i, v in values.items())
        )

    def n_observed(self, features, values=None, label=None):
        """Rows that have these values and this label, and in which the features were observed."""
        return sum(
            w
            for row, c, w in zip(self.rows, self.labels, self.weights, strict=True)
            if (label is None or c == label)
            and all(row[i] is not None for i in features)
            and all(row[i] == v for i, v in (values or {}).items())
        )

    def p_class(self, c):
        return (self.n({}, c) + self.m / self.n_classes) / (self.n({}) + self.m)

    def p_value(self, i, v, context, c):
        """P(x_i = v | context, c), the m-estimate."""
        total = self.n_observed([i], context, c)
        k = self.cards[i]
        if self.m == 0 and total == 0:
            return 1 / k
        return (self.n({i: v, **context}, c) + self.m / k) / (total + self.m)


def mutual_information(data, i):
    """I(X_i; C) in bits."""
    whole, total = data.n_observed([i]), 0.0
    for v in range(data.cards[i]):
        for c in range(data.n_classes):
            n = data.n({i: v}, c)
            if n > 0:
                total += (
                    n / whole * log2(n * whole / (data.n({i: v}) * data.n_observed([i], {}, c)))
                )
    return total


def label_information(data, i, j, c):
    """I(X_i; X_j | c), within the rows of one label, in bits."""
    within, total = data.n_observed([i, j], {}, c), 0.0
    for v in range(data.cards[i]):
        for w in range(data.cards[j]):
            n = data.n({i: v, j: w}, c)
            if n > 0:
                left = data.n_observed([j], {i: v}, c)
                right = data.n_observed([i], {j: w}, c)
                total += n / within * log2(n * within / (left * right))
    return total


def conditional_information(data, i, j):
    """I(X_i; X_j | C) in bits: the mean over labels."""
    whole = data.n_observed([i, j])
    shares = [data.n_observed([i, j], {}, c) / whole if whole else 0 for c in range(data.n_classes)]
    return sum(s * label_information(data, i, j, c) for c, s in enumerate(shares))


def matrix(data, weight):
    return [[0.0 if i == j else weight(i, j) for j in range(data.p)] for i in range(data.p)]


def dependence(data):
    return matrix(data, lambda i, j: conditional_information(data, i, j))


def prim(weights):
    """Parents (None = root) of the heaviest spanning tree; ties as the design says."""
    joined, parents = [0], {0: None}
    while len(joined) < len(weights):
        best = None
        for j in range(len(weights)):
            if j in joined:
                continue
            for i in joined:  # in the order of joining
                w = round(weights[i][j], 10)
                if best is None or w > best[0]:
                    best = w, j, i
        joined.append(best[1])
        parents[best[1]] = best[2]
    return parents


def turned(parents, root):
    """The same tree hung up at another root."""
    near = {i: set() for i in parents}
    for i, p in parents.items():
        if p is not None:
            near[i].add(p)
            near[p].add(i)
    out, todo = {root: None}, [root]
    while todo:
        i = todo.pop()
        for j in near[i] - out.keys():
            out[j] = i
            todo.append(j)
    return out


def joint(data, x, c, parents):
    """P(c, observed part of x): the sum over all completions of the row."""
    choices = [range(k) if v is None else [v] for v, k in zip(x, data.cards, strict=True)]
    total = 0.0
    for full in product(*choices):
        total += prod(
            data.p_value(i, full[i], {j: full[j] for j in parents[i]}, c) for i in range(data.p)
        )
    return data.p_class(c) * total


def normalised(scores):
    return [s / sum(scores) for s in scores]


def naive_bayes(data, x):
    parents = {i: [] for i in range(data.p)}
    return normalised([joint(data, x, c, parents) for c in range(data.n_classes)])


def as_lists(tree):
    return {i: [] if p is None else [p] for i, p in tree.items()}


def tan(data, x):
    parents = as_lists(prim(dependence(data)))
    return normalised([joint(data, x, c, parents) for c in range(data.n_classes)])


def kdb_parents(data, k):
    relevant = [round(mutual_information(data, i), 10) for i in range(data.p)]
    weights = dependence(data)
    ranked = sorted(range(data.p), key=lambda i: (-relevant[i], i))
    return {
        i: sorted(ranked[:place], key=lambda j: (-round(weights[i][j], 10), j))[:k]
        for place, i in enumerate(ranked)
    }


def kdb(data, x, k=1):
    parents = kdb_parents(data, k)
    return normalised([joint(data, x, c, parents) for c in range(data.n_classes)])


def aode(data, x, min_frequency=1):
    seen = [i for i in range(data.p) if x[i] is not None]
    usable = [i for i in seen if data.n({i: x[i]}) >= min_frequency]
    if not usable:
        return naive_bayes(data, x)
    scores = []
    for c in range(data.n_classes):
        total = 0.0
        for p in usable:
            cells = data.n_classes * data.cards[p]
            own = (data.n({p: x[p]}, c) + data.m / cells) / (data.n_observed([p]) + data.m)
            children = (data.p_value(i, x[i], {p: x[p]}, c) for i in seen if i != p)
            total += own * prod(children)
        scores.append(total)
    return normalised(scores)


def averaged_tan(data, x, weights):
    tree = prim(dependence(data))
    answers = []
    for root in range(data.p):
        parents = as_lists(turned(tree, root))
        answers.append(normalised([joint(data, x, c, parents) for c in range(data.n_classes)]))
    return [
        sum(w * a[c] for w, a in zip(weights, answers, strict=True)) for c in range(data.n_classes)
    ]


def atan(data, x):
    return averaged_tan(data, x, [1 / data.p] * data.p)


def watan(data, x):
    said = [mutual_information(data, i) for i in range(data.p)]
    total = sum(said)
    return averaged_tan(data, x, [s / total if total > 0 else 1 / data.p for s in said])


def multinet(data, x):
    scores = []
    for c in range(data.n_classes):
        weights = matrix(data, lambda i, j, c=c: label_information(data, i, j, c))
        parents = as_lists(prim(weights))
        scores.append(joint(data, x, c, parents))
    return normalised(scores)
