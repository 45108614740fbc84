"""Options and future work that the papers name: whether they are worth having.

Six questions, most on three folds (those of ``Folds(3, stratify="none", random_state=0)``):

tests      Fisher's z on numbers as they are against tests of numbers cut at their medians.
searches   Markov boundaries shrunk after every feature against those shrunk once grown.
columns    NaiBX with categorical columns against indicators, and counts as Poisson columns.
committee  NaiBX ten times, every row counting Poisson(1) times in each (Mossina 2017, Sec. 6).
shares     LTAN whose refined generalist and experts have shares that rows held out ask for.
trees      CTBN over trees drawn by their held-out likelihood against the best one (Batal 2013).

Run ``JOINTBAYES_DATA=FOLDER python benchmarks/beyond_papers.py trees emotions scene``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace

import numpy as np

import jointbayes as jb
from jointbayes.codes import Codes
from jointbayes.independence import Procedure, iamb, label_factors
from jointbayes.independence.boundary import find_boundary
from jointbayes.models.naibx.scores import Belief
from jointbayes.posterior import Mixture, Posterior, mix
from jointbayes.validation import Folds

MEMBERS, LEAST = 10, np.log(1e-30)
FEW = 10
"""Labels beyond which a committee is asked about 150 rows of a fold at most."""

SEARCHES = ("iamb", "inter_iamb")
TESTS = ("fisher_z", "semiparametric", "g2", "chi2", "shrinkage")


def folds(name: str, most: int | None) -> Iterator[tuple]:
    """Yield training and test rows and labels, at most so many to test."""
    data = jb.load_dataset(name)
    X, Y = data.X, np.asarray(data.Y)
    for train, test in Folds(3, stratify="none", random_state=0).split(X, Y):
        yield X[train], Y[train], X[test[:most]], Y[test[:most]]


def scores(post: Posterior, answers: np.ndarray, Y: np.ndarray) -> tuple[float, float]:
    """Return the joint log-loss, no row counting more than 69 nats, and the exact match."""
    Y = Y.reshape(len(Y), -1)
    log_p = np.maximum(post.log_prob(Y), LEAST)
    return float(-log_p.mean()), float((answers.reshape(Y.shape) == Y).all(axis=1).mean())


def told(name: str, found: dict[str, list[tuple[float, ...]]]) -> None:
    """Print the means over folds."""
    for model, values in found.items():
        means = " ".join(f"{v:8.4f}" for v in np.mean(values, axis=0))
        print(f"{name:12s} {model:28s} {means}", flush=True)


def trees(name: str) -> None:
    """Compare CTBN of one tree and of several."""
    found: dict[str, list] = {}
    for X, Y, X_new, Y_new in folds(name, 400):
        for n in (1, 8, 32):
            model = jb.CTBN(trees=n, n_jobs=1).fit(X, Y)
            answers = np.asarray(model.predict(X_new))
            found.setdefault(f"CTBN(trees={n})", []).append(
                scores(model.posterior(X_new), answers, Y_new)
            )
    told(name, found)


def committee(name: str) -> None:
    """Compare NaiBX, NaiBX that is corrected, and committees of both."""
    found: dict[str, list] = {}
    most = 150 if len(jb.load_dataset(name).label_names) > FEW else None
    for f, (X, Y, X_new, Y_new) in enumerate(folds(name, most)):
        plain = jb.NaiBX(n_jobs=1).fit(X, Y)
        sharp = jb.NaiBX(sharpness="cross_fitted", n_jobs=1).fit(X, Y)
        rng, classes = np.random.default_rng(f), [[0, 1]] * Y.shape[1]
        weights = [rng.poisson(1.0, X.shape[0]).astype(float) for _ in range(MEMBERS)]
        members = [
            jb.NaiBX(n_jobs=1).partial_fit(X, Y, classes=classes, sample_weight=w) for w in weights
        ]
        corrected = [believing(m, sharp.learned_.belief) for m in members]
        posts = {
            "NaiBX": plain.posterior(X_new),
            "NaiBX, corrected": sharp.posterior(X_new),
            "committee": mix([m.posterior(X_new) for m in members]),
            "committee, corrected": mix([m.posterior(X_new) for m in corrected]),
        }
        answers = {"NaiBX": plain.predict(X_new), "NaiBX, corrected": sharp.predict(X_new)}
        for model, post in posts.items():
            answer = answers[model] if model in answers else mode(post)
            found.setdefault(model, []).append(scores(post, np.asarray(answer), Y_new))
    told(name, found)


def believing(model: jb.NaiBX, belief: Belief | None) -> jb.NaiBX:
    """Return the model, of the same tables, that believes them so far."""
    other = copy(model)
    other.learned_ = replace(model.learned_, belief=belief)
    return other


def mode(post: Posterior) -> np.ndarray:
    """Return the best label vectors; of many labels, the best of those of the members."""
    if not isinstance(post, Mixture) or len(post.space) <= FEW:
        return post.map()
    candidates = [part.map() for part in post.parts]
    best = np.stack([post.log_prob(c) for c in candidates]).argmax(axis=0)
    return np.stack(candidates)[best, np.arange(len(post))]


def columns(name: str) -> None:
    """Compare kinds of columns of NaiBX: all columns as each, or nominal ones in two ways."""
    found: dict[str, list] = {}
    counts = hasattr(jb.load_dataset(name).X, "tocsr")
    kinds = (
        ("gaussian", "bernoulli", "multinomial", "poisson") if counts else ("auto", "categorical")
    )
    for X, Y, X_new, Y_new in folds(name, 150 if counts else 400):
        for kind in kinds:
            given = "all" if kind == "auto" else "from_dtype"
            nominal = list(range(X.shape[1])) if given == "all" else given
            model = jb.NaiBX(features=kind, categorical_features=nominal, n_jobs=1).fit(X, Y)
            answers = np.asarray(model.predict(X_new))
            found.setdefault(f"features={kind}", []).append(
                scores(model.posterior(X_new), answers, Y_new)
            )
    told(name, found)


def shares(name: str) -> None:
    """Compare equal shares of LTAN's two halves with those learned, in five folds."""
    for how in ("average", "auto"):
        model = jb.LTAN(combine=how, rest="keep")
        found = jb.evaluate(model, jb.load_dataset(name), cv=5, progress="none")
        print(name, how, found["log_loss"].mean, found["subset_accuracy"].mean, flush=True)


def tests() -> None:
    """Count how often boundaries are right, coins are dependent, and labels apart."""
    rng = np.random.default_rng(0)
    for n in (50, 100, 200, 400):
        right, wrong = dict.fromkeys(TESTS, 0), dict.fromkeys(TESTS, 0)
        for _ in range(100):
            X, coin = rng.normal(size=(n, 6)), rng.integers(0, 2, n)
            y = (X[:, 0] + X[:, 1] + rng.normal(size=n) > 0).astype(int)
            for test in TESTS:
                right[test] += iamb(X, y, 0.01, random_state=0, test=test) == (0, 1)
                wrong[test] += len(iamb(X, coin, 0.05, random_state=0, test=test))
        print(n, "rows: right boundaries of 100", right, "false of 600", wrong, flush=True)
    for n in (200, 400, 800, 1600, 3200):
        apart = dict.fromkeys(TESTS, 0)
        for _ in range(50):
            x = rng.normal(size=n)
            Y = (x[:, None] + 0.8 * rng.normal(size=(n, 2)) > 0).astype(int)
            for test in TESTS:
                found = label_factors(x[:, None], Y, 0.001, random_state=0, test=test)
                apart[test] += found == ((0,), (1,))
        print(n, "rows: labels rightly apart of 50", apart, flush=True)


def searches() -> None:
    """Count right boundaries and tests: three causes, each with two noisy copies before it."""
    rng = np.random.default_rng(0)
    hows = [Procedure(0.01, search=search) for search in SEARCHES]
    for n in (100, 200, 400, 800, 1600, 3200):
        right, made = dict.fromkeys(SEARCHES, 0), dict.fromkeys(SEARCHES, 0)
        for _ in range(100):
            causes = rng.integers(0, 2, (n, 3))
            copies = np.hstack([causes, causes]) ^ (rng.random((n, 6)) < 0.15)
            y = (causes.sum(axis=1) > 1) ^ (rng.random(n) < 0.15)
            codes = Codes.of(np.hstack([copies, causes]), targets=y)
            for how in hows:
                found = find_boundary(codes, 0, how)
                right[how.search] += found.features == (6, 7, 8)
                made[how.search] += found.n_tests
        print(n, "rows: right boundaries of 100", right, "tests", made, flush=True)


ASKED: dict[str, Callable[[str], None]] = {
    "trees": trees,
    "committee": committee,
    "columns": columns,
    "shares": shares,
}

ALONE: dict[str, Callable[[], None]] = {"tests": tests, "searches": searches}

if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    if sys.argv[1] in ALONE:
        ALONE[sys.argv[1]]()
    else:
        for dataset in sys.argv[2:]:
            ASKED[sys.argv[1]](dataset)
