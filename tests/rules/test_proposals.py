"""Rules that never fail in the data."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import jointbayes as jb
from jointbayes.labels import LabelSpace
from jointbayes.rules import count_broken
from jointbayes.rules.proposals import EXPECTED, propose_rules

NAMES = ("a", "b", "c")
SPACE = LabelSpace(NAMES, (np.array([0, 1]),) * 3)
MAKERS = {name: getattr(jb.rules, name) for name in ("implies", "exclusive", "at_least")}


def rule_of(text):
    return eval(text, {"__builtins__": {}}, MAKERS)


ONCE = np.ones(60, dtype=np.intp)


@given(arrays(np.int8, (60, 3), elements=st.sampled_from([0, 1, 1])), st.integers(0, 2))
def test_what_is_proposed_never_fails_and_could_have(codes, copied):
    codes = codes.astype(np.intp)
    codes[:, copied] &= codes[:, copied - 1]  # one label implies another
    for proposed in propose_rules(codes, NAMES, ONCE):
        assert not count_broken([rule_of(proposed.rule)], codes, SPACE).any()
        assert proposed.expected >= EXPECTED
        assert 0 < proposed.rows <= 60


def test_implications_exclusions_and_at_least_one():
    codes = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]] * 20)
    assert {p.rule for p in propose_rules(codes, NAMES, ONCE)} == {
        "implies('a', 'b')",
        "exclusive('a', 'c')",
        "exclusive('b', 'c')",
        "at_least(1)",
    }


def test_a_row_that_does_not_tell_is_no_evidence():
    codes = np.array([[1, 1], [0, 0], [0, 1]] * 20)
    codes[:58, 1] = -1
    assert propose_rules(codes, NAMES[:2], ONCE) == ()


def test_describe_proposes_rules():
    Y = np.array([[0, 0], [0, 1], [1, 1]] * 20)
    found = jb.describe(np.zeros((60, 1)), Y)
    assert [p.rule for p in found.rules] == ["implies('y0', 'y1')"]
    assert found.as_dict()["rules"][0]["rows"] == 20


def test_evaluate_counts_answers_that_break_a_rule():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    first = X[:, 0] > 0.7
    Y = np.stack([first, first | (X[:, 1] > 0.5)], axis=1).astype(int)
    free = jb.models.BatchedLogistic(penalty=300.0)
    rule = [jb.rules.implies("y0", "y1")]
    scores = jb.evaluate(jb.BinaryRelevance(free), X, Y, cv=2, rules=rule)
    obeying = jb.Constrained(jb.BinaryRelevance(free), rule)
    assert jb.evaluate(obeying, X, Y, cv=2, rules=rule).broken.mean == 0
    predicted = [
        jb.BinaryRelevance(free).fit(X[train], Y[train]).predict(X[test])
        for train, test in jb.validation.as_splitter(2, random_state=0).split(X, Y)
    ]
    assert scores.broken.folds == tuple(float((p[:, 0] > p[:, 1]).mean()) for p in predicted)
    assert jb.evaluate(jb.BinaryRelevance(free), X, Y, cv=2).broken is None
