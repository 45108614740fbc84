"""No other k labels have a larger expected precision."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import KINDS, make, space_of

import jointbayes as jb
from jointbayes.errors import DataError, ParameterError
from jointbayes.posterior import Independent


def expected_precision(joint, chosen):
    return sum(p * sum(y[j] for j in chosen) for y, p in joint.items()) / len(chosen)


@pytest.mark.parametrize("kind", sorted(KINDS))
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 5), data=st.data())
def test_no_k_labels_are_more_precise(kind, seed, d, data):
    k = data.draw(st.integers(1, d))
    post, joints = make(kind, seed, (2,) * d)
    answers = post.top_labels(k)
    assert (answers.sum(axis=1) == k).all()
    for joint, answer in zip(joints, answers, strict=True):
        best = max(expected_precision(joint, chosen) for chosen in combinations(range(d), k))
        found = expected_precision(joint, np.flatnonzero(answer).tolist())
        assert found == pytest.approx(best, abs=1e-12)


def test_ties_go_to_the_first_labels_and_values_are_the_user_s():
    space = jb.labels.learn_labels([["no", "no", "no"], ["yes", "yes", "yes"]])
    post = Independent([np.log([[0.5, 0.5]] * 2)] * 3, space)
    assert post.top_labels(np.int64(2)).tolist() == [["yes", "yes", "no"]] * 2


@pytest.mark.parametrize("k", [0, 4, 1.0, True, "2"])
def test_a_number_of_labels_that_cannot_be_is_refused(k):
    post = Independent([np.log([[0.5, 0.5]])] * 3, space_of((2, 2, 2)))
    with pytest.raises(ParameterError, match="k must be an integer from 1 to 3"):
        post.top_labels(k)


def test_many_values_are_refused():
    post = Independent([np.log([[0.5, 0.5]]), np.log([[0.2, 0.3, 0.5]])], space_of((2, 3)))
    with pytest.raises(DataError, match=r"label 'y1' has the values .*binarize"):
        post.top_labels(1)
