"""Which models learn from counts that add, and what they want to know of the columns first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from jointbayes.discretize.transformers import Discretizer
from jointbayes.encoding.learning import DISCRETIZERS
from jointbayes.errors import ParameterError
from jointbayes.estimator.ranges import check_parameters
from jointbayes.models.label_driven.reconsidering import Reconsidering
from jointbayes.models.naibx.kinds import RARE, learn_columns
from jointbayes.models.naibx.naibx import NaiBX
from jointbayes.models.networks.classifier import ClassNetworks
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.naive_bayes import NaiveBayes
from jointbayes.models.trust.sharpness import needs_all_rows
from jointbayes.scale.column_digest import Wanted
from jointbayes.scale.digest import Digest
from jointbayes.scale.encoders import encoder_of, representative

__all__ = ["ABLE", "learn_reading", "unfitted", "wanted_by"]

ABLE = (
    "NaiveBayes, TAN, KDB, AODE, ATAN, WATAN, LKDB, AKDB, ChowLiuMultinet, LTAN, LabelDriven, "
    "MultilabelNB, MultilabelFAN, NetworkEnsemble and NaiBX"
)


def unfitted(model: Any) -> Any:
    """Return a clone of a model that can learn so; refuse the others.

    >>> from jointbayes import MLkNN
    >>> unfitted(MLkNN())
    Traceback (most recent call last):
    ...
    jointbayes.errors.ParameterError: MLkNN cannot learn from rows that come in parts, as its \
    knowledge is not counts, which add; take NaiveBayes, TAN, KDB, AODE, ATAN, WATAN, LKDB, AKDB, \
    ChowLiuMultinet, LTAN, LabelDriven, MultilabelNB, MultilabelFAN, NetworkEnsemble and NaiBX
    """
    if isinstance(model, str | type):
        raise ParameterError(f"model is {model!r}; give an estimator, such as jb.TAN()")
    name = type(model).__name__
    if not isinstance(model, NetworkClassifier | ClassNetworks | NaiBX):
        raise ParameterError(
            f"{name} cannot learn from rows that come in parts, as its knowledge is not counts, "
            f"which add; take {ABLE}"
        )
    check_parameters(model)
    if isinstance(model, ClassNetworks | NaiBX):
        needs_all_rows(model, "jb.scale.fit")
    if isinstance(model, Reconsidering) and model.delta == "auto":
        raise ParameterError(
            f"{name}: delta='auto' holds rows out, so it needs them all at once; give delta a "
            "number"
        )
    if isinstance(model, NaiBX) and (model.size != "bayes" or model.half_life is not None):
        raise ParameterError(
            "NaiBX learns from rows that come in parts with size='bayes' and half_life=None only; "
            "set these, or use partial_fit"
        )
    return clone(model)


def wanted_by(model: Any, targets: Sequence[str], cells: int) -> Wanted:
    """Return what a model wants to know of the columns before it counts."""
    if isinstance(model, NaiBX):
        counted = "none" if isinstance(model.categorical_features, str) else "all"
        return Wanted(tuple(targets), counted, extremes=True, cells=cells)
    reader = _reader(model)
    cutter = reader.discretizer
    if isinstance(cutter, str) and cutter in DISCRETIZERS:
        cutter = DISCRETIZERS[cutter]()
    if not isinstance(cutter, Discretizer):
        raise ParameterError(
            f"discretizer is {reader.discretizer!r}; rows that come in parts are cut by "
            f"{', '.join(map(repr, DISCRETIZERS))} or a transformer of jointbayes.discretize"
        )
    if cutter.by_class and isinstance(model, ClassNetworks):
        raise ParameterError(
            "discretizer 'mdl' looks at the class and there is no single class variable; "
            "choose 'quantile', 'width' or 'median'"
        )
    by_dtype = isinstance(reader.categorical_features, str)
    values = "by class" if cutter.by_class and not hasattr(cutter, "cuts_") else "all"
    at_once = values == "by class" and isinstance(model, NaiveBayes)
    return Wanted(tuple(targets), values, categories=at_once, coded=not by_dtype, cells=cells)


def learn_reading(model: Any, digest: Digest) -> Any:
    """Return how the model reads columns: an encoder, or the columns of NaiBX."""
    if isinstance(model, NaiBX):
        return learn_columns(
            representative(digest, model.categorical_features),
            model.features,
            model.categorical_features,
            lambda _some, columns: _are_words(digest, columns),
        )
    reader = _reader(model)
    return encoder_of(digest, reader.discretizer, reader.categorical_features, reader.missing)


def _are_words(digest: Digest, columns: Sequence[int]) -> bool:
    """Say whether numbers of all rows look like counts of words, as NaiBX would."""
    of = [digest.columns[j] for j in columns]
    if sum(column.filled for column in of) > (1 - RARE) * digest.rows * len(of):
        return False
    legal = not any(column.negative or column.missing for column in of)
    return legal and not all(np.isnan(column.odd) for column in of)


def _reader(model: Any) -> Any:
    """Return the model whose parameters say how columns are read."""
    return _reader(model._generalist()) if isinstance(model, Reconsidering) else model
