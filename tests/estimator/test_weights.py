"""A weight of 2 is the row twice and 0 the row left out, where no rows are dealt out by chance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import jointbayes as jb
from jointbayes.errors import DataError, ParameterError
from jointbayes.models import BatchedLogistic

FIXED = BatchedLogistic(penalty=1.0, tol=1e-9)
MODELS = [
    FIXED,
    jb.BinaryRelevance(FIXED),
    jb.BinaryRelevance(LogisticRegression(tol=1e-10, max_iter=2000)),
    jb.ClassifierChain(FIXED),
    jb.StackedRelevance(FIXED),
    jb.LabelPowerset(FIXED),
    jb.RAkEL(FIXED, k=2),
    jb.ChainEnsemble(FIXED, n_chains=2),
    jb.ClassifierCascade(FIXED),
    jb.ClassifierCascade(FIXED, examples=1),
    jb.ClassifierCascade(LogisticRegression(tol=1e-10, max_iter=2000)),
]


def rows(n=120):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4)) * (rng.random((n, 4)) < 0.7)
    Y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(n, 3)) > 0).astype(int)
    return X, Y, rng.integers(0, 4, n)


@pytest.mark.parametrize("flavour", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_weight_is_a_number_of_rows(model, flavour):
    X, Y, w = rows()
    weighted = model.fit(flavour(X), Y, sample_weight=w).predict_proba(flavour(X))
    repeated = model.fit(flavour(np.repeat(X, w, axis=0)), np.repeat(Y, w, axis=0))
    np.testing.assert_allclose(weighted, repeated.predict_proba(flavour(X)), atol=1e-9)
    plain = model.fit(flavour(X), Y).predict_proba(flavour(X))
    assert np.abs(weighted - plain).max() > 1e-2  # weights matter


@pytest.mark.parametrize("model", [*MODELS, jb.CTBN(), jb.MLkNN(), jb.IBLR(), jb.NaiBX()], ids=str)
def test_labels_that_only_rows_of_weight_0_carry_do_not_exist(model):
    X, Y, w = rows()
    Y = np.where(Y, "on", "off")
    Y[5] = "broken"
    w[5] = 0
    assert [c.tolist() for c in model.fit(X, Y, sample_weight=w).classes_] == [["off", "on"]] * 3


def test_who_cannot_take_weights_says_so():
    X, Y, w = rows()
    with pytest.raises(ParameterError, match=r"KNeighborsClassifier.* takes no sample_weight"):
        jb.BinaryRelevance(KNeighborsClassifier()).fit(X, Y, sample_weight=w)
    with pytest.raises(DataError, match="ILFCompo tests independence by counting rows"):
        jb.ILFCompo().fit(X, Y, sample_weight=w + 0.5)
