"""Predicted against true labels of any kind: whole vectors, single labels, agreement beyond chance.

scikit-learn measures the first two for one class variable and for binary matrices; here one formula
serves many-valued ones too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.metrics.known import over_known
from jointbayes.metrics.targets import read_answers

__all__ = [
    "cohen_kappa",
    "cohen_kappas",
    "hamming_accuracy",
    "hamming_loss",
    "subset_accuracy",
    "zero_one_loss",
]


@over_known("rows")
def subset_accuracy(
    Y_true: Any, Y_pred: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return the share of rows whose whole label vector is right (global accuracy, exact match).

    >>> subset_accuracy([[0, 1], [1, 1]], [[0, 1], [1, 0]])
    0.5
    """
    answers = read_answers(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)
    right = (answers.true == answers.predicted).all(axis=1)
    return float(np.average(right, weights=answers.weight))


def zero_one_loss(
    Y_true: Any, Y_pred: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return the share of rows with anything wrong: 1 − `subset_accuracy`.

    >>> zero_one_loss(["a", "b"], ["a", "c"])
    0.5
    """
    return 1 - subset_accuracy(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)


@over_known("entries")
def hamming_accuracy(
    Y_true: Any, Y_pred: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return the share of single labels that are right.

    >>> hamming_accuracy([[0, 1], [1, 1]], [[0, 1], [1, 0]])
    0.75
    """
    answers = read_answers(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)
    right = (answers.true == answers.predicted).mean(axis=1)
    return float(np.average(right, weights=answers.weight))


def hamming_loss(
    Y_true: Any, Y_pred: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return the share of single labels that are wrong: 1 − `hamming_accuracy`.

    >>> hamming_loss([["x", "a"], ["y", "b"]], [["x", "c"], ["y", "b"]])
    0.25
    """
    return 1 - hamming_accuracy(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)


def cohen_kappas(
    Y_true: Any, Y_pred: Any, *, classes: Any = None, sample_weight: Any = None
) -> Floats:
    """Return (d,) agreement beyond chance of every class variable; full agreement is 1.

    >>> cohen_kappas([[0, 1], [1, 1]], [[0, 1], [0, 1]]).tolist()
    [0.0, 1.0]
    """
    from sklearn.metrics import cohen_kappa_score

    answers = read_answers(Y_true, Y_pred, classes=classes, sample_weight=sample_weight)
    columns = zip(answers.true.T, answers.predicted.T, strict=True)
    return np.array(
        [
            # Both constant and equal: chance agrees fully too, 0/0; agreement is what is seen.
            1.0 if (t == p).all() else cohen_kappa_score(t, p, sample_weight=answers.weight)
            for t, p in columns
        ]
    )


@over_known("rows")
def cohen_kappa(
    Y_true: Any, Y_pred: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return Cohen's κ = (agreement − chance) / (1 − chance), averaged over class variables.

    >>> cohen_kappa(["a", "b", "a", "b"], ["a", "b", "b", "a"])
    0.0
    """
    return float(cohen_kappas(Y_true, Y_pred, classes=classes, sample_weight=sample_weight).mean())
