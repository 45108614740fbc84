"""The best label vectors by toulbar2, for those who trust it more: the extra ``toulbar2``.

toulbar2 minimises sums of whole-number costs. A table t becomes the costs max t − t in units of
1e-9, and a cell of −inf a cost above that of every vector without one. Each row is a problem of its
own, stated anew, which is what takes most of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.errors import require
from jointbayes.inference.graphs.plan import Plan
from jointbayes.inference.graphs.search import Found

__all__ = ["search_by_toulbar2"]


DIGITS = 9
UNPROVEN = 1e-6
"""Rounding of the costs of a whole vector: a bound within it is a proof."""


def search_by_toulbar2(
    plan: Plan, tables: Sequence[Floats], time_limit: float | None = None
) -> Found:
    """Find the largest sum of the factors, row by row; as ``search`` with k = 1 does.

    A ``time_limit`` is rounded up to whole seconds, of processor time. A row without any vector in
    time gets that of all codes 0.
    """
    solver = require("pytoulbar2", extra="toulbar2", purpose="the engine 'toulbar2'")
    n = tables[0].shape[-1]
    codes = np.zeros((n, 1, len(plan.cards)), dtype=np.intp)
    score, bound = np.empty((n, 1)), np.full(n, -np.inf)
    for row in range(n):
        own = [table[..., row] for table in tables]
        problem, top = _state(solver, plan, own)
        answer = problem.Solve(timeLimit=0 if time_limit is None else ceil(time_limit))
        if answer is not None:
            codes[row, 0] = answer[0]
        score[row, 0] = sum(
            t[tuple(codes[row, 0, list(s)])] for s, t in zip(plan.scopes, own, strict=True)
        )
        open_to = top - problem.GetDDualBound()
        if open_to > score[row, 0] + UNPROVEN:
            bound[row] = open_to
    return Found(codes, score, bound)


def _state(solver: Any, plan: Plan, tables: Sequence[Floats]) -> tuple[Any, float]:
    """Return the problem of one row, and the sum that has the cost 0."""
    finite = [table[np.isfinite(table)] for table in tables]
    finite = [own if own.size else np.zeros(1) for own in finite]
    never = 1.0 + sum(float(np.ptp(own)) for own in finite)
    problem = solver.CFN(resolution=DIGITS, verbose=-1)
    for v, card in enumerate(plan.cards):
        problem.AddVariable(f"y{v}", range(card))
    for scope, table, own in zip(plan.scopes, tables, finite, strict=True):
        costs = np.minimum(own.max() - table, never)
        problem.AddFunction(list(scope), costs.ravel().tolist())
    return problem, sum(float(own.max()) for own in finite)
