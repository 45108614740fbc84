"""What is particular to a kind of posterior: ties, large problems, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from posterior_kinds import make, space_of

from jointbayes.errors import JointBayesError, StructureError
from jointbayes.labels import LabelSpace
from jointbayes.posterior import BackedOff, Independent, Listed, Mixture, Product, Tree, mix

HALF = np.log(np.full((1, 2), 0.5))
THREE = space_of((2, 2, 2))
EVERY = np.indices((2, 2, 2)).reshape(3, -1).T
UNIFORM = {
    "independent": Independent([HALF] * 3, THREE),
    "tree": Tree((2, 0, -1), [HALF[:, [0, 0], None].repeat(2, 2)] * 2 + [HALF[:, None]], THREE),
    "table": Listed(EVERY[::-1], np.log(np.full((1, 8), 1 / 8)), THREE),
    "product": Product(
        [
            Independent([HALF] * 2, space_of((2, 2), ("y0", "y2"))),
            Independent([HALF], space_of((2,), ("y1",))),
        ],
        THREE,
    ),
    "mixture": mix([Independent([HALF] * 3, THREE), Independent([HALF] * 3, THREE)]),
    "backed_off": BackedOff(
        [
            Listed(EVERY[::-1], np.log(np.full((1, 8), 1 / 8)), THREE),
            Independent([HALF] * 3, THREE),
        ],
        np.log([[0.5, 0.5]]),
        THREE,
    ),
}


@pytest.mark.parametrize("kind", sorted(UNIFORM))
@pytest.mark.parametrize("k", range(1, 9))
def test_equal_vectors_come_in_order(kind, k):
    np.testing.assert_array_equal(UNIFORM[kind].top_k(k)[0][0], EVERY[:k])


def test_labels_go_in_and_out_in_the_users_values():
    space = LabelSpace(("mood", "pace"), (np.array(["calm", "happy"]), np.array(["a", "b", "c"])))
    post = Independent([np.log([[0.3, 0.7]]), np.log([[0.2, 0.5, 0.3]])], space)
    assert post.map().tolist() == [["happy", "b"]]
    assert np.exp(post.log_prob([["calm", "c"]])) == pytest.approx([0.09])
    assert post.given({"mood": "calm", "pace": ["c"]}).map().tolist() == [["calm", "c"]]
    assert post.given({}) is post


def test_one_class_variable_answers_in_one_column():
    space = LabelSpace(("class",), (np.array(["a", "b"]),), single=True)
    post = Independent([np.log([[0.6, 0.4], [0.1, 0.9]])], space)
    assert post.map().tolist() == [["a"], ["b"]]
    assert post.map(empty="forbid").tolist() == [["a"], ["b"]]  # a class is not a set of labels
    assert np.exp(post.log_prob(["b", "b"])) == pytest.approx([0.4, 0.9])


def test_a_member_without_weight_has_no_say():
    post = mix([UNIFORM["tree"], Listed(EVERY[-1:], np.zeros((1, 1)), THREE)], [0, 2])
    assert post.map().tolist() == [[1, 1, 1]]
    assert post.given({"y0": 1}).marginals()[2].tolist() == [[0, 1]]


@pytest.mark.parametrize(("k", "n_listed"), [(1, 3), (1, 900), (4, 2), (4, 900), (40, 20)])
def test_the_best_vectors_of_a_large_table_that_is_backed_off_are_proven(k, n_listed):
    rng, d, space = np.random.default_rng(k), 14, space_of((2,) * 14)
    every = np.indices((2,) * d).reshape(d, -1).T
    vectors = rng.permutation(every)[:n_listed]
    listed = Listed(vectors, np.log(rng.dirichlet(np.ones(n_listed), 5)), space)
    rest = Independent(list(np.log(rng.dirichlet([1.0, 1.0], (d, 5)))), space)
    log_w = np.log(rng.dirichlet([1.0, 1.0], 5))
    post = BackedOff([listed, rest], log_w, space)
    log_p = post._log_prob(np.broadcast_to(every, (5, *every.shape)))
    order = np.argsort(-log_p, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(post.top_k(k)[0], every[order])
    assert set(post.exactness.values()) - {post.exactness["jaccard"]} == {"exact"}
    assert not post.gap().any()


def random_mixture(seed, d, concentration):
    rng = np.random.default_rng(seed)
    members = [
        Independent(list(np.log(rng.dirichlet([concentration] * 2, (d, 5)))), space_of((2,) * d))
        for _ in range(3)
    ]
    return mix(members, [1, 2, 3])


@pytest.mark.parametrize("concentration", [0.3, 3, 30])
def test_the_mode_of_a_large_mixture_is_proven_or_bounded(concentration):
    post = random_mixture(0, 14, concentration)
    every = np.indices((2,) * 14).reshape(14, -1).T
    truth = post._log_prob(np.broadcast_to(every, (5, *every.shape))).max(axis=1)
    found = post.log_prob(post.map())
    assert (found + post.gap() >= truth - 1e-12).all()
    np.testing.assert_allclose(found[post.gap() == 0], truth[post.gap() == 0], rtol=1e-12)
    assert post.exactness["map"] == ("bounded" if post.gap().any() else "exact")
    assert post.exactness["top_k"] == "bounded"
    codes, log_p = post.top_k(4)
    assert len(np.unique(codes[0], axis=0)) == 4
    np.testing.assert_allclose(log_p[:, 0], found, rtol=1e-12)


def test_both_outcomes_of_the_search_for_a_proof_occur():
    assert not random_mixture(0, 40, 0.1).gap().any()
    assert random_mixture(0, 40, 30).gap().any()


def test_probabilities_too_small_for_a_double_are_still_ranked():
    post = Independent([np.log([[0.5 - 1e-9, 0.5 + 1e-9]])] * 2000, space_of((2,) * 2000))
    codes, log_p = post.top_k(3)
    assert codes.sum(axis=2).tolist() == [[2000, 1999, 1999]]
    assert codes[0, 1:, :2].tolist() == [[0, 1], [1, 0]]
    assert np.isfinite(log_p).all()


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda post: post.log_prob([[0, 1]]), "2 columns"),
        (lambda post: post.log_prob([[0, 1, 0]]), "Y has 1 rows; the posterior has 3"),
        (lambda post: post.log_prob([[0, 1, 7]] * 3), "7"),
        (lambda post: post.top_k(0), r"top_k\(k=0\)"),
        (lambda post: post.top_k(2.5), r"top_k\(k=2.5\)"),
        (lambda post: post.sample(-1), r"sample\(n=-1\)"),
        (lambda post: post.given({"nobody": 1}), "no label is called 'nobody'"),
        (lambda post: post.given({"y0": [1, 0]}), r"shape \(2,\)"),
        (lambda post: post.given({"y0": 5}), "'y0' holds 5"),
        (lambda post: post.decide("zero"), "loss='zero'"),
        (lambda post: post.decide("f1", empty="never"), "empty='never'"),
        (lambda post: post.map(empty="no"), "empty='no'"),
    ],
)
def test_bad_questions_get_one_sentence(ask, sentence):
    post, _ = make("tree", 0, (2, 2, 2))
    with pytest.raises(JointBayesError, match=sentence):
        ask(post)


CERTAIN = np.array([[[0.0, -np.inf]], [HALF[0]]])  # (row, 1, value): row 0 is certain of code 0
TWO = space_of((2, 2))


@pytest.mark.parametrize(
    "post",
    [
        Independent([CERTAIN[:, 0]] * 2, TWO),
        Tree((-1, -1), [CERTAIN] * 2, TWO),
        Listed(np.array([[0, 1]]), np.zeros((2, 1)), TWO),
        Product([Independent([CERTAIN[:, 0]] * 2, TWO)], TWO),
        mix([Independent([CERTAIN[:, 0]] * 2, TWO)] * 2),
    ],
    ids=lambda post: type(post).__name__,
)
def test_impossible_evidence_is_refused(post):
    with pytest.raises(JointBayesError, match="y0 has probability 0 in row 0"):
        post.given({"y0": 1})


@pytest.mark.parametrize(
    "build",
    [
        lambda: Independent([np.zeros((3, 1))], space_of((2,))),
        lambda: Tree((-1, 0), [np.zeros((1, 1, 2))] * 2, TWO),
        lambda: Listed(np.zeros((2, 2), dtype=int), np.zeros((1, 2)), TWO),
        lambda: Listed(np.zeros((1, 3), dtype=int), np.zeros((1, 1)), TWO),
        lambda: Product([UNIFORM["tree"]], TWO),
        lambda: Product([UNIFORM["tree"]], space_of((2, 2, 2), ("y1", "y0", "y2"))),
        lambda: Listed(np.zeros((0, 2), dtype=int), np.zeros((1, 0)), TWO),
        lambda: Product([UNIFORM["tree"], make("tree", 0, (2,))[0]], THREE),
        lambda: Mixture([UNIFORM["tree"]], np.zeros((2, 1)), THREE),
        lambda: mix([UNIFORM["tree"], Independent([HALF], space_of((2,)))]),
        lambda: mix([UNIFORM["tree"]] * 2, [1, -1]),
        lambda: mix([UNIFORM["tree"]] * 2, [0, 0]),
    ],
)
def test_parts_that_do_not_fit_are_refused(build):
    with pytest.raises(JointBayesError):
        build()


def test_a_cycle_is_a_structure_error():
    with pytest.raises(StructureError, match="variable 0 is its own ancestor"):
        Tree((1, 0), [np.zeros((1, 2, 2))] * 2, TWO)
