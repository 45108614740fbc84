r"""A posterior whose probabilities are changed, one by one, and normalised again.

.. math:: P'(y \mid x) = g(y, P(y \mid x)) / \sum_{y'} g(y', P(y' \mid x))                  (1)

Kinds that are closed under a change, as trees are under powers, change their tables. For the others
all vectors are listed where there are up to 2^16. Beyond, (1) has no sum: the best vectors are
looked for among the best of P, whose order a power does not change, and all else is estimated from
vectors drawn from P and weighed by P'/P, and marked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.budgets import BLOCK_CELLS, SAMPLED_VECTORS
from jointbayes.inference.lists import Best, count_vectors, select
from jointbayes.inference.logs import log_normalize, log_sum
from jointbayes.inference.sampling import draw_codes
from jointbayes.posterior.blocks import Blocks
from jointbayes.posterior.listed import Listed
from jointbayes.posterior.posterior import Posterior

__all__ = ["Change", "Power", "Reweighted", "conditioned", "reweigh", "total_mass"]

LISTED_VECTORS = 1 << 16
"""Most label vectors that are listed to be changed."""


class Change(Protocol):
    """The function g of (1), in logarithms."""

    def scores(self, codes: Labels, log_p: Floats) -> Floats:
        """Return log g (n, m) of m vectors (n, m, d) and their log-probabilities (n, m)."""
        ...

    def best(self, base: Posterior, k: int) -> tuple[Labels, Floats]:
        """Return (n, m, d) vectors, the k best of P' among them, and a bound on better ones.

        The bound (n,) says by how much a vector that is not among them can beat the best of them.
        """
        ...


@dataclass(frozen=True)
class Power:
    """g = P^t.

    >>> Power(0.5).scores(np.zeros((1, 1, 2), int), np.array([[-4.0]])).tolist()
    [[-2.0]]
    """

    t: float

    def scores(self, codes: Labels, log_p: Floats) -> Floats:  # noqa: ARG002  of any vector
        """Return t log P."""
        return self.t * log_p

    def best(self, base: Posterior, k: int) -> tuple[Labels, Floats]:
        """Return the best of P: powers keep their order."""
        return base._leading(k), self.t * base.gap()


def reweigh(base: Posterior, change: Change) -> Posterior:
    """Return the changed posterior: a list if the vectors are few enough.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> post = Independent([np.log([[0.25, 0.75]])], learn_labels([0, 1]))
    >>> reweigh(post, Power(2)).marginals()[0].round(3).tolist()
    [[0.1, 0.9]]
    """
    m = count_vectors(base.space.cards)
    if m > LISTED_VECTORS:
        return Reweighted(base, change)
    step, numbers = max(1, BLOCK_CELLS // (m * len(base.space))), np.arange(len(base))
    if len(base) <= step:
        return _list(base, change)
    return Blocks(lambda rows: _list(base._rows(rows), change), numbers, base.space, step)


def total_mass(base: Posterior, change: Change) -> Floats:
    """Return the logarithm (n,) of the sum in (1), or an estimate: −inf if no term was found."""
    m = count_vectors(base.space.cards)
    if m > LISTED_VECTORS:
        return Reweighted(base, change)._log_z
    parts = base._blocks(m * len(base.space))
    return np.concatenate([log_sum(_listed_scores(part, change)[1], axis=1) for part in parts])


def _list(base: Posterior, change: Change) -> Listed:
    """Return the changed posterior as a list; as it was where nothing is left of it."""
    codes, scores = _listed_scores(base, change)
    gone = np.isneginf(scores).all(axis=1)
    if gone.any():
        scores[gone] = base._rows(np.flatnonzero(gone))._every()[1]
    return Listed(codes, log_normalize(scores), base.space)


def _listed_scores(base: Posterior, change: Change) -> tuple[Labels, Floats]:
    codes, log_p = base._every()
    every = np.broadcast_to(codes, (len(base), *codes.shape))
    return codes, change.scores(every, log_p)


@dataclass(frozen=True, eq=False, repr=False)
class Reweighted(Posterior):
    """A changed posterior over more vectors than can be listed.

    Parameters
    ----------
    base
        P.
    change
        The function g of (1).

    Examples
    --------
    >>> from jointbayes.labels import LabelSpace
    >>> from jointbayes.posterior import Independent, mix
    >>> space = LabelSpace(tuple(f"y{j}" for j in range(20)), (np.array([0, 1]),) * 20)
    >>> base = mix([Independent([np.log([[0.1, 0.9]])] * 20, space)] * 2)
    >>> post = base.power(2)
    >>> type(post).__name__, int(post.map().sum())
    ('Reweighted', 20)
    >>> post.exactness["map"], post.exactness["marginals"]
    ('exact', 'approximate')
    """

    base: Posterior
    change: Change

    @property
    def space(self) -> Any:  # type: ignore[override]  # the base's
        """Names and values of the class variables."""
        return self.base.space

    def __len__(self) -> int:
        return len(self.base)

    @cached_property
    def _drawn(self) -> tuple[Labels, Floats]:
        """(n, m, d) vectors drawn from P, and the (n, m) logarithms of g / P.

        The best vector is one more, for the rows where nothing that was drawn has any weight.
        """
        drawn = self.base._sample(SAMPLED_VECTORS, np.random.default_rng(0)).transpose(1, 0, 2)
        log_p = self.base._log_prob(drawn)
        weight = self.change.scores(drawn, log_p) - log_p
        alone = np.where(np.isneginf(weight).all(axis=1), 0.0, -np.inf)
        codes = np.concatenate([drawn, self._found[0][:, :1]], axis=1)
        return codes, np.concatenate([weight, alone[:, None]], axis=1)

    @cached_property
    def _log_z(self) -> Floats:
        best = self._found[0][:, :1]
        term = self.change.scores(best, self.base._log_prob(best))[:, 0]  # of the sum, so a bound
        mean = log_sum(self._drawn[1][:, :-1], axis=1) - np.log(SAMPLED_VECTORS)
        return np.asarray(np.maximum(mean, term))

    @property
    def _weights(self) -> Floats:
        return np.exp(log_normalize(self._drawn[1]))

    def _log_prob(self, codes: Labels) -> Floats:
        scores = self.change.scores(codes, self.base._log_prob(codes))
        z = np.where(np.isneginf(self._log_z), 0.0, self._log_z)  # nothing is left of such a row
        return np.minimum(scores - z[:, None], 0.0)

    def _best(self, k: int) -> Best:
        codes = self._found[0] if k == 1 else self.change.best(self.base, k)[0]
        return select(codes, self._log_prob(codes), k)

    @cached_property
    def _found(self) -> tuple[Labels, Floats]:
        return self.change.best(self.base, 1)

    def gap(self) -> Floats:
        """Bound by how much a vector can beat ``map()`` in log-probability, row by row."""
        return self._found[1].copy()

    def _marginals(self) -> list[Floats]:
        codes, w = self._drawn[0], self._weights
        return [
            np.stack([(w * (codes[:, :, j] == c)).sum(axis=1) for c in range(card)], axis=1)
            for j, card in enumerate(self.space.cards)
        ]

    def _sizes(self) -> Floats:
        codes, w = self._drawn[0], self._weights
        of_size = codes.sum(axis=2)[:, :, None] == np.arange(len(self.space) + 1)
        found: Floats = np.einsum("nmd,nms->nds", codes, w[:, :, None] * of_size)
        return found

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        chosen = draw_codes(self._weights, rng.random((size, len(self))))
        return self._drawn[0][np.arange(len(self)), chosen]

    def _evidence(self, known: Labels) -> Floats:
        given, log_p = conditioned(self.base, known)
        drawn = given._sample(SAMPLED_VECTORS, np.random.default_rng(0)).transpose(1, 0, 2)
        scores = self.change.scores(drawn, self.base._log_prob(drawn)) - given._log_prob(drawn)
        log_z = log_sum(scores, axis=1) - np.log(SAMPLED_VECTORS)
        return np.where(np.isneginf(log_p), -np.inf, np.minimum(log_z - self._log_z, 0.0))

    def _given(self, known: Labels) -> Reweighted:
        return Reweighted(self.base._given(known), self.change)

    def _power(self, t: float) -> Reweighted:
        return Reweighted(self, Power(t))

    def _rows(self, index: Rows) -> Reweighted:
        return Reweighted(self.base._rows(index), self.change)

    def _inexact(self) -> dict[str, str]:
        sums = dict.fromkeys(("marginals", "log_prob", "sample", "sizes"), "approximate")
        proven = {"map": "bounded" if self.gap().any() else "exact"}
        return self.base._inexact() | sums | proven


def conditioned(part: Posterior, known: Labels) -> tuple[Posterior, Floats]:
    """Condition a part of a larger posterior; return it with log P(known).

    Where the part says that the evidence is impossible, it is left as it was: it has no weight.
    """
    log_p = part._evidence(known)
    possible = np.where(np.isneginf(log_p)[:, None], -1, known)
    return part._given(possible), log_p
