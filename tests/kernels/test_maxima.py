"""Maxima by elimination against all vectors; the compiled kernel against the definition."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import _kernels
from jointbayes._kernels import maxima
from jointbayes.inference.graphs.plan import plan_factors

KERNELS = {"compiled": _kernels.eliminate_maxima, "definition": maxima.eliminate_maxima}
both = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


def problem(rng, n, coarse):
    """A random plan, with the cells of its tables; coarse numbers have many ties."""
    cards = rng.integers(1, 4, rng.integers(1, 7)).tolist()
    d = len(cards)
    scopes = [rng.permutation(d)[: rng.integers(1, 4)].tolist() for _ in range(rng.integers(1, 8))]
    plan = plan_factors(scopes, cards)
    cells = rng.normal(size=(plan.held, n))
    cells[rng.random(cells.shape) < 0.1] = -np.inf
    return plan, np.round(cells) if coarse else cells


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 7, 130]), st.booleans())
def test_the_compiled_kernel_is_the_definition(seed, n, coarse):
    plan, cells = problem(np.random.default_rng(seed), n, coarse)
    codes, score = _kernels.eliminate_maxima(cells, *plan.layout)
    expected, best = maxima.eliminate_maxima(cells, *plan.layout)
    np.testing.assert_array_equal(codes, expected)
    np.testing.assert_array_equal(score, best)
    for row in range(min(n, 2)):
        alone = _kernels.eliminate_maxima(cells[:, row : row + 1].copy(), *plan.layout)
        np.testing.assert_array_equal(alone[0], codes[row : row + 1])


@both
@pytest.mark.parametrize("seed", range(12))
def test_no_vector_has_a_larger_sum(kernel, seed):
    plan, cells = problem(np.random.default_rng(seed), 3, coarse=False)
    codes, score = kernel(cells, *plan.layout)
    vectors = np.array(list(product(*map(range, plan.cards))))
    total, start = np.zeros((len(vectors), 3)), 0
    for scope in plan.scopes:
        shape = [plan.cards[v] for v in scope]
        table = cells[start : start + plan.size(scope)].reshape(*shape, 3)
        total += table[tuple(vectors[:, list(scope)].T)]
        start += plan.size(scope)
    np.testing.assert_allclose(score, total.max(axis=0), rtol=1e-12)
    at = [np.flatnonzero((vectors == found).all(axis=1))[0] for found in codes]
    np.testing.assert_allclose(total[at, range(3)], score, rtol=1e-12)
