"""Models of several labels, of which some are not known."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import jointbayes as jb
from jointbayes.models import BatchedLogistic

QUICK = BatchedLogistic(penalty=1.0)
MODELS = [
    jb.BinaryRelevance(),
    jb.CTBN(),
    jb.MultilabelNB(),
    jb.MultilabelFAN(),
    jb.NetworkEnsemble(),
    jb.ClassifierChain(),
    jb.ChainEnsemble(n_chains=2),
    jb.StackedRelevance(),
    jb.MLkNN(),
    jb.IBLR(),
    jb.NaiBX(),
    jb.ClassifierCascade(),
    jb.LabelPowerset(),
    jb.RAkEL(),
    jb.ILFCompo(jb.NaiveBayes()),
    jb.JointForest(n_estimators=10),
    jb.JointLayer(jb.MLkNN(), jb.CTBN(QUICK), cv=2),
    jb.Auto(cv=2, models=[jb.BinaryRelevance(QUICK), jb.MLkNN()]),
    jb.Calibrated(jb.CTBN(QUICK), cv=2),
    jb.Constrained(),
    jb.Conformal(),
    jb.Thresholded(jb.MultilabelNB(), cv=2),
    BatchedLogistic(),
]
NAMES = [type(model).__name__ for model in MODELS]


def rows(n=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    first = X[:, 0] + rng.normal(0, 0.5, n) > 0
    Y = np.stack([first, first ^ (rng.random(n) < 0.1), X[:, 1] > 0.3], axis=1).astype(int)
    return X, Y


def hidden(Y, share=0.3, seed=1):
    gone = np.random.default_rng(seed).random(Y.shape) < share
    return np.where(gone, np.nan, Y)


def marginals(model, X):
    return [p.tolist() for p in model.posterior(X).marginals()]


def fitted(model, X, Y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X, Y)


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_with_nothing_unknown_it_is_the_same_model_to_the_last_bit(model):
    X, Y = rows()
    ready = clone(model).set_params(unknown="learn")
    assert marginals(fitted(ready, X, Y), X) == marginals(fitted(model, X, Y), X)


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_what_is_known_is_learned_from(model):
    """Both labels of a pair, half of them hidden on each row, are still found by the column."""
    X, Y = rows(240)
    known = hidden(Y)
    known[:2] = np.nan  # rows of which nothing is known
    ready = fitted(clone(model).set_params(unknown="learn"), X, known)
    assert (ready.posterior(X).decide("hamming") == Y).mean() > 0.8
    assert all(classes.tolist() == [0, 1] for classes in ready.classes_)


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_unknown_labels_are_refused_unless_it_is_told_to_learn(model):
    X, Y = rows()
    with pytest.raises(ValueError, match=r'NaN or infinity.*unknown="learn"'):
        clone(model).fit(X, hidden(Y))
    with pytest.raises(ValueError, match=r'missing or infinite.*unknown="learn"'):
        clone(model).fit(X, pd.DataFrame(hidden(Y), dtype="Int64"))


def test_a_model_of_one_class_variable_is_not_told_of_a_parameter_that_it_lacks():
    with pytest.raises(ValueError, match=r"drop such rows$"):
        jb.TAN().fit([[0.0], [1.0]], [0.0, np.nan])
    with pytest.raises(ValueError, match=r"drop such rows$"):
        jb.Calibrated(jb.TAN(), unknown="learn").fit([[0.0], [1.0]], [0.0, np.nan])


def test_an_infinite_label_is_not_one_that_is_not_known():
    X, Y = rows()
    with pytest.raises(ValueError, match=r"inf in row 3; drop such rows$"):
        jb.CTBN(unknown="learn").fit(X, np.where(np.arange(90)[:, None] == 3, np.inf, Y))


@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_binary_relevance_leaves_a_row_out_for_that_label_alone(estimator):
    X, Y = rows()
    known = hidden(Y)
    model = jb.BinaryRelevance(estimator, unknown="learn").fit(X, known)
    logistic = BatchedLogistic(penalty=1.0) if estimator is None else estimator
    model = clone(model).set_params(estimator=logistic).fit(X, known)
    found = model.predict_proba(X)
    for j in range(3):
        told = ~np.isnan(known[:, j])
        if estimator is None:  # whose columns are scaled by all rows
            weights = told.astype(float)
            assert np.corrcoef(found[:, j], _alone(X, Y[:, [j]], weights))[0, 1] > 0.999
        else:
            alone = jb.BinaryRelevance(estimator).fit(X[told], Y[told][:, [j]])
            assert np.allclose(found[:, j], alone.predict_proba(X)[:, 0], atol=1e-12)


def _alone(X, y, weights):
    model = jb.BinaryRelevance(BatchedLogistic(penalty=1.0))
    return model.fit(X, y, sample_weight=weights).predict_proba(X)[:, 0]


def test_ctbn_learns_a_conditional_from_rows_that_know_label_and_parent():
    X, Y = rows(200)
    known = hidden(Y)
    model = jb.CTBN(LogisticRegression(), unknown="learn").fit(X, known)
    tables = model._condition(jb.Table.of(X)).log_p
    for child, parent in enumerate(model.parents_):
        for v in range(1 if parent < 0 else 2):
            told = ~np.isnan(known[:, child])
            if parent >= 0:
                told &= known[:, parent] == v
            alone = LogisticRegression().fit(X[told], Y[told, child]).predict_log_proba(X)
            assert np.allclose(tables[child][:, v], alone, atol=1e-12)


def test_an_arc_is_weighed_on_the_same_rows_with_and_without_it():
    """A parent that is known on few rows can not gain by counting fewer of them."""
    X, Y = rows(200)
    known = Y.astype(float)
    known[20:, 2] = np.nan
    model = jb.CTBN(unknown="learn").fit(X, known)
    assert abs(model.gains_[2]).max() < abs(model.gains_[0, 1])
    assert ("y0", "y1") in model.edges_ or ("y1", "y0") in model.edges_


def test_a_row_with_an_unknown_entry_is_not_empty():
    X, Y = rows()
    Y[~Y.any(axis=1), 0] = 1
    known = Y.astype(float)
    known[0] = [0, 0, np.nan]
    model = jb.BinaryRelevance(unknown="learn").fit(X, known)
    assert not model.space_.allows_empty
    known[1] = 0
    assert jb.BinaryRelevance(unknown="learn").fit(X, known).space_.allows_empty


def test_weights_and_unknown_labels_go_together():
    """A row of weight 0 is left out, and tells nothing of what a column is."""
    X, Y = rows()
    known, weights = hidden(Y), np.ones(len(Y))
    weights[:5] = 0
    known[0, 0] = 7.0
    model = jb.CTBN(unknown="learn").fit(X, known, sample_weight=weights)
    same = jb.CTBN(unknown="learn").fit(X[5:], known[5:], sample_weight=weights[5:])
    assert marginals(model, X) == marginals(same, X)


@pytest.mark.parametrize("model", [jb.MultilabelNB(), jb.NaiBX()])
def test_batches_take_whole_rows(model):
    X, Y = rows()
    model = clone(model).set_params(unknown="learn")
    with pytest.raises(ValueError, match="NaN or infinity"):
        model.partial_fit(X, hidden(Y))


def test_wrappers_take_unknown_from_their_estimator_unless_told():
    X, Y = rows()
    known = hidden(Y, share=0.1)
    told = jb.Calibrated(jb.CTBN(QUICK), cv=2, unknown="learn").fit(X, known)
    taken = jb.Calibrated(jb.CTBN(QUICK, unknown="learn"), cv=2).fit(X, known)
    assert told.power_ == taken.power_
    with pytest.raises(ValueError, match="NaN or infinity"):
        jb.Calibrated(jb.CTBN(unknown="learn"), cv=2, unknown="refuse").fit(X, known)


def test_conformal_holds_out_rows_that_tell_everything():
    X, Y = rows()
    known = Y.astype(float)
    known[:60, 0] = np.nan
    model = jb.Conformal(jb.CTBN(unknown="learn")).fit(X, known)
    assert len(model.scores_) == 9  # 30 % of 30
    known[60:, 1] = np.nan
    with pytest.raises(ValueError, match="all of whose labels are known"):
        jb.Conformal(jb.CTBN(unknown="learn")).fit(X, known)


def test_a_broken_rule_is_counted_on_rows_that_tell_everything():
    X, Y = rows()
    known = np.where(Y[:, [0]] > Y[:, [1]], np.nan, Y)  # what breaks the rule is hidden
    rule = jb.rules.implies("y0", "y1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jb.Constrained(jb.CTBN(unknown="learn"), [rule]).fit(X, known)


def test_rows_are_completed_with_what_is_most_probable():
    X, Y = rows(200)
    known = hidden(Y)
    codes = np.where(np.isnan(known), -1, Y)
    first = jb.CTBN(unknown="learn").fit(X, known)
    every = np.array(list(np.ndindex(2, 2, 2)))
    log_p = np.stack([first.posterior(X).log_prob(np.tile(v, (len(X), 1))) for v in every], axis=1)
    agree = ((codes[:, None] < 0) | (codes[:, None] == every)).all(axis=2)
    best = every[np.where(agree, log_p, -np.inf).argmax(axis=1)]
    for model in (jb.LabelPowerset(), jb.MLkNN()):
        learned = clone(model).set_params(unknown="learn").fit(X, known)
        assert marginals(learned, X) == marginals(clone(model).fit(X, best), X)
