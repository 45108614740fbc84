"""The steps of a chain of logistic regressions of binary labels: searched and summed by kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from jointbayes._kernels import chain_all, chain_best, chain_log_prob, chain_sums, chain_walk
from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.budgets import BLOCK_CELLS
from jointbayes.inference.lists import distinct, select
from jointbayes.inference.prefixes import Reached, beam
from jointbayes.threads import n_threads

__all__ = ["LogisticSteps"]

PREFIXES, MANY, DEEP = 32, 8, 16
"""Looked at, for each that a search may hold: all there are of so few labels, by default, or less
of more."""

BEAM = 256
"""Prefixes that a beam may hold, which often knows better where the search did not end."""


@dataclass(frozen=True, eq=False)
class LogisticSteps:
    """Labels whose log-odds are linear in those before: see `jointbayes._kernels.chains`.

    Parameters
    ----------
    base
        (n, d) log-odds of each label, in the order of the chain, where none before is relevant.
    links
        (d, d) what a relevant label ``[before, after]`` adds; only those above the diagonal.
    n_jobs
        Threads.

    Examples
    --------
    The second label follows the first:

    >>> steps = LogisticSteps(np.zeros((1, 2)), np.array([[0.0, 3.0], [0.0, 0.0]]))
    >>> np.exp(steps(1, np.array([0, 0]), np.array([[0], [1]]))).round(2).tolist()
    [[0.5, 0.5], [0.05, 0.95]]
    >>> steps.best(None, 1, 100, None).codes.tolist()
    [[[1, 1]]]
    """

    base: Floats
    links: Floats
    n_jobs: int | None = 1

    def __call__(self, place: int, rows: Labels, before: Labels) -> Floats:
        """Return (m, 2) log-probabilities of the label at a place: one step of any search."""
        z = self.base[rows, place] + before @ self.links[:place, place]
        return np.asarray(-np.logaddexp(0.0, np.stack([z, -z], axis=1)))

    def rows(self, index: Rows) -> LogisticSteps:
        """Return the steps of some rows."""
        return LogisticSteps(np.ascontiguousarray(self.base[index]), self.links, self.n_jobs)

    @cached_property
    def _free(self) -> Labels:
        return np.full(self.base.shape, -1, dtype=np.int64)

    def best(self, fixed: Labels | None, k: int, width: int, time_limit: float | None) -> Reached:
        """Return the k best vectors, ``fixed`` labels (n, d; −1 for free) being as they are."""
        seconds = np.inf if time_limit is None else time_limit
        held = self._free if fixed is None else fixed
        most = width * (PREFIXES if self.base.shape[1] <= DEEP else MANY)
        codes, log_p, bound, visited = chain_best(
            self.base, self.links, held, k, most, seconds, n_threads(self.n_jobs, len(self.base))
        )
        found = Reached(codes.astype(np.intp, copy=False), log_p, bound, visited)
        lacking = bound > log_p[:, -1]
        if fixed is not None or not lacking.any():
            return found
        return self._improve(found, np.flatnonzero(lacking), width)

    def _improve(self, found: Reached, rows: Labels, width: int) -> Reached:
        """Put into the lists of some rows what a beam finds that is better."""
        _, k, d = found.codes.shape
        size = max(1, BLOCK_CELLS // (2 * BEAM * d))
        for at in np.array_split(rows, -(-len(rows) // size)):
            more = beam(self, at, (2,) * d, max(min(BEAM, width), k))
            codes = np.concatenate([found.codes[at], more.codes], axis=1)
            log_p = np.concatenate([found.log_p[at], more.log_p], axis=1)
            found.codes[at], found.log_p[at] = select(codes, distinct(codes, log_p), k)
        return found

    def proven(self, width: int) -> int:
        """Return of how many vectors a search of that width always finds the best."""
        return width * PREFIXES // 2 if self.base.shape[1] <= DEEP else width * MANY // 2

    def every(self, fixed: Labels | None) -> Floats:
        """Return (n, 2^d) log-probabilities of all vectors, in order."""
        held = self._free if fixed is None else fixed
        return chain_all(self.base, self.links, held, n_threads(self.n_jobs, len(self.base)))

    def sizes(self, fixed: Labels | None) -> Floats:
        """Return (n, d, d + 1) probabilities that a label is relevant among so many."""
        held = self._free if fixed is None else fixed
        total, sizes = chain_sums(
            self.base, self.links, held, n_threads(self.n_jobs, len(self.base))
        )
        return np.asarray(sizes / total[:, None, None])

    def log_prob(self, codes: Labels) -> Floats:
        """Return (n, m) log-probabilities of (n, m, d) vectors."""
        n, m, d = codes.shape
        flat = np.ascontiguousarray(codes.reshape(n * m, d), dtype=np.int64)
        log_p = chain_log_prob(self.base, self.links, flat, m, n_threads(self.n_jobs, n))
        return log_p.reshape(n, m)

    def walk(self, fixed: Labels | None, uniform: Floats) -> tuple[Labels, Floats, list[Floats]]:
        """Draw from (size, n or 1, d) numbers; see `jointbayes.inference.prefixes.walk`."""
        held = self._free if fixed is None else fixed
        codes, importance, relevant = chain_walk(
            self.base, self.links, held, uniform, n_threads(self.n_jobs, len(self.base))
        )
        means = [np.stack([1 - one, one], axis=1) for one in relevant.T]
        return codes.astype(np.intp, copy=False), importance, means
