"""What jointbayes does, in a minute, on data that ships with scikit-learn: run by `make demo`."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table as Grid
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import cross_val_score

import jointbayes as jb
from jointbayes.datasets import Dataset
from jointbayes.posterior import Posterior
from jointbayes.report import on_terminal
from jointbayes.report.describing import page_of_summary
from jointbayes.validation import HoldOut

console = Console(width=min(Console().width, 100), highlight=False)
say = console.print

# What a handwritten digit is, besides its name.
PROPERTIES = {
    "even": {0, 2, 4, 6, 8},
    "prime": {2, 3, 5, 7},
    "at least 5": {5, 6, 7, 8, 9},
    "has a loop": {0, 6, 8, 9},
    "has a straight line": {1, 4, 5, 7},
    "square number": {0, 1, 4, 9},
}


def main() -> None:
    start = time.perf_counter()
    one_class_variable()
    many_labels()
    report()
    say(f"\nThat took {time.perf_counter() - start:.0f} s. Now your own data:\n")
    say("  [bold]jointbayes describe[/] my_table.csv --target label")
    say("  [bold]python[/] -c 'import jointbayes as jb; data = jb.load_dataset(\"my_table.csv\")'")


def one_class_variable() -> None:
    wine = load_wine(as_frame=True)
    X, y = wine.data, np.asarray(wine.target_names)[wine.target]
    say(f"[bold]1. One class variable[/]: {len(y)} wines, {X.shape[1]} measurements, 3 growers\n")
    grid = Grid("model", "10-fold accuracy", "arcs", box=None, pad_edge=False)
    for model in (jb.NaiveBayes(), jb.TAN(), jb.KDB(k=2), jb.AODE(), jb.LTAN()):
        accuracy = cross_val_score(model, X, y, cv=10)
        arcs = len(model.fit(X, y).edges_)
        grid.add_row(
            type(model).__name__, f"{accuracy.mean():.3f} ± {accuracy.std():.3f}", str(arcs)
        )
    say(grid)

    model = jb.TAN().fit(X, y)
    row = int(np.argmin(model.predict_proba(X).max(axis=1)))
    why = model.explain(X.iloc[[row]])
    say(
        f"\nThe wine TAN is least sure of (row {row}): {why.answer[0]}, and not {why.runner_up[0]},"
    )
    say(f"by odds of {np.exp(why.log_odds[0]):.1f} to 1. What spoke for and against (log-odds):")
    order = np.argsort(-np.abs(why.contributions[0]))[:5]
    for j in order:
        say(f"  {why.feature_names[j]:<30}{why.contributions[0, j]:+.2f}")


def many_labels() -> None:
    digits = load_digits()
    Y = np.array([[int(d in which) for which in PROPERTIES.values()] for d in digits.target])
    names = tuple(digits.feature_names)
    X = jb.Table.of(digits.data)
    say("\n[bold]2. Many labels[/]: handwritten digits, by what they are like\n")
    about = jb.describe(Dataset("digits", X, Y, tuple(PROPERTIES), names))
    say(on_terminal(page_of_summary(about)))

    train, test = next(HoldOut(random_state=0).split(X, Y))
    say("\nWhole label vectors right, on a third of the rows kept apart:\n")
    grid = Grid("model", "all labels", "each label", "fit", "predict", box=None, pad_edge=False)
    for model in (jb.CTBN(), jb.MultilabelNB(empty="allow"), jb.MultilabelFAN(empty="allow")):
        begin = time.perf_counter()
        model.fit(X[train], pd.DataFrame(Y[train], columns=list(PROPERTIES)))
        fitted = time.perf_counter()
        post = model.posterior(X[test])
        exact = (post.decide("subset") == Y[test]).all(axis=1).mean()
        each = (post.decide("hamming") == Y[test]).mean()
        done = time.perf_counter()
        grid.add_row(
            type(model).__name__,
            f"{exact:.3f}",
            f"{each:.3f}",
            f"{fitted - begin:.2f} s",
            f"{done - fitted:.2f} s",
        )
    say(grid)
    ask(post, digits.target[test])


def report() -> None:
    """Compare classifiers on three data sets and write what was found as a page."""
    say("\n[bold]3. A comparison[/]: five classifiers, three data sets, five folds\n")
    sets = {
        name: (load().data, load().target)
        for name, load in (
            ("iris", load_iris), ("wine", load_wine), ("breast cancer", load_breast_cancer)
        )
    }  # fmt: skip
    models = [jb.NaiveBayes(), jb.TAN(), jb.KDB(k=2), jb.AODE(), jb.LTAN()]
    found = jb.compare(models, sets, cv=5, metrics=["subset_accuracy", "log_loss"])
    say("Average ranks by accuracy:")
    for model, rank in found.ranks("subset_accuracy").items():
        say(f"  {model:<12}{rank:.2f}")
    page = Path("build") / "demo.html"
    page.parent.mkdir(exist_ok=True)
    found.to_html(page)
    say(f"\nTables, ranks with their critical difference, and times: [bold]{page.resolve()}[/]")


def ask(post: Posterior, truth: np.ndarray) -> None:
    best, log_p = post.top_k(3)
    row = int(np.argmin(log_p[:, 0]))
    say(f"\nA {truth[row]} that the model is unsure about; its three most probable label sets:")
    for vector, p in zip(best[row], np.exp(log_p[row]), strict=True):
        labels = ", ".join(n for n, v in zip(PROPERTIES, vector, strict=True) if v) or "none"
        say(f"  {p:6.1%}  {labels}")
    hint = "prime" if truth[row] in PROPERTIES["prime"] else "even"
    known = int(truth[row] in PROPERTIES[hint])
    told = post[[row]].given({hint: known})
    labels = ", ".join(n for n, v in zip(PROPERTIES, told.map()[0], strict=True) if v) or "none"
    say(f"Told that it is {'' if known else 'not '}{hint}, the model answers: {labels}")


if __name__ == "__main__":
    main()
