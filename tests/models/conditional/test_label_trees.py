"""CTBN of several trees: the mean of what each of them says."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import jointbayes as jb
from jointbayes import CTBN
from jointbayes.errors import DataError, ParameterError
from jointbayes.explorer.tables import law_of


def dependent_rows(seed=0, n=120):
    """Three labels that follow one number and each other, no matter in which direction."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    a = X[:, 0] + rng.normal(size=n) > 0
    b = np.where(rng.random(n) < 0.25, ~a, a)
    c = np.where(rng.random(n) < 0.35, ~b, b)
    return X, np.stack([a, b, c], axis=1).astype(int)


def conditional(X, Y, i, j, v, x):
    rows = np.arange(len(Y)) if j < 0 else np.flatnonzero(Y[:, j] == v)
    return GaussianNB().fit(X[rows], Y[rows, i]).predict_proba(x)


def test_the_posterior_is_the_mean_over_trees_by_definition():
    X, Y = dependent_rows()
    model = CTBN(GaussianNB(), trees=40, random_state=0).fit(X, Y)
    assert len(model.trees_) > 2
    assert model.tree_shares_.sum() == pytest.approx(1)
    x = X[:5]
    for y in product((0, 1), repeat=3):
        expected = np.zeros(5)
        for tree, share in zip(model.trees_.tolist(), model.tree_shares_, strict=True):
            p = np.ones(5)
            for i, j in enumerate(tree):
                p *= conditional(X, Y, i, j, y[j], x)[:, y[i]]
            expected += share * p
        np.testing.assert_allclose(
            np.exp(model.posterior(x).log_prob([y] * 5)), expected, atol=1e-9
        )


def test_trees_are_drawn_by_what_they_say_of_held_out_rows():
    X, Y = dependent_rows(1)
    model = CTBN(GaussianNB(), trees=1500, random_state=0).fit(X, Y)
    score = [
        sum(model.gains_[j, i] for i, j in enumerate(t) if j >= 0) for t in model.trees_.tolist()
    ]
    often = model.tree_shares_ > 0.03
    ratio = np.log(model.tree_shares_[often]) - np.array(score)[often]
    np.testing.assert_allclose(ratio, ratio.mean(), atol=0.35)


def test_one_tree_is_the_best_one():
    X, Y = dependent_rows(2)
    model = CTBN(GaussianNB()).fit(X, Y)
    assert model.trees_.tolist() == [model.parents_.tolist()]
    assert model.tree_shares_.tolist() == [1.0]
    many = CTBN(GaussianNB(), trees=16).fit(X, Y)
    assert many.edges_ == model.edges_


def test_seeds_files_and_files_of_before(tmp_path):
    X, Y = dependent_rows(3)
    model = CTBN(trees=16, random_state=4, n_jobs=1).fit(X, Y)
    again = CTBN(trees=16, random_state=4, n_jobs=1).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    jb.save(model, tmp_path / "trees.jb")
    loaded = jb.load(tmp_path / "trees.jb")
    np.testing.assert_allclose(loaded.predict_proba(X), model.predict_proba(X), atol=1e-12)
    before = CTBN(n_jobs=1).fit(X, Y)
    expected = before.predict_proba(X)
    del before.trees_, before.tree_shares_
    before._check_learned()
    np.testing.assert_array_equal(before.predict_proba(X), expected)


def test_values_of_more_than_two_and_labels_that_are_not_known():
    X, Y = dependent_rows(4)
    Y = Y.astype(float)
    Y[:, 1] += Y[:, 2]
    Y[::9, 0] = np.nan
    post = CTBN(trees=8, unknown="learn", n_jobs=1).fit(X, Y).posterior(X)
    vectors = np.array(list(product((0, 1), (0, 1, 2), (0, 1))), dtype=float)
    mass = sum(np.exp(post.log_prob(np.tile(v, (len(X), 1)))) for v in vectors)
    np.testing.assert_allclose(mass, 1.0, atol=1e-9)


def test_what_one_tree_alone_can_do_is_refused():
    X, Y = dependent_rows(5)
    model = CTBN(trees=16, n_jobs=1).fit(X, Y)
    with pytest.raises(ParameterError, match="explain speaks of one tree"):
        model.explain(X[:2])
    with pytest.raises(DataError, match="a page runs one tree"):
        law_of(model)
    with pytest.raises(ParameterError, match="trees=0"):
        CTBN(trees=0).fit(X, Y)
