"""The worth of an answer against its definition, over all vectors."""

from __future__ import annotations

import joint_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import KINDS, make

from jointbayes.errors import DataError
from jointbayes.losses import FBeta, Weighted

LOSSES = {
    "subset": ("subset", oracle.subset_loss),
    "hamming": ("hamming", oracle.hamming_loss),
    "f1": ("f1", oracle.f1_loss),
    "jaccard": ("jaccard", oracle.jaccard_loss),
    "F2": (FBeta(2), oracle.f_beta_loss(2)),
    "prices": (Weighted(3, 1), oracle.weighted_loss([3] * 9, [1] * 9)),
}
every_kind = pytest.mark.parametrize("kind", sorted(KINDS))


@every_kind
@pytest.mark.parametrize("name", sorted(LOSSES))
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 4))
def test_the_question_is_the_one_of_most_worth(kind, name, seed, d):
    loss, slow = LOSSES[name]
    if name == "prices":
        slow = oracle.weighted_loss([3] * d, [1] * d)
    check(*make(kind, seed, (2,) * d), (2,) * d, loss, slow)


@every_kind
@pytest.mark.parametrize("loss", ["subset", "hamming"])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), cards=st.lists(st.integers(1, 3), max_size=2))
def test_questions_about_many_values(kind, loss, seed, cards):
    cards = (*cards, 3)
    check(*make(kind, seed, cards), cards, loss, oracle.LOSS[loss])


def check(post, joints, cards, loss, slow):
    names, worth = post.next_question(loss)
    assert names.shape == worth.shape == (len(post),)
    for row, joint in enumerate(joints):
        every = [
            oracle.worth_of_asking(joint, j, k, slow, list(joint)) for j, k in enumerate(cards)
        ]
        assert worth[row] == pytest.approx(max(every), abs=1e-9)
        assert every[int(names[row][1:])] == pytest.approx(max(every), abs=1e-9)


def test_only_labels_that_can_be_asked_are():
    post, joints = make("tree", 4, (2, 2, 2))
    names, worth = post.next_question(labels=["y2"])
    assert set(names) == {"y2"}
    expected = [oracle.worth_of_asking(j, 2, 2, oracle.subset_loss, list(j)) for j in joints]
    np.testing.assert_allclose(worth, expected, atol=1e-12)
    assert post[:0].next_question()[0].shape == (0,)


def test_what_is_known_is_not_worth_asking():
    post, _ = make("graph", 4, (2, 2, 2))
    known = post.given({"y0": post.map()[:, 0]})
    assert known.next_question(labels=["y0"])[1] == pytest.approx([0, 0, 0], abs=1e-12)


@pytest.mark.parametrize("labels", [["nobody"], []])
def test_questions_about_no_label_are_refused(labels):
    post, _ = make("tree", 4, (2, 2))
    with pytest.raises(DataError, match=r"next_question: .* there are y0, y1"):
        post.next_question(labels=labels)


@pytest.mark.parametrize("kind", sorted(KINDS))
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_for_whole_vectors_an_answer_is_worth_the_best_vector_that_it_would_bring(kind, seed):
    post, joints = make(kind, seed, (2,) * 4)
    for row, joint in enumerate(joints):
        mode = max(joint, key=joint.get)
        for j, name in enumerate(post.space.names):
            other = max(p for y, p in joint.items() if y[j] != mode[j])
            assert post[row].next_question(labels=[name])[1] == pytest.approx([other], abs=1e-9)
