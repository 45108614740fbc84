"""NaiBX with a belief, by definition: average rows that join each group, and exponents."""

from __future__ import annotations

from math import isnan, log

from naibx_oracle import FLOOR, PlainNaiBX, normalized


class BelievingNaiBX(PlainNaiBX):
    def __init__(self, n_labels, kinds, belief):
        super().__init__(n_labels, kinds)
        self.belief = belief

    def log_density(self, group, x):
        k, total = self.belief.average_rows, 0.0
        if not k:
            return super().log_density(group, x)
        words = [i for i, kind in enumerate(self.kinds) if kind == "multinomial"]
        for i, (value, kind) in enumerate(zip(x, self.kinds, strict=True)):
            if isnan(value) and kind != "categorical":
                continue
            n, mean, m2 = self.seen[group][i]
            n_all, mean_all, _ = self.seen["all"][i]
            if kind == "gaussian":
                total += self.gaussian(value, (n, mean, m2), self.seen["all"][i])
            elif kind == "bernoulli":
                p = (mean + k * (mean_all + 1) / (n_all + 2)) / (n + k)
                total += log(p if value else 1 - p)
            elif kind == "poisson":
                rate = (mean + k * (mean_all + 1) / (n_all + 1)) / (n + k)
                total += value * log(rate) - rate
            elif kind == "categorical":
                values = {v for g, j, v in self.values if g == "all" and j == i}
                f = (self.values["all", i, str(value)] + 1) / (n_all + len(values))
                total += log((self.values.get((group, i, str(value)), 0) + k * f) / (n + k))
            else:
                counts = {
                    j: self.seen[group][j][1] + k * (self.seen["all"][j][1] + 1) / n_all
                    for j in words
                }
                total += value * log(counts[i] / sum(counts.values()))
        return total

    def gaussian(self, value, group, every):
        """Return the log-density of a number, given n, mean and squared deviations of each."""
        (n, mean, m2), (n_all, mean_all, m2_all), k = group, every, self.belief.average_rows
        whole = m2_all / (n_all - 1)
        both = (n * mean + k * mean_all) / (n + k)
        squares = m2 + k * m2_all / n_all + n * (mean - both) ** 2 + k * (mean_all - both) ** 2
        var = max(squares / (n + k - 1), FLOOR * whole)
        return -((value - both) ** 2) / (2 * var) - log(var) / 2

    def size_scores(self, x):
        seen = {
            m: log(self.n_m[m] + 1) + self.belief.sizes * self.log_density(("m", m), x)
            for m in range(self.q + 1)
            if self.n_m[m]
        }
        p, n = normalized(seen), self.n
        vote = 1 / (self.q + 1)
        return [log((n * p.get(m, 0.0) + vote) / (n + 1)) for m in range(self.q + 1)]

    def label_score(self, x, m, picked, y):
        score = log(self.n_y[y] + 1) + self.belief.features * self.log_density(("y", y), x)
        score += log((self.n_ym[y, m] + 1) / (self.n_y[y] + self.q + 1))
        for other in picked:
            p = (self.n_yy[y, other] + 1) / (self.n_y[y] + self.q - 1)
            score += self.belief.labels * log(p)
        return score
