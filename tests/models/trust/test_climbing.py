"""Climbing: the least of a valley is found, from wherever it is looked for."""

from __future__ import annotations

import numpy as np

from jointbayes.models.trust.climbing import EXPONENTS, climb


def test_a_search_by_steps_finds_the_least_of_a_valley():
    for least in EXPONENTS:
        for start in (0.003, 0.1, 3.0):
            found = climb(EXPONENTS, start, lambda t, best=least: abs(np.log(t / best)))
            assert found == least
