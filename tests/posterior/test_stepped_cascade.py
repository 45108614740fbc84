"""The cascade whose steps are asked for: against the one of tables, searched against listed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import space_of

from jointbayes.inference.logs import log_normalize
from jointbayes.inference.picking import widen
from jointbayes.inference.set_steps import asked_of, grow
from jointbayes.posterior import Cascade, SteppedCascade, sets_by_size, stepped_cascade

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=15, deadline=None)


def random_cascade(seed, d=4, n=3, sharpness=1.0):
    rng = np.random.default_rng(seed)
    size = rng.dirichlet(np.ones(d + 1), n)
    size[:, rng.integers(0, d + 1)] *= rng.random() < 0.5  # a size that was never seen
    together = np.log(rng.random((d, d)))
    np.fill_diagonal(together, -np.inf)
    with np.errstate(divide="ignore"):
        log_size = np.log(size / size.sum(axis=1, keepdims=True))
    base, by_size = rng.normal(0, sharpness, (n, d)), np.log(rng.random((d + 1, d)))
    return Cascade(log_size, base, by_size, together, space_of((2,) * d))


def asking(post):
    """The same cascade, whose tables nobody sees."""

    def step(rows, sizes, picked):
        links = np.where(np.eye(len(post.space)), 0.0, post.together)
        scores = post.base[rows] + post.by_size[sizes] + picked @ links
        left = np.where(picked == 1, -np.inf, scores)
        asked.append(len(rows))
        return log_normalize(left)

    asked = []
    sizes = np.flatnonzero((post.log_size > -np.inf).any(axis=0))
    return SteppedCascade(post.log_size, step, np.arange(len(post)), sizes, post.space), asked


@FEW
@given(SEEDS, st.integers(1, 6))
def test_every_query_is_that_of_the_tables(seed, d):
    post = random_cascade(seed, d=d)
    found, _ = asking(post)
    vectors = np.indices((2,) * d).reshape(d, -1).T
    every = np.broadcast_to(vectors, (3, *vectors.shape))
    np.testing.assert_allclose(np.exp(found._log_prob(every)), np.exp(post._log_prob(every)))
    np.testing.assert_allclose(found._weigh_all(), post._weigh_all(), rtol=1e-9)
    np.testing.assert_allclose(found.marginals(), post.marginals(), atol=1e-12)
    np.testing.assert_allclose(found._sizes(), post._sizes(), atol=1e-12)
    np.testing.assert_array_equal(found.map(), post.map())
    np.testing.assert_array_equal(found.sets(3), post.sets(3))
    sizes = np.arange(3) % (d + 1)
    np.testing.assert_array_equal(found.pick(sizes), post.pick(sizes))
    np.testing.assert_array_equal(found.sample(50, rng=1), post.sample(50, rng=1))
    np.testing.assert_array_equal(found[1:].without_empty().map(), post[1:].without_empty().map())


@pytest.fixture
def searched(monkeypatch):
    """Take sets for too many to be listed, and orders for too many to be summed."""
    monkeypatch.setattr(stepped_cascade, "TABULATED", 1)
    monkeypatch.setattr(stepped_cascade, "SUMMED", 2)
    monkeypatch.setattr(sets_by_size, "DRAWS", 4000)
    monkeypatch.setattr(stepped_cascade, "ORDERS", 2000)


@pytest.mark.usefixtures("searched")
def test_what_is_searched_or_sampled_is_near_what_is_listed():
    post = random_cascade(2, d=5, n=4)
    found, table = asking(post)[0], post._table()
    codes = np.indices((2,) * 5).reshape(5, -1).T
    every = np.broadcast_to(codes, (4, *codes.shape))
    few = np.exp(table._log_prob(every))
    np.testing.assert_allclose(np.exp(found._log_prob(every)), few, atol=0.005)
    np.testing.assert_allclose(found.marginals(), table.marginals(), atol=0.04)
    np.testing.assert_allclose(found._sizes(), table._sizes(), atol=0.04)
    known, listed = found.given({"y2": 1, "y0": 0}), table.given({"y2": 1, "y0": 0})
    np.testing.assert_allclose(known.marginals(), listed.marginals(), atol=0.04)
    drawn = known.sample(500)
    assert (drawn[:, :, 2] == 1).all()
    assert not drawn[:, :, 0].any()
    assert found.exactness["sample"] == "exact"
    assert {found.exactness[q] for q in ("map", "marginals", "log_prob")} == {"approximate"}
    assert known.exactness["sample"] == "approximate"


def test_a_beam_follows_the_orders_that_the_one_of_tables_follows():
    post = random_cascade(7, d=6)
    found, _ = asking(post)
    for m, width in ((0, 4), (1, 2), (3, 5), (6, 100)):
        codes, log_p = grow(found.step, found.rows, m, 6, width)
        other, q = widen(post.base + post.by_size[m], post.together, m, width)
        np.testing.assert_allclose(log_p, q, atol=1e-12)
        np.testing.assert_array_equal(codes[log_p > -np.inf], other[q > -np.inf])


def test_listing_asks_for_what_it_says_and_no_more():
    post = random_cascade(3, d=5, n=7)
    post.log_size[:, 4:] = -np.inf
    post.log_size[:] = log_normalize(post.log_size)
    found, asked = asking(post)
    found.marginals()
    assert sum(asked) == 7 * asked_of(found.sizes, 5) == 7 * found._asked


def test_many_labels_are_answered_and_marked():
    found, _ = asking(random_cascade(1, d=30, n=2, sharpness=3.0))
    assert found.map().shape == (2, 30)
    assert found.top_k(4)[0].shape == (2, 4, 30)
    assert np.isfinite(found.log_prob(found.sample(1)[0])).all()
    assert found.exactness["log_prob"] == "approximate"
