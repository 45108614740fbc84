"""How well probabilities of relevance order the labels of each row; scikit-learn's three measures.

All three compare the labels of one row with each other, so the targets are binary label matrices of
two columns or more. A row with no relevant label, or none but relevant ones, is ordered perfectly
by any probabilities: ranking loss 0, average precision 1; its coverage is the number of labels one
has to go down to, 0 or d.
"""

from __future__ import annotations

from typing import Any

from jointbayes.errors import DataError
from jointbayes.metrics.targets import kind_of, read_beliefs

__all__ = ["average_precision", "coverage", "ranking_loss"]


def ranking_loss(
    Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return the share of (relevant, irrelevant) pairs in the wrong order, averaged over rows.

    >>> ranking_loss([[1, 0, 0]], [[0.5, 0.7, 0.2]])
    0.5
    """
    from sklearn.metrics import label_ranking_loss

    return float(label_ranking_loss(**_for_scikit_learn(Y_true, proba, classes, sample_weight)))


def coverage(Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None) -> float:
    """Return how many labels, best first, hold all relevant ones, averaged over rows; from 1 on.

    Part of the literature counts from 0: subtract 1.

    >>> coverage([[1, 0, 0]], [[0.5, 0.7, 0.2]])
    2.0
    """
    from sklearn.metrics import coverage_error

    return float(coverage_error(**_for_scikit_learn(Y_true, proba, classes, sample_weight)))


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


def _for_scikit_learn(Y_true: Any, proba: Any, classes: Any, sample_weight: Any) -> dict[str, Any]:
    beliefs = read_beliefs(Y_true, proba, classes=classes, sample_weight=sample_weight)
    if kind_of(beliefs.space) != "multilabel" or len(beliefs.space) < 2:
        raise DataError(
            "labels are ranked in binary label matrices of two columns or more; these are "
            f"{kind_of(beliefs.space)} targets with {len(beliefs.space)}"
        )
    true, score = beliefs.items()
    return {"y_true": true, "y_score": score, "sample_weight": beliefs.weight}
