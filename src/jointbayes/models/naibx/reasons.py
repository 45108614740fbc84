r"""Why NaiBX picks each label or leaves it out.

Its posterior sums over orders of picking and so is not a product, but three of its factors are.
With S the answer with label i and without it, a column j speaks by

(1)  log p(x_j | M = |S|)             for the size of S, where naive Bayes tells it and both sizes
                                      were seen,
(2)  log p(x_j | i) / p(x_j)          for label i, if it is in S: how much more common the value is
                                      among rows with the label than among all rows,

and the labels y′ in S by log P(y′ | i) / P(y′). What sums over labels and orders is the remainder.
One class variable is naive Bayes, and leaves none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.flips import Asked, Terms, explain_flips
from jointbayes.models.naibx.columns import CODED, KINDS, Columns
from jointbayes.models.naibx.densities import Linear, Normal
from jointbayes.models.naibx.labels import is_one_class
from jointbayes.models.naibx.scores import NaiBXScores

__all__ = ["explain_naibx"]


def explain_naibx(asked: Asked, learned: NaiBXScores, sizes: str) -> Explanation:
    """Explain the answers of NaiBX; ``sizes`` are told by naive "bayes" or by "others"."""
    by_group = _cells(asked, learned)
    if is_one_class(asked.posterior.space):
        return explain_flips(asked, lambda _: _one_class_terms(learned, by_group))
    return explain_flips(asked, lambda i: _label_terms(asked, learned, by_group, sizes, i))


def _one_class_terms(learned: NaiBXScores, by_group: Cells) -> Terms:
    prior = np.log(learned.tables.n_y + learned.smoothing)
    features = np.stack([by_group.of_label(v) for v in range(len(prior))], axis=1)
    nothing = np.zeros(features.shape[:2])
    return Terms(np.broadcast_to(prior, nothing.shape), nothing, features, nothing)


def _label_terms(asked: Asked, learned: NaiBXScores, by_group: Cells, sizes: str, i: int) -> Terms:
    t, s, n = learned.tables, learned.smoothing, len(asked.answer)
    vectors = np.stack([asked.answer, asked.answer], axis=1)
    vectors[:, :, i] = 0, 1
    base, others = np.zeros((2, n, 2))
    base[:, 1] = np.log(t.n_y[i] + s) - np.log(t.n - t.n_y[i] + s)
    apart = np.delete(np.arange(len(t.n_y)), i)
    rate = np.log((t.n_y[apart] + s) / (t.n + 2 * s))
    ratio = learned.together[apart, i] - learned.believed.labels * rate
    others[:, 1] = asked.answer[:, apart] @ ratio
    features = np.zeros((n, 2, len(asked.feature_names)))
    features[:, 1] = by_group.of_label(i) - by_group.of_all()
    m = vectors.sum(axis=2)
    told = np.isin(m, learned.sizes_seen).all(axis=1) & (sizes == "bayes")  # (1) is a ratio of two
    for v in (0, 1):
        for size in np.unique(m[told, v]).tolist():
            at = np.flatnonzero(told & (m[:, v] == size))
            base[at, v] += np.log(t.n_m[size] + s)
            features[at, v] += by_group.of_size(size)[at]
    log_p = asked.posterior._log_prob(vectors)
    return Terms(base, others, features, log_p - base - others - features.sum(axis=2))


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows by kind of column, whose cells have a log-density in every group of rows: (n, p)."""

    learned: NaiBXScores
    parts: tuple[Floats, ...]
    owners: tuple[Labels, ...]

    def of_label(self, label: int) -> Floats:
        """Return log p(x_j | label)."""
        return self._of(self.learned.densities, label, self.learned.believed.features)

    def of_size(self, size: int) -> Floats:
        """Return log p(x_j | M = size)."""
        place = int(np.searchsorted(self.learned.sizes_seen, size))
        group = len(self.learned.tables.n_y) + place
        return self._of(self.learned.densities, group, self.learned.believed.sizes)

    def of_all(self) -> Floats:
        """Return log p(x_j)."""
        return self._of(self.learned.overall, 0, self.learned.believed.features)

    def _of(self, densities: Sequence[Normal | Linear], group: int, exponent: float) -> Floats:
        out = np.zeros((len(self.parts[0]), len(self.learned.columns.names)))
        for density, x, mine in zip(densities, self.parts, self.owners, strict=True):
            cells = np.where(np.isnan(x), 0.0, density.cells(x, group))
            np.add.at(out.T, mine, exponent * cells.T)
        return out


def _cells(asked: Asked, learned: NaiBXScores) -> Cells:
    blocks = [block.parts for block in learned.columns.blocks(asked.X)]
    parts = [np.concatenate([_dense(one) for _, one in part]) for part in zip(*blocks, strict=True)]
    return Cells(learned, tuple(parts), _owners(learned.columns))


def _owners(columns: Columns) -> tuple[Labels, ...]:
    """Return the position of the user's column behind every column of each block."""
    gaussian, bernoulli, counts, poisson, coded = (
        np.array(columns.where(*kinds), dtype=np.intp)
        for kinds in (*((kind,) for kind in KINDS), CODED)
    )
    usual = gaussian, bernoulli, counts, np.repeat(coded, columns.spread)
    return (*usual, poisson) if len(poisson) else usual


def _dense(part: object) -> Floats:
    return np.asarray(part.toarray() if hasattr(part, "toarray") else part)
