"""The explorer's pages in a browser, and what `try_models` recommends on rows it has not seen.

    JOINTBAYES_DATA=FOLDER python benchmarks/looking.py pages try
    JOINTBAYES_DATA=FOLDER python benchmarks/looking.py --cpu try

Pages need playwright and a Chromium; axe-core is looked for in node_modules, or in the file of the
environment variable AXE. With ``--cpu`` the time limit of `try_models` counts the processor seconds
of one thread, as a machine would take that has nothing else to do. Writes results/looking.json;
`render_looking.py` makes docs/evidence/looking.md of it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import jointbayes as jb
from environment import describe_machine
from jointbayes.design import learn_matrix
from jointbayes.models.auto import trying
from jointbayes.trying import entrants, search

HERE = Path(__file__).parent
RESULT = HERE / "results" / "looking.json"
CLICKS = 40
PAGES = (
    ("MultilabelFAN(max_parents=2)", jb.MultilabelFAN(max_parents=2), "enron", None),
    ("CTBN()", jb.CTBN(), "enron", None),
    ("BinaryRelevance()", jb.BinaryRelevance(), "bibtex", 1200),
)
TABLES = ("emotions", "yeast", "waveform-5000")
SCREENS = ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark"))
STEPS = ("UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit")
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"]
CLICK = """async n => {
  const {state} = window.explorer, d = state.known.length, wait = ms => new Promise(f => setTimeout(f, ms));
  for (let i = 0; i < n; i++) {
    const j = i * 7 % d, want = state.known[j] >= 0 ? -1 : i % 3 ? 0 : 1;
    const radio = [...document.querySelectorAll(`input[name=label-${j}]`)].find(r => Number(r.value) === want);
    await wait(120);
    performance.mark('before');
    radio.click();
    performance.mark('after');
    await new Promise(f => requestAnimationFrame(() => setTimeout(f, 30)));
  }
}"""  # noqa: E501


def look_at_pages() -> list[dict[str, Any]]:
    """Write each page, count what axe-core finds, and take the time of clicks."""
    from playwright.sync_api import sync_playwright

    found = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, model, dataset, rows in PAGES:
            data = jb.load_dataset(dataset)
            model.fit(data.X[:rows], data.Y[:rows])
            path = Path(folder) / "page.html"
            model.explore(path, X=data.X[:20])
            about = {"model": name, "data": dataset, "labels": data.Y.shape[1]}
            megabytes = path.stat().st_size / 1e6
            measured = clicks(browser, path, Path(folder) / "trace.json")
            found.append(
                about | {"megabytes": megabytes, "axe": violations(browser, path)} | measured
            )
            print(found[-1], flush=True)
        browser.close()
    return found


def opened(browser: Any, path: Path, width: int, **options: Any) -> Any:
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900}, **options)
    page = context.new_page()
    page.set_default_timeout(300_000)
    page.goto(path.as_uri())
    page.wait_for_selector("#python:not(:empty)")
    return page


def violations(browser: Any, path: Path) -> int | None:
    """Return how many rules of axe-core are broken on any screen; None without axe-core."""
    axe = Path(os.environ.get("AXE", "node_modules/axe-core/axe.min.js"))
    if not axe.exists():
        return None
    count = 0
    for width, scheme in SCREENS:
        page = opened(browser, path, width, color_scheme=scheme, bypass_csp=True)
        page.evaluate(axe.read_text(encoding="utf-8"))
        page.evaluate("explorer.fix(1, 1)")
        count += len(page.evaluate("axe.run()")["violations"])
        page.context.close()
    return count


def clicks(browser: Any, path: Path, trace: Path) -> dict[str, Any]:
    """Return milliseconds of the page's thread from a click to the end of its frame.

    Those of the processor, from the browser's trace, and those of the clock, which hold the wait
    for the next frame of a screen of 60 a second and all that other programs take.
    """
    page = opened(browser, path, 1280)
    page.evaluate(CLICK, CLICKS)
    browser.start_tracing(page=page, path=trace, categories=CATEGORIES)
    page.evaluate(CLICK, CLICKS)
    browser.stop_tracing()
    page.context.close()
    events = [e for e in json.loads(trace.read_text())["traceEvents"] if "ts" in e]
    marks = [e for e in events if e["name"] == "before" and e["cat"] == "blink.user_timing"]
    own = [e for e in events if e["tid"] == marks[0]["tid"] and e["pid"] == marks[0]["pid"]]
    own.sort(key=lambda event: event["ts"])
    every = [after_click(mark["ts"], own) for mark in marks]
    told: dict[str, Any] = {"clicks": len(every)}
    for key in every[0]:
        values = [one[key] for one in every]
        told[key] = {"median": float(np.median(values)), "p95": float(np.quantile(values, 0.95))}
    return told


def after_click(start: float, events: list[dict[str, Any]]) -> dict[str, float]:
    after = next(e["ts"] for e in events if e["name"] == "after" and e["ts"] >= start)
    commit = next(e for e in events if e["name"] == "Commit" and e["ts"] >= after)
    end = commit["ts"] + commit.get("dur", 0)
    scripts = [e for e in events if e["name"] == "EventDispatch" and start <= e["ts"] <= after]
    script = max((e.get("tdur", 0) for e in scripts), default=0)
    drawn = [e for e in events if e["name"] in STEPS and after <= e["ts"] <= end]
    draw = sum(e.get("tdur", 0) for e in drawn)
    return {
        "script_ms": script / 1e3,
        "drawing_ms": draw / 1e3,
        "processor_ms": (script + draw) / 1e3,
        "clock_ms": (end - start) / 1e3,
    }


def try_tables(messy: list[tuple[str, jb.Dataset]]) -> list[dict[str, Any]]:
    """Try models on two thirds of the rows, and measure on the others."""
    found = []
    for name, data in [*messy, *((name, jb.load_dataset(name)) for name in TABLES)]:
        found.append({"data": name} | tried(data))
        print(found[-1], flush=True)
    return found


def tried(data: jb.Dataset) -> dict[str, Any]:
    order = np.random.default_rng(0).permutation(len(data.Y))
    train, test = np.split(order, [2 * len(order) // 3])
    X, Y, held = data.X[train], data.Y[train], data.Y[test]
    start = search.perf_counter()
    result = jb.try_models(X, Y, random_state=0, n_jobs=1, progress="none")
    seconds = search.perf_counter() - start
    design, matrix = learn_matrix(X)
    others = design.matrix(data.X[test])
    peers = {
        "forest": RandomForestClassifier(random_state=0),
        "logistic regression": make_pipeline(
            StandardScaler(with_mean=False), LogisticRegression(max_iter=1000)
        ),
    }
    ours = rights(result.model.predict(data.X[test]), held)
    told: dict[str, Any] = {
        "rows": len(train),
        "test_rows": len(test),
        "recommended": result.name,
        "score": float(ours.mean()),
        "board": {place.model: place.score for place in result.leaderboard},
        "spent": {place.model: place.seconds for place in result.leaderboard},
        "left_out": dict(result.left_out),
        "seconds": seconds,
    }
    for name, peer in peers.items():
        theirs = rights(answers(peer, matrix, Y, others), held)
        told[name] = {"score": float(theirs.mean()), "p": told_apart(ours, theirs)}
    return told


def told_apart(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the p-value of McNemar's exact test: rows that only one of two has right."""
    only, differ = int((ours & ~theirs).sum()), int((ours != theirs).sum())
    return float(binomtest(only, differ).pvalue) if differ else 1.0


def answers(peer: Any, matrix: Any, Y: Any, others: Any) -> np.ndarray:
    codes = np.asarray(Y)
    if codes.ndim == 1 or isinstance(peer, RandomForestClassifier):
        return peer.fit(matrix, codes).predict(others)
    each = [
        peer.fit(matrix, column).predict(others)
        if len(np.unique(column)) > 1
        else np.full(others.shape[0], column[0])
        for column in codes.T
    ]
    return np.stack(each, axis=1)


def rights(answer: Any, truth: Any) -> np.ndarray:
    same = np.asarray(answer) == np.asarray(truth)
    return same if same.ndim == 1 else same.all(axis=1)


def main() -> None:
    asked = sys.argv[1:]
    if "--cpu" in asked:
        for module in (search, entrants, trying):
            module.perf_counter = time.process_time  # type: ignore[attr-defined]
    found = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    if "pages" in asked:
        found["pages"] = {"machine": describe_machine(), "records": look_at_pages()}
    if "try" in asked:
        sys.path.insert(0, str(HERE.parent / "tests" / "oracles"))
        records = try_tables([("messy table", messy_dataset())])
        clock = "processor seconds of one thread" if "--cpu" in asked else "seconds"
        found["try"] = {"machine": describe_machine(), "clock": clock, "records": records}
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def messy_dataset() -> jb.Dataset:
    from messy_table import LABELS, write_messy

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "messy.csv"
        write_messy(path)
        return jb.load_dataset(path, target=list(LABELS), text=["Text"])


if __name__ == "__main__":
    main()
