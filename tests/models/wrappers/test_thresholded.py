"""Thresholds are the best there are on rows left out, and are used only where they win."""

from __future__ import annotations

import numpy as np
import pytest
from dependent_rows import dependent_rows
from hypothesis import given, settings
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.errors import DataWarning
from jointbayes.losses import Weighted
from jointbayes.models.wrappers.thresholded import best_threshold
from jointbayes.seeds import generator_of

METRICS = ["f1_macro", "f1_micro"]
MODELS = [jb.CTBN(), jb.MultilabelNB(), jb.MLkNN(k=5), jb.LabelPowerset(loss="hamming")]


def f1(relevant, named, weights):
    both = (weights * (relevant + named)).sum()
    return 2 * (weights * relevant * named).sum() / both if both else 1.0


def rare_rows(n=150, seed=0):
    """Labels that are seldom likelier than not."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    odds = np.stack([X[:, 0] - 2, X[:, 1] - 1, X.sum(axis=1) - 3], axis=1)
    return X, (rng.random((n, 3)) < 1 / (1 + np.exp(-odds))).astype(int)


def left_out(model, X, Y, cv):
    """The posteriors and labels of each fold, by models of the others, fitted in public."""
    fold = generator_of(None).permutation(len(Y)) % cv
    for f in range(cv):
        train, test = fold != f, fold == f
        yield model.fit(X[train], Y[train]).posterior(X[test]), Y[test]


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_no_threshold_has_a_larger_f1(data):
    cells = st.tuples(
        st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.9, 1.0]),
        st.sampled_from([-1, 0, 0, 1]),
        st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    )
    p, y, w = np.array(data.draw(st.lists(cells, min_size=1, max_size=12))).T
    found = best_threshold(p, y.astype(int), w)
    assert 0 <= found <= 1
    known = y >= 0
    p, y, w = p[known], y[known], w[known]
    best = max(f1(y, p > at, w) for at in np.linspace(0, 1, 41))
    assert f1(y, p > found, w) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_scores_and_thresholds_are_those_of_their_definition(model, metric):
    X, Y = rare_rows()
    found = jb.Thresholded(model, metric, cv=3).fit(X, Y)
    folds = list(left_out(model, X, Y, 3))
    average = metric.removeprefix("f1_")
    truth = np.concatenate([y for _, y in folds])
    for name in {model.loss, "subset"}:
        answers = np.concatenate([post.decide(name) for post, _ in folds])
        score = jb.metrics.f1(truth, answers, average=average, classes=[[0, 1]] * 3)
        assert found.scores_[name] == pytest.approx(score)

    def marginals(parts):
        return np.concatenate([np.stack(post.marginals(), axis=1)[..., 1] for post, _ in parts])

    def thresholds(parts):
        p, y = marginals(parts), np.concatenate([y for _, y in parts])
        if metric == "f1_micro":
            return np.full(3, best_threshold(p.ravel(), y.ravel(), np.ones(y.size)))
        return [best_threshold(p[:, j], y[:, j], np.ones(len(y))) for j in range(3)]

    np.testing.assert_allclose(found.thresholds_, thresholds(folds))
    named = np.concatenate(
        [marginals([f]) > thresholds([o for o in folds if o is not f]) for f in folds]
    )
    score = jb.metrics.f1(truth, named.astype(int), average=average, classes=[[0, 1]] * 3)
    assert found.scores_["thresholds"] == pytest.approx(score)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_what_scores_best_out_of_fold_answers(model, metric):
    X, Y = rare_rows()
    found = jb.Thresholded(model, metric, cv=3).fit(X, Y)
    post, best = found.posterior(X), max(found.scores_.values())
    if found.scores_["thresholds"] == best and found.scores_["subset"] < best:
        assert isinstance(found.decision_, Weighted)
        above = np.stack(post.marginals(), axis=1)[..., 1] > found.thresholds_
        np.testing.assert_array_equal(found.predict(X), above)
    else:
        np.testing.assert_array_equal(found.predict(X), post.decide(found.decision_))
        assert found.scores_[found.decision_] == best
    own = model.fit(X, Y).posterior(X)
    np.testing.assert_array_equal(post.log_prob(Y), own.log_prob(Y))


def test_thresholds_that_do_not_win_are_not_used():
    """What is known for sure is answered as well by the most probable vectors."""
    X = np.repeat([[0.0], [1.0]], 30, axis=0)
    Y = np.hstack([X, 1 - X]).astype(int)
    found = jb.Thresholded(jb.MultilabelNB(), "f1_micro").fit(X, Y)
    assert found.scores_ == {"subset": 1.0, "thresholds": 1.0}
    assert found.decision_ == "subset"
    assert (found.predict(X) == Y).all()


@pytest.mark.parametrize("metric", METRICS)
def test_rare_labels_are_named_on_rows_that_nobody_has_seen(metric):
    (X, Y), (new, truth) = rare_rows(400, seed=1), rare_rows(2000, seed=2)
    model = jb.Thresholded(jb.BinaryRelevance(), metric).fit(X, Y)
    average = metric.removeprefix("f1_")
    modes = jb.metrics.f1(truth, model.posterior(new).map(), average=average)
    assert jb.metrics.f1(truth, model.predict(new), average=average) > modes + 0.1


def test_a_weight_of_two_counts_twice_and_unknown_labels_do_not_count():
    p, y = np.array([0.9, 0.6, 0.4, 0.2]), np.array([1, 0, 1, 0])
    rows = [0, 1, 1, 1, 1, 2, 3]
    once = best_threshold(p[rows], y[rows], np.ones(7))
    assert best_threshold(p, y, np.array([1.0, 4.0, 1.0, 1.0])) == once == 0.75
    assert best_threshold(p, np.array([1, -1, 1, 0]), np.ones(4)) == pytest.approx(0.3)


def test_rules_and_forbidden_empty_sets_are_obeyed():
    X, Y = dependent_rows(120, d=3)
    Y[:, 0] |= ~Y.any(axis=1)
    inner = jb.Constrained(jb.CTBN(), [jb.rules.at_most(2)])
    found = jb.Thresholded(inner).fit(X, Y)
    sizes = found.predict(X).sum(axis=1)
    assert ((sizes >= 1) & (sizes <= 2)).all()


def test_many_values_are_decided_as_ever_with_a_warning():
    X, Y = dependent_rows(60, d=2)
    values = np.array(["low", "mid", "high"])[Y + (X[:, :1] > 1)]
    with pytest.warns(DataWarning, match=r"f1_macro by thresholds is of binary labels.*binarize"):
        found = jb.Thresholded(jb.CTBN(loss="hamming")).fit(X, values)
    assert found.thresholds_ is None
    assert (found.predict(X) == found.posterior(X).decide("hamming")).all()
