"""What everybody's answers are worth, fold by fold, as a `Comparison`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.estimator.reading import Labelled
from jointbayes.labels import LabelSpace
from jointbayes.metrics.registry import METRICS
from jointbayes.metrics.targets import kind_of
from jointbayes.models.trust.held_out import HeldOut
from jointbayes.trying.entrants import Entrant
from jointbayes.validation.comparison import Comparison
from jointbayes.validation.evaluate import DEFAULT_METRICS

__all__ = ["METRIC_OF", "compare_entrants", "row_losses"]

METRIC_OF: Mapping[str, str] = {
    "subset": "subset_accuracy",
    "hamming": "hamming_accuracy",
    "f1": "f1",
    "jaccard": "jaccard",
}
"""The metric that is 1 less a loss."""


def compare_entrants(
    entrants: Sequence[Entrant], rows: Labelled, held: HeldOut, dataset: str, loss: str
) -> Comparison:
    """Measure the answers of everybody on every fold; the metric of the loss is the first one."""
    first, usual = METRIC_OF[loss], DEFAULT_METRICS[kind_of(rows.space)]
    metrics = (first, *(name for name in usual if name != first))
    records = tuple(
        {
            "dataset": dataset,
            "model": entrant.name,
            "fold": i,
            "train_rows": len(rows) - len(fold),
            "test_rows": len(fold),
            "fit_seconds": entrant.seconds / len(held.folds),
            "predict_seconds": None,
            "peak_bytes": None,
            "error": None,
            **_measured(entrant, i, held, rows.space, metrics),
        }
        for entrant in entrants
        for i, fold in enumerate(held.folds)
    )
    return Comparison(tuple(e.name for e in entrants), (dataset,), metrics, records)


def row_losses(entrant: Entrant, held: HeldOut, loss: str) -> Floats:
    """Return (n,) what the answer to each row costs; the codes of binary labels are 0 and 1."""
    answer = np.empty_like(held.codes)
    for fold, codes in zip(held.folds, entrant.answers, strict=True):
        answer[fold] = codes
    wrong = answer != held.codes
    if loss == "subset":
        return np.asarray(wrong.any(axis=1), dtype=np.float64)
    if loss == "hamming":
        return np.asarray(wrong.mean(axis=1))
    both = (answer & held.codes).sum(axis=1)
    either, total = (answer | held.codes).sum(axis=1), answer.sum(axis=1) + held.codes.sum(axis=1)
    shared, whole = (2 * both, total) if loss == "f1" else (both, either)
    return np.asarray(1 - np.where(whole > 0, shared / np.maximum(whole, 1), 1.0))


def _measured(
    entrant: Entrant, fold: int, held: HeldOut, space: LabelSpace, metrics: Sequence[str]
) -> dict[str, float]:
    posterior = entrant.posteriors[fold]
    truth, labels = (
        space.decode(codes) for codes in (held.codes[held.folds[fold]], entrant.answers[fold])
    )
    classes: Any = list(space.classes)
    if space.single:
        truth, labels, classes = truth[:, 0], labels[:, 0], space.classes[0]
    answers: dict[str, Any] = {
        "labels": labels,
        "marginals": posterior.marginals(),
        "posterior": posterior,
    }
    if space.single:
        answers["marginals"] = answers["marginals"][0]
    return {
        name: METRICS[name](truth, answers[METRICS[name].needs], classes=classes)
        for name in metrics
    }
