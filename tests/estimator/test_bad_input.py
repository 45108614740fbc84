"""Bad input gets a sentence or a sensible answer, never an accident."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from jointbayes import AODE, KDB, TAN, NaiveBayes
from jointbayes.errors import CostError, DataError, ParameterError
from one_class import every_model, mixed


def finite(p, shape):
    assert p.shape == shape
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)


@every_model
def test_one_label_one_row_constant_columns_and_many_values_are_fine(model):
    X, y = mixed()
    finite(clone(model).fit(X, np.full(len(y), "only")).predict_proba(X), (len(y), 1))
    finite(clone(model).fit(X[:1], y[:1]).predict_proba(X), (len(y), 1))
    constant = pd.DataFrame({"a": ["x"] * len(y), "b": 1.0, "c": np.nan})
    finite(clone(model).fit(constant, y).predict_proba(constant), (len(y), 3))
    one_column = X[["colour"]]
    finite(clone(model).fit(one_column, y).predict_proba(one_column), (len(y), 3))


@pytest.mark.parametrize("model", [NaiveBayes(), TAN(), KDB(1)], ids=repr)
def test_a_nominal_column_with_thousands_of_values_is_fine(model):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 6000)
    X = pd.DataFrame(
        {"id": [f"row {i % 2000}" for i in range(6000)], "x": rng.choice(list("ab"), 6000)}
    )
    finite(clone(model).fit(X, y).predict_proba(X[:50]), (50, 2))


def test_tables_that_would_not_fit_are_refused_before_they_are_made():
    n = 6_000
    X = pd.DataFrame({name: [f"{name}{i}" for i in range(n)] for name in "abc"})
    with pytest.raises(CostError, match="MiB"):
        AODE().fit(X, np.arange(n) % 2)
    with pytest.raises(CostError, match="smaller k"):
        KDB(2).fit(X, np.arange(n) % 2)


@every_model
def test_labels_absent_from_a_batch_keep_their_place(model):
    X, y = mixed()
    two = y != "yes"
    model = clone(model).partial_fit(X[two], y[two], classes=["yes", "no", "perhaps"])
    assert model.classes_.tolist() == ["no", "perhaps", "yes"]
    finite(model.predict_proba(X), (len(y), 3))
    model.partial_fit(X[~two], y[~two])
    assert (model.predict(X) == "yes").any()


@every_model
def test_a_refused_batch_leaves_no_trace(model):
    X, y = mixed()
    X = X.to_numpy()
    model = clone(model).partial_fit(X[:100], y[:100])
    before = model.predict_proba(X)
    with pytest.raises(DataError, match=r"'maybe'.*not one of its classes"):
        model.partial_fit(X[:2], ["no", "maybe"])
    with pytest.raises(DataError, match="not those of the first batch"):
        model.partial_fit(X[:2], y[:2], classes=["no", "maybe"])
    with pytest.raises(ValueError, match=r"3 features, but .* is expecting 4"):
        model.partial_fit(X[:2, :3], y[:2])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.partial_fit(X[:3], y[:2])
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        model.partial_fit(X[:2], y[:2], sample_weight=[1, -1])
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_a_refused_first_batch_leaves_the_model_unfitted():
    model = NaiveBayes()
    with pytest.raises(DataError, match="NaN"):
        model.partial_fit([["a"], ["b"]], [0.0, np.nan])
    with pytest.raises(NotFittedError):
        model.predict([["a"]])


@every_model
@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([0.0, np.nan, 1.0], r"y contains NaN .* row 1"),
        (["a", None, "b"], "missing .* row 1"),
        ([0.5, 1.25, 2.0], "Unknown label type"),
        ([0, 1], "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
        ([[0, 1], [1, 0], [1, 1]], "1d array"),
        (np.zeros((3, 0)), "1d array, and has 0 columns"),
    ],
)
def test_labels_that_are_none_are_refused(model, y, sentence):
    with pytest.raises(ValueError, match=sentence):
        clone(model).fit([["a"], ["b"], ["c"]], y)


@every_model
def test_more_columns_or_other_names_at_predict_are_refused(model):
    X, y = mixed()
    model = clone(model).fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.assign(extra=1))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[X.columns[::-1]])
    without_names = clone(model).fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match=r"5 features, but .* is expecting 4"):
        without_names.predict(X.assign(extra=1).to_numpy())


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (
            TAN(smoothing=-1),
            "TAN: smoothing=-1 is outside its range; give a finite number of at le",
        ),
        (TAN(smoothing=np.nan), "smoothing=nan"),
        (TAN(smoothing=np.inf), "smoothing=inf"),
        (TAN(smoothing="1"), "smoothing='1'"),
        (TAN(smoothing=True), "smoothing=True"),
        (TAN(missing="drop"), "missing='drop' .* give 'value' or 'ignore'"),
        (TAN(n_jobs=0), "n_jobs=0"),
        (TAN(n_jobs=1.5), "n_jobs=1.5"),
        (KDB(k=-1), "KDB: k=-1 .* give an integer of at least 0"),
        (KDB(k=1.0), "k=1.0"),
        (KDB(k=np.nan), "k=nan"),
        (AODE(min_frequency=np.nan), "min_frequency=nan"),
        (TAN(discretizer="mld"), "discretizer"),
        (TAN(categorical_features=["nobody"]), "nobody"),
    ],
)
def test_parameters_outside_their_range_are_refused_by_name(model, sentence):
    X, y = mixed(30)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(ParameterError, match=sentence):
            learn(X, y)


def test_a_parameter_that_needs_other_memories_cannot_change_between_batches():
    X, y = mixed(60)
    model = KDB(1).partial_fit(X, y)
    with pytest.raises(ParameterError, match="other parameters than for the batches before"):
        model.set_params(k=2).partial_fit(X, y)


@pytest.mark.parametrize("model", [TAN(), NaiveBayes()])
def test_numbers_as_a_target_are_refused_with_what_to_do(model):
    X, _ = mixed(30)
    y = np.arange(30) / 4
    with pytest.raises(ValueError, match=r"y is 0\.25 in row 1, and labels are classes; cut"):
        model.fit(X, y)


def test_labels_of_several_types_stay_what_they_are():
    X, _ = mixed(30)
    for y in ([1, "a"] * 15, np.array([1, "a"] * 15, dtype=object)):
        model = TAN().fit(X, y)
        assert model.classes_.tolist() == [1, "a"]
        assert set(model.predict(X)) <= {1, "a"}
