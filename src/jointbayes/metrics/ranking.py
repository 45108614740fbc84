"""How well probabilities of relevance order labels: those of each row, or all of them at once.

Ranking loss, coverage, average precision and one-error compare the labels of one row with each
other, the areas under two curves the labels of all rows; all but one-error are scikit-learn's. The
targets are binary label matrices of two columns or more. A row with no relevant label, or none but
relevant ones, is ordered perfectly by any probabilities: ranking loss 0, average precision 1; its
coverage is the number of labels one has to go down to, 0 or d. The areas are 1 where all labels of
all rows are alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes.errors import DataError
from jointbayes.metrics.known import over_known
from jointbayes.metrics.targets import kind_of, read_beliefs

__all__ = [
    "average_precision",
    "coverage",
    "one_error",
    "pr_auc_micro",
    "ranking_loss",
    "roc_auc_micro",
]


@over_known("rows")
def ranking_loss(
    Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return the share of (relevant, irrelevant) pairs in the wrong order, averaged over rows.

    >>> ranking_loss([[1, 0, 0]], [[0.5, 0.7, 0.2]])
    0.5
    """
    from sklearn.metrics import label_ranking_loss

    return float(label_ranking_loss(**_for_scikit_learn(Y_true, proba, classes, sample_weight)))


@over_known("rows")
def coverage(Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None) -> float:
    """Return how many labels, best first, hold all relevant ones, averaged over rows; from 1 on.

    Part of the literature counts from 0: subtract 1.

    >>> coverage([[1, 0, 0]], [[0.5, 0.7, 0.2]])
    2.0
    """
    from sklearn.metrics import coverage_error

    return float(coverage_error(**_for_scikit_learn(Y_true, proba, classes, sample_weight)))


@over_known("rows")
def average_precision(
    Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return, averaged over relevant labels then rows, how pure the labels ranked down to it are.

    >>> average_precision([[1, 0, 0]], [[0.5, 0.7, 0.2]])
    0.5
    """
    from sklearn.metrics import label_ranking_average_precision_score

    arguments = _for_scikit_learn(Y_true, proba, classes, sample_weight)
    return float(label_ranking_average_precision_score(**arguments))


@over_known("rows")
def one_error(Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None) -> float:
    """Return the share of rows whose most probable label is not relevant; the first one of equals.

    >>> one_error([[1, 0, 0], [1, 0, 0]], [[0.5, 0.7, 0.2], [0.6, 0.1, 0.2]])
    0.5
    """
    known = _for_scikit_learn(Y_true, proba, classes, sample_weight)
    first = known["y_score"].argmax(axis=1)
    wrong = known["y_true"][np.arange(len(first)), first] == 0
    return float(np.average(wrong, weights=known["sample_weight"]))


@over_known("rows")
def roc_auc_micro(
    Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return how probably a relevant label of any row is ahead of an irrelevant one of any row.

    >>> roc_auc_micro([[1, 0], [0, 1]], [[0.9, 0.3], [0.6, 0.4]])
    0.75
    """
    from sklearn.metrics import roc_auc_score

    known = _for_scikit_learn(Y_true, proba, classes, sample_weight)
    if np.ptp(known["y_true"]) == 0:
        return 1.0
    return float(roc_auc_score(**_entries(known)))


@over_known("rows")
def pr_auc_micro(
    Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return the mean precision at the relevant labels of all rows, ranked together.

    >>> round(pr_auc_micro([[1, 0], [0, 1]], [[0.9, 0.3], [0.6, 0.4]]), 4)
    0.8333
    """
    from sklearn.metrics import average_precision_score

    known = _for_scikit_learn(Y_true, proba, classes, sample_weight)
    if np.ptp(known["y_true"]) == 0:
        return 1.0
    return float(average_precision_score(**_entries(known)))


def _entries(known: dict[str, Any]) -> dict[str, Any]:
    """Return the labels of all rows as one list, each with the weight of its row."""
    weight, labels = known["sample_weight"], known["y_true"].shape[1]
    return {
        "y_true": known["y_true"].ravel(),
        "y_score": known["y_score"].ravel(),
        "sample_weight": None if weight is None else np.repeat(weight, labels),
    }


def _for_scikit_learn(Y_true: Any, proba: Any, classes: Any, sample_weight: Any) -> dict[str, Any]:
    beliefs = read_beliefs(Y_true, proba, classes=classes, sample_weight=sample_weight)
    if kind_of(beliefs.space) != "multilabel" or len(beliefs.space) < 2:
        raise DataError(
            "labels are ranked in binary label matrices of two columns or more; these are "
            f"{kind_of(beliefs.space)} targets with {len(beliefs.space)}"
        )
    true, score = beliefs.items()
    return {"y_true": true, "y_score": score, "sample_weight": beliefs.weight}
