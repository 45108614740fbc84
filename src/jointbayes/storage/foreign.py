"""Estimators of scikit-learn inside a model, by way of skops, which does not unpickle.

skops rebuilds what scikit-learn, numpy and scipy define in public. Beyond that a file may name the
classes of `TRUSTED`, the private parts of scikit-learn's classifiers that only hold numbers, and
the classes of this library that `names` lists. A file that names anything else is refused.

skops writes where a class lives. For classes of this library that is looked up again when the file
is read, by the last word of the path, so that they can move.
"""

from __future__ import annotations

import json
import warnings
import zipfile
from io import BytesIO
from types import ModuleType
from typing import Any

import numpy as np

from jointbayes.checks import check_indices
from jointbayes.errors import DataError, JointBayesError, require
from jointbayes.storage.examine import examine
from jointbayes.storage.names import find_class

__all__ = ["TRUSTED", "dump_foreign", "load_foreign"]

TRUSTED = frozenset(
    f"sklearn.{name}"
    for name in (
        "_loss.link.Interval",
        "_loss.link.LogitLink",
        "_loss.loss.HalfBinomialLoss",
        "calibration._CalibratedClassifier",
        "calibration._SigmoidCalibration",
        "compose._column_transformer._RemainderColsList",
        "ensemble._hist_gradient_boosting.binning._BinMapper",
        "ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "metrics._dist_metrics.EuclideanDistance64",
        "metrics._dist_metrics.ManhattanDistance64",
        "metrics._dist_metrics.MinkowskiDistance64",
        "neighbors._ball_tree.BallTree",
        "neighbors._kd_tree.KDTree",
        "neural_network._stochastic_optimizers.AdamOptimizer",
        "neural_network._stochastic_optimizers.SGDOptimizer",
        "tree._tree.Tree",
    )
)

WIDEST = 1 << 24
"""More columns than any classifier is given."""


def dump_foreign(value: Any, where: str) -> bytes:
    """Return an estimator of scikit-learn's kind as bytes; refuse what could not be read back.

    >>> from sklearn.linear_model import LogisticRegression
    >>> load_foreign(dump_foreign(LogisticRegression(C=2.0), "estimator"))
    LogisticRegression(C=2.0)
    """
    skops = _skops(f"storing {where}, a {type(value).__name__},")
    try:
        data: bytes = skops.dumps(value)
        _trusted(skops, data)
    except JointBayesError as error:
        raise DataError(f"{where} cannot be stored: {error}") from error
    except Exception as error:  # skops says in many ways that it cannot
        raise DataError(
            f"{where} is a {type(value).__name__}, which cannot be stored without pickling it: "
            f"{error}"
        ) from error
    return data


def load_foreign(data: bytes) -> Any:
    """Return the estimator that was stored, if every class it names is trusted."""
    skops = _skops("loading this model, which holds an estimator of scikit-learn's,")
    data = _with_places_of_today(data)
    value = skops.loads(data, trusted=_trusted(skops, data))
    examine(value)
    _rehearse(value)
    return value


def _rehearse(value: Any) -> None:
    """Ask a classifier of numbers about one row of zeros: its arrays have to agree for that."""
    asked = hasattr(value, "predict_proba") and hasattr(value, "classes_")
    if not asked or hasattr(value, "steps") or hasattr(value, "feature_names_in_"):
        return  # not fitted, or fitted to columns that need not be numbers
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_indices("n_features_in_", value.n_features_in_, WIDEST, least=1)
            value.predict_proba(np.zeros((1, value.n_features_in_)))
    except Exception as error:  # scikit-learn has no words for arrays that do not fit
        raise DataError(f"its {type(value).__name__} cannot answer ({error})") from error


def _with_places_of_today(data: bytes) -> bytes:
    """Return a file of skops in which our classes are where they are now."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(members["schema.json"])
    if not _move(schema):
        return data
    members["schema.json"] = json.dumps(schema).encode()
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def _move(node: Any) -> int:
    """Write the module and name of today beside each of our classes; count those that moved."""
    if isinstance(node, list):
        return sum(map(_move, node))
    if not isinstance(node, dict):
        return 0
    moved = sum(map(_move, node.values()))
    before = str(node.get("__module__")), str(node.get("__class__"))
    if not before[0].startswith("jointbayes."):
        return moved
    kind = find_class(".".join(before))
    node["__module__"], node["__class__"] = kind.__module__, kind.__name__
    return moved + (before != (kind.__module__, kind.__name__))


def _skops(purpose: str) -> ModuleType:
    return require("skops.io", extra="storage", purpose=purpose)


def _trusted(skops: ModuleType, data: bytes) -> list[str]:
    named: list[str] = skops.get_untrusted_types(data=data)
    for name in named:
        if name not in TRUSTED:
            find_class(name)
    return named
