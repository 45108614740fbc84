"""The forest of votes: scikit-learn's contract, what it must not depend on, and how good it is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import jointbayes as jb
from jointbayes import _kernels
from jointbayes.errors import DataError, ParameterError
from jointbayes.models import VotingForest


@parametrize_with_checks([VotingForest(n_trees=20, random_state=0)])
def test_it_keeps_scikit_learn_s_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6)) * (rng.random((200, 6)) < 0.5)
    return X, (X[:, 0] > 0) + 2 * (X[:, 1] + X[:, 2] > 0.3)


def test_threads_sparse_storage_and_constant_columns_change_nothing(rows):
    X, y = rows
    forest = VotingForest(n_trees=30, random_state=0, n_jobs=1).fit(X, y)
    expected = forest.predict_proba(X)
    twice = VotingForest(n_trees=30, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(twice.predict_proba(X), expected)
    held = sparse.csr_array(X)
    thin = VotingForest(n_trees=30, random_state=0).fit(held, y)
    np.testing.assert_array_equal(thin.predict_proba(held), expected)
    padded = np.insert(X, [0, 3, 6], 7.0, axis=1)
    wide = VotingForest(n_trees=30, random_state=0).fit(padded, y)
    np.testing.assert_array_equal(wide.predict_proba(padded), expected)


def test_units_of_measurement_change_nothing(rows):
    X, y = rows
    forest = VotingForest(n_trees=30, random_state=0).fit(X, y)
    other = VotingForest(n_trees=30, random_state=0).fit(8 * X - 3, y)
    np.testing.assert_array_equal(other.predict(8 * X - 3), forest.predict(X))


def test_a_cut_lies_between_the_values_beside_it():
    close = np.nextafter(1.0, 2.0)
    for X in ([[1.0], [close]], [[-1.7e308], [1.7e308]]):
        many = np.repeat(X, 20, axis=0)
        forest = VotingForest(n_trees=5, random_state=0).fit(many, np.repeat([0, 1], 20))
        assert forest.predict(X).tolist() == [0, 1]


def test_without_anything_to_see_trees_vote_for_what_is_frequent():
    y = np.repeat([0, 1, 2], [50, 30, 20])
    p = VotingForest(n_trees=500, random_state=0).fit(np.ones((100, 2)), y).predict_proba([[1, 1]])
    assert p[0, 0] > 0.95  # 50 against 30 of 100 draws are seldom overtaken
    assert p.sum() == pytest.approx(1)


def test_one_class_and_bad_parameters_are_refused_in_a_sentence(rows):
    X, y = rows
    with pytest.raises(DataError, match="one class"):
        VotingForest().fit(X, np.zeros(200))
    with pytest.raises(ParameterError, match="n_trees"):
        VotingForest(n_trees=0).fit(X, y)
    with pytest.raises(ParameterError, match="n_tried"):
        VotingForest(n_tried=0).fit(X, y)


@pytest.mark.skipif(not _kernels.COMPILED, reason="too slow without the kernels")
@pytest.mark.usefixtures("shared")
def test_it_is_as_good_as_scikit_learn_s_forest():
    """On label sets of emotions the two differ by no more than halves of the rows do."""
    data = jb.load_dataset("emotions")
    scores = []
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(data))
        train, test = order[:296], order[296:]
        forests = VotingForest(random_state=seed), RandomForestClassifier(random_state=seed)
        fits = [jb.LabelPowerset(f).fit(data.X[train], data.Y[train]) for f in forests]
        scores.append([model.score(data.X[test], data.Y[test]) for model in fits])
    ours, theirs = np.mean(scores, axis=0)
    assert abs(ours - theirs) < 0.02
