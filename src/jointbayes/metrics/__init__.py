"""Metrics of predicted labels, probabilities and posteriors, for every kind of target.

`METRICS` says of each which way is better and what it needs; `scorers` hands them to scikit-learn.
"""

from jointbayes.metrics.agreement import (
    cohen_kappa,
    cohen_kappas,
    hamming_accuracy,
    hamming_loss,
    subset_accuracy,
    zero_one_loss,
)
from jointbayes.metrics.calibration import (
    Reliability,
    calibration_error,
    joint_calibration_error,
    joint_reliability,
    label_reliability,
    reliability,
)
from jointbayes.metrics.partitions import rand_index
from jointbayes.metrics.probabilities import (
    brier_score,
    brier_scores,
    cll_loss,
    joint_brier_score,
    joint_log_loss,
    log_loss,
    log_losses,
)
from jointbayes.metrics.ranking import (
    average_precision,
    coverage,
    one_error,
    pr_auc_micro,
    ranking_loss,
    roc_auc_micro,
)
from jointbayes.metrics.registry import METRICS, Metric, MetricScorer, metric, scorer, scorers
from jointbayes.metrics.sets import (
    Cardinality,
    LabelScores,
    cardinality,
    cardinality_error,
    f1,
    jaccard,
    label_scores,
    precision,
    predicted_cardinality,
    recall,
)
from jointbayes.metrics.targets import Kind, kind_of

__all__ = [
    "METRICS",
    "Cardinality",
    "Kind",
    "LabelScores",
    "Metric",
    "MetricScorer",
    "Reliability",
    "average_precision",
    "brier_score",
    "brier_scores",
    "calibration_error",
    "cardinality",
    "cardinality_error",
    "cll_loss",
    "cohen_kappa",
    "cohen_kappas",
    "coverage",
    "f1",
    "hamming_accuracy",
    "hamming_loss",
    "jaccard",
    "joint_brier_score",
    "joint_calibration_error",
    "joint_log_loss",
    "joint_reliability",
    "kind_of",
    "label_reliability",
    "label_scores",
    "log_loss",
    "log_losses",
    "metric",
    "one_error",
    "pr_auc_micro",
    "precision",
    "predicted_cardinality",
    "rand_index",
    "ranking_loss",
    "recall",
    "reliability",
    "roc_auc_micro",
    "scorer",
    "scorers",
    "subset_accuracy",
    "zero_one_loss",
]
