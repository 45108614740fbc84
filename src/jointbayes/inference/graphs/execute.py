r"""Run a plan on a batch of rows: sums, maxima, marginals and samples of a factor graph.

Tables have one axis per variable and the rows *last*, so that every operation is one long vector
whatever the number of values. At each step, with T the table over (v, separator) that holds all
that mentions v,

.. math::
    m(s) = \log \sum_y \exp T(y, s), \qquad P(y \mid s) = \exp(T(y, s) - m(s))      (1)

so that a pass of sums leaves the distribution as a product of conditionals, one per variable, with
the normaliser log Z in the last messages. Marginals and samples then take the steps backwards:

.. math:: P(y, s) = P(y \mid s) \, P(s), \qquad P(s) \text{ from the table above}       (2)

A pass of maxima keeps the best y for every s instead. Both take O(cells) per row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from jointbayes._kernels import eliminate_maxima
from jointbayes.arrays import Floats, Labels
from jointbayes.inference.graphs.adding import sum_tables
from jointbayes.inference.graphs.axes import Scope, spread
from jointbayes.inference.graphs.plan import Plan, Step
from jointbayes.inference.logs import log_sum, weigh
from jointbayes.inference.sampling import draw_codes

__all__ = [
    "believe_cliques",
    "clique_table",
    "log_total",
    "maximize",
    "propagate",
    "sample_vectors",
    "sum_product",
    "sum_to",
    "sum_to_variable",
]


def clique_table(
    plan: Plan, step: Step, tables: Sequence[Floats], messages: Mapping[int, Floats]
) -> Floats:
    """Add up what mentions the variable of a step, axes (variable, *separator, row)."""
    n = tables[0].shape[-1]
    parts = [tables[i] for i in step.tables] + [messages[child] for child in step.children]
    scopes = [plan.scopes[i] for i in step.tables]
    scopes += [plan.steps[plan.at[child]].separator for child in step.children]
    if not parts:
        return np.zeros((*(plan.cards[v] for v in step.clique), n))
    return sum_tables(parts, scopes, step.clique, plan.cards)


def sum_product(plan: Plan, tables: Sequence[Floats]) -> tuple[Floats, dict[int, Floats]]:
    """Return log Z (n,) and the conditionals P(variable | separator) by variable (1).

    Two labels that agree three times as often as not:

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> agree = np.log([[[3.0], [1.0]], [[1.0], [3.0]]])
    >>> log_z, conditionals = sum_product(plan_factors([(0, 1)], (2, 2)), [agree])
    >>> np.exp(log_z).round(9).tolist(), conditionals[0][..., 0].round(9).tolist()
    ([8.0], [[0.75, 0.25], [0.25, 0.75]])
    """
    messages: dict[int, Floats] = {}
    conditionals: dict[int, Floats] = {}
    for step in plan.steps:
        table = clique_table(plan, step, tables, messages)
        conditionals[step.variable], messages[step.variable] = weigh(table)
    log_z: Floats = np.sum([messages[v] for v in plan.roots], axis=0)
    return log_z, conditionals


def sum_to_variable(plan: Plan, tables: Sequence[Floats], kept: int) -> Floats:
    """Return log Σ of everything over all variables but one, which goes last: (k, n).

    Nothing is divided out, so that values of any ratio keep their digits.

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> agree = np.log([[[3.0], [1.0]], [[1.0], [4.0]]])
    >>> plan = plan_factors([(0, 1)], (2, 2), last=0)
    >>> np.exp(sum_to_variable(plan, [agree], 0)).round(9).tolist()
    [[4.0], [5.0]]
    """
    return _summed(plan, tables, kept)


def log_total(plan: Plan, tables: Sequence[Floats]) -> Floats:
    """Return log Z (n,) alone, for less than half of what `sum_product` takes.

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> agree = np.log([[[3.0], [1.0]], [[1.0], [4.0]]])
    >>> np.exp(log_total(plan_factors([(0, 1)], (2, 2)), [agree])).round(9).tolist()
    [9.0]
    """
    return _summed(plan, tables, None)


def _summed(plan: Plan, tables: Sequence[Floats], kept: int | None) -> Floats:
    messages: dict[int, Floats] = {}
    for step in plan.steps:
        table = clique_table(plan, step, tables, messages)
        messages[step.variable] = table if step.variable == kept else log_sum(table, axis=0)
    total: Floats = sum(messages[v] for v in plan.roots)  # type: ignore[assignment]
    return total


def believe_cliques(plan: Plan, conditionals: Mapping[int, Floats]) -> dict[int, Floats]:
    """Return P(variable, separator) of every step, by variable, rows last (2)."""
    beliefs: dict[int, Floats] = {}
    for step in reversed(plan.steps):
        belief = conditionals[step.variable]
        if step.separator:
            above = plan.steps[plan.at[_first(plan, step.separator)]]
            belief = belief * sum_to(beliefs[above.variable], above.clique, step.separator)
        beliefs[step.variable] = belief
    return beliefs


def propagate(plan: Plan, conditionals: Mapping[int, Floats]) -> list[Floats]:
    """Return the marginals (n, k) of all variables."""
    beliefs = believe_cliques(plan, conditionals)
    return [
        beliefs[v].sum(axis=tuple(range(1, beliefs[v].ndim - 1))).T for v in range(len(plan.cards))
    ]


def maximize(plan: Plan, tables: Sequence[Floats]) -> tuple[Labels, Floats]:
    """Return the (n, d) codes of the largest sum of factors, and that sum (n,).

    Of equal sums the one is taken whose variables, last eliminated first, have the lower codes.

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> table = np.array([[[0.0], [3.0]], [[2.0], [1.0]]])
    >>> codes, score = maximize(plan_factors([(0, 1)], (2, 2)), [table])
    >>> codes.tolist(), score.tolist()
    ([[0, 1]], [3.0])
    """
    n = tables[0].shape[-1]
    flat = [table.reshape(prod(table.shape[:-1]), n) for table in tables]
    cells = np.concatenate(flat, dtype=np.float64)
    codes, score = eliminate_maxima(np.ascontiguousarray(cells), *plan.layout)
    return codes.astype(np.intp, copy=False), score


def sample_vectors(plan: Plan, conditionals: Mapping[int, Floats], u: Floats) -> Labels:
    """Turn uniform numbers (d, size, n) into (size, n, d) codes, drawn backwards through (1)."""
    codes = np.empty(u.shape, dtype=np.intp)
    rows = np.arange(u.shape[2])
    for step in reversed(plan.steps):
        index = (slice(None), *codes[list(step.separator)], rows)
        p = np.moveaxis(conditionals[step.variable][index], 0, -1)
        codes[step.variable] = draw_codes(p, u[step.variable])
    return codes.transpose(1, 2, 0)


def _first(plan: Plan, scope: Scope) -> int:
    return min(scope, key=plan.at.__getitem__)


def sum_to(table: Floats, own: Scope, kept: Scope) -> Floats:
    """Sum the axes that are not kept, and put the others in order."""
    lead = table.ndim - len(own) - 1
    gone = tuple(lead + i for i, v in enumerate(own) if v not in kept)
    left = tuple(v for v in own if v in kept)
    summed: Floats = table.sum(axis=gone)
    return spread(summed, left, kept)
