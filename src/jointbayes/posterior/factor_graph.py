"""Factor graph: P(y | x) ∝ exp Σ_f log f(y_scope, x), the scopes being the same on every row.

How a question is answered depends on what elimination costs:

=====================  ============================  =====================================
question               the plan fits ``max_bytes``   it does not
=====================  ============================  =====================================
map, top_k             elimination, or search where  search with proof, or with a bound where
                       that is faster                ``time_limit`` ends it
marginals, log Z       elimination                   belief propagation, approximate
sample                 elimination                   Gibbs sampling, approximate
sizes (for F1)         elimination, if its copies    labels taken as independent given their
                       fit as well                   marginals, approximate
=====================  ============================  =====================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from jointbayes._kernels import COMPILED
from jointbayes.arrays import Floats, Labels, Rows, Values
from jointbayes.budgets import CACHE_CELLS
from jointbayes.errors import DataError
from jointbayes.inference.graphs.execute import (
    log_total,
    maximize,
    propagate,
    sample_vectors,
    sum_product,
)
from jointbayes.inference.graphs.plan import Plan
from jointbayes.inference.graphs.propagation import believe, mix_by_flips
from jointbayes.inference.graphs.ranking import rank_vectors
from jointbayes.inference.graphs.search import Found, search
from jointbayes.inference.graphs.sizes import count_independent, count_relevant
from jointbayes.inference.graphs.tables import cut_rows, exclude, map_cells, score_vectors
from jointbayes.inference.graphs.toulbar2 import search_by_toulbar2
from jointbayes.inference.lists import Best, fill, select
from jointbayes.inference.sampling import draw_codes
from jointbayes.labels import LabelSpace
from jointbayes.posterior.posterior import Posterior
from jointbayes.threads import each

__all__ = ["FactorGraph", "check_possible"]


SEARCHED = 1 << 13 if COMPILED else 1 << 24
"""Cells of a row from which on the best vectors are found faster by search."""


@dataclass(frozen=True, eq=False, repr=False)
class FactorGraph(Posterior):
    """Labels tied by factors: the best vectors proven, the rest exact where elimination fits.

    Parameters
    ----------
    plan
        Scopes of the factors, the order of elimination and its cost.
    tables
        One array (values of the scope …, n) of logarithms per merged factor of the plan:
        :func:`jointbayes.inference.graphs.plan.merge_factors`.
    space
        Names and values of the class variables.
    max_bytes
        What elimination may take for one row; beyond it the answers are those of the table above,
        and ``exactness`` says so. The k best take about 2k copies of the tables, F1 as many as 2d.
    time_limit
        Seconds that the search for the best vectors of a row may take, None for as many as it
        needs. A row whose vector is not proven in time has its bound in ``gap``.
    engine
        What finds the best vector where elimination does not: "search" or "toulbar2". The k best
        are always those of "search".
    n_jobs
        Threads that blocks of rows may take; None for all.

    Examples
    --------
    Three labels in a ring that want to differ from their neighbours cannot all have their way;
    a wish of the first breaks the tie.

    >>> from jointbayes.inference.graphs.plan import merge_factors, plan_factors
    >>> from jointbayes.labels import learn_labels
    >>> plan = plan_factors([(0, 1), (1, 2), (0, 2), (0,)], (2, 2, 2))
    >>> differ, wish = np.array([[[0.0, 2.0], [2.0, 0.0]]]), np.array([[0.0, 1.0]])
    >>> tables = merge_factors(plan, [differ, differ, differ, wish], n=1)
    >>> post = FactorGraph(plan, tables, learn_labels([[0, 0, 0], [1, 1, 1]]))
    >>> post.top_k(3)[0].tolist()
    [[[1, 0, 0], [1, 0, 1], [1, 1, 0]]]
    >>> bool(abs(np.exp(post.top_k(8)[1]).sum() - 1) < 1e-12)
    True

    With no memory for elimination the best vectors are still exact, and the rest says what it is:

    >>> frugal = FactorGraph(plan, tables, post.space, max_bytes=1)
    >>> sorted(frugal.top_k(3)[0][0].tolist())  # all three are equal
    [[1, 0, 0], [1, 0, 1], [1, 1, 0]]
    >>> frugal.exactness["map"], frugal.exactness["marginals"]
    ('exact', 'approximate')
    """

    plan: Plan
    tables: Sequence[Floats]
    space: LabelSpace
    max_bytes: int = 1 << 27
    time_limit: float | None = 10.0
    engine: str = "search"
    n_jobs: int | None = None

    def __len__(self) -> int:
        return int(self.tables[0].shape[-1])

    def gap(self) -> Floats:
        """Bound by how much a vector can beat ``map()`` in log-probability, row by row."""
        return np.zeros(len(self)) if self._quick else self._found.gap

    def _inexact(self) -> dict[str, str]:
        words = {} if self._fits(2 * len(self.space)) else {"sizes": "approximate"}
        if not self._quick and self.time_limit is not None:
            words["top_k"] = "bounded"
        if not self._fits():
            words |= dict.fromkeys(("marginals", "log_prob", "sample"), "approximate")
            words["map"] = "bounded" if self.gap().any() else "exact"
        return words

    def _fits(self, copies: int = 1) -> bool:
        return self.plan.fits(self.max_bytes, copies)

    @property
    def _quick(self) -> bool:
        """Whether the best vectors are found by elimination."""
        return self._fits() and self.plan.cells <= SEARCHED

    def _log_prob(self, codes: Labels) -> Floats:
        check_possible(self._log_z)
        return self._score(codes) - self._log_z[:, None]

    def _score(self, codes: Labels) -> Floats:
        return score_vectors(self.plan, self.tables, codes)

    @cached_property
    def _log_z(self) -> Floats:
        if self._fits():
            return self._by_blocks(lambda tables: log_total(self.plan, tables))
        return np.maximum(self._beliefs[1], self._found.score[:, 0])  # which is a term of it

    @cached_property
    def _beliefs(self) -> tuple[list[Floats], Floats]:
        """Marginals and log Z by belief propagation."""
        if any(np.isneginf(table).any() for table in self.tables):
            check_possible(self._found.score)
        return believe(self.plan, self.tables, self.n_jobs)

    def _split(self, whole: Floats) -> list[Floats]:
        return np.split(whole, np.cumsum(self.space.cards)[:-1], axis=1)

    def _best(self, k: int) -> Best:
        if k == 1:
            codes = self._mode()[:, None]
        elif self._fits(2 * k) and 2 * k * self.plan.cells <= SEARCHED:
            lists = 2 * k * self.plan.largest
            codes = self._by_blocks(lambda tables: rank_vectors(self.plan, tables, k), lists)
        else:
            codes, score = self._search(k)
            return codes, score - self._log_z[:, None]
        return select(codes, self._log_prob(codes), k)

    def _leading(self, k: int) -> Labels:
        if self._quick:
            return super()._leading(k)
        return fill(self._search(k), self.space.cards, k)[0]

    def _search(self, k: int) -> Best:
        found = search(self.plan, self.tables, k, self.time_limit, n_jobs=self.n_jobs)
        return select(found.codes, found.score, k)

    def _mode(self) -> Labels:
        if self._quick:
            return self._by_blocks(self._maximum)
        check_possible(self._found.score)
        return self._found.codes[:, 0].copy()

    @cached_property
    def _found(self) -> Found:
        """The best vectors by search; what it leaves unproven is eliminated if that fits."""
        if self.engine == "toulbar2":
            found = search_by_toulbar2(self.plan, self.tables, self.time_limit)
        else:
            found = search(self.plan, self.tables, 1, self.time_limit, n_jobs=self.n_jobs)
        rows = np.flatnonzero(found.bound > -np.inf)
        if not len(rows) or not self._fits():
            return found
        codes, score, bound = found.codes.copy(), found.score.copy(), found.bound.copy()
        some = self._rows(rows)
        codes[rows] = some._by_blocks(some._maximum)[:, None]
        score[rows], bound[rows] = some._score(codes[rows]), -np.inf
        return Found(codes, score, bound)

    def _maximum(self, tables: list[Floats]) -> Labels:
        codes, score = maximize(self.plan, tables)
        check_possible(score)
        return codes

    def _marginals(self) -> list[Floats]:
        if self._fits():
            run = self._by_blocks(lambda t: np.hstack(propagate(self.plan, self._solve(t))))
            return self._split(run)
        return [p.copy() for p in self._beliefs[0]]

    def _sizes(self) -> Floats:
        return self._sizes_among(len(self.space))

    def _sizes_among(self, d: int) -> Floats:
        """Return how many of the first d variables are relevant, and which."""
        copies = 2 * d
        if self._fits(copies):
            cells = copies * self.plan.largest
            return self._by_blocks(lambda t: count_relevant(self.plan, self._solve(t), d), cells)
        return count_independent(np.stack([p[:, 1] for p in self._marginals()[:d]], axis=1))

    def _possible(self) -> Labels:
        """Return the rows that leave some vector a probability."""
        score = self._log_z if self._fits() else self._found.score[:, 0]
        return np.flatnonzero(score > -np.inf)

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        if not self._fits():
            return self._mix(size, rng)
        u = rng.random((len(self.space), size, len(self)))
        drawn = [
            sample_vectors(self.plan, self._solve(cut_rows(self.tables, rows)), u[..., rows])
            for rows in self._spans(self.plan.largest)
        ]
        return np.concatenate(drawn, axis=1)

    def _mix(self, size: int, rng: np.random.Generator) -> Labels:
        """Draw from the marginals, then by Gibbs sampling; from the best vector if impossible."""
        shape = (size, len(self))
        start = np.stack([draw_codes(p, rng.random(shape)) for p in self._marginals()], axis=-1)
        impossible = np.isneginf(self._score(start.swapaxes(0, 1))).T
        start = np.where(impossible[..., None], self._mode(), start)
        return mix_by_flips(self.plan, self.tables, start, rng)

    def _solve(self, tables: list[Floats]) -> dict[int, Floats]:
        log_z, conditionals = sum_product(self.plan, tables)
        check_possible(log_z)
        return conditionals

    def _evidence(self, known: Labels) -> Floats:
        after = self._given(known)
        if self._fits():
            return after._log_z - self._log_z
        possible = after._possible()
        log_p = np.full(len(self), -np.inf)
        log_p[possible] = after._rows(possible)._log_z - self._log_z[possible]
        return log_p

    def _given(self, known: Labels) -> FactorGraph:
        return replace(self, tables=exclude(self.plan, self.tables, known))

    def _power(self, t: float) -> FactorGraph:
        return replace(self, tables=map_cells(self.tables, lambda cells: t * cells))

    def _rows(self, index: Rows) -> FactorGraph:
        return replace(self, tables=cut_rows(self.tables, index))

    def _spans(self, cells: int) -> Iterator[slice]:
        step = max(1, CACHE_CELLS // cells)
        return (slice(start, start + step) for start in range(0, max(len(self), 1), step))

    def _by_blocks(self, run: Callable[[list[Floats]], Values], cells: int | None = None) -> Values:
        """Run a function of tables on blocks of rows and put the answers, rows first, together."""
        spans = list(self._spans(self.plan.largest if cells is None else cells))
        if len(spans) == 1:
            return run(list(self.tables))
        return np.concatenate(
            each(lambda span: run(cut_rows(self.tables, span)), spans, self.n_jobs)
        )


def check_possible(score: Floats) -> None:
    """Refuse rows that leave no vector a probability."""
    if np.isneginf(score).any():
        raise DataError(
            "the factors leave no label vector any probability on some row; smooth their tables"
        )
