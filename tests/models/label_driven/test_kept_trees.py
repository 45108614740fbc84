"""Trees of sets of labels that rows had before are those that would be grown anew."""

from __future__ import annotations

import numpy as np
import pytest

from jointbayes.codes import Codes
from jointbayes.counts import count_pairs
from jointbayes.models.label_driven import refine
from jointbayes.models.label_driven.experts import pair_tables
from jointbayes.models.label_driven.refine import learn_refiner
from jointbayes.structure import maximum_spanning_tree


def learned(rng):
    x = rng.integers(0, 3, (80, 6))
    codes = Codes.of(x[:, :5], targets=rng.integers(0, 4, 80))
    counts = count_pairs(codes)
    return codes, learn_refiner(counts, counts, pair_tables(counts), 1.0, None)


@pytest.mark.parametrize("kept", [0, 12, 1 << 20])
@pytest.mark.parametrize("seed", range(3))
def test_trees_are_those_grown_one_by_one(kept, seed, monkeypatch):
    monkeypatch.setattr(refine, "KEPT", kept)
    rng = np.random.default_rng(seed)
    _, refiner = learned(rng)
    for _ in range(5):
        sets = np.unique(rng.random((rng.integers(1, 5), 4)) < 0.6, axis=0)
        alone = [maximum_spanning_tree(refiner.dependence[labels].sum(axis=0)) for labels in sets]
        np.testing.assert_array_equal(refiner._trees(sets), alone)
        assert sum(map(len, refiner._grown.values())) <= kept


@pytest.mark.parametrize("seed", range(3))
def test_a_row_alone_is_the_row_among_others(seed):
    rng = np.random.default_rng(seed)
    codes, refiner = learned(rng)
    kept = rng.random((len(codes), 4)) < 0.6
    together = refiner.log_joint(codes, kept)
    for i in rng.permutation(len(codes))[:20]:
        row = np.array([i])
        np.testing.assert_array_equal(refiner.log_joint(codes[row], kept[row]), together[row])
