"""What `quick.py` measures: for each corner a call of ours, a floor, and a peer's."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

import jointbayes as jb
from jointbayes.learners.forest import VotingForest
from jointbayes.learners.logistic.estimator import BatchedLogistic

__all__ = ["FIGURES", "Case"]

Call = Callable[[], object] | None


@dataclass(frozen=True)
class Case:
    """One figure: calls, how many units each does, and what stands beside it."""

    name: str
    item: str
    ours: Call | str
    unit: str = ""
    per: int = 1
    repeats: int = 3
    peer: Call | str = None
    peer_is: str = ""
    floor: Call | str = None
    floor_is: str = ""
    floor_per: int | None = None


def made_up(n: int, p: int, d: int) -> tuple[Any, Any]:
    """Numbers, and labels that follow some of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, (X @ rng.normal(size=(p, d)) * 0.3 + rng.normal(size=(n, d)) > 0.5).astype(int)


def load(name: str) -> tuple[Any, Any]:
    data = jb.load_dataset(name)
    X = data.X if hasattr(data.X, "tocsr") else data.X.to_pandas().to_numpy(float)
    return X, np.asarray(data.Y)


def one_valued_columns() -> Iterator[Case]:
    X, _ = made_up(2600, 200, 1)
    y = (X[:, :10].sum(axis=1) > 0).astype(int)
    yield Case(
        "TAN, 2,600 × 200, most columns cut to one value: fit", "1",
        lambda: jb.TAN().fit(X, y),
        floor=lambda: jb.TAN(discretizer="quantile").fit(X, y), floor_is="quantile cuts",
    )  # fmt: skip
    yield Case(
        "AODE, the same: fit", "1", lambda: jb.AODE().fit(X, y),
        floor=lambda: jb.AODE(discretizer="quantile").fit(X, y), floor_is="quantile cuts",
    )  # fmt: skip


def wide_regressions() -> Iterator[Case]:
    for p in (100, 300, 1000, 3000):
        X, Y = made_up(1500, p, 10)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        loop = MultiOutputClassifier(LogisticRegression(max_iter=1000))
        ours = jb.BinaryRelevance(BatchedLogistic(penalty=1.0)).fit(X, Y)
        peer = clone(loop).fit(X, Y)
        yield Case(
            f"BinaryRelevance, one penalty, 1,500 × {p:,}, 10 labels: fit", "2",
            lambda X=X, Y=Y: jb.BinaryRelevance(BatchedLogistic(penalty=1.0)).fit(X, Y),
            repeats=2, peer_is="scikit-learn",
            peer=lambda X=X, Y=Y, loop=loop: clone(loop).fit(X, Y),
        )  # fmt: skip
        yield Case(
            f"BinaryRelevance, 1,500 × {p:,}, 10 labels: predict", "2",
            lambda ours=ours, X=X: ours.predict(X), "a row", len(X),
            peer=lambda peer=peer, X=X: peer.predict(X), peer_is="scikit-learn",
            floor=lambda X=X, p=p: X @ np.zeros((p, 10)), floor_is="the product alone",
        )  # fmt: skip


def label_sets() -> Iterator[Case]:
    X, Y = load("yeast")
    X, Y = (X[:1500] - X[:1500].mean(axis=0)) / X[:1500].std(axis=0), Y[:1500]
    for kind in (jb.LabelPowerset, jb.RAkEL):
        yield Case(
            f"{kind.__name__}, one penalty, yeast: fit", "2",
            lambda kind=kind: kind(BatchedLogistic(penalty=1.0)).fit(X, Y), repeats=1,
            peer=lambda kind=kind: kind(LogisticRegression(max_iter=1000)).fit(X, Y),
            peer_is="with scikit-learn's regression",
        )  # fmt: skip


def trees_of_regressions() -> Iterator[Case]:
    X, Y = load("yeast")
    code = (
        "import jointbayes as jb\nd = jb.load_dataset('yeast')\n"
        "jb.CTBN().fit(d.X[:200], d.Y[:200])\nstart = time.process_time()\njb.CTBN().fit(d.X, d.Y)"
    )
    yield Case(
        "CTBN, yeast: fit, BLAS threads as they come", "3", code,
        floor=lambda: jb.CTBN().fit(X, Y), floor_is="one BLAS thread",
    )  # fmt: skip


def chains() -> Iterator[Case]:
    one = BatchedLogistic(penalty=1.0)
    for d, rows in ((20, 50), (40, 20), (80, 5), (159, 5)):
        X, Y = made_up(1000, 20, d)
        model = jb.ClassifierChain(one).fit(X, Y)
        yield Case(
            f"ClassifierChain, {d} noisy labels: predict", "4",
            lambda model=model, some=X[:rows]: model.predict(some), "a row", rows, repeats=2,
        )  # fmt: skip
    X, Y = load("yeast")
    chain = jb.ClassifierChain(one).fit(X[:1500], Y[:1500])
    peer = ClassifierChain(LogisticRegression(max_iter=1000)).fit(X[:1500], Y[:1500])
    some = X[1500:1520]
    yield Case(
        "ClassifierChain, yeast: marginals", "4", lambda: chain.posterior(some).marginals(),
        "a row", 20, floor=lambda: chain.posterior(some).map(), floor_is="the mode",
    )  # fmt: skip
    yield Case(
        "ClassifierChain, yeast: predict", "4", lambda: chain.predict(some), "a row", 20,
        peer=lambda: peer.predict(some), peer_is="scikit-learn, greedy",
    )  # fmt: skip
    for name, n in (("yeast", 20), ("enron", 4)):
        X, Y = load(name)
        many = jb.ChainEnsemble(one, n_chains=10).fit(X[:600], Y[:600])
        rows = X[600 : 600 + n]
        yield Case(
            f"ChainEnsemble, 10 chains, {name}: predict", "4",
            lambda many=many, rows=rows: many.predict(rows), "a row", n, repeats=2,
        )  # fmt: skip
        yield Case(
            f"ChainEnsemble, 10 chains, {name}: marginals", "4",
            lambda many=many, rows=rows: many.posterior(rows).marginals(), "a row", n, repeats=2,
        )  # fmt: skip


def evaluations() -> Iterator[Case]:
    data = jb.load_dataset("yeast")
    one = BatchedLogistic(penalty=1.0)
    for model in (jb.ClassifierChain(one), jb.ChainEnsemble(one, n_chains=5), jb.NaiBX()):
        yield Case(
            f"evaluate, {type(model).__name__}, a third of yeast held out", "4",
            lambda model=model: jb.evaluate(model, data, cv="66%", progress="none"), repeats=1,
        )  # fmt: skip


def cascades() -> Iterator[Case]:
    X, Y = load("yeast")
    model = jb.NaiBX().fit(X, Y)
    some = X[:3]
    yield Case(
        "NaiBX, yeast: the mode", "5", lambda: model.posterior(some).map(), "a row", 3,
        floor=lambda: model.predict(some), floor_is="greedy",
    )  # fmt: skip
    yield Case(
        "NaiBX, yeast: the mode of one row", "5", lambda: model.posterior(some[:1]).map(),
        floor=lambda: model.predict(some[:1]), floor_is="greedy",
    )  # fmt: skip


def single_rows() -> Iterator[Case]:
    X, Y = made_up(2000, 10, 1)
    frame, y = pd.DataFrame(X, columns=[f"c{j}" for j in range(10)]), Y[:, 0]
    for kind in (jb.NaiveBayes, jb.TAN):
        for what, data in (("array", X), ("frame", frame)):
            ours, peer = kind().fit(data, y), LogisticRegression().fit(data, y)
            yield one_row(f"{kind.__name__}, {what}", ours, data, peer)
    X, Y = load("yeast")
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    one = BatchedLogistic(penalty=1.0)
    for model in (
        jb.BinaryRelevance(one), jb.CTBN(one), jb.ClassifierChain(one), jb.LabelPowerset(one),
        jb.RAkEL(one), jb.NaiBX(), jb.MLkNN(), jb.MultilabelNB(),
    ):  # fmt: skip
        name = type(model).__name__
        yield one_row(f"{name}, yeast", model.fit(X[:500], Y[:500]), X)
        if name in ("BinaryRelevance", "CTBN", "NaiBX", "MultilabelNB"):
            yield one_row(f"{name}, yeast, frame", model.fit(frame[:500], Y[:500]), frame)
    X, Y = load("enron")
    model = jb.MultilabelNB(max_parents=2).fit(X[:500], Y[:500])
    yield one_row("MultilabelNB, enron", model, X)


def one_row(name: str, model: Any, data: Any, peer: Any = None) -> Case:
    one, batch = data[:1], data[:200]
    model.predict(one)
    return Case(
        f"one row: {name}", "6", lambda: [model.predict(one) for _ in range(20)] and None,
        "a row", 20,
        peer=None if peer is None else lambda: [peer.predict(one) for _ in range(20)] and None,
        peer_is="LogisticRegression",
        floor=lambda: model.predict(batch), floor_is="in a batch of 200", floor_per=200,
    )  # fmt: skip


def neighbours_and_forests() -> Iterator[Case]:
    X, Y = made_up(10_000, 20, 5)
    yield Case(
        "MLkNN, 10,000 × 20, 5 labels: fit", "7", lambda: jb.MLkNN().fit(X, Y), repeats=2,
        peer=_mlknn(X, Y), peer_is="scikit-multilearn-ng",
    )  # fmt: skip
    y = Y[:, 0]
    ours = VotingForest(random_state=0).fit(X, y)
    peer = RandomForestClassifier(random_state=0, n_jobs=1).fit(X, y)
    some = np.tile(X, (2, 1))
    yield Case(
        "VotingForest, 10,000 training rows: predict", "7", lambda: ours.predict(some), "a row",
        len(some), repeats=2, peer=lambda: peer.predict(some),
        peer_is="RandomForestClassifier",
    )  # fmt: skip


def _mlknn(X: Any, Y: Any) -> Call:
    try:
        from scipy.sparse import lil_matrix
        from skmultilearn.adapt import MLkNN
    except ImportError:
        return None
    return lambda: MLkNN(k=10).fit(X, lil_matrix(Y))


def structures() -> Iterator[Case]:
    for d in (14, 20, 40):
        X, Y = made_up(1000, 10, d)
        yield Case(
            f"MultilabelNB, {d} labels, 10 columns: fit", "8",
            lambda X=X, Y=Y: jb.MultilabelNB().fit(X, Y), repeats=1,
        )  # fmt: skip


def files_and_start() -> Iterator[Case]:
    folder = Path(tempfile.mkdtemp())
    path = folder / "table.csv"
    X, Y = made_up(20_000, 20, 1)
    frame = pd.DataFrame(X.round(6), columns=[f"c{j}" for j in range(20)])
    frame["kind"] = np.where(Y[:, 0] == 1, "yes", "no")
    frame.to_csv(path, index=False)
    yield Case(
        f"CSV of {path.stat().st_size >> 20} MiB", "9", lambda: jb.load_dataset(path),
        peer=lambda: pd.read_csv(path), peer_is="pandas",
    )  # fmt: skip
    yield Case(
        "import of jb.TAN", "9", "start = 0\nimport jointbayes as jb\njb.TAN",
        peer="start = 0\nfrom sklearn.naive_bayes import CategoricalNB", peer_is="CategoricalNB",
        floor="start = 0\nimport sklearn.base", floor_is="sklearn.base alone",
    )  # fmt: skip


def headlines() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 100_000)
    X = (rng.integers(0, 5, (100_000, 50)) + y[:, None] * (rng.random((100_000, 50)) < 0.2)) % 5
    kind = pd.CategoricalDtype(list("01234"))
    frame = pd.DataFrame(
        {f"c{j}": pd.Categorical.from_codes(x, dtype=kind) for j, x in enumerate(X.T)}
    )
    model = jb.TAN().fit(frame, y)
    yield Case("TAN, 100,000 × 50 categories: fit", "", lambda: jb.TAN().fit(frame, y))
    yield Case("TAN, the same: predict", "", lambda: model.predict(frame), "a row", len(y))


FIGURES = (
    one_valued_columns, wide_regressions, label_sets, trees_of_regressions, chains, evaluations,
    cascades, single_rows, neighbours_and_forests, structures, files_and_start, headlines,
)  # fmt: skip
