"""Factor graph: P(y | x) ∝ exp Σ_f log f(y_scope, x), the scopes being the same on every row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels import n_threads
from jointbayes.errors import DataError
from jointbayes.inference.best import Best, select
from jointbayes.inference.execute import maximize, propagate, sample_vectors, sum_product
from jointbayes.inference.plan import Plan, Table
from jointbayes.inference.ranking import rank
from jointbayes.inference.sizes import count_relevant
from jointbayes.labels import LabelSpace
from jointbayes.posterior.protocol import Posterior, Rows

__all__ = ["FactorGraph"]

Labels = NDArray[np.intp]
Floats = NDArray[np.float64]
Answer = NDArray[Any]

BLOCK = 1 << 17
"""Cells of the largest table over a block of rows: it should stay in the cache."""


@dataclass(frozen=True, eq=False)
class FactorGraph(Posterior):
    """Labels tied by factors, solved by elimination: exact, at the cost that the plan states.

    Parameters
    ----------
    plan
        Scopes of the factors, the order of elimination and its cost.
    tables
        One array (values of the scope …, n) of logarithms per merged factor of the plan:
        :func:`jointbayes.inference.plan.merge_factors`.
    space
        Names and values of the class variables.
    max_bytes
        What one row may take; a plan beyond it is refused with CostError, and so is a query that
        needs several copies of its tables: the k best about 2k, F1 as many as 2d.

    Examples
    --------
    Three labels in a ring that want to differ from their neighbours cannot all have their way;
    a wish of the first breaks the tie.

    >>> from jointbayes.inference.plan import merge_factors, plan_factors
    >>> from jointbayes.labels import learn_labels
    >>> plan = plan_factors([(0, 1), (1, 2), (0, 2), (0,)], (2, 2, 2))
    >>> differ, wish = np.array([[[0.0, 2.0], [2.0, 0.0]]]), np.array([[0.0, 1.0]])
    >>> tables = merge_factors(plan, [differ, differ, differ, wish], n=1)
    >>> post = FactorGraph(plan, tables, learn_labels([[0, 0, 0], [1, 1, 1]]))
    >>> post.top_k(3)[0].tolist()
    [[[1, 0, 0], [1, 0, 1], [1, 1, 0]]]
    >>> bool(abs(np.exp(post.top_k(8)[1]).sum() - 1) < 1e-12)
    True
    """

    plan: Plan
    tables: Sequence[Table]
    space: LabelSpace
    max_bytes: int = 1 << 30

    def __post_init__(self) -> None:
        self.plan.afford(self.max_bytes)

    def __len__(self) -> int:
        return int(self.tables[0].shape[-1])

    def _log_prob(self, codes: Labels) -> Floats:
        _check_possible(self._log_z)
        rows, total = np.arange(len(self))[:, None], np.zeros(codes.shape[:2])
        for scope, table in zip(self.plan.scopes, self.tables, strict=True):
            total += table[(*(codes[:, :, v] for v in scope), rows)]
        return total - self._log_z[:, None]

    @cached_property
    def _log_z(self) -> Floats:
        return self._by_blocks(lambda tables: sum_product(self.plan, tables)[0])

    def _best(self, k: int) -> Best:
        if k == 1:
            codes = self._mode()[:, None]
        else:
            codes = self._by_blocks(lambda tables: rank(self.plan, tables, k), 2 * k)
        return select(codes, self._log_prob(codes), k)

    def _mode(self) -> Labels:
        return self._by_blocks(self._maximum)

    def _maximum(self, tables: list[Table]) -> Labels:
        codes, score = maximize(self.plan, tables)
        _check_possible(score)
        return codes

    def _marginals(self) -> list[Floats]:
        whole = self._by_blocks(lambda t: np.hstack(propagate(self.plan, self._solve(t))))
        return np.split(whole, np.cumsum(self.space.cards)[:-1], axis=1)

    def _sizes(self) -> Floats:
        copies = 2 * len(self.space)
        return self._by_blocks(lambda t: count_relevant(self.plan, self._solve(t)), copies)

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        u = rng.random((len(self.space), size, len(self)))
        drawn = [
            sample_vectors(self.plan, self._solve(self._cut(rows)), u[..., rows])
            for rows in self._spans()
        ]
        return np.concatenate(drawn, axis=1)

    def _solve(self, tables: list[Table]) -> dict[int, Table]:
        log_z, conditionals = sum_product(self.plan, tables)
        _check_possible(log_z)
        return conditionals

    def _evidence(self, known: Labels) -> Floats:
        return self._given(known)._log_z - self._log_z

    def _given(self, known: Labels) -> FactorGraph:
        tables = list(self.tables)
        for j in np.flatnonzero((known >= 0).any(axis=0)):
            host = next(i for i, scope in enumerate(self.plan.scopes) if j in scope)
            axis = self.plan.scopes[host].index(j)
            values = np.arange(self.space.cards[j])[:, None]
            excluded = np.where((known[:, j] >= 0) & (known[:, j] != values), -np.inf, 0.0)
            shape = [1] * tables[host].ndim
            shape[axis], shape[-1] = excluded.shape
            tables[host] = tables[host] + excluded.reshape(shape)
        return FactorGraph(self.plan, tables, self.space, self.max_bytes)

    def _rows(self, index: Rows) -> FactorGraph:
        return FactorGraph(self.plan, self._cut(index), self.space, self.max_bytes)

    def _cut(self, rows: Rows) -> list[Table]:
        return [table[..., rows] for table in self.tables]

    def _spans(self, copies: int = 1) -> Iterator[slice]:
        self.plan.afford(self.max_bytes, copies)
        step = max(1, BLOCK // (self.plan.largest * copies))
        return (slice(start, start + step) for start in range(0, max(len(self), 1), step))

    def _by_blocks(self, run: Callable[[list[Table]], Answer], copies: int = 1) -> Answer:
        """Run the plan on blocks of rows and put the answers, rows first, together."""
        with ThreadPoolExecutor(n_threads()) as pool:  # numpy works outside the lock
            return np.concatenate(list(pool.map(run, map(self._cut, self._spans(copies)))))


def _check_possible(score: Floats) -> None:
    if np.isneginf(score).any():
        raise DataError(
            "the factors leave no label vector any probability on some row; smooth their tables"
        )
