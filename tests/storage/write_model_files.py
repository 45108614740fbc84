"""Write one model file for every kind of model, and what each model answers.

    python tests/storage/write_model_files.py FOLDER

``files_v1`` holds what jointbayes 0.1.0 wrote in this way; `test_old_files` reads it.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import jointbayes as jb
from jointbayes.discretize import Quantile

SINGLE = {
    name: getattr(jb, name)()
    for name in (
        "AKDB AODE ATAN ChowLiuMultinet KDB LKDB LTAN LabelDriven NaiveBayes TAN WATAN"
    ).split()
} | {
    "KDB_2": jb.KDB(2),
    "LKDB_2": jb.LKDB(2),
    "LabelDriven_KDB_2_auto": jb.LabelDriven(jb.KDB(2), delta="auto", random_state=3),
    "LabelDriven_KDB_1_k_parents": jb.LabelDriven(jb.KDB(1), experts="k_parents"),
    "LabelDriven_KDB_2_k_parents": jb.LabelDriven(jb.KDB(2), experts="k_parents"),
    "LTAN_keep": jb.LTAN(rest="keep"),
    "LabelDriven_AODE": jb.LabelDriven(jb.AODE()),
    "TAN_ignore": jb.TAN(missing="ignore", discretizer=Quantile(3)),
}
SEVERAL = {
    name: getattr(jb, name)()
    for name in (
        "BinaryRelevance CTBN ClassifierChain IBLR LabelPowerset MLkNN MMOC MultilabelFAN "
        "MultilabelNB NaiBX NetworkEnsemble StackedRelevance"
    ).split()
} | {
    "Auto": jb.Auto(models=["BinaryRelevance", "LabelPowerset", "CTBN"]),
    "ChainEnsemble": jb.ChainEnsemble(n_chains=2),
    "ClassifierCascade": jb.ClassifierCascade(size="forest"),
    "ClassifierCascade_GaussianNB": jb.ClassifierCascade(GaussianNB(), examples=2),
    "ClassifierChain_GaussianNB": jb.ClassifierChain(GaussianNB(), order="random"),
    "CTBN_LogisticRegression": jb.CTBN(LogisticRegression()),
    "ILFCompo": jb.ILFCompo(random_state=0),
    "ILFCompo_NaiBX": jb.ILFCompo(jb.NaiBX(), random_state=0),
    "ILFCompo_trees": jb.ILFCompo(RandomForestClassifier(2, max_depth=2, random_state=0)),
    "ILFCompo_backed": jb.ILFCompo(unseen="back_off", random_state=0),
    "ILFCompo_chains": jb.ILFCompo(GaussianNB(), max_labels=1, unseen="back_off"),
    "JointForest": jb.JointForest(n_estimators=3),
    "JointLayer": jb.JointLayer(cv=2),
    "JointLayer_trees": jb.JointLayer(RandomForestClassifier(2, max_depth=2, random_state=0)),
    "NaiBX_logistic": jb.NaiBX(size="logistic", half_life=50.0),
    "RAkEL": jb.RAkEL(k=2),
    "RAkEL_backed": jb.RAkEL(k=2, unseen="back_off"),
    "Calibrated": jb.Calibrated(jb.MultilabelNB(), cv=3),
    "Conformal": jb.Conformal(jb.BinaryRelevance()),
    "Thresholded": jb.Thresholded(jb.MultilabelNB(), cv=3),
}


def mixed_rows(n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return columns with gaps, one class variable, three labels, and a many-valued pair."""
    rng = np.random.default_rng(7)
    size, colour = rng.normal(size=n), rng.choice(["red", "blue", "green"], n).astype(object)
    flag, noise = rng.integers(0, 2, n), rng.integers(0, 4, n)
    y = np.where(size + flag > 0.5, "big", np.where(colour == "red", "red", "other"))
    Y = np.stack([size > 0, colour == "red", flag ^ (size > 1)], axis=1).astype(int)
    colour[::11], size[::13] = None, np.nan
    X = np.stack([size.astype(object), colour, flag.astype(object), noise.astype(object)], axis=1)
    return X, y, Y, np.stack([y, np.where(noise > 1, "high", "low")], axis=1)


def word_rows(n: int = 60) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return counts of words, nearly all of them 0, and three labels they tell."""
    rng = np.random.default_rng(8)
    words = rng.poisson(0.1, (n, 40)).astype(float)
    return sparse.csr_matrix(words), (words[:, :3] > 0).astype(int)


def answers_of(model: object, X: object) -> dict[str, np.ndarray]:
    """Return what a model says about rows, as arrays."""
    found = {"predict": model.predict(X)}
    if hasattr(model, "predict_proba"):
        p = model.predict_proba(X)
        found["proba"] = np.concatenate(p, axis=1) if isinstance(p, list) else p
    if hasattr(model, "posterior"):
        found["top"] = model.posterior(X).top_k(2)[1]
    return found


def rows_for(name: str) -> object:
    """Return the rows that the model of a file was fitted to."""
    if "words" in name or "sparse" in name:
        return word_rows()[0]
    X = mixed_rows()[0]
    return X[:, 2:].astype(float) if name == "VotingForest" else X


def fitted_models() -> dict[str, tuple[object, object]]:
    """Return every kind of model, fitted, and the rows it is to be asked about."""
    X, y, Y, pair = mixed_rows()
    words, topics = word_rows()
    models = {name: (model.fit(X, y), X) for name, model in SINGLE.items()}
    models |= {name: (model.fit(X, Y), X) for name, model in SEVERAL.items()}
    models["MultilabelNB_many"] = jb.MultilabelNB().fit(X, pair), X
    models["CTBN_many"] = jb.CTBN().fit(X, pair), X
    few = Y.sum(axis=1) < 3
    rules = [jb.rules.at_most(2), jb.rules.forbid({"y0": 1, "y1": 1, "y2": 1})]
    models["Constrained"] = jb.Constrained(jb.CTBN(), rules).fit(X[few], Y[few]), X
    models["TAN_sparse"] = jb.TAN().fit(words, topics[:, 0]), words
    models["BinaryRelevance_words"] = jb.BinaryRelevance().fit(words, topics), words
    models["NaiBX_words"] = jb.NaiBX(features="multinomial").fit(words, topics), words
    models["MLkNN_words"] = jb.MLkNN().fit(words, topics), words
    models["BatchedLogistic"] = jb.models.BatchedLogistic().fit(X, Y), X
    forest = jb.models.VotingForest(n_trees=3, random_state=0)
    models["VotingForest"] = forest.fit(X[:, 2:].astype(float), y), X[:, 2:].astype(float)
    return models


def main(folder: Path) -> None:
    """Write the files and, beside them, the answers."""
    folder.mkdir(parents=True, exist_ok=True)
    answers = {}
    for name, (model, X) in fitted_models().items():
        jb.save(model, folder / f"{name}.jb")
        answers |= {f"{name}.{what}": value for what, value in answers_of(model, X).items()}
    np.savez_compressed(folder / "answers.npz", **answers)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]))
