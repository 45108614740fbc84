"""The standing comparison: our models and Auto beside what users have today, on the same splits.

    python benchmarks/field.py [--sets scene …] [--models Auto …] [--splits 1] [--limit 600]

A cell is one contestant (`field_models.py`) on one split of 60 to 40 of one data set, in a process
of its own on one thread; what is done is stored at once and not done again, and a cell that takes
more than the limit is stopped and told. Ours decide by their posterior, for each loss its own;
peers by their own rule. Seconds are processor seconds. `render_field.py` makes the page.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from cells import compare, split
from field_models import CONTESTANTS, absent
from jointbayes import metrics

HERE = Path(__file__).resolve().parent
STORE = HERE / "results" / "field.json"


def measure(model: str, name: str, seed: int) -> dict[str, Any]:
    contestant, (X, Y, X_test, truth) = CONTESTANTS[model], split(name, seed)
    began = time.process_time()
    answer = contestant.learn(X, Y)
    fitted = time.process_time()
    found = answer(X_test)
    post = found.posterior
    decided = {
        loss: post.decide(loss) if contestant.ours else found.labels
        for loss in ("subset", "hamming", "f1", "jaccard")
    }
    asked = time.process_time()
    scores = {
        "exact match": metrics.subset_accuracy(truth, decided["subset"]),
        "Hamming loss": metrics.hamming_loss(truth, decided["hamming"]),
        "example F1": metrics.f1(truth, decided["f1"]),
        "Jaccard": metrics.jaccard(truth, decided["jaccard"]),
        "micro F1": metrics.f1(truth, decided["f1"], average="micro"),
        "macro F1": metrics.f1(truth, decided["f1"], average="macro"),
    }
    if contestant.ours:
        free = post.decide("hamming", empty="allow")
        scores["Hamming loss, empty allowed"] = metrics.hamming_loss(truth, free)
    if post is not None:
        proba = np.stack([p[:, 1] for p in post.marginals()], axis=1)
        scores |= {
            "joint log-loss": float(-post.log_prob(truth).mean()),
            "calibration error": metrics.calibration_error(truth, proba),
            "ranking loss": metrics.ranking_loss(truth, proba),
            "average precision": metrics.average_precision(truth, proba),
        }
    times = {"fit": fitted - began, "answer": asked - fitted}
    return {key: round(float(value), 5) for key, value in (scores | times).items()}


def main() -> None:
    missing = absent()
    here = [model for model in CONTESTANTS if model not in missing]
    compare(measure, here, STORE, limit=600.0, absent=missing)


if __name__ == "__main__":
    main()
