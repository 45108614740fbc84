"""Who takes part in the comparison of `field.py`: our models, and what users have today.

A contestant learns training rows and answers for test rows with a posterior, or with labels alone.
Peers have their defaults on one thread; what they know of a row is the probability of each label,
whose product is their joint, and their answer is what their own `predict` says (a label is relevant
from 1/2 on). Peers that are not installed are left out, and the page says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain as PeerChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import SVC

import jointbayes as jb
from jointbayes.labels import LabelSpace
from jointbayes.posterior import Independent, Posterior

__all__ = ["CONTESTANTS", "Answer", "Contestant", "absent"]

LEAST = 1 / 400
"""Peers' probabilities are kept this far from 0 and 1, so that their joint has a logarithm."""

QUICK_STEPS = 200
"""Steps of the quick CatBoost, each five times as large as by default, on 32 borders of a column.

The default, 1,000 steps on 254 borders, takes minutes on one thread where rows have 100 columns.
"""


@dataclass(frozen=True, eq=False)
class Answer:
    """What a contestant says of the test rows: a posterior and labels, or labels alone."""

    posterior: Posterior | None
    labels: Any


@dataclass(frozen=True)
class Contestant:
    """A way to learn, and the module that it needs; ours decide by their posterior."""

    learn: Callable[[Any, Any], Callable[[Any], Any]]
    needs: str = ""
    ours: bool = False


def ours(model: Callable[[], Any]) -> Contestant:
    def learn(X: Any, Y: Any) -> Callable[[Any], Any]:
        fitted = model().fit(X, Y)
        return lambda rows: Answer(fitted.posterior(rows), None)

    return Contestant(learn, ours=True)


def peer(model: Callable[[], Any], needs: str = "") -> Contestant:
    """Return a classifier of several labels whose `predict_proba` is an array or a list."""

    def learn(X: Any, Y: Any) -> Callable[[Any], Any]:
        columns = Numbers(X)
        fitted = model().fit(columns(X), Y)

        def answer(rows: Any) -> Answer:
            seen = columns(rows)
            proba = fitted.predict_proba(seen)
            if isinstance(proba, list):
                proba = np.stack(
                    [_relevance(p, c) for p, c in zip(proba, fitted.classes_, strict=True)], axis=1
                )
            return Answer(_independent(proba), np.asarray(fitted.predict(seen), dtype=int))

        return answer

    return Contestant(learn, needs)


def one_by_one(model: Callable[[], Any], needs: str = "") -> Contestant:
    """Return one classifier for each label."""

    def learn(X: Any, Y: Any) -> Callable[[Any], Any]:
        columns = Numbers(X)
        matrix = columns(X)
        fitted = [model().fit(matrix, y) if len(np.unique(y)) > 1 else y[0] for y in Y.T]

        def answer(rows: Any) -> Answer:
            seen = columns(rows)
            known = [
                np.full(seen.shape[0], one) if np.isscalar(one) else one.predict_proba(seen)[:, 1]
                for one in fitted
            ]
            proba = np.stack(known, axis=1).astype(float)
            return Answer(_independent(proba), (proba >= 0.5).astype(int))

        return answer

    return Contestant(learn, needs)


def vectors_as_classes(model: Callable[[Any], Any]) -> Contestant:
    """Return one classifier of label vectors, without probabilities."""

    def learn(X: Any, Y: Any) -> Callable[[Any], Any]:
        columns = Numbers(X)
        vectors, place = np.unique(Y, axis=0, return_inverse=True)
        fitted = model(columns(X)).fit(columns(X), place.ravel())
        return lambda rows: Answer(None, vectors[fitted.predict(columns(rows))])

    return Contestant(learn)


class Numbers:
    """Turns rows into numbers as the training rows have them: nominal columns one-hot.

    Columns that do not vary there are left out: BOOMER, which draws a few columns for each rule,
    ends at the first rule for which it drew none that varies (genbase has 182 of 2,370).
    """

    def __init__(self, X: Any):
        if sparse.issparse(X):
            least, most = (bound(axis=0).toarray().ravel() for bound in (X.min, X.max))
            self.known = np.flatnonzero(least < most)
        else:
            found = self._dummies(X)
            self.known = found.columns[(found != found.iloc[0]).any(axis=0)]

    def __call__(self, X: Any) -> Any:
        if sparse.issparse(X):
            return sparse.csr_matrix(X, dtype=np.float64)[:, self.known]
        found = self._dummies(X).reindex(columns=self.known, fill_value=0)
        return np.nan_to_num(found.to_numpy(dtype=np.float64))

    @staticmethod
    def _dummies(X: Any) -> Any:
        import pandas as pd

        return pd.get_dummies(X.to_pandas())


def _relevance(proba: Any, classes: Any) -> Any:
    return proba[:, 1] if len(classes) == 2 else np.full(len(proba), float(classes[0]))


def _independent(proba: Any) -> Posterior:
    p = np.clip(np.asarray(proba, dtype=float), LEAST, 1 - LEAST)
    names = tuple(f"y{j}" for j in range(p.shape[1]))
    space = LabelSpace(names, (np.array([0, 1]),) * len(names))
    return Independent([np.log(np.stack([1 - q, q], axis=1)) for q in p.T], space)


def catboost() -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        loss_function="MultiLogloss", thread_count=1, verbose=0, allow_writing_files=False
    )


def quick_catboost() -> Any:
    return catboost().set_params(
        iterations=QUICK_STEPS, learning_rate=30.0 / QUICK_STEPS, border_count=32
    )


def xgboost() -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1)


def lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbose=-1)


class Boomer:
    """BOOMER with its defaults, asked for marginal probabilities."""

    def fit(self, X: Any, Y: Any) -> Boomer:
        from mlrl.boosting import BoomerClassifier

        self.model = BoomerClassifier().fit(_dense(X), Y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return _dense(self.model.predict_proba(_dense(X)))

    def predict(self, X: Any) -> Any:
        return _dense(self.model.predict(_dense(X)))


class Neighbours:
    """MLkNN of scikit-multilearn-ng with its defaults."""

    def fit(self, X: Any, Y: Any) -> Neighbours:
        from skmultilearn.adapt import MLkNN

        self.model = MLkNN().fit(sparse.csr_matrix(X), sparse.csr_matrix(Y))
        return self

    def predict_proba(self, X: Any) -> Any:
        return _dense(self.model.predict_proba(sparse.csr_matrix(X)))

    def predict(self, X: Any) -> Any:
        return _dense(self.model.predict(sparse.csr_matrix(X)))


def _dense(found: Any) -> Any:
    return found.toarray() if sparse.issparse(found) else np.asarray(found)


def logistic() -> Any:
    return make_pipeline(MaxAbsScaler(), LogisticRegression(max_iter=1000))


def chain() -> Any:
    links = PeerChain(LogisticRegression(max_iter=1000), random_state=0)
    return VaryingLabels(make_pipeline(MaxAbsScaler(), links))


class VaryingLabels:
    """A model that is told of the labels that vary alone; a label of one value is answered so."""

    def __init__(self, model: Any):
        self.model = model

    def fit(self, X: Any, Y: Any) -> VaryingLabels:
        self.varying = np.flatnonzero(Y.min(axis=0) < Y.max(axis=0))
        self.constant = Y[0]
        self.model.fit(X, Y[:, self.varying])
        return self

    def _all(self, found: Any) -> Any:
        out = np.tile(self.constant.astype(float), (len(found), 1))
        out[:, self.varying] = found
        return out

    def predict_proba(self, X: Any) -> Any:
        return self._all(self.model.predict_proba(X))

    def predict(self, X: Any) -> Any:
        return self._all(self.model.predict(X))


def rbf(matrix: Any) -> Any:
    scaler = MaxAbsScaler() if sparse.issparse(matrix) else StandardScaler()
    return make_pipeline(scaler, SVC(C=10))


CONTESTANTS: dict[str, Contestant] = {
    "Auto": ours(lambda: jb.Auto(n_jobs=1)),
    "JointForest": ours(lambda: jb.JointForest(n_jobs=1)),
    "CTBN": ours(lambda: jb.CTBN(n_jobs=1)),
    "BinaryRelevance": ours(lambda: jb.BinaryRelevance(n_jobs=1)),
    "ILFCompo": ours(lambda: jb.ILFCompo(unseen="back_off", n_jobs=1)),
    "random forest": peer(lambda: RandomForestClassifier(random_state=0, n_jobs=1)),
    "extra trees": peer(lambda: ExtraTreesClassifier(random_state=0, n_jobs=1)),
    "logistic regression": one_by_one(logistic),
    "chain of logistic": peer(chain),
    "powerset of RBF SVM": vectors_as_classes(rbf),
    "CatBoost": peer(lambda: VaryingLabels(catboost()), "catboost"),
    "CatBoost, quick": peer(lambda: VaryingLabels(quick_catboost()), "catboost"),
    "XGBoost": one_by_one(xgboost, "xgboost"),
    "LightGBM": one_by_one(lightgbm, "lightgbm"),
    "BOOMER": peer(Boomer, "mlrl"),
    "MLkNN (skml-ng)": peer(Neighbours, "skmultilearn"),
}


def absent() -> list[str]:
    """Return the peers that are not installed here."""
    return [name for name, one in CONTESTANTS.items() if one.needs and not find_spec(one.needs)]
