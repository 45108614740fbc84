"""How wide must a noise be that five in a hundred equal figures fall outside? By other partitions.

Published and measured figures are means over folds of the *same rows*: only the partition differs.
The scatter of folds says little of that, as most of it is chance in who is tested. So models are
measured over many partitions of one data set, whose means are equal but for the partition; every
ordered pair of them plays published and measured. The share of the usual noise (a t quantile times
the deviation of the folds times the root of 2/k) that five in a hundred pairs exceed is what
`jointbayes.reproduction.verdicts` takes. Writes results/noise_rule.json.
"""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import numpy as np

import jointbayes as jb
from environment import describe_machine
from jointbayes.reproduction.sun2017 import SUN2017
from jointbayes.reproduction.verdicts import usual_noise
from jointbayes.validation import Folds

PARTITIONS = 12
ONE_CLASS = "Promoters Heart Vowel Tic-Tac-Toe Zoo Iris Sonar Musk1 Syncon".split()
SEVERAL = ("emotions", "flags", "foodtruck")
SHARES = np.linspace(0.02, 2.0, 100)


def means_and_noises(model, dataset, splits: int, stratify: str) -> tuple[list[float], list[float]]:
    """Return the mean of every partition, and the usual noise of its folds."""
    Y = np.asarray(dataset.Y)
    means, noises = [], []
    for seed in range(PARTITIONS):
        folds = []
        for train, test in Folds(splits, stratify=stratify, random_state=seed).split(dataset.X, Y):
            answer = model.fit(dataset.X[train], Y[train]).predict(dataset.X[test])
            right = np.asarray(answer == Y[test]).reshape(len(test), -1).all(axis=1)
            folds.append(float(right.mean()))
        means.append(float(np.mean(folds)))
        noises.append(usual_noise(folds) or 0.0)
    return means, noises


def pairs_of(means: list[float], noises: list[float]) -> list[float]:
    """Return every ordered pair's difference as a share of the first one's usual noise."""
    pairs = permutations(range(len(means)), 2)
    return [abs(means[i] - means[j]) / noises[i] for i, j in pairs if noises[i] > 0]


def main() -> None:
    """Measure, find the share, and write both."""
    sources = {source.name: source for source in SUN2017.sources}
    tasks = []
    for name in ONE_CLASS:
        data = jb.load_dataset(sources[name].file, **sources[name].options)
        tasks += [(name, data, kind(n_jobs=1), 10) for kind in (jb.NaiveBayes, jb.TAN, jb.LTAN)]
    for name in SEVERAL:
        data = jb.load_dataset(name)
        splits, kinds = 10 if name == "emotions" else 5, (jb.MultilabelNB, jb.NaiBX, jb.MLkNN)
        tasks += [(name, data, kind(n_jobs=1), splits) for kind in kinds]
    records = []
    for name, data, model, splits in tasks:
        shares = pairs_of(*means_and_noises(model, data, splits, "none"))
        if shares:
            outside = [float(np.mean(np.array(shares) > s)) for s in SHARES]
            quantile = float(np.quantile(shares, 0.95))
            records.append(
                {
                    "dataset": name,
                    "model": type(model).__name__,
                    "folds": splits,
                    "usual_outside": float(np.mean(np.array(shares) > 1.0)),
                    "share": quantile,
                    "outside": outside,
                }
            )
            print(name, type(model).__name__, records[-1]["usual_outside"], round(quantile, 3))
    every = np.mean([record.pop("outside") for record in records], axis=0)
    share = float(SHARES[np.flatnonzero(every <= 0.05)[0]])
    found = {
        "title": "Noise of figures from the same rows",
        "machine": describe_machine(),
        "partitions": PARTITIONS,
        "share": round(share, 2),
        "outside": float(every[np.flatnonzero(every <= 0.05)[0]]),
        "usual_outside": float(np.mean([record["usual_outside"] for record in records])),
        "noise": records,
    }
    path = Path(__file__).parent / "results" / "noise_rule.json"
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print("share", share, "usual rule outside", found["usual_outside"])


if __name__ == "__main__":
    main()
