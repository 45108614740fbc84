"""Climbing: the least of a valley is found, from wherever it is looked for."""

from __future__ import annotations

import numpy as np

from jointbayes.climbing import climb

VALUES = tuple(np.geomspace(0.003, 3.0, 21).tolist())


def test_a_search_by_steps_finds_the_least_of_a_valley():
    for least in VALUES:
        for start in (0.003, 0.1, 3.0):
            found = climb(VALUES, start, lambda t, best=least: abs(np.log(t / best)))
            assert found == least


def test_a_search_among_few_values_stops_where_costs_rise():
    seen = []

    def cost(x, least):
        seen.append(x)
        return abs(x - least)

    assert climb(range(-6, 4), 0, lambda x: cost(x, -2)) == -2
    assert sorted(seen) == [-3, -2, -1, 0, 1]
    assert climb(range(-6, 4), 0, lambda x: cost(x, 9)) == 3
