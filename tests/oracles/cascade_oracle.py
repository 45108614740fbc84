"""The cascade of any classifiers by definition (Mossina & Rachelson 2017, Sec. 3.5), in loops.

A classifier for the size, one for each level, which learns from every label after every choice of
others, and the sum over orders.
"""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np


class PlainCascade:
    def __init__(self, make, X, Y, weights):
        sets = [tuple(np.flatnonzero(y).tolist()) for y in Y]
        self.d, self.largest = Y.shape[1], max(map(len, sets))
        self.size = make().fit(X, [len(s) for s in sets], sample_weight=weights)
        self.levels = []
        for k in range(1, self.largest + 1):
            seen, label, share = [], [], []
            for x, s, w in zip(X, sets, weights, strict=True):
                pairs = [(f, y) for y in s for f in combinations(sorted({*s} - {y}), k - 1)]
                seen += [self.row(x, len(s), f) for f, _ in pairs]
                label += [y for _, y in pairs]
                share += [w / max(len(pairs), 1)] * len(pairs)
            self.levels.append(make().fit(seen, label, sample_weight=share))

    def row(self, x, m, picked):
        before = [float(j in picked) for j in range(self.d)] if picked else []
        return [*x, float(m), *before]

    def next(self, x, m, picked):
        level = self.levels[len(picked)]
        assert level.classes_.tolist() == list(range(self.d))
        p = level.predict_proba([self.row(x, m, picked)])[0].tolist()
        total = sum(v for y, v in enumerate(p) if y not in picked)
        return [v / total for v in p]

    def joint(self, x):
        p = self.size.predict_proba([x])[0].tolist()
        sizes = dict(zip(self.size.classes_.tolist(), p, strict=True))
        found = {}
        for y in product((0, 1), repeat=self.d):
            labels, total = np.flatnonzero(y).tolist(), 0.0
            for order in permutations(labels) if len(labels) in sizes else ():
                p = 1.0
                for k, label in enumerate(order):
                    p *= self.next(x, len(labels), order[:k])[label]
                total += p
            found[y] = sizes.get(len(labels), 0.0) * total
        return found
