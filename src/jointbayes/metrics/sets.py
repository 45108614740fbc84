"""Predicted against true sets of labels.

Precision, recall, F1 and Jaccard count items: relevant labels or, for one or several many-valued
class variables, their values.

    precision = |T ∩ P| / |P|,  recall = |T ∩ P| / |T|,
    F1 = 2 |T ∩ P| / (|T| + |P|),  Jaccard = |T ∩ P| / |T ∪ P|

over the items of one row, averaged over rows (``average="samples"``, the papers' example-based
figures); over all cells at once (``"micro"``); over the rows of one item, averaged over items
(``"macro"``). Where the denominator is empty, the quotient is what ``empty`` says: ``"one"``
(default; two empty sets agree) or ``"zero"``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.errors import DataError, ParameterError
from jointbayes.metrics.known import over_known
from jointbayes.metrics.targets import Answers, kind_of, read_answers

__all__ = [
    "Cardinality",
    "LabelScores",
    "cardinality",
    "cardinality_error",
    "f1",
    "jaccard",
    "label_scores",
    "precision",
    "predicted_cardinality",
    "recall",
]

Average = Literal["samples", "micro", "macro"]
Empty = Literal["one", "zero"]
ZERO_DIVISION = {"one": 1.0, "zero": 0.0}


@dataclass(frozen=True, eq=False)
class LabelScores:
    """Precision, recall, F1 and Jaccard of every item, and how many rows carry it.

    Parameters
    ----------
    names
        Labels; values as ``name=value`` where a class variable has many.
    precision, recall, f1, jaccard, support
        One number for each.

    >>> label_scores([[1, 0], [1, 1]], [[1, 1], [0, 1]]).recall.tolist()
    [0.5, 1.0]
    """

    names: tuple[str, ...]
    precision: Floats
    recall: Floats
    f1: Floats
    jaccard: Floats
    support: Floats


@dataclass(frozen=True)
class Cardinality:
    """Mean number of relevant labels per row, in truth and as predicted.

    >>> cardinality([[1, 1, 0]], [[0, 0, 0]])
    Cardinality(true=2.0, predicted=0.0)
    """

    true: float
    predicted: float


@over_known("rows")
def precision(
    Y_true: Any,
    Y_pred: Any,
    *,
    average: Average = "samples",
    empty: Empty = "one",
    classes: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the share of what was predicted that is true.

    >>> precision([[1, 1], [0, 1]], [[1, 0], [1, 1]]), precision([[1, 1]], [[0, 0]], empty="zero")
    (0.75, 0.0)
    """
    answers = read_answers(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)
    return _fscore(answers, average, empty)[0]


@over_known("rows")
def recall(
    Y_true: Any,
    Y_pred: Any,
    *,
    average: Average = "samples",
    empty: Empty = "one",
    classes: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the share of what is true that was predicted.

    >>> recall([[1, 1], [0, 1]], [[1, 0], [1, 1]])
    0.75
    """
    answers = read_answers(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)
    return _fscore(answers, average, empty)[1]


@over_known("rows")
def f1(
    Y_true: Any,
    Y_pred: Any,
    *,
    average: Average = "samples",
    empty: Empty = "one",
    classes: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the harmonic mean of precision and recall.

    >>> f1([[0, 0]], [[0, 0]]), f1([[0, 0]], [[0, 0]], empty="zero")
    (1.0, 0.0)
    >>> round(f1(["a", "b", "b"], ["a", "a", "b"], average="macro"), 4)
    0.6667
    """
    answers = read_answers(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)
    return _fscore(answers, average, empty)[2]


@over_known("rows")
def jaccard(
    Y_true: Any,
    Y_pred: Any,
    *,
    average: Average = "samples",
    empty: Empty = "one",
    classes: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return intersection over union, the "accuracy" of much of the multi-label literature.

    >>> jaccard([[1, 1, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]])
    0.75
    """
    from sklearn.metrics import jaccard_score

    answers = read_answers(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)
    return float(jaccard_score(**_for_scikit_learn(answers, average, empty)))


def label_scores(
    Y_true: Any,
    Y_pred: Any,
    *,
    empty: Empty = "one",
    classes: Any = None,
    sample_weight: Any = None,
) -> LabelScores:
    """Return the scores of every label, or of every value of a many-valued class variable.

    >>> scores = label_scores(["a", "b", "b"], ["a", "a", "b"])
    >>> scores.names, scores.precision.tolist(), scores.support.tolist()
    (('class=a', 'class=b'), [0.5, 1.0], [1.0, 2.0])
    """
    from sklearn.metrics import jaccard_score, precision_recall_fscore_support

    answers = read_answers(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)
    arguments = _for_scikit_learn(answers, "none", empty)
    scores = precision_recall_fscore_support(**arguments)
    p, r, f, support = (np.asarray(column, dtype=np.float64) for column in scores)
    return LabelScores(answers.item_names(), p, r, f, jaccard_score(**arguments), support)


def _fscore(answers: Answers, average: Average, empty: Empty) -> tuple[float, float, float]:
    from sklearn.metrics import precision_recall_fscore_support

    p, r, f, _ = precision_recall_fscore_support(**_for_scikit_learn(answers, average, empty))
    return float(p), float(r), float(f)


def _for_scikit_learn(answers: Answers, average: str, empty: Empty) -> dict[str, Any]:
    """Return the arguments that scikit-learn's set scores share."""
    if empty not in ZERO_DIVISION:
        raise ParameterError(f"empty must be 'one' or 'zero'; found {empty!r}")
    if average not in ("samples", "micro", "macro", "none"):
        raise ParameterError(f"average must be 'samples', 'micro' or 'macro'; found {average!r}")
    if average == "samples" and kind_of(answers.space) != "multilabel":
        raise DataError(
            "average='samples' compares sets of labels, but these are values of "
            f"{kind_of(answers.space)} targets; use average='micro' or 'macro', or say what is "
            "positive: jointbayes.labels.binarize(Y, positive={name: value})"
        )
    true, predicted = answers.items()
    counted = np.arange(true.shape[1])
    if len(counted) == 1:  # scikit-learn takes one column for a class; a second one is not counted
        true, predicted = (np.pad(column, ((0, 0), (0, 1))) for column in (true, predicted))
    return {
        "y_true": true,
        "y_pred": predicted,
        "labels": counted,
        "average": None if average == "none" else average,
        "zero_division": ZERO_DIVISION[empty],
        "sample_weight": answers.weight,
    }


def cardinality(
    Y_true: Any, Y_pred: Any, *, classes: Any = None, sample_weight: Any = None
) -> Cardinality:
    """Return how many labels rows carry on average, in truth and as predicted.

    >>> cardinality([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    Cardinality(true=1.5, predicted=1.0)
    """
    answers = read_answers(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)
    if kind_of(answers.space) != "multilabel":
        raise DataError("only rows of a binary label matrix have a number of relevant labels")
    sizes = (answers.true.sum(axis=1), answers.predicted.sum(axis=1))
    return Cardinality(*(float(np.average(size, weights=answers.weight)) for size in sizes))


@over_known("rows")
def cardinality_error(
    Y_true: Any, Y_pred: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return how far the predicted `cardinality` is from the true one.

    >>> cardinality_error([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.5
    """
    found = cardinality(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)
    return abs(found.predicted - found.true)


@over_known("rows")
def predicted_cardinality(
    Y_true: Any, Y_pred: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return how many labels are predicted on average, which is good or bad only beside the truth.

    >>> predicted_cardinality([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    1.0
    """
    return cardinality(Y_true, Y_pred, classes=classes, sample_weight=sample_weight).predicted
