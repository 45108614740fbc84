"""NaiBX by definition: Algorithms 1 and 2 of Mossina & Rachelson (2017), row by row.

With N_ym counted, the smoothing of Sec. 4.3, and the sum over orders that the posterior is.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, permutations
from math import exp, inf, isnan, log

FLOOR = 1e-9


class PlainNaiBX:
    def __init__(self, n_labels, kinds):
        self.q, self.kinds = n_labels, kinds
        self.n, self.rows = 0, []
        self.n_m, self.n_y = defaultdict(int), defaultdict(int)
        self.n_yy, self.n_ym = defaultdict(int), defaultdict(int)
        self.seen = defaultdict(lambda: [[0, 0.0, 0.0] for _ in kinds])  # n, mean or sum, M2
        self.values = defaultdict(int)  # of categorical columns, by group, column and value

    def add_example(self, x, labels):
        self.n += 1
        m = len(labels)
        self.n_m[m] += 1
        self._add(("m", m), x)
        self._add("all", x)
        for y in labels:
            self.n_y[y] += 1
            self.n_ym[y, m] += 1
            self._add(("y", y), x)
            for other in labels:
                if other != y:
                    self.n_yy[y, other] += 1

    def _add(self, group, x):
        for i, (cell, value, kind) in enumerate(zip(self.seen[group], x, self.kinds, strict=True)):
            if isnan(value) and kind != "categorical":  # where missing is a value
                continue
            cell[0] += 1
            self.values[group, i, str(value)] += 1
            if kind == "gaussian":
                delta = value - cell[1]
                cell[1] += delta / cell[0]
                cell[2] += delta * (value - cell[1])
            else:
                cell[1] += value

    def variance(self, group, i):
        n, _, m2 = self.seen[group][i]
        return m2 / (n - 1) if n > 1 else 0.0

    def log_density(self, group, x):
        total = 0.0
        words = [i for i, kind in enumerate(self.kinds) if kind == "multinomial"]
        length = sum(self.seen[group][i][1] for i in words)
        for i, (value, kind) in enumerate(zip(x, self.kinds, strict=True)):
            if isnan(value) and kind != "categorical":
                continue
            n, mean, _ = self.seen[group][i]
            if kind == "gaussian":
                whole = self.variance("all", i)
                if whole == 0:
                    continue
                if n == 0:
                    mean, var = self.seen["all"][i][1], whole
                else:
                    var = max(self.variance(group, i), FLOOR * whole)
                total += -((value - mean) ** 2) / (2 * var) - log(var) / 2
            elif kind == "bernoulli":
                p = (mean + 1) / (n + 2)
                total += log(p if value else 1 - p)
            elif kind == "poisson":
                rate = (mean + 1) / (n + 1)
                total += value * log(rate) - rate
            elif kind == "categorical":
                k = len({v for g, j, v in self.values if g == "all" and j == i})
                total += log((self.values.get((group, i, str(value)), 0) + 1) / (n + k))
            else:
                total += value * log((mean + 1) / (length + len(words)))
        return total

    def size_scores(self, x):
        return [
            log(self.n_m[m] + 1) + self.log_density(("m", m), x) if self.n_m[m] else -inf
            for m in range(self.q + 1)
        ]

    def label_score(self, x, m, picked, y):
        score = log(self.n_y[y] + 1) + self.log_density(("y", y), x)
        score += log((self.n_ym[y, m] + 1) / (self.n_y[y] + self.q + 1))
        for other in picked:
            score += log((self.n_yy[y, other] + 1) / (self.n_y[y] + self.q - 1))
        return score

    def predict(self, x, m=None):
        if m is None:
            scores = self.size_scores(x)
            m = scores.index(max(scores))
        picked = []
        for _ in range(m):
            left = [y for y in range(self.q) if y not in picked]
            picked.append(max(left, key=lambda y: self.label_score(x, m, picked, y)))
        return sorted(picked)

    def is_sure(self, x, m=None):
        """Return whether no choice on the way to `predict` is between scores that round alike."""
        scores = self.size_scores(x)
        chosen = [] if m is not None else [scores]
        m, picked = scores.index(max(scores)) if m is None else m, []
        for _ in range(m):
            by_label = {
                y: self.label_score(x, m, picked, y) for y in range(self.q) if y not in picked
            }
            chosen.append(list(by_label.values()))
            picked.append(max(by_label, key=by_label.get))
        pairs = [sorted(each)[-2:] for each in chosen if len(each) > 1]
        return all(best - next_ > 1e-9 + 1e-12 * abs(best) for next_, best in pairs)

    def step(self, x, m, picked):
        left = [y for y in range(self.q) if y not in picked]
        return normalized({y: self.label_score(x, m, picked, y) for y in left})

    def joint(self, x):
        """P(S | x) of every set: P(M | x) times the cascade, summed over orders."""
        sizes = normalized(dict(enumerate(self.size_scores(x))))
        found = {}
        for m in range(self.q + 1):
            for labels in combinations(range(self.q), m):
                found[labels] = sizes[m] * sum(self.order(x, o) for o in permutations(labels))
        return found

    def order(self, x, labels):
        p = 1.0
        for k, y in enumerate(labels):
            p *= self.step(x, len(labels), labels[:k])[y]
        return p


def normalized(scores):
    top = max(scores.values())
    p = {key: exp(score - top) for key, score in scores.items()}
    total = sum(p.values())
    return {key: value / total for key, value in p.items()}
