"""NaiBX on the data sets of Mossina & Rachelson (2017), next to what they print (Tables 6 to 8).

    python benchmarks/naibx.py [--sets Emotions …] [--folds 10] [--sizes bayes]
        [--rivals too] [-o results.json]

Ten folds or one split with 66 % for training, as in the paper. Of the ten-fold sets the scores of
*training rows* are given too: they are what the paper prints (see published/reimplementation.md).
Several classifiers of the size |Y| take the place of naive Bayes; NBX_TrueM is told the size.
Averages: H_s over all labels of all rows, Z_s, Acc, Pre and Rec over rows, as the NaiBX rows of the
paper; of two empty sets Acc, Pre and Rec are 0, as there. Pre and Rec are also given over all pairs
of row and label ("micro"), as the rows of its rivals are.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from environment import describe_machine
from jointbayes import ChainEnsemble, ClassifierChain, NaiBX, RAkEL, load_dataset

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
SHARED = HERE.parent.parent / "shared"


@dataclass(frozen=True)
class Source:
    """A data set of the paper: its file, the kind of its columns and the protocol."""

    name: str
    file: str
    features: str
    split: str = "folds"


SETS = (
    Source("Emotions", "emotions", "gaussian"),
    Source("Scene", "scene", "gaussian"),
    Source("Yeast", "yeast", "gaussian"),
    Source("CAL500", "CAL500", "gaussian"),
    Source("Enron", "enron", "bernoulli"),
    Source("Slashdot", "slashdot", "bernoulli"),
    Source("Bibtex", "bibtex", "bernoulli", "66%"),
    Source("Arts", "yahoo_arts", "multinomial", "66%"),
    Source("Business", "yahoo_business", "multinomial", "66%"),
    Source("Education", "yahoo_education", "multinomial", "66%"),
    Source("Reference", "yahoo_reference", "multinomial", "66%"),
    Source("Science", "yahoo_science", "multinomial", "66%"),
)


class FrankHall(ClassifierMixin, BaseEstimator):
    """Ordinal sizes: one logistic regression for each P(M > k); their differences are P(M = k)."""

    def __init__(self, estimator: Any = None):
        self.estimator = estimator

    def fit(self, X: Any, y: np.ndarray) -> FrankHall:
        """Fit one regression for each step between sizes."""
        from sklearn.base import clone

        self.classes_ = np.unique(y)
        self.above_ = [clone(self.estimator).fit(X, y > k) for k in self.classes_[:-1]]
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of every size that was seen."""
        above = [model.predict_proba(X)[:, 1] for model in self.above_]
        ends = np.stack([np.ones(X.shape[0]), *above, np.zeros(X.shape[0])])
        p = np.maximum(-np.diff(ends, axis=0), 1e-12).T  # the regressions may cross
        return p / p.sum(axis=1, keepdims=True)


def size_models(source: Source) -> dict[str, Any]:
    scale = StandardScaler() if source.features == "gaussian" else MaxAbsScaler()
    logistic = make_pipeline(scale, LogisticRegression(C=0.1, max_iter=300))
    found = {"logistic regression": logistic}
    if source.name != "CAL500":  # whose 174 sizes would need as many regressions
        found["ordinal logistic"] = FrankHall(logistic)
    if source.features != "multinomial":
        found["random forest"] = RandomForestClassifier(100, n_jobs=2, random_state=0)
    return found


def scores(Y: np.ndarray, P: np.ndarray) -> dict[str, float]:
    both, either = (Y & P).sum(axis=1), (Y | P).sum(axis=1)
    said, true = P.sum(axis=1), Y.sum(axis=1)
    return {
        "LCard_hat": said.mean(),
        "hamming_score": (Y == P).mean(),
        "zero_one_score": (Y == P).all(axis=1).mean(),
        "accuracy": (both / np.maximum(either, 1)).mean(),
        "precision": (both / np.maximum(said, 1)).mean(),
        "recall": (both / np.maximum(true, 1)).mean(),
        "precision_micro": both.sum() / max(said.sum(), 1),
        "recall_micro": both.sum() / max(true.sum(), 1),
    }


def answers(
    source: Source, X: Any, Y: np.ndarray, train: Any, test: Any, sizes: str, rivals: str
) -> Any:
    """Yield the name of a model, its answers to the test rows, and seconds to learn and answer."""
    model = NaiBX(features=source.features)
    started = time.perf_counter()
    model.fit(X[train], Y[train])
    fitted = time.perf_counter()
    P = model.predict(X[test])
    yield "NaiBX", P, fitted - started, time.perf_counter() - fitted
    yield "NBX_TrueM", model.predict(X[test], size=Y[test].sum(axis=1)), None, None
    if Y.shape[1] <= 60:
        yield "NaiBX, beam 8", model.set_params(beam=8).predict(X[test]), None, None
    for name, size in size_models(source).items() if sizes == "all" else ():
        started = time.perf_counter()
        model = NaiBX(features=source.features, size=size).fit(X[train], Y[train])
        fitted = time.perf_counter()
        P = model.predict(X[test])
        yield f"NaiBX, size by {name}", P, fitted - started, time.perf_counter() - fitted
    if rivals == "too":
        for name, rival in {
            "CC_NBC": ClassifierChain(GaussianNB(), inference="greedy"),
            "ECC_NBC": ChainEnsemble(GaussianNB(), voting="votes"),
            "RAkEL, logistic": RAkEL(),
            "ECC, logistic": ChainEnsemble(n_chains=5),
        }.items():
            started = time.perf_counter()
            rival.fit(X[train], Y[train])
            fitted = time.perf_counter()
            P = rival.predict(X[test])
            yield name, P, fitted - started, time.perf_counter() - fitted


def one_set(
    source: Source, folds: int, sizes: str, rivals: str, printed: dict[Any, Any]
) -> dict[str, Any]:
    data = load_dataset(SHARED / "data" / "multilabel" / f"{source.file}.arff.xz")
    Y = np.asarray(data.Y.toarray() if hasattr(data.Y, "toarray") else data.Y).astype(np.intp)
    X, n = data.X, len(Y)
    if source.split == "folds":
        parts = KFold(folds, shuffle=True, random_state=0).split(np.zeros(n))
    else:
        parts = ShuffleSplit(1, train_size=0.66, random_state=0).split(np.zeros(n))
    found: dict[str, list[dict[str, float]]] = {}
    asked = rivals if source.features == "gaussian" and Y.shape[1] <= 20 else "none"
    for train, test in parts:
        for name, P, fit_s, predict_s in answers(source, X, Y, train, test, sizes, asked):
            row = scores(Y[test], P)
            if fit_s is not None:
                row |= {"T_train_s": fit_s, "T_pred_s": predict_s}
            found.setdefault(name, []).append(row)
    means = {
        name: {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
        for name, rows in found.items()
    }
    result = {
        "name": source.name,
        "rows": n,
        "labels": Y.shape[1],
        "features": source.features,
        "protocol": f"{folds} folds" if source.split == "folds" else "66 % split",
        "measured": means,
        "printed": {name: printed.get((source.name, name), {}) for name in PRINTED},
    }
    if source.split == "folds":
        model = NaiBX(features=source.features).fit(X, Y)
        result["training rows"] = {
            "NaiBX": scores(Y, model.predict(X)),
            "NBX_TrueM": scores(Y, model.predict(X, size=Y.sum(axis=1))),
        }
    return result


PRINTED = ("NaiBX", "NBX_TrueM", "CC_SVM", "ECC_SVM", "CC_NBC", "ECC_NBC", "RAkEL")


def printed_scores() -> dict[tuple[str, str], dict[str, float]]:
    found: dict[tuple[str, str], dict[str, float]] = {}
    with (SHARED / "published" / "mossina2017.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["table"] in ("Table 6", "Table 7", "Table 8") and row["value"]:
                key = row["dataset"], row["algorithm"]
                found.setdefault(key, {})[row["metric"]] = float(row["value"])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=[s.name for s in SETS])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--sizes", choices=("bayes", "all"), default="all")
    parser.add_argument("--rivals", choices=("none", "too"), default="none")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "naibx.json")
    chosen = parser.parse_args()
    printed, found = printed_scores(), {}
    if chosen.output.exists():  # sets of earlier runs stay
        earlier = json.loads(chosen.output.read_text(encoding="utf-8"))["sets"]
        found = {one["name"]: one for one in earlier}
    for source in (s for s in SETS if s.name in chosen.sets):
        one = one_set(source, chosen.folds, chosen.sizes, chosen.rivals, printed)
        found[source.name] = one
        for name, row in one["measured"].items():
            theirs = one["printed"].get(name, {})
            cells = [
                f"{row[key]:.3f} ({theirs[key]:.3f})" if key in theirs else f"{row[key]:.3f}"
                for key in ("hamming_score", "zero_one_score", "accuracy", "precision", "recall")
            ]
            print(f"{source.name:10} {name:32}", *cells, flush=True)
        result = {
            "title": "NaiBX (Mossina 2017)",
            "machine": describe_machine(),
            "sets": list(found.values()),
        }
        chosen.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
