"""JointForest beside the forests that users have, on splits of 60 to 40.

    python benchmarks/joint_forest.py [--sets scene …] [--splits 3] [-o results.json]

scikit-learn's forests answer for each label alone (their joint is the product of marginals, with no
probability beyond 1/400 and 399/400); a label powerset of extra trees has label vectors as
classes, its joint mixed with 5 % of independent labels; CatBoost's MultiLogloss is asked if it is
installed. JointForest and the powerset decide by their posterior, for each loss its own; the others
by 1/2. Seconds are processor seconds of `fit` on one thread.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from threadpoolctl import threadpool_limits

from environment import describe_machine
from jointbayes import JointForest, load_dataset
from jointbayes.labels import learn_labels
from jointbayes.posterior import Independent, Listed, Posterior, mix
from jointbayes.validation import train_test_split

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
SETS = ("scene", "yeast", "emotions", "image135", "flags", "foodtruck", "wq")
LEAST = 1 / 400


def read(name: str) -> tuple[Any, Any]:
    """Return rows and labels; water quality has its species present or not."""
    data = load_dataset(name, data_dir=DATA if DATA.exists() else None)
    if name != "wq":
        return data.X.to_pandas(), np.asarray(data.Y, dtype=np.intp)
    whole = data.X.to_pandas().assign(last=np.asarray(data.Y, dtype=float).ravel())
    return whole.iloc[:, :-14], (whole.iloc[:, -14:].to_numpy() > 0).astype(np.intp)


def numbers(X: Any) -> Any:
    import pandas as pd

    return pd.get_dummies(X).to_numpy(dtype=np.float64)


def joint_forest(X: Any, Y: Any, train: Any) -> tuple[Posterior, float]:
    began = time.process_time()
    model = JointForest(n_jobs=1).fit(X[train], Y[train])
    return model.posterior(X[~train]), time.process_time() - began


def marginal_forest(kind: Any) -> Callable[..., tuple[Posterior, float]]:
    def ask(X: Any, Y: Any, train: Any) -> tuple[Posterior, float]:
        matrix, began = numbers(X), time.process_time()
        model = kind(200, random_state=0, n_jobs=1).fit(matrix[train], Y[train])
        spent = time.process_time() - began
        p = np.stack([1 - q[:, 0] for q in model.predict_proba(matrix[~train])], axis=1)
        return independent(p, Y), spent

    return ask


def powerset(X: Any, Y: Any, train: Any) -> tuple[Posterior, float]:
    matrix, began = numbers(X), time.process_time()
    vectors, place = np.unique(Y[train], axis=0, return_inverse=True)
    model = ExtraTreesClassifier(200, random_state=0, n_jobs=1).fit(matrix[train], place.ravel())
    spent = time.process_time() - began
    p = model.predict_proba(matrix[~train])
    with np.errstate(divide="ignore"):
        listed = Listed(vectors, np.log(p), learn_labels(Y))
    return mix([listed, independent(p @ vectors, Y)], [0.95, 0.05]), spent


def catboost(X: Any, Y: Any, train: Any) -> tuple[Posterior, float]:
    from catboost import CatBoostClassifier

    matrix, began = numbers(X), time.process_time()
    model = CatBoostClassifier(
        loss_function="MultiLogloss", thread_count=1, verbose=0, allow_writing_files=False
    )
    model.fit(matrix[train], Y[train])
    spent = time.process_time() - began
    return independent(model.predict_proba(matrix[~train]), Y), spent


def independent(p: Any, Y: Any) -> Posterior:
    p = np.clip(p, LEAST, 1 - LEAST)
    return Independent([np.log(np.stack([1 - q, q], axis=1)) for q in p.T], learn_labels(Y))


MODELS: dict[str, Callable[..., tuple[Posterior, float]]] = {
    "JointForest": joint_forest,
    "extra trees": marginal_forest(ExtraTreesClassifier),
    "random forest": marginal_forest(RandomForestClassifier),
    "powerset of extra trees": powerset,
}
JOINT = ("JointForest", "powerset of extra trees")


def one_split(name: str, seed: int) -> dict[str, dict[str, float]]:
    X, Y = read(name)
    rows = np.arange(len(Y))[:, None]
    chosen = train_test_split(rows, Y, test_size=0.4, random_state=seed)[0]
    train = np.isin(rows.ravel(), chosen)
    empty = "allow" if (Y[train].sum(axis=1) == 0).any() else "forbid"
    measured = {}
    for model, ask in MODELS.items():
        post, seconds = ask(X, Y, train)
        own = (lambda loss, p=post: p.decide(loss, empty)) if model in JOINT else None
        alone = post.decide("hamming")
        exact, ham, f1 = (own(x) if own else alone for x in ("subset", "hamming", "f1"))
        truth = Y[~train]
        common, sizes = (f1 & truth).sum(axis=1), f1.sum(axis=1) + truth.sum(axis=1)
        measured[model] = {
            "exact match": float((exact == truth).all(axis=1).mean()),
            "hamming loss": float((ham != truth).mean()),
            "example f1": float(np.where(sizes == 0, 1, 2 * common / np.maximum(sizes, 1)).mean()),
            "joint log-loss": float(-post.log_prob(truth).mean()),
            "seconds": seconds,
        }
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("-o", type=Path, default=HERE / "results" / "joint_forest.json")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%")
    if find_spec("catboost"):
        MODELS["CatBoost"] = catboost
    results: dict[str, Any] = {"machine": describe_machine(), "splits": options.splits, "sets": {}}
    for name in options.sets:
        with threadpool_limits(1):
            found = [one_split(name, seed) for seed in range(options.splits)]
        means = {
            model: {m: round(float(np.mean([f[model][m] for f in found])), 4) for m in metrics}
            for model, metrics in found[0].items()
        }
        results["sets"][name] = means
        for model, metrics in means.items():
            print(f"{name:10} {model:24}", *(f"{v:8.3f}" for v in metrics.values()), flush=True)
        options.o.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
