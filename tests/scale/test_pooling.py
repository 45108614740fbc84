"""Beyond the budget numbers are pooled: the same way for any batches, and as is said."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.errors import CostError, DataWarning
from jointbayes.scale import value_counts
from jointbayes.scale.value_counts import count_values


def counted(x, y, n_classes, cells):
    sizes = np.bincount(y, minlength=n_classes).astype(np.int64)
    return count_values(x, y.astype(np.uint32), sizes, cells)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_batches_in_any_order_give_the_same_pools(data):
    numbers = st.floats(allow_nan=True, allow_infinity=True, width=64)
    x = np.array(data.draw(st.lists(numbers, min_size=1, max_size=60)))
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(x), max_size=len(x))))
    cells = data.draw(st.sampled_from([9, 30, 1000]))
    order = np.array(data.draw(st.permutations(range(len(x)))))
    parts = np.array_split(order, data.draw(st.integers(1, 5)))
    least = value_counts.LEAST_POOLS
    value_counts.LEAST_POOLS = 3
    try:
        whole = counted(x, y, 3, cells)
        found = None
        for part in (p for p in parts if len(p)):
            batch = counted(x[part], y[part], 3, cells)
            found = batch if found is None else found.merge(batch, cells)
    finally:
        value_counts.LEAST_POOLS = least
    assert found.shift == whole.shift
    np.testing.assert_array_equal(found.values, whole.values)
    np.testing.assert_array_equal(found.counts, whole.counts)
    assert whole.counts.sum() == (~np.isnan(x)).sum()
    assert len(whole.values) <= max(3, cells // 3)
    if whole.is_exact:
        np.testing.assert_array_equal(whole.values, np.unique(x[~np.isnan(x)] + 0.0))


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=6000) * 1e3
    y = (x + rng.normal(size=6000) * 500 > 0).astype(int)
    return pd.DataFrame({"x": x, "few": np.round(x / 500), "y": y})


@pytest.mark.parametrize("discretizer", ["mdl", "quantile", "median", "width"])
def test_cuts_are_those_of_numbers_moved_to_the_end_of_their_pool(rows, discretizer):
    model = jb.NaiveBayes(discretizer=discretizer)
    with pytest.warns(DataWarning, match="column 'x' holds more distinct numbers than were kept"):
        jb.scale.fit(model, [rows[:2000], rows[2000:]], "y", max_cells=2)
    assert list(model.pooled_) == ["x"]
    y = rows["y"].to_numpy() if discretizer == "mdl" else np.zeros(len(rows), int)
    pools = counted(rows["x"].to_numpy(), y, y.max() + 1, 1).values
    moved = pools[np.searchsorted(pools, rows["x"])]
    assert (moved >= rows["x"]).all()
    assert pd.Series(moved).value_counts(normalize=True).max() == model.pooled_["x"]
    X = rows[["x", "few"]].assign(x=moved)
    expected = jb.NaiveBayes(discretizer=discretizer).fit(X, rows["y"])
    for found, wanted in zip(model.encoder_.variables, expected.encoder_.variables, strict=True):
        np.testing.assert_array_equal(found.cuts, wanted.cuts)


def test_quantiles_are_off_by_no_more_than_a_pool(rows):
    X, y = rows[["x", "few"]], rows["y"]
    exact = jb.NaiveBayes(discretizer="quantile").fit(X, y)
    model = jb.NaiveBayes(discretizer="quantile")
    with pytest.warns(DataWarning):
        jb.scale.fit(model, [rows], "y", max_cells=2)
    assert 0 < model.pooled_["x"] < 0.02
    cuts = [m.encoder_.variables[0].cuts for m in (model, exact)]
    below = [(X["x"].to_numpy()[:, None] <= c).mean(axis=0) for c in cuts]
    assert (np.abs(below[0] - below[1]) <= model.pooled_["x"]).all()


def test_the_pools_are_the_same_for_any_batches(rows):
    with pytest.warns(DataWarning):
        one = jb.scale.fit(jb.TAN(), [rows], "y", max_cells=2)
    with pytest.warns(DataWarning):
        many = jb.scale.fit(
            jb.TAN(), [rows[i : i + 500] for i in range(0, 6000, 500)], "y", max_cells=2
        )
    np.testing.assert_array_equal(one.encoder_.variables[0].cuts, many.encoder_.variables[0].cuts)
    assert one.pooled_ == many.pooled_


def test_categories_are_never_pooled(rows):
    with pytest.raises(CostError, match="'x' is named in categorical_features"):
        jb.scale.fit(jb.TAN(categorical_features=["x"]), [rows], "y", max_cells=2)


def test_a_model_that_was_pooled_can_be_saved(rows, tmp_path):
    with pytest.warns(DataWarning):
        model = jb.scale.fit(jb.TAN(), [rows], "y", max_cells=2)
    jb.save(model, tmp_path / "m.model")
    assert jb.load(tmp_path / "m.model").pooled_ == model.pooled_
