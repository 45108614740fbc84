"""JointForest: laws of its rows and columns, its posterior, and what it reaches on real data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import ExtraTreesClassifier

import jointbayes as jb
from jointbayes.labels import learn_labels
from jointbayes.models.forests.back_off import BackOff, Sets, label_tree
from jointbayes.models.forests.out_of_bag import TRIED, OutOfBag, learn_back_off


def mixed(n=240, seed=0):
    """Numbers, categories and gaps; a binary label, one of three values, and one more binary."""
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "size": z + rng.normal(0, 0.5, n),
            "colour": np.array(["red", "blue", "green", "pink"])[(z + rng.integers(0, 2, n)) % 4],
            "weight": rng.normal(0, 1, n).round(1),
        }
    )
    X.loc[rng.random(n) < 0.1, "size"] = np.nan
    X.loc[rng.random(n) < 0.1, "colour"] = None
    Y = np.column_stack([z > 0, z, (z > 1) ^ (rng.random(n) < 0.1)]).astype(int)
    return X, Y


def forest(**options):
    return jb.JointForest(n_estimators=30, **options)


def same(a, b, X):
    one, two = a.posterior(X), b.posterior(X)
    for p, q in zip(one.marginals(), two.marginals(), strict=True):
        np.testing.assert_allclose(p, q, atol=1e-12)
    np.testing.assert_allclose(one.top_k(5)[1], two.top_k(5)[1], atol=1e-10)


def test_a_weight_of_two_is_the_row_twice_and_of_zero_the_row_left_out():
    X, Y = mixed()
    weights = np.random.default_rng(1).integers(0, 4, len(Y))
    again = np.repeat(np.arange(len(Y)), weights)
    same(forest().fit(X, Y, weights), forest().fit(X.iloc[again], Y[again]), X)


def test_the_order_of_rows_and_the_names_of_categories_do_not_matter():
    X, Y = mixed()
    order = np.random.default_rng(2).permutation(len(Y))
    renamed = X.replace({"colour": {"red": "z", "blue": "a"}})
    first = forest().fit(X, Y)
    other = forest().fit(renamed.iloc[order], Y[order])
    np.testing.assert_allclose(
        np.hstack(first.predict_proba(X)), np.hstack(other.predict_proba(renamed)), atol=1e-12
    )


def test_threads_and_storage_do_not_matter_and_seeds_do():
    rng = np.random.default_rng(3)
    X = rng.poisson(0.3, (150, 12)).astype(float)
    Y = (X[:, :3] + rng.random((150, 3)) > 1).astype(int)
    expected = forest(n_jobs=1).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(forest(n_jobs=3).fit(X, Y).predict_proba(X), expected)
    sparse = csr_array(X)
    np.testing.assert_array_equal(forest().fit(sparse, Y).predict_proba(sparse), expected)
    assert not np.allclose(forest(random_state=7).fit(X, Y).predict_proba(X), expected)


def test_further_rows_are_counted_in_the_leaves():
    X, Y = mixed()
    first = forest().fit(X, Y)
    model = forest().fit(X, Y).partial_fit(X[:40], Y[:40]).partial_fit(X[40:], Y[40:])
    twice = forest().fit(X, Y).partial_fit(X, Y)
    same(model, twice, X)
    np.testing.assert_array_equal(model.trees_.nodes, first.trees_.nodes)
    leaves = first.trees_.leaves(first.columns_.codes(X), 1)
    added = model.trees_.counts.sum() - first.trees_.counts.sum()
    assert added == pytest.approx(leaves.size)
    new = np.array([[0, 2, 1]])  # a label vector that no row had
    assert first.posterior(X[:1]).log_prob(new) > -np.inf
    more = first.posterior(X[:1]).log_prob(new)
    learned = first.partial_fit(X[:1], new, sample_weight=[50])
    assert learned.posterior(X[:1]).log_prob(new) > more + 1
    assert learned.posterior(X[:1]).map().tolist() == new.tolist()


def test_the_first_batch_grows_the_trees():
    X, Y = mixed()
    same(forest().partial_fit(X, Y), forest().fit(X, Y), X)


def test_missing_values_tell_and_unseen_categories_do_not_hurt():
    rng = np.random.default_rng(4)
    Y = rng.integers(0, 2, (200, 2))
    X = pd.DataFrame({"gap": np.where(Y[:, 0] == 1, np.nan, rng.random(200)), "same": 1.0})
    X["kind"] = np.where(Y[:, 1] == 1, "a", "b")
    model = forest().fit(X, Y)
    assert model.score(X, Y) == 1
    new = pd.DataFrame({"gap": [0.5, np.nan], "same": 1.0, "kind": ["a", "never seen"]})
    assert model.predict(new)[0].tolist() == [0, 1]
    assert model.predict(new)[1, 0] == 1
    assert model.feature_importances_[1] == 0
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_out_of_bag_rows_are_asked_of_trees_that_have_not_seen_them():
    X, Y = jb.load_dataset("emotions").X, jb.load_dataset("emotions").Y
    model = jb.JointForest(n_estimators=60).fit(X, Y)
    unseen = model.oob_posterior(X, Y)
    truth = model.space_.encode(Y)
    seen = model.posterior(X)._log_prob(truth[:, None])[:, 0]
    honest = unseen._log_prob(truth[:, None])[:, 0]
    assert np.isfinite(honest).all()
    assert seen.mean() > honest.mean() + 0.5
    np.testing.assert_array_equal(
        model.oob_posterior(X, Y).log_prob(Y),
        jb.JointForest(60).fit(X, Y).oob_posterior(X, Y).log_prob(Y),
    )
    right = (model.space_.encode(unseen.map()) == truth).all(axis=1).mean()
    assert 0.25 < right < 0.45  # as on rows left out; on rows seen it is near 1
    assert model.score(X, Y) > 0.9


def test_posteriors_hold_all_vectors_and_add_up():
    X, Y = mixed()
    model = forest().fit(X, Y)
    post = model.posterior(X[:7])
    every = np.indices((2, 3, 2)).reshape(3, -1).T
    p = np.exp(post._log_prob(np.broadcast_to(every, (7, *every.shape))))
    assert (p > 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
    for j, marginal in enumerate(post.marginals()):
        for value in range(marginal.shape[1]):
            expected = p[:, every[:, j] == value].sum(axis=1)
            np.testing.assert_allclose(marginal[:, value], expected, atol=1e-12)
    assert set(post.exactness.values()) == {"exact"}


def test_one_class_variable_with_words_for_classes():
    X, Y = mixed()
    y = np.array(["no", "perhaps", "yes"])[Y[:, 1]]
    model = forest().fit(X, y)
    assert model.predict_proba(X).shape == (len(y), 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, y) > 0.85
    assert set(model.predict(X)) <= {"no", "perhaps", "yes"}


@pytest.mark.parametrize("labels", [[[0, 0]] * 5, [[1, 0]], [[0, 1], [1, 0]]])
def test_few_rows_and_constant_labels_are_learned(labels):
    X = np.arange(len(labels), dtype=float)[:, None]
    post = forest().fit(X, labels).posterior(X)
    assert np.isfinite(post.log_prob([[1, 1]] * len(labels))).all()
    assert post.map().tolist() == labels or len(labels) == 2


def test_categories_with_a_label_that_never_changes_are_learned():
    X = [["a"], ["b"], ["c"], ["b"]] * 3
    post = forest().fit(X, ["yes"] * 12).posterior(X)
    assert post.map().ravel().tolist() == ["yes"] * 12


def test_the_model_of_equations_is_what_the_posterior_holds():
    """(1) to (5) of the module, cell by cell."""
    rng = np.random.default_rng(5)
    vectors = np.array([[0, 0, 1], [1, 2, 0], [1, 1, 1], [0, 2, 1]])
    weights, cards = np.array([5.0, 3.0, 1.0, 1.0]), (2, 3, 2)
    sets = Sets(vectors, weights, label_tree(vectors, weights, cards), cards)
    model = BackOff(20, 2.0, 0.5, 8.0, (0.5, 0.3, 0.2), 3.0)
    proba = rng.dirichlet(np.ones(4), 3)
    space = learn_labels(np.array([[0, 0, 0], [1, 1, 1], [0, 2, 0]]))
    post = model.posterior(proba, sets, space)
    every = np.indices(cards).reshape(3, -1).T
    found = np.exp(post._log_prob(np.broadcast_to(every, (3, *every.shape))))

    def tree(p, y):
        total = 1.0
        for j, parent in enumerate(sets.parents):
            f = sum(w for w, v in zip(weights / 10, vectors, strict=True) if v[j] == y[j])
            seen = (20 * f + 1) / (20 + cards[j])
            own = (20 * sum(p[vectors[:, j] == y[j]]) + 3 * seen) / 23
            if parent >= 0:
                above = vectors[:, parent] == y[parent]
                both = above & (vectors[:, j] == y[j])
                own = (20 * sum(p[both]) + 8 * own) / (20 * sum(p[above]) + 8)
            total *= own
        return total

    for row, p in enumerate(proba):
        q = p**2 / sum(p**2)
        r = np.array([tree(p, v) / tree(weights / 10, v) for v in vectors]) ** 0.5 * weights
        r /= r.sum()
        for y, value in zip(every, found[row], strict=True):
            place = np.flatnonzero((vectors == y).all(axis=1))
            listed = 0.5 * q[place].sum() + 0.3 * r[place].sum()
            assert value == pytest.approx(listed + 0.2 * tree(p, y), abs=1e-12)


def test_flat_shares_are_sharpened_and_sure_ones_are_not():
    truth = np.repeat([0, 1], 150)
    sets = Sets(np.array([[0, 0], [1, 1]]), np.array([150.0, 150.0]), (-1, 0), (2, 2))
    right = np.where(np.arange(300)[:, None] % 20 == 0, [[0.4, 0.6]], [[0.6, 0.4]])
    proba = np.where(truth[:, None] == 0, right, right[:, ::-1])  # right on 19 of 20, and not sure
    chosen = learn_back_off(proba, truth, np.ones(300), sets, 100)
    rows = chosen.posterior(proba[1:2], sets, learn_labels([[0, 0], [1, 1]]))
    assert np.exp(rows.log_prob([[0, 0]])) > 0.8  # the largest exponent tried makes 0.835 of 0.6
    sure = np.where(proba > 0.5, 0.99, 0.01)
    chosen = learn_back_off(sure, truth, np.ones(300), sets, 100)
    rows = chosen.posterior(sure[1:2], sets, learn_labels([[0, 0], [1, 1]]))
    assert np.exp(rows.log_prob([[0, 0]])) < 0.98


@pytest.mark.parametrize("seed", range(3))
def test_what_is_chosen_out_of_bag_is_likelier_than_any_other_value_of_one_number(seed):
    rng = np.random.default_rng(seed)
    vectors = np.unique(rng.integers(0, 2, (9, 4)), axis=0)
    m, weights = len(vectors), rng.integers(1, 9, 60).astype(float)
    truth = rng.integers(0, m, 60)
    proba = rng.dirichlet(np.full(m, 0.3), 60) + 0.3 * np.eye(m)[truth]
    proba /= proba.sum(axis=1, keepdims=True)
    sets = Sets(vectors, np.bincount(truth, weights, m) + 0.5, (-1, 0, 0, 1), (2,) * 4)
    chosen = learn_back_off(proba, truth, weights, sets, 40)
    rows = OutOfBag(proba, truth, weights, sets)
    best, again = rows.weighed(chosen)
    assert again == chosen
    for number, values in TRIED.items():
        assert getattr(chosen, number) in values
        for value in values:
            # Nothing is remembered of other numbers: each is asked anew.
            afresh = OutOfBag(proba, truth, weights, sets)
            assert afresh.weighed(replace(chosen, **{number: value}))[0] <= best + 1e-8


def test_on_emotions_the_joint_beats_labels_taken_one_by_one():
    data = jb.load_dataset("emotions")
    X, Y = np.column_stack([c.values for c in data.X.columns]), np.asarray(data.Y).astype(int)
    train = np.arange(len(Y)) % 5 < 3
    model = jb.JointForest().fit(X[train], Y[train])
    peer = ExtraTreesClassifier(200, random_state=0, n_jobs=1).fit(X[train], Y[train])
    p = np.stack([q[:, 1] for q in peer.predict_proba(X[~train])], axis=1).clip(0.01, 0.99)
    alone = np.log(np.where(Y[~train] == 1, p, 1 - p)).sum(axis=1).mean()
    assert model.posterior(X[~train]).log_prob(Y[~train]).mean() > alone + 0.2


def test_a_saved_forest_answers_and_learns_as_before(tmp_path):
    X, Y = mixed()
    model = forest().fit(X, Y)
    jb.save(model, tmp_path / "forest.jb")
    again = jb.load(tmp_path / "forest.jb")
    same(model, again, X)
    same(model.partial_fit(X, Y), again.partial_fit(X, Y), X)
