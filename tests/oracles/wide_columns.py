"""Every model on a column of many values; run as a program it writes the answers to a file."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from jointbayes import models
from jointbayes.errors import CostError

NOUNS = {"Diagnosis", "Explanation", "LabelSets"}
NAMES = sorted(set(models.__all__) - NOUNS)
SEVERAL = {
    "Auto", "BatchedLogistic", "BinaryRelevance", "CTBN", "ChainEnsemble",
    "ClassifierCascade", "ClassifierChain", "IBLR", "ILFCompo", "JointLayer",
    "LabelPowerset", "MLkNN", "MMOC", "MultilabelFAN", "MultilabelNB", "NaiBX", "NetworkEnsemble",
    "RAkEL", "StackedRelevance",
}  # fmt: skip
NUMBERS = SEVERAL - {"ILFCompo", "MultilabelFAN", "MultilabelNB", "NaiBX", "NetworkEnsemble"}
"""Models that see a column for each value: with 70,000 they are slow and see no codes."""

ROWS = 90
WIDTHS = (300, 70_000)
CASES = [(name, n) for n in WIDTHS for name in NAMES if n < 1000 or name not in NUMBERS]


def model_of(name, **parameters):
    """The model, small where its default is large, with one seed."""
    kind = getattr(models, name)
    base = models.BatchedLogistic(penalty=1.0)
    known = {
        "estimator": {"ILFCompo": models.NaiveBayes(), "LabelDriven": models.AODE()}.get(
            name, base
        ),
        "n_chains": 2,
        "n_trees": 5,
        "random_state": 3,
        "penalty": 1.0,
    }
    takes = set(kind().get_params(deep=False))
    return kind(**{k: v for k, v in (known | parameters).items() if k in takes})


def table(n_values):
    """Rows of a column with ``n_values`` declared values, and two columns of few."""
    rng = np.random.default_rng(0)
    some = np.linspace(0, n_values - 1, 30).astype(int)  # all bits of the codes are in use
    many, few, other = rng.choice(some, ROWS), rng.integers(0, 2, ROWS), rng.integers(0, 3, ROWS)
    y = (many * 3 // n_values + few) % 3
    X = pd.DataFrame(
        {
            "few": pd.Categorical(few),
            "many": pd.Categorical(many, categories=range(n_values)),
            "other": pd.Categorical(other),
        }
    )
    return X, y, np.stack([y > 0, many % 2 == 0, few ^ (y == 1)], axis=1).astype(int)


def data_of(name, n_values):
    """X and y as the model takes them."""
    X, y, Y = table(n_values)
    if name in ("KernelClassifier", "VotingForest"):  # takes numbers
        X = np.c_[np.arange(ROWS) * (n_values // ROWS), X.to_numpy(float)]
    return X, Y if name in SEVERAL else y


def answer_of(model, X, y):
    """Probabilities and predictions, or the sentence of a refusal that names the cost."""
    try:
        model.fit(X, y)
        answer = np.asarray(model.predict(X))
        sure = model.predict_proba(X) if hasattr(model, "predict_proba") else answer
        return np.asarray(sure), answer
    except CostError as refusal:
        return str(refusal)


if __name__ == "__main__":
    found = {(name, n): answer_of(model_of(name), *data_of(name, n)) for name, n in CASES}
    Path(sys.argv[1]).write_bytes(pickle.dumps(found))
