"""No label vector has a smaller expected loss than the one that was decided for."""

from __future__ import annotations

import joint_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import KINDS, ROWS, make, probabilities, space_of

from jointbayes.decision import decide, expected_loss
from jointbayes.posterior import Independent, Listed

seeds = st.integers(0, 2**32 - 1)
every_kind = pytest.mark.parametrize("kind", sorted(KINDS))
every_loss = pytest.mark.parametrize("loss", sorted(oracle.LOSS))


@every_kind
@every_loss
@settings(max_examples=10, deadline=None)
@given(seed=seeds, d=st.integers(1, 6), empty=st.sampled_from(["allow", "forbid"]))
def test_no_set_of_labels_beats_the_decision(kind, loss, empty, seed, d):
    post, joints = make(kind, seed, (2,) * d)
    answers = decide(post, loss, empty=empty)
    losses = expected_loss(post, answers, loss)
    for row, (joint, answer) in enumerate(zip(joints, answers.tolist(), strict=True)):
        legal = [y for y in joint if empty == "allow" or any(y)]
        assert tuple(answer) in legal
        least = min(oracle.expected(joint, y, loss) for y in legal)
        assert oracle.expected(joint, answer, loss) == pytest.approx(least, abs=1e-12)
        assert losses[row] == pytest.approx(least, abs=1e-12)


@every_kind
@pytest.mark.parametrize("loss", ["subset", "hamming"])
@settings(max_examples=15, deadline=None)
@given(seed=seeds, cards=st.lists(st.integers(1, 4), max_size=3))
def test_no_vector_of_many_values_beats_the_decision(kind, loss, seed, cards):
    post, joints = make(kind, seed, (*cards, 3))
    answers = post.decide(loss, empty="forbid")  # says nothing where labels are not sets
    for joint, answer in zip(joints, answers.tolist(), strict=True):
        least = min(oracle.expected(joint, y, loss) for y in joint)
        assert oracle.expected(joint, answer, loss) == pytest.approx(least, abs=1e-12)


@every_loss
@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_the_expected_loss_of_any_answer(loss, seed):
    post, joints = make("mixture", seed, (2, 2, 2, 2))
    answer = np.random.default_rng(seed).integers(0, 2, (ROWS, 4))
    expected = [
        oracle.expected(joint, y, loss) for joint, y in zip(joints, answer.tolist(), strict=True)
    ]
    np.testing.assert_allclose(expected_loss(post, answer, loss), expected, atol=1e-12)


@pytest.mark.parametrize("loss", ["f1", "jaccard"])
def test_losses_between_sets_need_sets(loss):
    post, _ = make("independent", 0, (2, 3))
    way_out = r"label 'y1' has the values 0, 1, 2; .* jb.labels.binarize"
    for ask in (post.decide, lambda loss: expected_loss(post, post.map(), loss)):
        with pytest.raises(ValueError, match=way_out):
            ask(loss)
    queries = {"map", "top_k", "marginals", "log_prob", "sample", "subset", "hamming"}
    assert set(post.exactness) == queries


def test_jaccard_beyond_enumeration_says_so_and_beats_the_other_decisions():
    rng = np.random.default_rng(3)
    vectors = np.unique(rng.random((40, 15)) < 0.3, axis=0).astype(int)
    log_p = np.log(probabilities(rng, (6, len(vectors)), zeros=0))
    post = Listed(vectors, log_p, space_of((2,) * 15))
    assert post.exactness["jaccard"] == "approximate"
    least = expected_loss(post, post.decide("jaccard"), "jaccard")
    for other in ("subset", "hamming", "f1"):
        assert (least <= expected_loss(post, post.decide(other), "jaccard") + 1e-12).all()
    assert post.decide("jaccard", empty="forbid").any(axis=1).all()


def test_jaccard_is_weighed_by_samples_where_sets_are_too_many():
    post = Independent([np.log([[0.02, 0.98]])] * 20, space_of((2,) * 20))
    assert post.decide("jaccard").all()
    everything = np.ones((1, 20), dtype=int)
    assert expected_loss(post, everything, "jaccard") == pytest.approx([0.02], abs=0.003)


def test_f1_in_blocks_of_rows_is_f1():
    p = probabilities(np.random.default_rng(0), (100, 300, 2), zeros=0)
    post = Independent(list(np.log(p)), space_of((2,) * 100))
    halves = [post[:150].decide("f1"), post[150:].decide("f1")]
    np.testing.assert_array_equal(post.decide("f1"), np.concatenate(halves))
    least = expected_loss(post, post.decide("f1"), "f1")
    assert (least <= expected_loss(post, post.decide("hamming"), "f1") + 1e-12).all()
