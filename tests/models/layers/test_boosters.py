"""JointLayer around boosted trees of others, where they are installed."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.multioutput import MultiOutputClassifier

import jointbayes as jb


def rows(n=90):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    first = (X[:, 0] > 0).astype(int)
    return X, np.stack([first, 1 - first, (X[:, 1] > 0).astype(int)], axis=1)


def catboost():
    module = pytest.importorskip("catboost")
    return module.CatBoostClassifier(
        iterations=10,
        loss_function="MultiLogloss",
        thread_count=1,
        verbose=0,
        allow_writing_files=False,
    )


def xgboost():
    module = pytest.importorskip("xgboost")
    return module.XGBClassifier(n_estimators=5, n_jobs=1)


def lightgbm():
    module = pytest.importorskip("lightgbm")
    return MultiOutputClassifier(module.LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [catboost, xgboost, lightgbm])
def test_what_labels_know_of_each_other_is_learned_on_top(make):
    X, Y = rows()
    model = jb.JointLayer(make(), cv=2, n_jobs=1).fit(X, Y)
    post = model.posterior(X[:20])
    assert model.score(X, Y) > 0.8
    both = np.tile([1, 1, 0], (20, 1))  # no row has both of the first two
    assert (np.exp(post.log_prob(both)) < 0.05).all()
    assert model.predict_proba(X[:5]).shape == (5, 3)
