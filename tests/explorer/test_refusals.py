"""What a page cannot recompute exactly is refused when it is made, with what to do."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import KBinsDiscretizer

import jointbayes as jb
from jointbayes.errors import CostError, DataError
from jointbayes.estimator.classifier import Classifier
from jointbayes.explorer import exploring, networks, regressions

X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X + np.random.default_rng(1).normal(size=X.shape) > 0).astype(int)


@pytest.mark.parametrize("model", [jb.LTAN(), jb.LabelDriven(), jb.LKDB(), jb.AKDB()], ids=repr)
def test_networks_that_are_made_for_each_row(model, tmp_path):
    with pytest.raises(DataError, match=r"builds networks anew for each row.*explore TAN"):
        model.fit(X, Y[:, 0]).explore(tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("model", [jb.NaiBX(), jb.JointForest(), jb.MLkNN(), jb.RAkEL()], ids=repr)
def test_models_that_a_page_does_not_know(model, tmp_path):
    with pytest.raises(DataError, match=r"cannot be recomputed exactly in a page; explore a"):
        model.fit(X, Y).explore(tmp_path / "page.html")


@pytest.mark.parametrize("kind", [jb.CTBN, jb.BinaryRelevance, jb.ClassifierChain])
def test_somebody_elses_classifier(kind, tmp_path):
    model = kind(RandomForestClassifier(5)).fit(X, Y)
    with pytest.raises(DataError, match=r"RandomForestClassifier.*estimator=None"):
        model.explore(tmp_path / "page.html")


def test_somebody_elses_discretizer(tmp_path):
    cut = KBinsDiscretizer(3, encode="ordinal", strategy="uniform")
    with pytest.raises(DataError, match=r"discretizer=….*fit with 'mdl'"):
        jb.NaiveBayes(discretizer=cut).fit(X, Y[:, 0]).explore(tmp_path / "page.html")


def test_marginals_that_no_joint_has(tmp_path):
    model = jb.NetworkEnsemble(pooling="marginals").fit(X, Y)
    with pytest.raises(DataError, match=r"set_params\(pooling='joint'\)"):
        model.explore(tmp_path / "page.html")


def test_budgets_are_kept_and_stated(tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    monkeypatch.setattr(networks, "PLAN_CELLS", 3)
    with pytest.raises(CostError, match=r"cells a row, and a page has 3; fit with max_parents"):
        jb.MultilabelFAN().fit(X, Y).explore(page)
    monkeypatch.setattr(regressions, "LISTED", 7)
    with pytest.raises(CostError, match=r"8 label vectors are more than the 7.*explore a CTBN"):
        jb.ClassifierChain().fit(X, Y).explore(page)
    monkeypatch.setattr(exploring, "PAGE_BYTES", 1000)
    with pytest.raises(CostError, match="which a browser opens slowly"):
        jb.CTBN().fit(X, Y).explore(page)
    assert not page.exists()


def test_a_model_must_be_fitted(tmp_path):
    with pytest.raises(NotFittedError):
        jb.CTBN().explore(tmp_path / "page.html")


def test_every_model_has_the_door():
    assert all(issubclass(getattr(jb, name), Classifier) for name in jb._MODELS)
