"""Whether each decision is best on its own metric, and whether joints can be bet on.

    python benchmarks/decisions.py [--sets scene …] [--models CTBN …] [--splits 1] [--limit 120]

A model learns 60 % of the rows of a set and answers for the others. Its posterior decides for each
of four losses, and every decision is scored by the loss of all four, row by row: a decision ought
to be the best of the four on its own loss. What it is behind by is told in standard errors of the
difference over rows. Beside that stand the joint log-loss, exact match and Hamming loss of all
models, with their defaults and with what they offer against joints that are too sure. A cell is run
in a process of its own on one thread and stored at once. `render_decisions.py` makes the page.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import jointbayes as jb
from cells import compare, split

HERE = Path(__file__).resolve().parent
STORE = HERE / "results" / "decisions.json"
LOSSES = ("subset", "hamming", "f1", "jaccard")
TRIED = ("BinaryRelevance", "JointForest", "CTBN")
"""What Auto tries here, on two folds: a small budget, and the same on every machine."""

DECIDERS: dict[str, Callable[[], Any]] = {
    "JointForest": lambda: jb.JointForest(n_jobs=1),
    "CTBN": lambda: jb.CTBN(n_jobs=1),
    "Auto": lambda: jb.Auto(cv=2, models=[getattr(jb, m)(n_jobs=1) for m in TRIED], n_jobs=1),
}
"""Models whose decisions are asked for all four losses."""

CORRECTED: dict[str, str] = {
    "MultilabelNB": "sharpness",
    "MultilabelFAN": "sharpness",
    "NetworkEnsemble": "sharpness",
    "NaiBX": "sharpness",
    "LabelPowerset": "unseen",
    "ILFCompo": "unseen",
}
"""Models that have a way to be less sure, and the parameter that asks for it."""

ASKED = {"sharpness": "cross_fitted", "unseen": "back_off"}

PLAIN = ("BinaryRelevance ClassifierChain ChainEnsemble StackedRelevance RAkEL MLkNN IBLR").split()


def named(model: str, **options: Any) -> Callable[[], Any]:
    return lambda: getattr(jb, model)(n_jobs=1, **options)


BETTORS: dict[str, Callable[[], Any]] = {
    **{model: named(model) for model in PLAIN},
    **{model: named(model) for model in CORRECTED},
    **{
        f"{model}, {ASKED[option]}": named(model, **{option: ASKED[option]})
        for model, option in CORRECTED.items()
    },
    "JointLayer": named("JointLayer"),
}
MODELS = {**DECIDERS, **BETTORS}


def row_losses(truth: Any, answer: Any) -> dict[str, Any]:
    """Return (n,) of each loss; the F1 and the Jaccard index of two empty sets are 1.

    >>> {k: v.tolist() for k, v in row_losses(np.array([[1, 1]]), np.array([[1, 0]])).items()}
    {'subset': [1.0], 'hamming': [0.5], 'f1': [0.333...], 'jaccard': [0.5]}
    """
    both, sizes = (truth & answer).sum(axis=1), truth.sum(axis=1) + answer.sum(axis=1)
    none = sizes == 0
    return {
        "subset": (truth != answer).any(axis=1).astype(float),
        "hamming": (truth != answer).mean(axis=1),
        "f1": 1 - np.where(none, 1.0, 2 * both / np.maximum(sizes, 1)),
        "jaccard": 1 - np.where(none, 1.0, both / np.maximum(sizes - both, 1)),
    }


def in_errors(difference: Any) -> float:
    """Return the mean of (n,) differences in standard errors of it; 0 where all are 0."""
    spread = difference.std(ddof=1) / np.sqrt(len(difference))
    return float(difference.mean() / spread) if spread > 0 else 0.0


def decided(post: Any, truth: Any) -> dict[str, Any]:
    """Return the mean loss of each decision, and in errors how much each rival is worse.

    ``right alone`` counts rows that only the likeliest vector answers rightly, and only the rival.
    """
    lost = {by: row_losses(truth, np.asarray(post.decide(by), dtype=int)) for by in LOSSES}
    means = {of: {by: float(lost[by][of].mean()) for by in LOSSES} for of in LOSSES}
    ahead = {
        of: {by: in_errors(lost[by][of] - lost[of][of]) for by in LOSSES if by != of}
        for of in LOSSES
    }
    exact = {of: post.exactness[of] for of in LOSSES}
    mode = lost["subset"]["subset"] == 0
    others = {by: lost[by]["subset"] == 0 for by in LOSSES if by != "subset"}
    alone = {by: [int((mode & ~o).sum()), int((o & ~mode).sum())] for by, o in others.items()}
    return {"losses": means, "ahead": ahead, "exactness": exact, "right alone": alone}


def measure(model: str, name: str, seed: int) -> dict[str, Any]:
    X, Y, X_test, truth = split(name, seed)
    began = time.process_time()
    post = MODELS[model]().fit(X, Y).posterior(X_test)
    fitted = time.process_time()
    found: dict[str, Any] = {"rows": len(truth), "labels": truth.shape[1]}
    found["log-loss"] = float(-post.log_prob(truth).mean())
    if model in DECIDERS:
        found |= decided(post, truth)
    else:
        answers = {by: np.asarray(post.decide(by), dtype=int) for by in ("subset", "hamming")}
        found["losses"] = {
            by: {by: float(row_losses(truth, answer)[by].mean())} for by, answer in answers.items()
        }
    return found | {"fit": fitted - began, "answer": time.process_time() - fitted}


def main() -> None:
    compare(measure, MODELS, STORE, limit=120.0)


if __name__ == "__main__":
    main()
