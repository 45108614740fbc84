"""Losses with numbers of their own: no vector costs less, in expectation, than the decision."""

from __future__ import annotations

from dataclasses import replace

import joint_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import KINDS, ROWS, make, space_of

import jointbayes as jb
from jointbayes.errors import DataError, ParameterError
from jointbayes.losses import FBeta, Weighted
from jointbayes.posterior import Independent

seeds = st.integers(0, 2**32 - 1)
every_kind = pytest.mark.parametrize("kind", sorted(KINDS))
prices = st.floats(0, 10, allow_subnormal=False)


def least_expected(joint, loss, empty):
    legal = [y for y in joint if empty == "allow" or any(y)]
    return min(expected(joint, y, loss) for y in legal)


def expected(joint, answer, loss):
    return sum(p * loss(y, tuple(answer)) for y, p in joint.items())


def check(post, joints, loss, slow, empty):
    answers = post.decide(loss, empty=empty)
    found = post.expected_loss(answers, loss)
    for row, (joint, answer) in enumerate(zip(joints, answers.tolist(), strict=True)):
        assert empty == "allow" or any(answer)
        least = least_expected(joint, slow, empty)
        assert expected(joint, answer, slow) == pytest.approx(least, abs=1e-9)
        assert found[row] == pytest.approx(least, abs=1e-9)


@every_kind
@settings(max_examples=10, deadline=None)
@given(
    seed=seeds,
    d=st.integers(1, 5),
    beta=st.floats(0.1, 5),
    empty=st.sampled_from(["allow", "forbid"]),
)
def test_no_set_beats_the_decision_for_f_beta(kind, seed, d, beta, empty):
    post, joints = make(kind, seed, (2,) * d)
    check(post, joints, FBeta(beta), oracle.f_beta_loss(beta), empty)


@every_kind
@settings(max_examples=10, deadline=None)
@given(seed=seeds, d=st.integers(1, 5), empty=st.sampled_from(["allow", "forbid"]), data=st.data())
def test_no_set_beats_the_decision_for_prices(kind, seed, d, empty, data):
    post, joints = make(kind, seed, (2,) * d)
    fp = data.draw(st.lists(prices, min_size=d, max_size=d))
    fn = data.draw(st.lists(prices, min_size=d, max_size=d))
    loss = Weighted({f"y{j}": p for j, p in enumerate(fp)}, {f"y{j}": p for j, p in enumerate(fn)})
    check(post, joints, loss, oracle.weighted_loss(fp, fn), empty)


@every_kind
def test_beta_one_is_f1_and_equal_prices_are_hamming(kind):
    post, _ = make(kind, 3, (2,) * 4)
    answer = np.random.default_rng(0).integers(0, 2, (ROWS, 4))
    for name, loss in (("f1", FBeta(1)), ("hamming", Weighted())):
        np.testing.assert_array_equal(post.decide(loss), post.decide(name))
        np.testing.assert_allclose(
            post.expected_loss(answer, loss), post.expected_loss(answer, name), atol=1e-12
        )


def test_labels_that_are_not_named_cost_one():
    loss = Weighted(false_negative={"y1": 4})
    assert [p.tolist() for p in loss.by_label(space_of((2, 2)))] == [[1, 1], [1, 4]]


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: FBeta(0), "beta=0"),
        (lambda: FBeta(float("nan")), "beta=nan"),
        (lambda: FBeta("2"), "beta='2'"),
        (lambda: FBeta(True), "beta=True"),
        (lambda: Weighted(-1), "false_positive"),
        (lambda: Weighted(1, {"y0": float("inf")}), "false_negative.*'y0' is inf"),
    ],
)
def test_prices_and_beta_have_ranges(build, sentence):
    with pytest.raises(ParameterError, match=sentence):
        build()


def test_a_price_for_a_label_that_is_not_there_is_refused():
    post, _ = make("tree", 0, (2, 2))
    with pytest.raises(ParameterError, match="no label is called 'fire'; there are y0, y1"):
        post.decide(Weighted({"fire": 2}))


@pytest.mark.parametrize("loss", ["f1", "jaccard", FBeta(2), Weighted(2)], ids=str)
def test_many_values_are_refused_with_the_way_out(loss):
    post, _ = make("tree", 0, (2, 3))
    with pytest.raises(
        DataError, match=r"label 'y1' .*jb.labels.binarize\(Y, positive=\{'y1': 2\}"
    ):
        post.decide(loss)


def test_auto_forbids_the_empty_set_where_no_row_was_empty():
    low = [np.log([[0.9, 0.1]]), np.log([[0.8, 0.2]])]
    space = space_of((2, 2))
    never = Independent(low, replace(space, allows_empty=False))
    for loss in ("subset", "hamming", "f1", "jaccard", FBeta(2), Weighted(2)):
        assert jb.decide(never, loss).any()
        np.testing.assert_array_equal(never.decide(loss), never.decide(loss, empty="forbid"))
        assert (
            Independent(low, space).decide(loss, empty="allow").tolist()
            == never.decide(loss, empty="allow").tolist()
        )
    assert never.map().tolist() == [[0, 0]]
    assert never.map(empty="auto").tolist() == [[0, 1]]


@pytest.mark.parametrize("loss", [FBeta(2), Weighted(false_negative={"y1": 4})], ids=str)
def test_models_predict_for_a_loss_with_numbers(loss):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 3)), rng.integers(0, 2, (60, 3))
    model = jb.MultilabelNB(loss=loss).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), model.posterior(X).decide(loss))
