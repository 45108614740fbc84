"""P(y | x)^t against its definition, for every kind and every question."""

from __future__ import annotations

import joint_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import KINDS, ROWS, make, space_of

from jointbayes.errors import ParameterError
from jointbayes.posterior import Chain, Independent, Reweighted, mix

every_kind = pytest.mark.parametrize("kind", sorted(KINDS))
cardinalities = st.one_of(
    st.integers(1, 5).map(lambda d: (2,) * d),
    st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple),
)


@every_kind
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), cards=cardinalities, t=st.floats(0.2, 4))
def test_a_power_is_the_power_of_the_joint(kind, seed, cards, t):
    post, joints = make(kind, seed, cards)
    raised = post.power(t)
    expected = [oracle.power(joint, t) for joint in joints]
    for y in expected[0]:
        found = np.exp(raised.log_prob([y] * ROWS))
        np.testing.assert_allclose(found, [joint[y] for joint in expected], atol=1e-9)
    for j, p in enumerate(raised.marginals()):
        np.testing.assert_allclose(
            p, [oracle.marginal(joint, j, cards[j]) for joint in expected], atol=1e-9
        )
    best = raised.top_k(len(expected[0]))[1]
    ranked = [oracle.log_ranked(joint, len(joint)) for joint in expected]
    np.testing.assert_allclose(np.exp(best), np.exp(ranked), atol=1e-9)
    assert set(raised.exactness.values()) == {"exact"}
    for row, answer in enumerate(raised.map().tolist()):
        most = max(expected[row].values())
        assert expected[row][tuple(answer)] == pytest.approx(most, rel=1e-9)


@every_kind
def test_powers_of_powers_conditions_and_rows(kind):
    post, _ = make(kind, 7, (2, 2, 2))
    truth = post.sample(1, rng=0)[0]
    twice = post.power(2).power(1.5)
    np.testing.assert_allclose(twice.marginals()[1], post.power(3).marginals()[1], atol=1e-9)
    known = {"y0": truth[:, 0]}
    then, before = post.power(2).given(known), post.given(known).power(2)
    np.testing.assert_allclose(then.marginals()[2], before.marginals()[2], atol=1e-9)
    np.testing.assert_allclose(post[1:].power(2).marginals()[0], post.power(2).marginals()[0][1:])
    assert post.power(1) is post
    assert post[:0].power(2).map().shape == (0, 3)


@pytest.mark.parametrize("t", [0, -1, float("inf"), float("nan"), "2", True, None])
def test_exponents_have_a_range(t):
    post, _ = make("tree", 0, (2,))
    with pytest.raises(ParameterError, match=r"power\(t="):
        post.power(t)


def large(d=18, rows=4):
    rng = np.random.default_rng(1)
    members = [
        Independent(list(np.log(rng.dirichlet([0.6] * 2, (d, rows)))), space_of((2,) * d))
        for _ in range(2)
    ]
    return mix(members[:1] * 2), members[0]


def test_where_vectors_are_too_many_the_best_stay_best_and_the_rest_is_marked():
    mixture, member = large()  # twice the same member, so that the answer is known
    post, exact = mixture.power(1.5), member.power(1.5)
    assert isinstance(post, Reweighted)
    np.testing.assert_array_equal(post.map(), exact.map())
    assert post.exactness["map"] == "exact"
    for query in ("marginals", "log_prob", "sample", "f1"):
        assert post.exactness[query] == "approximate"
    for found, truth in zip(post.marginals(), exact.marginals(), strict=True):
        assert np.abs(found - truth).max() < 0.15
    np.testing.assert_allclose(post.log_prob(post.map()), exact.log_prob(exact.map()), atol=0.3)
    drawn = post.sample(200, rng=1)
    assert np.abs(drawn.mean(axis=0)[:, 0] - exact.marginals()[0][:, 1]).max() < 0.25
    known = {"y0": post.map()[:, 0]}
    found, truth = post.given(known).marginals()[3], exact.given(known).marginals()[3]
    assert np.abs(found - truth).max() < 0.15
    assert post.power(2).map().tolist() == post.map().tolist()
    assert post.decide("f1").shape == (4, 18)
    assert post.top_k(3)[0].shape == (4, 3, 18)


def test_a_chain_of_many_labels_has_powers_too():
    def conditional(_place, rows, _before):
        return np.log(np.tile([0.2, 0.8], (len(rows), 1)))

    post = Chain(conditional, np.arange(2), tuple(range(20)), space_of((2,) * 20)).power(2)
    assert post.map().all()
    assert post.marginals()[0][0, 1] == pytest.approx(0.64 / 0.68, abs=0.1)
