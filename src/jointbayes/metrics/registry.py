"""One table of the metrics: what each is called, which way is better, what it needs.

Whoever evaluates, compares or reports reads this table and treats all metrics alike;
`MetricScorer` lets scikit-learn do so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from jointbayes.errors import DataError, ParameterError
from jointbayes.metrics import agreement, calibration, probabilities, ranking, sets
from jointbayes.metrics.targets import Kind

__all__ = ["METRICS", "Metric", "MetricScorer", "metric", "scorer", "scorers"]

Better = Literal["higher", "lower", "neither"]
Needs = Literal["labels", "marginals", "posterior"]

EVERY_KIND: tuple[Kind, ...] = ("multiclass", "multilabel", "multidimensional")
SETS: tuple[Kind, ...] = ("multilabel",)
# The method of a model that makes what a metric needs.
METHODS: Mapping[Needs, str] = MappingProxyType(
    {"labels": "predict", "marginals": "predict_proba", "posterior": "posterior"}
)


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric and what one has to know to use it.

    Parameters
    ----------
    name
        Its key in `METRICS`.
    function
        Takes true labels and what the metric needs.
    better
        Whether higher or lower values are better; ``"neither"`` where they only describe.
    needs
        ``"labels"``, ``"marginals"`` (the shapes of ``predict_proba``) or ``"posterior"``.
    targets
        Kinds of targets it is defined for.
    options
        Arguments of ``function`` that make it this metric.

    Examples
    --------
    >>> micro = METRICS["f1_micro"]
    >>> micro.better, micro.needs, micro([[1, 0], [1, 1]], [[1, 0], [1, 0]])
    ('higher', 'labels', 0.8)
    """

    name: str
    function: Callable[..., float]
    better: Better
    needs: Needs
    targets: tuple[Kind, ...] = EVERY_KIND
    options: Mapping[str, str] = field(default_factory=dict)

    def __call__(
        self, Y_true: Any, answer: Any, *, classes: Any = None, sample_weight: Any = None
    ) -> float:
        """Return the metric of an answer to true labels."""
        arguments = dict(self.options, sample_weight=sample_weight)
        if self.needs != "posterior":  # which brings its own classes
            arguments["classes"] = classes
        return self.function(Y_true, answer, **arguments)


def _averages(function: Callable[..., float]) -> list[Metric]:
    """Return the example-based metric under the function's name, and its other forms.

    These are the one in which an empty set scores zero, the micro and the macro average.
    """
    name = function.__name__
    by_row = {"average": "samples"}
    return [
        Metric(name, function, "higher", "labels", SETS, by_row),
        Metric(f"{name}_zero", function, "higher", "labels", SETS, by_row | {"empty": "zero"}),
        Metric(f"{name}_micro", function, "higher", "labels", EVERY_KIND, {"average": "micro"}),
        Metric(f"{name}_macro", function, "higher", "labels", EVERY_KIND, {"average": "macro"}),
    ]


_MACRO_ZERO = {"average": "macro", "empty": "zero"}
"""A label that is never predicted has precision 0, as in scikit-learn."""

_TABLE = [
    Metric("subset_accuracy", agreement.subset_accuracy, "higher", "labels"),
    Metric("zero_one_loss", agreement.zero_one_loss, "lower", "labels"),
    Metric("hamming_accuracy", agreement.hamming_accuracy, "higher", "labels"),
    Metric("hamming_loss", agreement.hamming_loss, "lower", "labels"),
    *_averages(sets.precision),
    Metric("precision_macro_zero", sets.precision, "higher", "labels", EVERY_KIND, _MACRO_ZERO),
    *_averages(sets.recall),
    *_averages(sets.f1),
    *_averages(sets.jaccard),
    Metric("cohen_kappa", agreement.cohen_kappa, "higher", "labels"),
    Metric("cardinality_error", sets.cardinality_error, "lower", "labels", SETS),
    Metric("predicted_cardinality", sets.predicted_cardinality, "neither", "labels", SETS),
    Metric("log_loss", probabilities.log_loss, "lower", "marginals"),
    Metric("brier_score", probabilities.brier_score, "lower", "marginals"),
    Metric("calibration_error", calibration.calibration_error, "lower", "marginals"),
    Metric("ranking_loss", ranking.ranking_loss, "lower", "marginals", SETS),
    Metric("coverage", ranking.coverage, "lower", "marginals", SETS),
    Metric("average_precision", ranking.average_precision, "higher", "marginals", SETS),
    Metric("one_error", ranking.one_error, "lower", "marginals", SETS),
    Metric("roc_auc_micro", ranking.roc_auc_micro, "higher", "marginals", SETS),
    Metric("pr_auc_micro", ranking.pr_auc_micro, "higher", "marginals", SETS),
    Metric("cll_loss", probabilities.cll_loss, "lower", "posterior"),
    Metric("joint_log_loss", probabilities.joint_log_loss, "lower", "posterior"),
    Metric("joint_brier_score", probabilities.joint_brier_score, "lower", "posterior"),
    Metric("joint_calibration_error", calibration.joint_calibration_error, "lower", "posterior"),
]

METRICS: Mapping[str, Metric] = MappingProxyType({entry.name: entry for entry in _TABLE})


def metric(name: str) -> Metric:
    """Return the metric of that name, or say which names are near.

    >>> metric("hamming_loss").better
    'lower'
    >>> metric("haming_loss")
    Traceback (most recent call last):
    ...
    jointbayes.errors.ParameterError: no metric is called 'haming_loss'; near: hamming_loss, ...
    """
    if name not in METRICS:
        near = get_close_matches(str(name), METRICS, n=3, cutoff=0.5) or list(METRICS)
        raise ParameterError(f"no metric is called {name!r}; near: {', '.join(near)}")
    return METRICS[name]


@dataclass(frozen=True, eq=False)
class MetricScorer:
    """A metric as scikit-learn takes it: of a model and data, higher is better, losses negated.

    Parameters
    ----------
    metric
        What to measure.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0], [0], [0]], ["a", "a", "b"])
    >>> scorer("zero_one_loss")(model, [[0], [0]], ["a", "b"])
    -0.5
    """

    metric: Metric

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of a fitted model."""
        method = METHODS[self.metric.needs]
        if not hasattr(estimator, method):
            raise DataError(
                f"{type(estimator).__name__} has no {method}(), which the metric "
                f"{self.metric.name!r} needs; choose a metric that needs only labels"
            )
        answer = getattr(estimator, method)(X)
        classes = getattr(estimator, "classes_", None)
        if len(getattr(y, "shape", np.shape(y))) > 1 and not isinstance(classes, list):
            classes = None  # scikit-learn's array of label positions, not of label values
        value = self.metric(y, answer, classes=classes, sample_weight=sample_weight)
        return -value if self.metric.better == "lower" else value


def scorer(name: str) -> MetricScorer:
    """Return the metric of that name as a scorer for ``scoring=``.

    >>> scorer("f1_macro").metric.needs
    'labels'
    """
    return MetricScorer(metric(name))


def scorers(*names: str) -> dict[str, MetricScorer]:
    """Return several scorers for ``cross_validate(..., scoring=)``.

    >>> list(scorers("subset_accuracy", "joint_log_loss"))
    ['subset_accuracy', 'joint_log_loss']
    """
    return {name: scorer(name) for name in names}
