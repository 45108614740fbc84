"""The likely models: which are tried on what data, the cheaper ones first.

What costs too much for so many labels, or label vectors, is not tried at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from jointbayes import models
from jointbayes.budgets import ENUMERATED_LABELS
from jointbayes.design.texts import are_texts
from jointbayes.discretize import Quantile
from jointbayes.errors import ParameterError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.reading import Labelled
from jointbayes.models.catalog import make_model, model_name
from jointbayes.table import Table

__all__ = ["LIKELY", "VECTOR_CELLS", "Candidate", "given_models", "likely_models"]

LIKELY = "likely"
"""What stands for the likely models in a list of models."""

LISTED_LABELS = 10
"""Most labels of NaiBX on tables: its powers take a list of all vectors."""

PAIRED_LABELS = 60
"""Most labels of models that look at all pairs of labels, chains among them."""

VECTOR_CELLS = 1 << 24
"""Most rows times label vectors that are classes, or times landmarks of kernels."""

HONEST = {"rest": "keep", "sharpness": "cross_fitted"}
"""How models are set whose papers are too sure: no label is ruled out, evidence counts once."""

# Models that call no label vector impossible. The others are backed by independent labels.
POSITIVE = frozenset(
    "AKDB AODE ATAN AsSaid BinaryRelevance CTBN ChainEnsemble ClassifierChain IBLR JointForest KDB "
    "MLkNN MultilabelFAN MultilabelNB NaiveBayes NetworkEnsemble StackedRelevance TAN "
    "WATAN".split()
)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model to be tried.

    Parameters
    ----------
    name
        What the leaderboard calls it.
    model
        Not fitted.
    backing
        "independent" if it may call a label vector impossible, else "none".
    """

    name: str
    model: Any
    backing: str


def likely_models(rows: Labelled, options: Mapping[str, Any]) -> list[Candidate]:
    """Return the models to be tried on labelled rows.

    Parameters
    ----------
    rows
        What they are to learn from.
    options
        Parameters of the models that have them.

    Examples
    --------
    >>> from jointbayes.labels import learn_labels
    >>> y = np.array([0, 1, 1])
    >>> rows = Labelled(Table.of([["a"], ["b"], ["b"]]), y[:, None], learn_labels(y))
    >>> [candidate.name for candidate in likely_models(rows, {})][:3]
    ['NaiveBayes', 'TAN', 'AODE']
    """
    likely = _one_class(rows) if len(rows.space) == 1 else _several(rows)
    return [_candidate(model, {**options, **HONEST}) for model in likely]


def given_models(given: Sequence[Any]) -> list[Candidate]:
    """Return what a user wants to be tried: models, or their names.

    >>> [candidate.backing for candidate in given_models(["ctbn", "LabelPowerset"])]
    ['none', 'independent']
    """
    found = [_candidate(make_model(model), {}) for model in given]
    for candidate in found:
        if not isinstance(candidate.model, Classifier):
            raise ParameterError(
                f"models: {candidate.name} has no posterior; give models of this library"
            )
    return found


def _candidate(model: Any, options: Mapping[str, Any]) -> Candidate:
    name = model_name(model)
    # A base learner that somebody gave may say 0.
    own = getattr(model, "estimator", None) is None
    backing = "none" if type(model).__name__ in POSITIVE and own else "independent"
    known = model.get_params()
    shared = {key: value for key, value in options.items() if key in known}
    inner = {key: value for key, value in options.items() if f"estimator__{key}" in known}
    shared |= {f"estimator__{key}": value for key, value in inner.items()}
    return Candidate(name, model.set_params(**shared), backing)


def _one_class(rows: Labelled) -> Iterator[Any]:
    yield from (models.NaiveBayes(), models.TAN(), models.AODE(), models.KDB(2))
    yield from (models.AKDB(), models.LTAN())
    if _has_numbers(rows.X):
        yield models.KDB(2, discretizer="quantile")
        yield models.KDB(3, discretizer=Quantile(10))
    yield models.BinaryRelevance()
    yield models.JointForest()
    yield from _kernels(rows, len(rows.space.classes[0]))


def _several(rows: Labelled) -> Iterator[Any]:
    d, vectors = len(rows.space), len(np.unique(rows.codes, axis=0))
    yield models.BinaryRelevance()
    if rows.space.binary and d <= (PAIRED_LABELS if _are_texts(rows.X) else LISTED_LABELS):
        yield models.NaiBX()
    yield models.MLkNN()
    yield models.JointForest()
    if d <= PAIRED_LABELS:
        yield models.CTBN()
    if d <= ENUMERATED_LABELS:  # beyond, its best vectors are dear to find, and those of a pool
        yield models.MultilabelFAN()
    if d <= PAIRED_LABELS:
        yield models.ClassifierChain()
    if len(rows) * vectors <= VECTOR_CELLS:
        yield models.LabelPowerset()
    yield from _kernels(rows, vectors)


def _kernels(rows: Labelled, vectors: int) -> Iterator[Any]:
    kernel = models.KernelClassifier()
    if sparse.issparse(rows.X):  # numbers would be held dense; of texts, regressions tell as much
        return
    if len(rows) * max(vectors, kernel.n_landmarks) <= VECTOR_CELLS:
        yield models.LabelPowerset(kernel)


def _are_texts(X: Any) -> bool:
    return sparse.issparse(X) and are_texts(X)


def _has_numbers(X: Any) -> bool:
    return not isinstance(X, Table) or any(column.kind == "numeric" for column in X.columns)
