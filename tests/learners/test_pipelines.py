"""A Pipeline as base estimator reads what the user gave, label columns beside it by name."""

import warnings
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import jointbayes as jb

TAKERS = [
    jb.BinaryRelevance,
    jb.ClassifierChain,
    jb.ChainEnsemble,
    jb.CTBN,
    jb.StackedRelevance,
    jb.LabelPowerset,
    jb.RAkEL,
    jb.IBLR,
    jb.ILFCompo,
    jb.JointLayer,
]
APPENDING = [jb.ClassifierChain, jb.ChainEnsemble, jb.StackedRelevance, jb.IBLR]


class Seeing(TransformerMixin, BaseEstimator):
    """Keeps what it was shown, and passes numbers on."""

    seen: ClassVar[list[Any]] = []

    def fit(self, X, _y=None):
        Seeing.seen.append(X)
        return self

    def transform(self, X):
        Seeing.seen.append(X)
        if sparse.issparse(X):
            return X
        frame = pd.DataFrame(X) if isinstance(X, np.ndarray) else X
        frame = frame.to_pandas() if isinstance(frame, pl.DataFrame) else frame
        return frame.select_dtypes("number").fillna(0).to_numpy(dtype=float)


@pytest.fixture(autouse=True)
def forget():
    Seeing.seen = []


@pytest.fixture(name="frame")
def make_frame():
    rng = np.random.default_rng(0)
    size = rng.normal(size=60)
    return pd.DataFrame(
        {
            "size": size,
            "hue": pd.Categorical(rng.choice(["red", "blue"], 60)),
            "note": rng.choice(["a long note", "short", "much ado"], 60),
            "count": rng.integers(0, 9, 60),
        },
        index=np.arange(60) + 100,
    )


@pytest.fixture(name="labels")
def make_labels(frame):
    return pd.DataFrame(
        {
            "happy": (frame["size"] > 0).astype(int).to_numpy(),
            "calm": ((frame["count"] > 3) ^ (frame["size"] > 0.5)).astype(int).to_numpy(),
            "sad": (frame["note"] == "short").astype(int).to_numpy(),
        }
    )


def made(kind, base):
    small = {"n_chains": 2} if kind is jb.ChainEnsemble else {}
    small |= {"cv": 2} if kind is jb.JointLayer else {}
    return kind(base, **small)


def seeing():
    return make_pipeline(Seeing(), DecisionTreeClassifier(max_depth=3, random_state=0))


@pytest.mark.parametrize("kind", TAKERS)
def test_a_pipeline_sees_the_users_frame(kind, frame, labels):
    model = made(kind, seeing()).fit(frame, labels)
    model.predict(frame[:5])
    for seen in Seeing.seen:
        assert isinstance(seen, pd.DataFrame)
        assert seen.columns[:4].tolist() == frame.columns.tolist()
        pd.testing.assert_frame_equal(seen.iloc[:, :4], frame.loc[seen.index])


@pytest.mark.parametrize("kind", APPENDING)
def test_labels_are_appended_by_name(kind, frame, labels):
    made(kind, seeing()).fit(frame, labels).predict(frame[:5])
    further = {name for seen in Seeing.seen for name in seen.columns[4:]}
    assert further
    assert further <= set(labels.columns)


def test_a_label_named_like_a_feature_is_told_apart(frame, labels):
    model = jb.ClassifierChain(seeing()).fit(frame, labels.rename(columns={"happy": "size"}))
    model.predict(frame[:3])
    assert {"size (label)"} <= {name for seen in Seeing.seen for name in seen.columns}


def test_values_of_a_label_of_three_are_columns(frame):
    Y = pd.DataFrame({"mood": ["a", "b", "c"] * 20, "calm": [0, 1] * 30})
    jb.ClassifierChain(seeing()).fit(frame, Y).predict(frame[:3])
    names = {name for seen in Seeing.seen for name in seen.columns[4:]}
    assert names == {"mood=a", "mood=b", "mood=c"}


@pytest.mark.parametrize("kind", TAKERS)
def test_a_polars_frame_stays_one(kind, frame, labels):
    given = pl.from_pandas(frame)
    model = made(kind, seeing()).fit(given, labels)
    model.predict(given[:5])
    assert all(isinstance(seen, pl.DataFrame) for seen in Seeing.seen)


@pytest.mark.parametrize("kind", TAKERS)
def test_arrays_and_sparse_matrices_stay_what_they_are(kind, labels):
    X = np.random.default_rng(1).normal(size=(60, 3)) * (np.arange(60) % 2)[:, None]
    made(kind, seeing()).fit(X, labels).predict(X[:5])
    assert all(isinstance(seen, np.ndarray) for seen in Seeing.seen)
    Seeing.seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of scikit-learn about sparse arrays
        made(kind, seeing()).fit(sparse.csr_array(X), labels).predict(sparse.csr_array(X[:5]))
    assert all(sparse.issparse(seen) for seen in Seeing.seen)


@pytest.mark.parametrize("kind", TAKERS)
def test_a_transparent_pipeline_changes_nothing(kind, labels):
    X = np.random.default_rng(1).normal(size=(60, 3))
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    piped = made(kind, make_pipeline(FunctionTransformer(), tree)).fit(X, labels)
    plain = made(kind, tree).fit(X, labels)
    for a, b in zip(piped.posterior(X).marginals(), plain.posterior(X).marginals(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_columns_are_chosen_by_name(frame, labels, tmp_path):
    words = make_column_transformer(
        (TfidfVectorizer(), "note"), (OneHotEncoder(), ["hue"]), (StandardScaler(), ["size"])
    )
    model = jb.CTBN(make_pipeline(words, LogisticRegression(C=100.0))).fit(frame, labels)
    assert (model.predict(frame)[:, 2] == labels["sad"]).all()
    jb.save(model, tmp_path / "model.jb")
    again = jb.load(tmp_path / "model.jb")
    assert (again.predict(frame) == model.predict(frame)).all()


def test_a_search_over_a_pipeline_sees_the_frame_too(frame, labels):
    search = GridSearchCV(seeing(), {"decisiontreeclassifier__max_depth": [1, 2]}, cv=2)
    jb.BinaryRelevance(search).fit(frame, labels)
    assert all(isinstance(seen, pd.DataFrame) for seen in Seeing.seen)


def test_weights_go_to_the_last_step(frame, labels):
    weights = np.where(np.arange(60) < 30, 2.0, 0.0)
    twice = jb.BinaryRelevance(seeing()).fit(
        pd.concat([frame[:30], frame[:30]]), pd.concat([labels[:30], labels[:30]])
    )
    weighted = jb.BinaryRelevance(seeing()).fit(frame, labels, sample_weight=weights)
    found, expected = weighted.predict_proba(frame), twice.predict_proba(frame)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_wrappers_hand_the_frame_on(frame, labels):
    model = jb.Calibrated(jb.BinaryRelevance(seeing()), cv=2).fit(frame, labels)
    model.predict(frame[:5])
    for seen in Seeing.seen:
        pd.testing.assert_frame_equal(seen, frame.loc[seen.index])


def test_any_other_classifier_still_gets_numbers(frame, labels):
    model = jb.BinaryRelevance(LogisticRegression()).fit(frame[["size", "hue"]], labels)
    assert model.classifiers_.estimators[0].n_features_in_ == 3
