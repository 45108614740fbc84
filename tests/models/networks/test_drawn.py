"""Features drawn to their average, against the definition, context by context."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.models.networks.multidimensional import drawn_table


@pytest.mark.parametrize("shape", [(2,), (3, 2), (2, 2, 3)])
def test_a_drawn_table_is_what_its_definition_says(shape):
    rng = np.random.default_rng(0)
    n, ess, k = rng.integers(0, 5, shape).astype(float), 5.0, 3.0
    found = np.exp(drawn_table(n, ess, k))
    for context in np.ndindex(*shape[1:]):
        rows = sum(n[(v, *context)] for v in range(shape[0]))
        for v in range(shape[0]):
            average = (n[v].sum() + ess / shape[0]) / (n.sum() + ess)
            expected = (n[(v, *context)] + k * average) / (rows + k)
            assert found[(v, *context)] == pytest.approx(expected)


def test_networks_drawn_to_the_average_keep_their_graphs_and_classes():
    rng = np.random.default_rng(1)
    Y = rng.integers(0, 2, (80, 3))
    X = np.where(rng.random((80, 3)) < 0.2, 1 - Y, Y).astype(float)
    model = jb.MultilabelFAN().fit(X, Y)
    drawn = model.learned_.drawn_to_average(model.knowledge_, model.ess, 1e9)
    before, after = model.learned_.networks[0], drawn.networks[0]
    assert before.dag == after.dag
    for ours, theirs in zip(before.log_tables[:3], after.log_tables[:3], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for table in after.log_tables[3:]:  # so many average rows that no context tells anything
        assert np.ptp(table.reshape(len(table), -1), axis=1).max() < 1e-6
