"""What is known about labels: coverage of sets, calibration of the joint, audits, questions.

    python benchmarks/known_labels.py [coverage calibration sharpness audit …] [--sets …]
    python benchmarks/known_labels.py --render   # results to docs/evidence/known_labels.md

- coverage: `Conformal` learns half of the rows, 200 at most, calibrates on a quarter, 100 at most,
  and is asked about others, all dealt out anew for every split; beside it each label by itself at
  alpha / d (Bonferroni), on the same rows.
- calibration: joint log-loss on a third of the rows, before and after `Calibrated`.
- sharpness: the same loss of NaiBX as in its paper, and with features that count less.
- audit: one entry in ten flipped at random; average precision of what `jb.audit` suspects, and of
  cleanlab's scores of entries, on the same out-of-fold probabilities.
- rules: `posterior.subject_to` a hierarchy (each label below the more frequent one that most often
  comes with it, where that is more often than not) and a limit on the number of labels, which 95 %
  of rows keep; of rows that were not learned, by independent labels and by trees of labels.
- questions: labels asked for until the best vector has a probability of 0.95, by what an answer is
  worth, by the least certain marginal, and at random.

Results are written set by set, and those that are there of other parts and sets are kept.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

import jointbayes as jb
from environment import describe_machine
from jointbayes.models import BatchedLogistic
from jointbayes.models.conditional.edge_weights import hold_out
from jointbayes.models.wrappers.conformal import conformal_threshold
from jointbayes.report.markdown import as_markdown
from render_known_labels import ALPHA, COVERED, LISTED, MOST_ROWS, SETS, SIZED, TITLE, page_of

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
RESULTS = HERE / "results" / "known_labels.json"
PAGE = HERE.parent / "docs" / "evidence" / "known_labels.md"
AUDITED = SETS[:5]
"""Sets that are audited with all their rows, by default models."""
WITH_RULES = ("enron", "CAL500", "bibtex")
LEARNED, ASKED, TREES = 1000, 200, ("enron",)
"""Rows that are learned for rules, others that are asked about, and sets whose trees are too."""
FLIPPED, SURE = 0.1, 0.95
NOTE = "The page `known_labels.md` has the tables."
LOGISTIC = BatchedLogistic(penalty=1.0)
"""Of a fixed penalty: 20 splits of ten sets are many regressions."""
QUICK: dict[str, Any] = {
    "CTBN": jb.CTBN(LOGISTIC),
    "JointForest": jb.JointForest(n_estimators=50),
    "BinaryRelevance": jb.BinaryRelevance(LOGISTIC),
}
MODELS: dict[str, Any] = {
    "CTBN": jb.CTBN(),
    "JointForest": jb.JointForest(n_estimators=50),
    "BinaryRelevance": jb.BinaryRelevance(),
    "MultilabelNB": jb.MultilabelNB(),
    "NaiBX": jb.NaiBX(),
    "ClassifierChain": jb.ClassifierChain(),
}
Record = dict[str, Any]


def load(name: str, most: int | None = None) -> tuple[Any, np.ndarray]:
    """Return rows and labels, or as many of them as may be, drawn by a fixed seed."""
    # The file of wq does not say that its last 14 columns, how many of a species, are labels.
    target = range(-14, 0) if name == "wq" else None
    data = jb.load_dataset(name, target, data_dir=DATA if DATA.exists() else None)
    X, Y = data.X, (np.asarray(data.Y, dtype=float) > 0).astype(np.intp)
    if most is None or len(Y) <= most:
        return X, Y
    drawn = np.sort(np.random.default_rng(0).permutation(len(Y))[:most])
    return X[drawn], Y[drawn]


def coverage(name: str, splits: int) -> Iterator[Record]:
    X, Y = load(name)
    learned, judged = min(len(Y) // 2, MOST_ROWS // 2), min(len(Y) // 4, MOST_ROWS // 4)
    for model, estimator in QUICK.items():
        found = []
        for split in range(splits):
            order = np.random.default_rng(split).permutation(len(Y))
            train, held, test = np.split(order, [learned, learned + judged])
            test, sized = test[:COVERED], test[:SIZED]
            wrapped = jb.Conformal(clone(estimator), ALPHA, random_state=split)
            wrapped.fit(X[train], Y[train]).calibrate(X[held], Y[held])
            covered = wrapped.predict_sets(X[test]).covers(Y[test]).mean()
            began = time.perf_counter()
            sets = wrapped.predict_sets(X[sized])
            size = sets.size()
            spent = 1e3 * (time.perf_counter() - began) / len(sized)
            each = bonferroni(wrapped, (X[held], Y[held]), (X[sized], Y[sized]))
            found.append([covered, np.mean(size), sets.exact.mean(), *each, spent])
        keys = ("covered", "size", "exact", "covered_each", "size_each", "ms")
        mean = dict(zip(keys, np.mean(found, axis=0).tolist(), strict=True))
        noise = np.std([split[0] for split in found], ddof=1) / np.sqrt(splits)
        due = ceil((judged + 1) * (1 - Fraction(str(ALPHA)))) / (judged + 1)
        record = {"set": name, "model": model, "learned": learned, "calibrated": judged}
        record |= {"asked": len(test), "labels": Y.shape[1], "splits": splits}
        yield record | mean | {"due": due, "noise": float(noise)}


def bonferroni(model: Any, held: Any, test: Any) -> tuple[float, float]:
    """Return coverage and size of the product of sets of single labels, each at alpha / d."""
    (X, Y), (X_test, Y_test) = held, test
    inside, size = np.ones(len(Y_test), dtype=bool), np.ones(len(Y_test))
    asked = zip(model.posterior(X).marginals(), model.posterior(X_test).marginals(), strict=True)
    for j, (p, q) in enumerate(asked):
        with np.errstate(divide="ignore"):
            scores, new = -np.log(p[np.arange(len(Y)), Y[:, j]]), -np.log(q)
        within = new <= conformal_threshold(np.sort(scores), ALPHA / Y.shape[1])
        inside &= within[np.arange(len(Y_test)), Y_test[:, j]]
        size *= within.sum(axis=1)
    return float(inside.mean()), float(size.mean())


def calibration(name: str, splits: int) -> Iterator[Record]:
    del splits
    X, Y = load(name, MOST_ROWS)
    train, test = hold_out(len(Y), 1 / 3, seed=0)
    for model, estimator in MODELS.items():
        if Y.shape[1] > LISTED and model in ("NaiBX", "ClassifierChain"):
            continue
        after = jb.Calibrated(clone(QUICK.get(model, estimator)), cv=3).fit(X[train], Y[train])
        both = np.stack(
            [-m.posterior(X[test]).log_prob(Y[test]) for m in (after.estimator_, after)]
        )
        before, now = both[:, np.isfinite(both).all(axis=0)]  # no exponent helps the others
        noise = float((before - now).std(ddof=1) / np.sqrt(len(now)))
        losses = {"before": float(before.mean()), "after": float(now.mean())}
        record = {"set": name, "model": model, "rows": len(Y), "impossible": len(test) - len(now)}
        yield record | losses | {"noise": noise, "power": after.power_}


def sharpness(name: str, splits: int) -> Iterator[Record]:
    """Joint log-loss of NaiBX as in its paper, and with features that count less."""
    del splits
    X, Y = load(name, MOST_ROWS)
    train, test = hold_out(len(Y), 1 / 3, seed=0)
    record: Record = {"set": name, "rows": len(Y)}
    for way in ("paper", "cross_fitted"):
        fitted = jb.NaiBX(sharpness=way).fit(X[train], Y[train])
        loss = -fitted.posterior(X[test]).log_prob(Y[test])
        right = (fitted.predict(X[test]) == Y[test]).all(axis=1).mean()
        possible = np.isfinite(loss)
        record |= {way: float(loss[possible].mean()), f"{way} right": float(right)}
        record |= {f"{way} impossible": int((~possible).sum())}
    yield record


def rules(name: str, splits: int) -> Iterator[Record]:
    del splits
    X, Y = load(name)
    order = np.random.default_rng(0).permutation(len(Y))
    learned = min(LEARNED, 2 * len(Y) // 3)
    train, test = order[:learned], order[learned:][:ASKED]
    kept = np.flatnonzero(Y[train].any(axis=0))  # labels that somebody has
    X_train, Y_train, X_test = X[train], Y[train][:, kept], X[test]
    above = hierarchy_of(Y_train)
    most = int(np.quantile(Y_train.sum(axis=1), 0.95, method="inverted_cdf"))
    for model in ("BinaryRelevance", "CTBN") if name in TREES else ("BinaryRelevance",):
        fitted = clone(QUICK[model]).fit(X_train, Y_train)
        names = fitted.label_names_
        tree = jb.rules.hierarchy({names[c]: names[p] for c, p in above.items()})
        asked: dict[str, tuple[Any, ...]] = {
            "hierarchy": (tree,),
            f"at most {most}": (jb.rules.at_most(most),),
            f"hierarchy, at most {most}": (tree, jb.rules.at_most(most)),
        }
        for said, given in asked.items():
            plain, _, without = timed(lambda fitted=fitted: fitted.posterior(X_test))
            ruled, first, spent = timed(lambda plain=plain, given=given: plain.subject_to(*given))
            answers = [post.map() for post in (plain, ruled)]
            broken = [broken_rows(answer, above, most, said) for answer in answers]
            record = {"set": name, "model": model, "labels": len(kept), "rules": said}
            record |= {"arcs": len(above), "rows": len(test), "broken_before": broken[0]}
            proven = int((ruled.gap() == 0).sum())
            record |= {"broken": broken[1], "proven": proven, "ms": spent, "ms_before": without}
            record["ms_first"] = first
            yield record | {"marginals": ruled.exactness["marginals"]}


def timed(ask: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return a posterior, and the ms a row to make it and find its best vectors: first, least."""
    spent = []
    for _ in range(3):
        began = time.perf_counter()
        post = ask()
        post.map()
        spent.append(time.perf_counter() - began)
    return post, *(1e3 * s / len(post) for s in (spent[0], min(spent)))


def hierarchy_of(Y: np.ndarray) -> dict[int, int]:
    """Return child and parent: the more frequent label that comes with it most, if mostly."""
    together, n = Y.T @ Y, Y.sum(axis=0)
    found = {}
    for child in range(Y.shape[1]):
        share = np.where(n > n[child], together[child] / n[child], 0.0)
        if share.max() > 0.5:
            found[child] = int(share.argmax())
    return found


def broken_rows(answer: np.ndarray, above: dict[int, int], most: int, said: str) -> int:
    """Return how many answers break a rule, by looking at them."""
    broken = np.zeros(len(answer), dtype=bool)
    if "hierarchy" in said:
        for child, parent in above.items():
            broken |= (answer[:, child] == 1) & (answer[:, parent] == 0)
    if "at most" in said:
        broken |= answer.sum(axis=1) > most
    return int(broken.sum())


def audit(name: str, splits: int) -> Iterator[Record]:
    from cleanlab.internal.multilabel_scorer import MultilabelScorer

    few = name not in AUDITED
    X, Y = load(name, MOST_ROWS if few else None)
    for model in ("CTBN", "JointForest"):
        found, estimator = [], (QUICK if few else MODELS)[model]
        for split in range(max(1, splits // 4)):
            flipped = np.random.default_rng(split).random(Y.shape) < FLIPPED
            wrong = np.where(flipped, 1 - Y, Y)
            entries = jb.audit(estimator, X, wrong).entries
            ours = np.empty(Y.shape)
            place = {label: j for j, label in enumerate(dict.fromkeys(sorted_names(entries)))}
            ours[entries["row"], [place[label] for label in entries["label"]]] = entries["log_odds"]
            p = out_of_fold(estimator, X, wrong)
            theirs = 1 - MultilabelScorer().get_class_label_quality_scores(wrong, p)
            found.append(
                [average_precision_score(flipped.ravel(), s.ravel()) for s in (ours, theirs)]
            )
        ours_ap, theirs_ap = np.mean(found, axis=0).tolist()
        record = {"set": name, "model": model} | ({"rows": len(Y)} if few else {})
        yield record | {"ours": ours_ap, "cleanlab": theirs_ap}


def sorted_names(entries: Any) -> list[str]:
    """Return the names of the labels in the order of the columns: y0, y1, …, y10."""
    return sorted(set(entries["label"]), key=lambda label: int(label[1:]))


def out_of_fold(model: Any, X: Any, Y: np.ndarray) -> np.ndarray:
    """Return P(relevant) by the folds of `jb.audit`."""
    from jointbayes.estimator.reading import Labelled, read_columns
    from jointbayes.labels import learn_labels
    from jointbayes.models.wrappers.wrapper import out_of_fold as folds

    rows = Labelled(read_columns(clone(model), X, reset=True), Y, learn_labels(Y))
    p = np.empty(Y.shape)
    for test, post in folds(model, rows, 5):
        p[test] = np.stack([q[:, 1] for q in post.marginals()], axis=1)
    return p


def questions(name: str, splits: int) -> Iterator[Record]:
    del splits
    X, Y = load(name)
    train, test = hold_out(len(Y), 1 / 3, seed=0)
    test = test[:60]
    post = jb.CTBN().fit(X[train], Y[train]).posterior(X[test])
    rng = np.random.default_rng(0)
    ways: dict[str, Callable[[Any, np.ndarray], np.ndarray]] = {
        "random": lambda _, may: np.where(may, rng.random(may.shape), -1.0).argmax(axis=1),
        "least certain": lambda p, may: np.where(may, doubt(p), -1.0).argmax(axis=1),
    }
    worth = jb.ask(post, Y[test], sure=SURE, by="worth")
    record = {"set": name, "labels": Y.shape[1], "worth": float(worth.questions.mean())}
    record["right"] = float((worth.labels == Y[test]).all(axis=1).mean())
    for way, choose in ways.items():
        record[way] = asked_by(post, Y[test], choose)
    yield record


def doubt(post: Any) -> np.ndarray:
    return np.stack([1 - p.max(axis=1) for p in post.marginals()], axis=1)


def asked_by(post: Any, Y: np.ndarray, choose: Callable[[Any, np.ndarray], np.ndarray]) -> float:
    """Return how many labels a row are asked for, one at a time as chosen, until it is sure."""
    known = np.full(Y.shape, -1, dtype=np.intp)
    asked, waiting = np.zeros(len(Y), dtype=int), np.arange(len(Y))
    while len(waiting):
        now = post._rows(waiting)._given(known[waiting])
        unsure = np.exp(now.log_prob(now.map())) < SURE
        waiting = waiting[unsure & (known[waiting] < 0).any(axis=1)]
        if not len(waiting):
            break
        now = post._rows(waiting)._given(known[waiting])
        j = choose(now, known[waiting] < 0)
        known[waiting, j] = Y[waiting, j]
        asked[waiting] += 1
    return float(asked.mean())


PARTS: dict[str, Callable[[str, int], Iterator[Record]]] = {
    "coverage": coverage,
    "calibration": calibration,
    "sharpness": sharpness,
    "audit": audit,
    "questions": questions,
    "rules": rules,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--render", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    known = json.loads(chosen.output.read_text("utf-8")) if chosen.output.exists() else {}
    if not chosen.render:
        known |= {"title": TITLE, "note": NOTE, "machine": describe_machine()}
        for part in chosen.parts:
            for name in chosen.sets or (WITH_RULES if part == "rules" else SETS):
                with threadpool_limits(1), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = list(PARTS[part](name, chosen.splits))
                print(part, found, flush=True)
                others = [record for record in known.get(part, []) if record["set"] != name]
                order = {name: place for place, name in enumerate((*SETS, *WITH_RULES))}
                known[part] = sorted(others + found, key=lambda record: order[record["set"]])
                chosen.output.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(as_markdown(page_of(known)), encoding="utf-8")


if __name__ == "__main__":
    main()
