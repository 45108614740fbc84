"""Histograms of columns that do not fit the cache: the kernel against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from jointbayes import _kernels
from jointbayes._kernels import histograms as definition


def columns(n):
    rng = np.random.default_rng(0)
    normal = rng.normal(size=n)
    gaps = normal.copy()
    gaps[::7] = np.nan
    near = 1e9 + rng.integers(0, 50, n) * 1e-6  # that differ in their last bits alone
    return {
        "normal": normal,
        "with gaps": gaps,
        "of any size": normal * 10.0 ** rng.integers(-300, 300, n),
        "of few values": rng.integers(-3, 4, n) / 3,
        "nearly the same": near,
        "in order": np.sort(normal),
        "zeros of both signs": np.where(normal > 0, 0.0, -0.0) + (normal > 2) * normal,
    }


@pytest.mark.skipif(not _kernels.COMPILED, reason="the definition is what runs")
@pytest.mark.parametrize("what", list(columns(1)))
@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_have_the_histogram_of_the_definition(what, weighted):
    n = 100_000
    rng, x = np.random.default_rng(1), columns(n)[what]
    y = rng.integers(0, 3, n).astype(np.uint32)
    weights = rng.integers(0, 4, n).astype(float) if weighted else None
    counted = y if weights is None else y[weights > 0]
    totals = np.bincount(y, weights, minlength=3).astype(float)
    sizes = np.bincount(counted, minlength=3).astype(np.int64)
    found = _kernels.histogram(x, None, y, weights, totals, sizes)
    expected = definition.histogram(x, None, y, weights, totals, sizes)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
