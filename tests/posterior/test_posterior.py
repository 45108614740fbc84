"""Every law of a posterior, for every kind, against the joint distribution by definition."""

from __future__ import annotations

import joint_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import KINDS, ROWS, make

seeds = st.integers(0, 2**32 - 1)
cardinalities = st.one_of(
    st.integers(1, 8).map(lambda d: (2,) * d),
    st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple),
)
every_kind = pytest.mark.parametrize("kind", sorted(KINDS))
law = settings(max_examples=25, deadline=None)


@every_kind
@law
@given(seed=seeds, cards=cardinalities)
def test_log_prob_is_the_joint(kind, seed, cards):
    post, joints = make(kind, seed, cards)
    for y in joints[0]:
        found = np.exp(post.log_prob([y] * ROWS))
        np.testing.assert_allclose(found, [joint[y] for joint in joints], atol=1e-12)


@every_kind
@law
@given(seed=seeds, cards=cardinalities, k=st.integers(1, 300))
def test_top_k_is_sorted_distinct_and_best(kind, seed, cards, k):
    post, joints = make(kind, seed, cards)
    codes, log_p = post.top_k(k)
    width = min(k, len(joints[0]))
    assert codes.shape == (ROWS, width, len(cards))
    assert log_p.shape == (ROWS, width)
    assert (log_p[:, 1:] <= log_p[:, :-1]).all()
    for row, joint in enumerate(joints):
        vectors = [tuple(y) for y in codes[row].tolist()]
        assert len(set(vectors)) == width
        np.testing.assert_allclose(np.exp(log_p[row]), [joint[y] for y in vectors], atol=1e-12)
        np.testing.assert_allclose(log_p[row], oracle.log_ranked(joint, k), rtol=1e-9, atol=1e-9)
        impossible = [y for y, p in zip(vectors, log_p[row], strict=True) if p == -np.inf]
        assert impossible == [y for y in sorted(joint) if joint[y] == 0][: len(impossible)]


@every_kind
@law
@given(seed=seeds, cards=cardinalities)
def test_map_is_the_best_vector_and_proven(kind, seed, cards):
    post, joints = make(kind, seed, cards)
    for row, answer in enumerate(post.map().tolist()):
        assert joints[row][tuple(answer)] == pytest.approx(max(joints[row].values()), rel=1e-9)
    np.testing.assert_array_equal(post.map(), post.top_k(1)[0][:, 0])
    np.testing.assert_array_equal(post.gap(), np.zeros(ROWS))
    before = post.map()
    post.top_k(1)[1][:] = 0  # answers are the caller's: writing on them changes nothing
    post.map(empty="forbid")
    np.testing.assert_array_equal(post.map(), before)
    assert set(post.exactness.values()) == {"exact"}


@every_kind
@law
@given(seed=seeds, cards=cardinalities)
def test_marginals_are_sums_of_the_joint(kind, seed, cards):
    post, joints = make(kind, seed, cards)
    for j, (p, card) in enumerate(zip(post.marginals(), cards, strict=True)):
        expected = [oracle.marginal(joint, j, card) for joint in joints]
        np.testing.assert_allclose(p, expected, atol=1e-12)
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)


@every_kind
@law
@given(seed=seeds, d=st.integers(1, 7))
def test_sizes_are_sums_of_the_joint(kind, seed, d):
    post, joints = make(kind, seed, (2,) * d)
    expected = [
        [[oracle.size_joint(joint, j, s) for s in range(d + 1)] for j in range(d)]
        for joint in joints
    ]
    np.testing.assert_allclose(post._sizes(), expected, atol=1e-12)


@every_kind
@law
@given(seed=seeds, cards=cardinalities, data=st.data())
def test_given_is_the_conditional_joint(kind, seed, cards, data):
    post, joints = make(kind, seed, cards)
    truth = post.sample(1, rng=seed)[0]  # possible evidence, another on each row
    known = sorted(data.draw(st.sets(st.integers(0, len(cards) - 1), min_size=1)))
    after = post.given({f"y{j}": truth[:, j] for j in known})
    expected = [
        oracle.condition(joint, {j: int(truth[row, j]) for j in known})
        for row, joint in enumerate(joints)
    ]
    for y in expected[0]:
        found = np.exp(after.log_prob([y] * ROWS))
        np.testing.assert_allclose(found, [joint[y] for joint in expected], atol=1e-9)
    for j, p in enumerate(after.marginals()):
        reference = [oracle.marginal(joint, j, cards[j]) for joint in expected]
        np.testing.assert_allclose(p, reference, atol=1e-9)
    best = after.top_k(len(expected[0]))[1]
    reference = [oracle.log_ranked(joint, len(joint)) for joint in expected]
    np.testing.assert_allclose(np.exp(best), np.exp(reference), atol=1e-9)
    assert (after.sample(20)[:, :, known] == truth[:, known]).all()


def bernstein(p, n):
    """Distance from p that the mean of n draws passes once in a million times at most."""
    log_odds = np.log(2e6)
    return np.sqrt(2 * p * (1 - p) * log_odds / n) + 2 * log_odds / (3 * n)


@every_kind
@pytest.mark.parametrize("cards", [(2, 2, 2), (3, 1, 4)])
def test_samples_follow_the_joint(kind, cards):
    post, joints = make(kind, 5, cards)
    drawn = post.sample(20_000, rng=1)
    assert drawn.shape == (20_000, ROWS, len(cards))
    np.testing.assert_array_equal(drawn, post.sample(20_000, rng=np.random.default_rng(1)))
    for row, joint in enumerate(joints):
        for y, p in joint.items():
            share = (drawn[:, row] == y).all(axis=1).mean()
            assert (share == 0) if p == 0 else abs(share - p) <= bernstein(p, 20_000)


@every_kind
def test_rows_are_taken_like_rows_of_an_array(kind):
    post, _ = make(kind, 11, (2, 2, 2))
    whole = post.marginals()[1]
    mask = np.array([True, False, True])
    for index in (slice(1, 3), 2, -1, [2, 0], mask, slice(None, None, -1)):
        # Sums over fewer rows may be added up in another order: one unit in the last place.
        some = np.atleast_2d(whole[index])
        np.testing.assert_allclose(post[index].marginals()[1], some, rtol=4e-16)
    with pytest.raises(IndexError):
        post[ROWS]
    none = post[:0]
    assert (len(post), len(none)) == (ROWS, 0)
    assert none.top_k(2)[0].shape == (0, 2, 3)
    assert none.sample(4).shape == (4, 0, 3)
    for loss in ("subset", "hamming", "f1", "jaccard"):
        assert none.decide(loss, empty="forbid").shape == (0, 3)
        np.testing.assert_array_equal(post[1:].decide(loss), post.decide(loss)[1:])
