"""What is known about labels: coverage of sets, calibration of the joint, audits, questions.

    python benchmarks/known_labels.py [coverage calibration audit questions rules] [--sets …]
    python benchmarks/known_labels.py --render   # results to docs/evidence/known_labels.md

- coverage: `Conformal` learns half of the rows, calibrates on a quarter, and is asked about the
  last quarter, all dealt out anew for every split; beside it each label by itself at alpha / d
  (Bonferroni), on the same rows.
- calibration: joint log-loss on a third of the rows, before and after `Calibrated`.
- audit: one entry in ten flipped at random; average precision of what `jb.audit` suspects, and of
  cleanlab's scores of entries, on the same out-of-fold probabilities.
- rules: `posterior.subject_to` a hierarchy (each label below the more frequent one that most often
  comes with it, where that is more often than not) and a limit on the number of labels, which 95 %
  of rows keep; of rows that were not learned.
- questions: labels asked for until the best vector has a probability of 0.95, by what an answer is
  worth, by the least certain marginal, and at random.

Results are written set by set, and those that are there of other parts and sets are kept.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

import jointbayes as jb
from environment import describe_machine
from jointbayes.models.conditional.ctbn import hold_out
from jointbayes.models.wrappers.conformal import conformal_threshold
from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from tables import table

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
RESULTS = HERE / "results" / "known_labels.json"
PAGE = HERE.parent / "docs" / "evidence" / "known_labels.md"
SETS = (
    "flags",
    "foodtruck",
    "emotions",
    "image135",
    "scene",
    "yeast",
    "genbase",
    "CAL500",
    "enron",
    "slashdot",
)
MOST_ROWS = 1500
"""Rows of a set, drawn once, that coverage and calibration look at."""
RULED = 600
"""Rows that are learned for rules; 200 others are asked about."""
ALPHA, FLIPPED, SURE = 0.1, 0.1, 0.95
TITLE = "What is known about labels"
NOTE = "The page `known_labels.md` has the tables."
MODELS: dict[str, Any] = {
    "CTBN": jb.CTBN(),
    "JointForest": jb.JointForest(n_estimators=50),
    "BinaryRelevance": jb.BinaryRelevance(),
    "MultilabelNB": jb.MultilabelNB(),
    "NaiBX": jb.NaiBX(),
    "ClassifierChain": jb.ClassifierChain(),
}
Record = dict[str, Any]


def load(name: str) -> tuple[Any, np.ndarray]:
    data = jb.load_dataset(name, data_dir=DATA if DATA.exists() else None)
    return data.X, np.asarray(data.Y, dtype=np.intp)


def coverage(name: str, splits: int) -> Iterator[Record]:
    X, Y = load(name)
    for model in ("CTBN", "JointForest", "BinaryRelevance"):
        found = []
        for split in range(splits):
            order = np.random.default_rng(split).permutation(len(Y))
            train, held, test = np.split(order, [len(Y) // 2, 3 * len(Y) // 4])
            wrapped = jb.Conformal(clone(MODELS[model]), ALPHA, random_state=split)
            wrapped.fit(X[train], Y[train]).calibrate(X[held], Y[held])
            sets = wrapped.predict_sets(X[test])
            each = bonferroni(wrapped, (X[held], Y[held]), (X[test], Y[test]))
            found.append([sets.covers(Y[test]).mean(), sets.size().mean(), *each])
        mean = np.mean(found, axis=0)
        keys = ("covered", "size", "covered_each", "size_each")
        yield {"set": name, "model": model, "splits": splits} | dict(
            zip(keys, mean.tolist(), strict=True)
        )


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
    X, Y = load(name)
    train, test = hold_out(len(Y), 1 / 3, seed=0)
    for model, estimator in MODELS.items():
        after = jb.Calibrated(clone(estimator), cv=3).fit(X[train], Y[train])
        losses = [
            -float(np.mean(m.posterior(X[test]).log_prob(Y[test])))
            for m in (after.estimator_, after)
        ]
        keys = ("before", "after", "power")
        values = (*losses, after.power_)
        yield {"set": name, "model": model} | dict(zip(keys, values, strict=True))


def audit(name: str, splits: int) -> Iterator[Record]:
    from cleanlab.internal.multilabel_scorer import MultilabelScorer

    X, Y = load(name)
    for model in ("CTBN", "JointForest"):
        found = []
        for split in range(max(1, splits // 4)):
            flipped = np.random.default_rng(split).random(Y.shape) < FLIPPED
            wrong = np.where(flipped, 1 - Y, Y)
            entries = jb.audit(MODELS[model], X, wrong).entries
            ours = np.empty(Y.shape)
            place = {label: j for j, label in enumerate(dict.fromkeys(sorted_names(entries)))}
            ours[entries["row"], [place[label] for label in entries["label"]]] = entries["log_odds"]
            p = out_of_fold(MODELS[model], X, wrong)
            theirs = 1 - MultilabelScorer().get_class_label_quality_scores(wrong, p)
            found.append(
                [average_precision_score(flipped.ravel(), s.ravel()) for s in (ours, theirs)]
            )
        ours_ap, theirs_ap = np.mean(found, axis=0).tolist()
        yield {"set": name, "model": model, "ours": ours_ap, "cleanlab": theirs_ap}


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
    "audit": audit,
    "questions": questions,
}
HEADS: dict[str, tuple[str, str, dict[str, str]]] = {
    "coverage": (
        "Sets that cover nine times in ten",
        "Conformal, alpha 0.1: share of rows covered and mean number of label vectors in a set; "
        "beside it the product of sets of single labels, each at alpha / d (Bonferroni).",
        {
            "set": "set",
            "model": "model",
            "splits": "splits",
            "covered": "covered",
            "size": "size",
            "covered_each": "covered, label by label",
            "size_each": "size, label by label",
        },
    ),
    "calibration": (
        "The joint calibrated",
        "Joint log-loss of a row before and after Calibrated, on rows that were not learned.",
        {
            "set": "set",
            "model": "model",
            "before": "before",
            "after": "after",
            "power": "exponent",
        },
    ),
    "audit": (
        "Labels that were flipped",
        "One entry in ten flipped: average precision of what is suspected, by jb.audit and by "
        "cleanlab's scores of entries on the same out-of-fold probabilities.",
        {"set": "set", "model": "model", "ours": "jb.audit", "cleanlab": "cleanlab"},
    ),
    "questions": (
        "Questions until the rest is sure",
        "Labels of a row that are asked for until the best vector has a probability of 0.95, of 60 "
        "rows that CTBN has not learned; and how often the labels are right then.",
        {
            "set": "set",
            "labels": "labels",
            "worth": "by worth",
            "least certain": "least certain first",
            "random": "at random",
            "right": "right in the end, by worth",
        },
    ),
}


def page_of(result: dict[str, Any]) -> Page:
    machine = ", ".join(f"{key} {value}" for key, value in result["machine"].items())
    sections = [Section("Where it ran", (Paragraph(machine),))]
    for part, (title, said, columns) in HEADS.items():
        rows = [[shown(record[key]) for key in columns] for record in result.get(part, [])]
        if rows:
            blocks = (Paragraph(said), table(list(columns.values()), rows))
            sections.append(Section(title, blocks))
    lead = (
        "Rendered by `benchmarks/known_labels.py` from `benchmarks/results/known_labels.json`; "
        "nothing here is typed."
    )
    return Page(TITLE, lead, (), tuple(sections))


def shown(value: Any) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--render", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    known = json.loads(chosen.output.read_text("utf-8")) if chosen.output.exists() else {}
    if not chosen.render:
        known |= {"title": TITLE, "note": NOTE, "machine": describe_machine()}
        for name in chosen.sets:
            for part in chosen.parts:
                with threadpool_limits(1), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = list(PARTS[part](name, chosen.splits))
                print(part, found, flush=True)
                others = [record for record in known.get(part, []) if record["set"] != name]
                known[part] = others + found
                chosen.output.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(as_markdown(page_of(known)), encoding="utf-8")


if __name__ == "__main__":
    main()
