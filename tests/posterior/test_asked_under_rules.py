"""Under rules too: questions, costs, frames, rows that are none, what is known of labels."""

from __future__ import annotations

from dataclasses import replace

import joint_oracle as oracle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import KINDS, ROWS, make

import jointbayes as jb
from jointbayes import rules
from jointbayes.errors import DataError

seeds = st.integers(0, 2**32 - 1)
every_kind = pytest.mark.parametrize("kind", sorted(KINDS))
RULES = {
    "a counter": ((rules.at_most(2),), lambda y: sum(y) <= 2),
    "a hierarchy": (
        (rules.hierarchy({f"y{j}": f"y{(j - 1) // 2}" for j in range(1, 5)}),),
        lambda y: all(y[(j - 1) // 2] or not y[j] for j in range(1, 5)),
    ),
    "several": (
        (rules.at_least(1), rules.exclusive("y0", "y1", "y4"), rules.implies("y3", "y2")),
        lambda y: any(y) and y[0] + y[1] + y[4] <= 1 and (y[2] or not y[3]),
    ),
}
LOSSES = {"subset": oracle.subset_loss, "hamming": oracle.hamming_loss, "f1": oracle.f1_loss}


def ruled(kind, seed, name):
    """Return a posterior of five labels under rules, its joints, and the vectors that obey."""
    post, joints = make(kind, seed, (2,) * 5)
    asked, holds = RULES[name]
    kept = [{y: p if holds(y) else 0.0 for y, p in joint.items()} for joint in joints]
    rows = [row for row, joint in enumerate(kept) if sum(joint.values()) > 0]
    z = [sum(kept[row].values()) for row in rows]
    expected = [{y: p / z[i] for y, p in kept[row].items()} for i, row in enumerate(rows)]
    return post[rows].subject_to(*asked), expected, [y for y in joints[0] if holds(y)]


@every_kind
@pytest.mark.parametrize("name", sorted(RULES))
@settings(max_examples=3, deadline=None)
@given(seed=seeds, loss=st.sampled_from(sorted(LOSSES)))
def test_the_question_is_worth_most_among_what_obeys(kind, name, seed, loss):
    after, expected, legal = ruled(kind, seed, name)
    for labels in (None, ["y3", "y1"]):
        names, worth = after.next_question(loss, labels=labels)
        for row, joint in enumerate(expected):
            each = {
                label: oracle.worth_of_asking(joint, int(label[1:]), 2, LOSSES[loss], legal)
                for label in labels or after.space.names
            }
            assert worth[row] == pytest.approx(max(each.values()), abs=1e-9)
            assert each[names[row]] == pytest.approx(max(each.values()), abs=1e-9)


@every_kind
@pytest.mark.parametrize("name", sorted(RULES))
@settings(max_examples=3, deadline=None)
@given(seed=seeds, loss=st.sampled_from(sorted(LOSSES)))
def test_costs_and_frames_are_of_what_obeys(kind, name, seed, loss):
    after, expected, _ = ruled(kind, seed, name)
    for answer in [(0, 1, 0, 0, 1), (1, 1, 1, 1, 1)]:
        costs = [sum(p * LOSSES[loss](y, answer) for y, p in joint.items()) for joint in expected]
        found = after.expected_loss(np.tile(answer, (len(expected), 1)), loss)
        np.testing.assert_allclose(found, costs, atol=1e-9)
    marginals = [[oracle.marginal(joint, j, 2)[1] for j in range(5)] for joint in expected]
    shown = after.to_frame("marginals").to_numpy().reshape(-1, 5)
    np.testing.assert_allclose(shown, np.reshape(marginals, (-1, 5)), atol=1e-9)
    best = after.to_frame("top_k", k=2)["probability"].to_numpy().reshape(-1, 2)
    ranked = np.reshape([oracle.log_ranked(joint, 2) for joint in expected], (-1, 2))
    np.testing.assert_allclose(best, np.exp(ranked), atol=1e-9)


@every_kind
@pytest.mark.parametrize("name", sorted(RULES))
def test_of_no_rows_every_question_has_an_answer(kind, name):
    post, _ = make(kind, 1, (2,) * 5)
    after, nothing = post[:0].subject_to(*RULES[name][0]), np.zeros((0, 5), dtype=int)
    for none in (
        after,
        after.power(2.0),
        after.given({"y0": 0}),
        after.subject_to(rules.at_most(1)),
    ):
        assert none.map().shape == (0, 5)
        assert none.top_k(3)[0].shape == (0, 3, 5)
        assert none.sample(4).shape == (4, 0, 5)
        assert [p.shape for p in none.marginals()] == [(0, 2)] * 5
        assert none.log_prob(nothing).shape == none.expected_loss(nothing, "f1").shape == (0,)
        assert none.next_question("hamming")[1].shape == (0,)
        assert all(none.decide(loss).shape == (0, 5) for loss in ("subset", "f1", "jaccard"))


@every_kind
@pytest.mark.parametrize("name", ["a counter", "a hierarchy"])
def test_rules_leave_what_is_known_of_labels(kind, name):
    post, _ = make(kind, 4, (2,) * 5)
    before = replace(post.space, allows_empty=False)
    object.__setattr__(post, "space", before)
    after = post.subject_to(*RULES[name][0])
    for space in (after.space, after.given({"y0": after.map()[:, 0]}).space, after[1:].space):
        assert not space.allows_empty
        assert space.binary_labels == before.binary_labels


@pytest.mark.parametrize("model", ["BinaryRelevance", "CTBN", "MultilabelNB", "LabelPowerset"])
def test_no_rule_makes_the_empty_set_an_answer(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    Y = (X @ rng.normal(size=(2, 5)) + rng.normal(size=(60, 5)) > 1).astype(int)
    Y[~Y.any(axis=1), 0] = 1
    post = getattr(jb, model)().fit(X, Y).posterior(X[:ROWS])
    for loss in ("subset", "hamming", "f1", "jaccard"):
        assert post.subject_to(rules.at_most(2)).decide(loss).any(axis=1).all()


@pytest.mark.parametrize("model", ["BinaryRelevance", "CTBN", "MultilabelFAN", "ClassifierChain"])
def test_two_values_are_no_label_under_a_rule_either(model):
    X = np.array([[0.0], [1.0]] * 10)
    Y = np.array([["red", "loud"], ["blue", "quiet"]] * 10)
    after = (
        getattr(jb, model)()
        .fit(X, Y)
        .posterior(X)
        .subject_to(rules.forbid({"y0": "red", "y1": "quiet"}))
    )
    assert after.map()[:2].tolist() == [["red", "loud"], ["blue", "quiet"]]
    with pytest.raises(DataError, match="between sets of labels"):
        after.decide("f1")
    with pytest.raises(DataError, match="'y0' as relevant or not"):
        after.subject_to(rules.at_most(1))
