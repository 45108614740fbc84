"""Posteriors under rules against the joint distribution of the vectors that obey, by definition."""

from __future__ import annotations

import joint_oracle as oracle
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from posterior_kinds import KINDS, ROWS, make, space_of

import jointbayes as jb
from jointbayes import rules
from jointbayes.errors import DataError, JointBayesError, ParameterError
from jointbayes.losses import FBeta, Weighted
from jointbayes.posterior import Chain, FactorGraph, Independent, Tree, mix, obeying

seeds = st.integers(0, 2**32 - 1)
every_kind = pytest.mark.parametrize("kind", sorted(KINDS))


def among(labels, y):
    return sum(y[j] for j in (labels or range(len(y))))


@st.composite
def rule_and_meaning(draw, d):
    """A rule over binary labels, and the predicate that it stands for."""
    some = draw(st.lists(st.integers(0, d - 1), unique=True, max_size=d))
    names, k = [f"y{j}" for j in some], draw(st.integers(0, d))
    a, b = draw(st.permutations(range(d)))[:2]
    kinds = {
        "implies": (rules.implies(f"y{a}", f"y{b}"), lambda y: y[b] or not y[a]),
        "exclusive": (rules.exclusive(*names), lambda y: among(some, y) <= 1),
        "at_most": (rules.at_most(k, *names), lambda y: among(some, y) <= k),
        "at_least": (rules.at_least(k, *names), lambda y: among(some, y) >= k),
        "exactly": (rules.exactly(k, *names), lambda y: among(some, y) == k),
        "hierarchy": (
            rules.hierarchy({f"y{j}": f"y{(j - 1) // 2}" for j in range(1, d)}),
            lambda y: all(y[(j - 1) // 2] or not y[j] for j in range(1, d)),
        ),
    }
    values = {j: draw(st.integers(0, 1)) for j in some or [a]}
    kinds["forbid"] = (
        rules.forbid({f"y{j}": v for j, v in values.items()}),
        lambda y: any(y[j] != v for j, v in values.items()),
    )
    return kinds[draw(st.sampled_from(sorted(kinds)))]


def restrict(joint, obeys):
    kept = {y: p if obeys(y) else 0.0 for y, p in joint.items()}
    z = sum(kept.values())
    return {y: p / z for y, p in kept.items()} if z else None


@every_kind
@settings(max_examples=20, deadline=None)
@given(seed=seeds, d=st.integers(2, 6), data=st.data())
def test_every_question_is_answered_among_what_obeys(kind, seed, d, data):
    post, joints = make(kind, seed, (2,) * d)
    chosen = data.draw(st.lists(rule_and_meaning(d), min_size=1, max_size=3))
    expected = [restrict(j, lambda y: all(holds(y) for _, holds in chosen)) for j in joints]
    asked = [rule for rule, _ in chosen]
    if None in expected:
        with pytest.raises(DataError, match=rf"subject_to: .* in row {expected.index(None)}"):
            post.subject_to(*asked)
        return
    after = post.subject_to(*asked)
    check(after, expected, d)
    if len(chosen) > 1:
        check(post.subject_to(asked[0]).subject_to(*asked[1:]), expected, d)
    check(after.power(2), [oracle.power(joint, 2) for joint in expected], d)
    truth = after.sample(1, rng=seed)[0]
    known = [oracle.condition(j, {0: int(truth[row, 0])}) for row, j in enumerate(expected)]
    check(after.given({"y0": truth[:, 0]}), known, d)


def check(after, expected, d):
    every = list(expected[0])
    for y in every:
        found = np.exp(after.log_prob([y] * ROWS))
        np.testing.assert_allclose(found, [joint[y] for joint in expected], atol=1e-9)
    for j, p in enumerate(after.marginals()):
        reference = [oracle.marginal(joint, j, 2) for joint in expected]
        np.testing.assert_allclose(p, reference, atol=1e-9)
    sizes = [
        [[oracle.size_joint(joint, j, s) for s in range(d + 1)] for j in range(d)]
        for joint in expected
    ]
    np.testing.assert_allclose(after._sizes(), sizes, atol=1e-9)
    codes, log_p = after.top_k(len(every))
    ranked = [oracle.log_ranked(joint, len(joint)) for joint in expected]
    np.testing.assert_allclose(np.exp(log_p), np.exp(ranked), atol=1e-9)
    for row, joint in enumerate(expected):
        assert joint[tuple(after.map()[row].tolist())] == pytest.approx(max(joint.values()))
        assert len({tuple(y) for y in codes[row].tolist()}) == len(every)
        assert all(joint[tuple(y)] > 0 for y in after[row].sample(20)[:, 0].tolist())
    exactness = dict(after.exactness)
    assert exactness.pop("top_k") in ("exact", "bounded")  # by search, which has a time limit
    assert set(exactness.values()) == {"exact"}


@pytest.mark.parametrize("kind", ["independent", "tree", "graph"])
@settings(max_examples=8, deadline=None)
@given(seed=seeds, d=st.integers(4, 6), data=st.data())
def test_states_may_be_variables_where_a_path_is_too_large(kind, seed, d, data):
    post, joints = make(kind, seed, (2,) * d)
    chosen = data.draw(st.lists(rule_and_meaning(d), min_size=1, max_size=2))
    expected = [restrict(j, lambda y: all(holds(y) for _, holds in chosen)) for j in joints]
    assume(None not in expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(obeying, "ruled_path", lambda *_: None)
        once = post.subject_to(*(rule for rule, _ in chosen))
        after = post
        for rule, _ in chosen:
            after = after.subject_to(rule)
    check(once, expected, d)
    check(after, expected, d)
    check(once.power(2), [oracle.power(joint, 2) for joint in expected], d)


LOSSES = {
    "subset": ("subset", oracle.subset_loss),
    "hamming": ("hamming", oracle.hamming_loss),
    "f1": ("f1", oracle.f1_loss),
    "jaccard": ("jaccard", oracle.jaccard_loss),
    "F2": (FBeta(2), oracle.f_beta_loss(2)),
    "prices": (Weighted(2, 5), oracle.weighted_loss([2] * 9, [5] * 9)),
}


@every_kind
@pytest.mark.parametrize("name", sorted(LOSSES))
@settings(max_examples=6, deadline=None)
@given(seed=seeds, d=st.integers(2, 5), empty=st.sampled_from(["allow", "forbid"]), data=st.data())
def test_no_vector_that_obeys_beats_the_decision(kind, name, seed, d, empty, data):
    post, joints = make(kind, seed, (2,) * d)
    rule, holds = data.draw(rule_and_meaning(d))
    expected = [restrict(joint, holds) for joint in joints]
    legal = [y for y in joints[0] if holds(y) and (empty == "allow" or any(y))]
    assume(legal and None not in expected)
    loss, slow = LOSSES[name]
    slow = oracle.weighted_loss([2] * d, [5] * d) if name == "prices" else slow
    answers = post.subject_to(rule).decide(loss, empty=empty)
    for joint, answer in zip(expected, answers.tolist(), strict=True):
        assert tuple(answer) in legal
        costs = {z: sum(p * slow(y, z) for y, p in joint.items()) for z in legal}
        assert costs[tuple(answer)] == pytest.approx(min(costs.values()), abs=1e-9)


@every_kind
@settings(max_examples=10, deadline=None)
@given(seed=seeds, data=st.data())
def test_any_values_can_be_forbidden(kind, seed, data):
    cards = (3, 2, 4)
    post, joints = make(kind, seed, cards)
    values = {f"y{j}": data.draw(st.integers(0, k - 1)) for j, k in enumerate(cards)}
    some = {name: values[name] for name in data.draw(st.sets(st.sampled_from(list(values))))}
    assume(some)
    joints = [
        restrict(j, lambda y: any(y[int(n[1:])] != v for n, v in some.items())) for j in joints
    ]
    assume(None not in joints)
    after = post.subject_to(rules.forbid(some))
    for j, p in enumerate(after.marginals()):
        reference = [oracle.marginal(joint, j, cards[j]) for joint in joints]
        np.testing.assert_allclose(p, reference, atol=1e-9)
    for joint, answer in zip(joints, after.decide("hamming").tolist(), strict=True):
        least = min(oracle.expected(joint, y, "hamming") for y in joint if joint_obeys(y, some))
        assert oracle.expected(joint, answer, "hamming") == pytest.approx(least, abs=1e-9)


def joint_obeys(y, some):
    return any(y[int(n[1:])] != v for n, v in some.items())


def likely(d, rows=3):
    p = np.random.default_rng(0).uniform(0.3, 0.9, (d, rows))
    return Independent([np.log(np.stack([1 - q, q], axis=1)) for q in p], space_of((2,) * d)), p


@pytest.mark.parametrize("d", [40, 159])
def test_a_limit_on_many_labels_costs_a_counter(d):
    post, p = likely(d)
    after = post.subject_to(rules.at_most(5), rules.implies("y0", "y1"))
    answer = after.map()
    assert (answer.sum(axis=1) == 5).all()
    assert after.exactness["map"] == "exact"
    assert after.exactness["marginals"] == "exact"
    free = np.argsort(-p[2:], axis=0)[:5] + 2  # neither y0 nor y1 is among the likeliest
    assert all(answer[row, free[:, row]].all() for row in range(3))
    marginals = np.stack([q[:, 1] for q in after.marginals()])
    assert (marginals.sum(axis=0) <= 5 + 1e-9).all()
    assert (after.decide("hamming").sum(axis=1) <= 5).all()
    sizes = after._sizes()
    np.testing.assert_allclose(sizes.sum(axis=2), marginals.T, atol=1e-9)
    assert not sizes[:, :, 6:].any()
    assert after.decide("f1", empty="forbid").sum(axis=1).max() <= 5
    assert after.exactness["f1"] == "approximate"


def test_the_best_under_a_rule_is_proven_where_elimination_does_not_fit():
    base, _ = make("graph", 3, (2,) * 7)
    wide = FactorGraph(base.plan, base.tables, base.space, max_bytes=1)
    rule = rules.exactly(3)
    after = wide.subject_to(rule)
    np.testing.assert_allclose(
        base.log_prob(after.map()), base.log_prob(base.subject_to(rule).map()), atol=1e-9
    )
    assert not after.gap().any()
    assert after.exactness["marginals"] == "approximate"


def coins(d):
    def conditional(place, rows, _before):
        return np.log(np.tile([0.3, 0.7] if place else [0.6, 0.4], (len(rows), 1)))

    return Chain(conditional, np.arange(2), tuple(range(d)), space_of((2,) * d))


@pytest.mark.parametrize("build", [coins, lambda d: mix([coins(d), coins(d)])])
def test_where_vectors_are_too_many_to_list_the_best_that_obey_are_looked_for(build):
    after = build(18).subject_to(rules.at_most(17), rules.implies("y0", "y1"))
    assert after.map().tolist() == [[0] + [1] * 17] * 2
    assert after.exactness["marginals"] == "approximate"
    assert abs(after.marginals()[5][0, 1] - 0.7) < 0.1
    drawn = after.sample(50)
    assert (drawn[..., 1] >= drawn[..., 0]).all()
    assert after.given({"y1": 0}).map()[0].tolist() == [0, 0] + [1] * 16


def test_rules_shrink_with_rows_and_names():
    post, _ = likely(4)
    after = post.subject_to(rules.exclusive())
    assert (after[1:].decide("hamming").sum(axis=1) <= 1).all()
    assert after[:0].decide("f1").shape == (0, 4)
    assert after.next_question()[0].shape == (3,)


def test_a_tree_stays_exact_under_a_hierarchy_of_its_labels():
    half = np.log(np.full((1, 1, 2), 0.5))
    post = Tree((-1, -1, -1), [half] * 3, space_of((2, 2, 2)))
    after = post.subject_to(rules.hierarchy({"y1": "y0", "y2": "y1"}))
    assert np.exp(after.top_k(4)[1]) == pytest.approx(np.full((1, 4), 0.25))


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda post: post.subject_to(), "give at least one rule"),
        (lambda post: post.subject_to("a < b"), "'a < b' is not a rule"),
        (lambda post: post.subject_to(rules.implies("y0", "sun")), "names the label 'sun'"),
        (lambda post: post.subject_to(rules.implies("y0", "y0")), "implies itself"),
        (
            lambda post: post.subject_to(rules.at_most(1, "y2")),
            "'y2' as relevant or not.* values 0, 1, 2",
        ),
        (lambda post: post.subject_to(rules.forbid({"y2": 9})), "'y2' holds 9"),
        (lambda _: rules.at_most(-1), "counts to -1"),
        (lambda _: rules.exactly(1.5), "counts to 1.5"),
        (lambda _: rules.forbid({}), "give a dict"),
        (lambda _: rules.hierarchy([("a", "b")]), "give a dict"),
    ],
)
def test_what_is_not_a_rule_is_refused_in_a_sentence(build, sentence):
    post, _ = make("independent", 0, (2, 2, 3))
    with pytest.raises(JointBayesError, match=sentence):
        build(post)


def test_rules_are_values():
    assert rules.implies("a", "b") == rules.implies("a", "b")
    assert repr(rules.exactly(2, "a", "b", "c")) == "exactly(2, 'a', 'b', 'c')"
    assert jb.rules is rules
    with pytest.raises(ParameterError):
        rules.at_least(True)
