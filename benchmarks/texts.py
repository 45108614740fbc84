"""Texts by their direction: what logistic regressions gain if long texts are no louder than short.

    python benchmarks/texts.py [--sets yahoo_arts …] [-o results.json]   # about five minutes

`BinaryRelevance` with words as they come and in rows of unit length, that length being one more
column (the default), and beside it what users of scikit-learn write: TF-IDF and one logistic
regression a label, with C = 1. Models learn 70 % of the rows and are asked about the others.
Seconds are processor seconds on one thread.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from environment import describe_machine
from jointbayes import BinaryRelevance, load_dataset
from jointbayes.metrics import METRICS
from jointbayes.models import BatchedLogistic
from jointbayes.models.conditional.edge_weights import hold_out

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
SETS = ("enron", "slashdot", "tmc2007-500", "bibtex", "yahoo_arts", "yahoo_business")
SETS += ("yahoo_education", "yahoo_reference", "yahoo_science")
NOTE = """Logistic regressions of single labels, which learned 70 % of the rows, on the others. Ours
choose a penalty for each label by cross-validation; scikit-learn's are those of most tutorials:
TF-IDF, one LogisticRegression a label, C = 1. Processor seconds."""
MODELS: dict[str, Any] = {
    "words as they come": BinaryRelevance(BatchedLogistic(words="keep")),
    "by direction": BinaryRelevance(),
    "scikit-learn": make_pipeline(
        TfidfTransformer(), OneVsRestClassifier(LogisticRegression(max_iter=1000))
    ),
}


def one_set(name: str) -> dict[str, Any]:
    data = load_dataset(name, data_dir=DATA if DATA.exists() else None)
    X, Y = data.X, np.asarray(data.Y, dtype=np.intp)
    train, test = hold_out(len(Y), 0.3, seed=0)
    measured = {}
    for model, estimator in MODELS.items():
        began = time.process_time()
        estimator.fit(X[train], Y[train])
        spent = time.process_time() - began
        p = np.clip(estimator.predict_proba(X[test]), 1e-12, 1 - 1e-12)
        log_p = np.where(Y[test] == 1, np.log(p), np.log1p(-p)).sum(axis=1)
        measured[model] = {
            "exact_match": METRICS["subset_accuracy"](Y[test], p > 0.5),
            "micro_f1": METRICS["f1_micro"](Y[test], p > 0.5),
            "loss_a_row": -float(log_p.mean()),
            "fit_s": spent,
        }
        print(name, model, {k: round(v, 3) for k, v in measured[model].items()}, flush=True)
    return {"set": name, "rows": len(Y), "words": X.shape[1], "models": measured}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "texts.json")
    chosen = parser.parse_args()
    machine = describe_machine()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Label .* is present in all")  # or in none
        texts = [one_set(name) for name in chosen.sets]
    title = "Texts by their direction"
    result = {"title": title, "note": NOTE, "machine": machine, "texts": texts}
    chosen.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
