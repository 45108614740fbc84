"""A constrained model is its estimator's posterior, subject to the rules."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from dependent_rows import dependent_rows, every_vector

import jointbayes as jb
from jointbayes import rules
from jointbayes.errors import DataError, DataWarning, ParameterError

RULES = [
    [rules.implies("y1", "y0")],
    [rules.at_most(2), rules.at_least(1)],
    [rules.exclusive("y0", "y3"), rules.hierarchy({"y2": "y1"})],
    [rules.forbid({"y0": 1, "y1": 0, "y2": 1})],
]
MODELS = [jb.CTBN(), jb.MultilabelFAN(), jb.BinaryRelevance(), jb.LabelPowerset(), jb.NaiBX()]


@pytest.mark.filterwarnings("ignore:.* training rows break")
@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("said", RULES, ids=str)
def test_the_posterior_is_that_of_the_estimator_subject_to_the_rules(model, said):
    X, Y = dependent_rows(70)
    post = jb.Constrained(model, said).fit(X, Y).posterior(X[:20])
    plain = model.fit(X, Y).posterior(X[:20]).subject_to(*said)
    for y in every_vector(4):
        vectors = np.tile(y, (20, 1))
        np.testing.assert_allclose(post.log_prob(vectors), plain.log_prob(vectors))
    assert (post.decide("hamming") == plain.decide("hamming")).all()


def test_training_rows_that_break_a_rule_are_counted():
    X, Y = dependent_rows(70)
    broken = (Y[:, 1] == 1) & (Y[:, 0] == 0)
    assert broken.any()
    said = rf"{broken.sum()} of 70 training rows break implies.* row {broken.argmax()};"
    with pytest.warns(DataWarning, match=said):
        jb.Constrained(jb.CTBN(), [rules.implies("y1", "y0")]).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jb.Constrained(jb.CTBN(), [rules.implies("y1", "y0")]).fit(X[~broken], Y[~broken])


@pytest.mark.filterwarnings("ignore:.* training rows break")
@pytest.mark.parametrize("loss", ["subset", "hamming", "f1", "jaccard"])
def test_every_answer_obeys(loss):
    X, Y = dependent_rows(70)
    model = jb.Constrained(jb.CTBN(), [rules.exactly(2)], loss=loss).fit(X, Y)
    assert (model.predict(X).sum(axis=1) == 2).all()


def test_without_rules_nothing_changes():
    X, Y = dependent_rows(70)
    post = jb.Constrained(jb.CTBN()).fit(X, Y).posterior(X)
    np.testing.assert_array_equal(post.log_prob(Y), jb.CTBN().fit(X, Y).posterior(X).log_prob(Y))


def test_what_is_not_a_rule_is_refused():
    X, Y = dependent_rows(20)
    for odd in (["y0"], rules.at_most(1), "y0"):
        with pytest.raises(ParameterError, match=r"rules=.* made by jb.rules"):
            jb.Constrained(jb.CTBN(), odd).fit(X, Y)
    with pytest.raises(DataError, match="a rule names the label 'sea'"):
        jb.Constrained(jb.CTBN(), [rules.implies("sea", "y0")]).fit(X, Y)


def test_a_row_in_which_no_vector_obeys_has_its_own_number():
    X, Y = np.array([[0.0], [1.0]] * 20), np.array([[0, 1], [1, 0]] * 20)
    model = jb.Constrained(jb.LabelPowerset(), [rules.exactly(2)])
    with pytest.warns(DataWarning, match="40 of 40"):
        model.fit(X, Y)
    with pytest.raises(DataError, match=r"obeys exactly\(2\) in row 0"):
        model.predict(X)
