"""What joint answers are good for, in a minute, on data that ships: run by `make demo`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.panel import Panel
from rich.table import Table as Grid
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import jointbayes as jb
from jointbayes.datasets.names import SHIPPED  # and no other table of the same name
from jointbayes.posterior import Posterior
from jointbayes.validation import Folds, HoldOut

console = Console(width=min(Console().width, 100), highlight=False)
say = console.print

NATION = "Ghana"
PAINT = {
    "red": "#d7263d", "green": "#1b998b", "blue": "#2667ff", "yellow": "#f4d35e",
    "white": "#f5f5f5", "black": "#444444", "orange": "#f46036",
}  # fmt: skip
# What a handwritten digit is, besides its name.
PROPERTIES = {
    "even": {0, 2, 4, 6, 8},
    "prime": {2, 3, 5, 7},
    "at least 5": {5, 6, 7, 8, 9},
    "has a loop": {0, 6, 8, 9},
    "square number": {0, 1, 4, 9},
}


def main() -> None:
    start = time.perf_counter()
    warnings.simplefilter("ignore", jb.errors.DataWarning)
    X, Y = flags()
    model = one_row(X, Y)
    who_wins(X, Y)
    page(model, X)
    say(f"\nThat took {time.perf_counter() - start:.0f} s. Now your own table:\n")
    say("  [bold].venv/bin/jointbayes describe[/] my_table.csv --target label")
    say("  [bold].venv/bin/jointbayes try[/] my_table.csv --target label")


def flags() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return facts about nations, and which colours their flags have."""
    data = jb.load_dataset("flags", data_dir=SHIPPED, identifiers="keep")
    X = data.X.to_pandas().set_index("name")
    return X, pd.DataFrame(data.Y, index=X.index, columns=data.label_names)


# ---- one row: an unsure answer, and what one known label does to it


def one_row(X: pd.DataFrame, Y: pd.DataFrame) -> Any:
    """Ask about one nation a model that has seen all the others."""
    others = X.index != NATION
    model = jb.MultilabelFAN().fit(X[others], Y[others])
    posterior = model.posterior(X.loc[[NATION]])
    row, truth = X.loc[NATION], Y.loc[NATION].to_numpy()
    say(Panel.fit("[bold]Which colours are in this flag?[/]", border_style="cyan"))
    say(
        f"{NATION}: {row.landmass}, {row.language}, {row.stripes:.0f} stripes, "
        f"{row.sunstars:.0f} star, {row.colours:.0f} colours. "
        f"The model has seen {len(Y) - 1} other flags.\n"
    )
    show("It is unsure:", posterior, truth)
    show("Told one thing, that there is [bold]no white[/], the rest moves:",
         posterior.given({"white": 0}), truth)  # fmt: skip
    names, worth = posterior.next_question()
    say(f"Could it ask about one colour, it would be [bold]{names[0]}[/] (worth {worth[0]:.0%}).")
    label_by_label(X, Y, others)
    return model


def show(title: str, posterior: Posterior, truth: np.ndarray) -> None:
    say(title)
    vectors, log_p = posterior.top_k(3)
    for vector, p in zip(vectors[0], np.exp(log_p[0]), strict=True):
        right = "[bold green]✓ right[/]" if (vector == truth).all() else ""
        bar = "█" * round(22 * p)
        say(f"  {p:6.1%} [cyan]{bar:<22}[/] {swatches(PAINT, vector)} {right}")
    say()


def swatches(names: Iterable[str], vector: Iterable[int]) -> str:
    there = [name for name, value in zip(names, vector, strict=True) if value]
    return "  ".join(f"[{PAINT[name]}]██[/] {name}" for name in there) or "none"


def label_by_label(X: pd.DataFrame, Y: pd.DataFrame, others: np.ndarray) -> None:
    forest = plain(RandomForestClassifier(100, random_state=0)).fit(X[others], Y[others])
    answer = forest.predict(X.loc[[NATION]])[0]
    mark = "" if (answer == Y.loc[NATION]).all() else " [red]✗[/]"
    say(f"\nscikit-learn's forest, label by label:  {swatches(Y, answer)}{mark}")
    say("Told that there is no white, its other six answers stay as they were.\n")


# ---- who wins against what


def plain(classifier: Any, *more: Any) -> Any:
    """Return a classifier of scikit-learn behind what its users put before it."""
    numbers = make_pipeline(SimpleImputer(add_indicator=True), *more)
    nominal = make_column_selector(dtype_exclude="number")
    prepared = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), nominal), remainder=numbers
    )
    return make_pipeline(prepared, classifier)


def rivals() -> dict[str, Any]:
    regression = MultiOutputClassifier(LogisticRegression(max_iter=1000))
    return {
        "scikit-learn  regressions": plain(regression, StandardScaler()),
        "              random forest": plain(RandomForestClassifier(100, random_state=0)),
        "jointbayes    CTBN": jb.CTBN(),
        "              MultilabelFAN": jb.MultilabelFAN(),
        "              JointForest": jb.JointForest(n_estimators=100),
    }


def who_wins(X: pd.DataFrame, Y: pd.DataFrame) -> None:
    """Measure how often whole rows are right, and how often single labels are."""
    say(Panel.fit("[bold]Who wins against what?[/]", border_style="cyan"))
    sets = {
        "flags": (lambda: (X, Y), Folds(5, random_state=0)),
        "digits": (digits, HoldOut(1 / 3, random_state=0)),
        "thyroid": (thyroid, HoldOut(1 / 2, random_state=0)),
    }
    scores = {name: measure(load, cv) for name, (load, cv) in sets.items()}
    heads = [f"{name}\n{what}" for name in sets for what in ("rows", "labels")]
    grid = Grid(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    grid.add_column("share right of", no_wrap=True)
    for head in heads:
        grid.add_column(head, no_wrap=True)
    columns = [column for pair in scores.values() for column in pair]
    for model in rivals():
        grid.add_row(model, *(cell(column, model) for column in columns))
    told = with_rule(X, Y, sets["flags"][1])
    grid.add_row("              … told the count", f"[bold green]{told:.3f} ◀[/]")
    say(grid)
    for what, which in (("whole rows", 0), ("single labels", 1)):
        ahead = {name: leader_is_ours(pair[which]) for name, pair in scores.items()}
        theirs = f", scikit-learn on [yellow]{listed(ahead, ours=False)}[/]"
        say(
            f"By {what} a joint model leads on [green]{listed(ahead, ours=True)}[/]"
            f"{'' if all(ahead.values()) else theirs}."
        )


def listed(ahead: dict[str, bool], *, ours: bool) -> str:
    names = [name for name, joint in ahead.items() if joint == ours]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "none"


def leader_is_ours(column: dict[str, float]) -> bool:
    order = list(column)
    return order.index(max(column, key=column.__getitem__)) >= order.index("jointbayes    CTBN")


def cell(column: dict[str, float], model: str) -> str:
    score = column[model]
    return f"[bold green]{score:.3f} ◀[/]" if score == max(column.values()) else f"{score:.3f}"


def measure(load: Callable[[], Any], cv: Any) -> tuple[dict[str, float], dict[str, float]]:
    """Return the shares of rows and of labels that every model has right."""
    X, Y = load()
    truth = Y.to_numpy()
    rows: dict[str, float] = {}
    labels: dict[str, float] = {}
    for name, model in rivals().items():
        with console.status(name.strip()):
            found = [
                [answer == truth[test] for answer in answers(model, X, Y, train, test)]
                for train, test in cv.split(X, truth.astype(str))
            ]
        rows[name] = float(np.concatenate([f[0].all(axis=1) for f in found]).mean())
        labels[name] = float(np.concatenate([f[1] for f in found]).mean())
    return rows, labels


def answers(model: Any, X: pd.DataFrame, Y: pd.DataFrame, train: Any, test: Any) -> Any:
    """Return the answer for whole rows and that for single labels, if a model tells them apart."""
    model.fit(X.iloc[train], Y.iloc[train])
    if not hasattr(model, "posterior"):
        return [np.asarray(model.predict(X.iloc[test]))] * 2
    posterior = model.posterior(X.iloc[test])
    return [posterior.decide(loss) for loss in ("subset", "hamming")]


def with_rule(X: pd.DataFrame, Y: pd.DataFrame, cv: Any) -> float:
    """Return how often the forest is right that is told how many colours each flag has."""
    right = []
    for train, test in cv.split(X, Y.to_numpy()):
        model = jb.JointForest(n_estimators=100).fit(X.iloc[train], Y.iloc[train])
        for k, rows in X.iloc[test].groupby("colours"):
            rule = jb.rules.exactly(min(int(k), Y.shape[1]))
            found = model.posterior(rows).subject_to(rule).map()
            right.append((found == Y.loc[rows.index].to_numpy()).all(axis=1))
    return float(np.concatenate(right).mean())


def digits() -> tuple[pd.DataFrame, pd.DataFrame]:
    data = load_digits(as_frame=True)
    return data.data, pd.DataFrame(
        {name: data.target.isin(which).astype(int) for name, which in PROPERTIES.items()}
    )


def thyroid() -> tuple[pd.DataFrame, pd.DataFrame]:
    data = jb.load_dataset("thyroid", data_dir=SHIPPED)
    return data.X.to_pandas(), pd.DataFrame(data.Y, columns=data.label_names)


# ---- a page to play with


def page(model: Any, X: pd.DataFrame) -> None:
    """Write the model as a page that answers in the browser, without a server."""
    path = Path("build") / "flags.html"
    path.parent.mkdir(exist_ok=True)
    model.explore(path, X=X)
    say("\nChange a feature, fix a colour, watch the rest, in any browser and without a network:")
    say(f"  [bold]{path.resolve()}[/]")


if __name__ == "__main__":
    main()
