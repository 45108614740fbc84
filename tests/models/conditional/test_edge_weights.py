"""Which arcs of a tree of labels are weighed, against the definition and the full search."""

from __future__ import annotations

import numpy as np
import pytest

from jointbayes import CTBN
from jointbayes.learners.known import TargetWeights
from jointbayes.models import BatchedLogistic
from jointbayes.models.conditional.edge_weights import likely_parents


class Told:
    """Classifiers that say what they are told to say."""

    def __init__(self, tables):
        self.tables = tables

    def on(self, _view):
        return [np.log(t) for t in self.tables]


class Rows:
    def __init__(self, weights=None):
        self.weights = weights


def association(y, p, weights=None):
    """Equation (a), entry by entry; a label that is not known says nothing."""
    n, d = y.shape
    w = np.ones((n, d)) if weights is None else np.broadcast_to(weights.reshape(n, -1), (n, d))
    r = [
        [
            [(float(y[x, i] == v) - p[i][x, v]) * (y[x, i] >= 0) for v in range(p[i].shape[1])]
            for x in range(n)
        ]
        for i in range(d)
    ]
    S = np.zeros((d, d))
    for i in range(d):
        for j in range(d):
            both = sum(
                sum(np.sqrt(w[x, i] * w[x, j]) * r[i][x][v] * r[j][x][u] for x in range(n)) ** 2
                for v in range(p[i].shape[1])
                for u in range(p[j].shape[1])
            )
            own = [sum(w[x, k] * e**2 for x in range(n) for e in r[k][x]) for k in (i, j)]
            S[i, j] = both / (own[0] * own[1])
    return S


@pytest.mark.parametrize("weights", [None, "rows", "entries"])
@pytest.mark.parametrize("seed", range(5))
def test_the_parents_that_go_most_with_a_label_are_weighed(seed, weights):
    rng = np.random.default_rng(seed)
    cards = rng.integers(2, 4, 5).tolist()
    y = np.stack([rng.integers(-1, card, 12) for card in cards], axis=1)
    p = [rng.dirichlet(np.ones(card), 12) for card in cards]
    view = {
        None: Rows(),
        "rows": Rows(rng.integers(0, 3, 12).astype(float)),
        "entries": TargetWeights(Rows(), rng.random((12, 5))),
    }[weights]
    S = association(y, p, view.weights)
    np.fill_diagonal(S, -1)
    for k in (1, 2, 3):
        weighed = likely_parents(Told(p), view, y, k)
        for i in range(5):
            expected = sorted(range(5), key=lambda j: -S[j, i])[:k]
            assert np.flatnonzero(weighed[:, i]).tolist() == sorted(expected)


def test_of_binary_labels_it_is_the_squared_correlation_of_residuals():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (200, 3))
    p = [np.tile([1 - m, m], (200, 1)) for m in y.mean(axis=0)]
    S = association(y, p)
    np.testing.assert_allclose(S, np.corrcoef(y.T) ** 2, atol=1e-12)


def chained(n=600, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    Y = (X[:, :1] + rng.normal(size=(n, d)) > 0).astype(int)
    for j in range(1, d):
        Y[:, j] = np.where(rng.random(n) < 0.85, Y[:, j - 1], Y[:, j])
    return X, Y


def test_all_labels_as_candidates_are_the_search_of_the_paper():
    X, Y = chained()
    every = CTBN(BatchedLogistic(penalty=1.0)).fit(X, Y)
    same = CTBN(BatchedLogistic(penalty=1.0), candidates=5).fit(X, Y)
    np.testing.assert_array_equal(every.gains_, same.gains_)


def test_two_candidates_find_the_tree_that_all_find():
    X, Y = chained()
    every = CTBN(BatchedLogistic(penalty=1.0)).fit(X, Y)
    few = CTBN(BatchedLogistic(penalty=1.0), candidates=2).fit(X, Y)
    weighed = few.gains_ != 0  # by regressions that are solved roughly
    assert weighed.sum(axis=0).max() <= 2
    np.testing.assert_allclose(
        few.gains_[weighed], every.gains_[weighed], rtol=2e-3
    )  # solved roughly
    assert few.edges_ == every.edges_


def test_a_row_of_weight_two_is_the_row_twice_for_candidates_too():
    X, Y = chained(n=200)
    w = np.random.default_rng(1).integers(1, 3, 200)
    twice = np.repeat(np.arange(200), w)
    held = [(np.arange(100, 200), np.arange(100))]
    again = [(np.flatnonzero(twice >= 100), np.flatnonzero(twice < 100))]
    learner = BatchedLogistic(penalty=1.0, tol=1e-10)
    ours = CTBN(learner, candidates=2, validation=held).fit(X, Y, sample_weight=w)
    rows = CTBN(learner, candidates=2, validation=again).fit(X[twice], Y[twice])
    np.testing.assert_allclose(ours.gains_, rows.gains_, atol=1e-5)
