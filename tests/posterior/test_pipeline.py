"""The posterior of a Pipeline is that of its last step, on what the steps before make of X."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import jointbayes as jb
from jointbayes.posterior import Posterior, posterior_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X @ RNG.normal(size=(3, 4)) > 0).astype(int)


def same(one: Posterior, two: Posterior) -> bool:
    return np.array_equal(one.log_prob(Y), two.log_prob(Y))


def test_a_model_answers_itself():
    model = jb.BinaryRelevance().fit(X, Y)
    assert same(jb.posterior(model, X), model.posterior(X))


def test_every_step_but_the_last_transforms():
    steps = [("scale", StandardScaler()), ("none", "passthrough"), ("model", jb.MLkNN(k=3))]
    pipeline = Pipeline(steps).fit(X, Y)
    moved = StandardScaler().fit_transform(X)
    alone = jb.MLkNN(k=3).fit(moved, Y)
    assert same(jb.posterior(pipeline, X), alone.posterior(moved))
    assert np.array_equal(jb.posterior(pipeline, X).decide("subset"), pipeline.predict(X))


def test_pipelines_may_be_short_or_nested():
    model = jb.MultilabelNB().fit(X, Y)
    assert same(jb.posterior(make_pipeline(model), X), model.posterior(X))
    outer = make_pipeline(MinMaxScaler(), make_pipeline(StandardScaler(), jb.MultilabelNB()))
    outer.fit(X, Y)
    assert same(jb.posterior(outer, X), jb.posterior(outer[-1], outer[0].transform(X)))


def test_the_module_and_the_function_are_one():
    assert jb.posterior.posterior_of is posterior_of
    assert jb.posterior.Posterior is Posterior


@pytest.mark.parametrize("wrap", [lambda m: m, make_pipeline])
def test_what_has_no_posterior_is_refused(wrap):
    with pytest.raises(ValueError, match="DummyClassifier is not a model with a posterior; give"):
        jb.posterior(wrap(DummyClassifier().fit(X, Y[:, 0])), X)


def test_before_fit_nothing_is_answered():
    with pytest.raises(NotFittedError):
        jb.posterior(make_pipeline(StandardScaler(), jb.TAN()), X)
