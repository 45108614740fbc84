"""What reconsidering doubtful rows does, set by set (Sun 2017, Figures 4, 6 to 13).

    python benchmarks/label_driven.py [--largest 20000] [-o results.json]

Ten-fold cross-validation on the paper's data sets, cuts learned inside each fold. For each set: the
losses of TAN and of every stage and support of LTAN, the losses against delta (Figure 4), the share
of rows reconsidered, corrected and lost (Figures 6 and 8), surviving labels (Figure 10), agreement
of the stages (Figure 12) and the processor time to learn and to answer (Figure 13).
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wilcoxon
from sklearn.model_selection import KFold

from environment import describe_machine
from jointbayes import _kernels
from jointbayes.models.label_driven.diagnosis import diagnose
from jointbayes.models.label_driven.experts import SUPPORTS, learn_experts
from jointbayes.models.label_driven.ltan import LTAN
from jointbayes.models.label_driven.reconsidering import DELTAS
from one_class import RESULTS, SETS, load


def one_fold(X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> dict[str, Any]:
    """Return errors and times of one fold; every variant shares one fit and one encoding."""
    start = time.process_time()
    model = LTAN(n_jobs=1).fit(X[train], y[train])
    fitted = time.process_time()
    model.predict(X[test])
    answered = time.process_time()
    learned, codes = model.learned_, model._encode(X[test])
    right = model.space_.encode(y[test])[:, 0]

    def errors(part: Any) -> int:
        return int((part.log_scores(codes).argmax(axis=1) != right).sum())

    variants = {
        "TAN": learned.generalist,
        "TAN-IE": replace(learned, combine="refined"),
        "IBMC-CL": replace(learned, combine="experts"),
    }
    for support in SUPPORTS:
        experts = learn_experts(model.knowledge_, support=support)
        variants[f"LTAN {support}"] = replace(learned, experts=experts)
    variants |= {f"delta {d}": replace(learned, delta=d) for d in DELTAS}
    return {
        "errors": {name: errors(part) for name, part in variants.items()},
        "diagnosis": asdict(diagnose(learned, codes, right)),
        "fit_s": fitted - start,
        "predict_s": answered - fitted,
    }


def one_set(source: Any, largest: int) -> dict[str, Any] | None:
    X, y = load(source)
    if len(y) > largest:
        return None
    folds = KFold(10, shuffle=True, random_state=0).split(np.zeros(len(y)))
    parts = [one_fold(X, y, train, test) for train, test in folds]
    again = [p["diagnosis"]["n_reconsidered"] for p in parts]
    result = {
        "name": source.name,
        "rows": len(y),
        "loss": {k: sum(p["errors"][k] for p in parts) / len(y) for k in parts[0]["errors"]},
        "llp": sum(again) / len(y),
        **{
            key: float(np.average([p["diagnosis"][key] for p in parts], weights=again))
            for key in ("cp", "lp", "mean_labels", "kappa")
            if sum(again)
        },
        **{key: float(np.mean([p[key] for p in parts])) for key in ("fit_s", "predict_s")},
    }
    shown = ("TAN", "TAN-IE", "IBMC-CL", *(f"LTAN {s}" for s in SUPPORTS))
    losses = "  ".join(f"{name} {result['loss'][name]:.4f}" for name in shown)
    print(f"{source.name:18s} {len(y):7d}  {losses}  LLP {result['llp']:.3f}", flush=True)
    return result


def summary(sets: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean loss of every variant, and each support against the paper's."""
    loss = {k: np.array([s["loss"][k] for s in sets]) for k in sets[0]["loss"]}
    paper = loss["LTAN any"]
    against = {}
    for name in ("TAN", *(f"LTAN {s}" for s in SUPPORTS if s != "any")):
        less = loss[name] - paper
        against[name] = {
            "better": int((less < 0).sum()),
            "worse": int((less > 0).sum()),
            "wilcoxon_p": float(wilcoxon(less).pvalue) if less.any() else 1.0,
        }
    return {"mean_loss": {k: float(v.mean()) for k, v in loss.items()}, "against_any": against}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=20_000, help="rows of the largest set")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "label_driven.json")
    options = parser.parse_args()
    sets = [found for s in SETS if (found := one_set(s, options.largest))]
    result = {
        "title": "Label-driven learning",
        "machine": describe_machine() | {"compiled": _kernels.COMPILED},
        "summary": summary(sets),
        "sets": sets,
    }
    print(json.dumps(result["summary"], indent=2))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
