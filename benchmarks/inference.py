"""Exact inference over label vectors: against pgmpy, pyAgrum and toulbar2, and what is proven.

    python benchmarks/inference.py [results.json [data set ...]]

Each data set is split once (a fifth of the rows is for testing), its features are selected by CFS
on the other rows, and mNB, mFAN and the ensemble are learned with one bridge. The share of test
rows whose most probable label vector is proven within a minute is counted, with the time for one
row on one core.
The same network is then given to the peers, who are asked row by row as their users do: pgmpy and
pyAgrum for the best vector and all marginals, toulbar2 for the best vector, with and without the
time to state its problem. Their answers are checked to be as probable as ours. Times are processor
time. A peer that is not installed is left out and named. The bridge of Enron is learned once more,
from all rows on two cores, by the clock.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import jointbayes as jb
from environment import describe_machine
from inference_peers import ask_pgmpy, ask_pyagrum
from jointbayes import _kernels
from jointbayes.codes import Codes
from jointbayes.inference.graphs.search import search
from jointbayes.labels import LabelSpace
from jointbayes.models.networks.mfan import MultilabelFAN
from jointbayes.models.networks.mnb import MultilabelNB
from jointbayes.models.networks.multidimensional import Multidimensional, learn_multidimensional
from jointbayes.models.networks.network_ensemble import NetworkEnsemble
from jointbayes.posterior import FactorGraph
from jointbayes.select import CFS
from jointbayes.structure import learn_bridge
from jointbayes.table import Table

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data" / "multilabel"
NAMES = ("emotions", "scene", "yeast", "genbase", "slashdot", "enron", "CAL500", "bibtex")
SMALL, LARGE = ("emotions", "yeast"), "enron"
TIME_LIMIT = 60.0
PEER_ROWS = 20
TIMED_ROWS = 400


def processor_time(call: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    times, answer = [], None
    for _ in range(repeats):
        start = time.process_time()
        answer = call()
        times.append(time.process_time() - start)
    return min(times), answer


@dataclass(frozen=True)
class Learned:
    """The three models of a data set, and its test rows."""

    models: dict[str, Multidimensional]
    codes: Codes
    space: LabelSpace

    def posterior(self, model: str) -> FactorGraph:
        """Return the posterior of the test rows."""
        return self.models[model].condition(self.codes, self.space, 1 << 30, TIME_LIMIT)


def learn(name: str) -> Learned:
    data = jb.load_dataset(DATA / f"{name}.arff.xz")
    order = np.random.default_rng(0).permutation(data.X.shape[0])
    test, train = np.split(order, [len(order) // 5])
    selector = CFS().fit(data.X[train], data.Y[train])
    base = MultilabelNB().fit(selector.transform(data.X[train]), data.Y[train])
    models = {}
    for kind in (MultilabelNB, MultilabelFAN, NetworkEnsemble):
        graphs = kind()._class_graphs(base.knowledge_)
        models[kind.__name__] = learn_multidimensional(
            base.knowledge_, graphs, base.learned_.bridge, base.ess
        )
    chosen = selector.transform(data.X[test])
    rows = chosen if hasattr(chosen, "indptr") else Table.of(chosen)
    return Learned(models, base.encoder_.codes(rows), base.space_)


def time_rows(post: FactorGraph) -> list[float]:
    """Return the time of every row, one at a time."""
    rows = (post._cut(slice(row, row + 1)) for row in range(len(post)))
    return [processor_time(partial(search, post.plan, t, 1, TIME_LIMIT))[0] for t in rows]


def proven(name: str, learned: Learned) -> Iterator[dict[str, object]]:
    """Count the rows whose best vector is proven, and time all together, and some of them apart."""
    for model in learned.models:
        post = learned.posterior(model)
        batch, found = processor_time(partial(search, post.plan, post.tables, 1, TIME_LIMIT))
        times = time_rows(post[:TIMED_ROWS])
        record = {
            "set": name,
            "model": model,
            "labels": len(learned.space),
            "width": post.plan.width,
            "cells": post.plan.cells,
            "rows": len(post),
            "proven": float(np.mean(found.gap == 0)),
            "ms_per_row": 1e3 * batch / len(post),
            "slowest_ms": 1e3 * max(times),
            "unproven": np.flatnonzero(found.gap).tolist(),
            "largest_gap": float(found.gap.max()),
        }
        print(
            f"{name:9s} {model:16s} width {record['width']:3d}: {record['proven']:7.2%} of "
            f"{record['rows']} rows proven, {record['ms_per_row']:8.3f} ms a row, slowest "
            f"{record['slowest_ms']:8.2f} ms",
            flush=True,
        )
        yield record


def row_of(name: str, ours: float, rival: float, goal: float) -> dict[str, object]:
    print(f"{name:76s} {rival / ours:9.1f}x (goal {goal:.0f}x)", flush=True)
    return {"name": name, "ours_s": ours, "rival_s": rival, "ratio": rival / ours, "goal": goal}


def check(post: FactorGraph, rows: int, answers: list[list[int]], who: str) -> None:
    """Hold a peer's vectors to ours: equally probable, whichever of equals it took."""
    some = post[:rows]
    theirs = some._score(np.array(answers)[:, None])[:, 0]
    ours = some._score(some._mode()[:, None])[:, 0]
    assert np.allclose(theirs, ours, atol=1e-5), f"{who} finds other vectors"


def against_networks(name: str, learned: Learned) -> Iterator[dict[str, object]]:
    """Time marginals alone and with the best vector: our rows at once, theirs one by one."""
    network, d = learned.models["MultilabelNB"].networks[0], len(learned.space)
    post = learned.posterior("MultilabelNB")

    def ours(*questions: str) -> float:
        def ask() -> None:
            fresh = learned.posterior("MultilabelNB")
            for question in questions:
                getattr(fresh, question)()

        return processor_time(ask, repeats=5)[0] / len(post)

    columns = [learned.codes.column(v - d)[:PEER_ROWS] for v in range(d, len(network.cards))]
    evidence = [
        {
            f"x{d + j}": int(column[row])
            for j, column in enumerate(columns)
            if column[row] < network.cards[d + j]
        }
        for row in range(PEER_ROWS)
    ]
    for peer, ask in (("pgmpy", ask_pgmpy), ("pyagrum", ask_pyagrum)):
        if find_spec(peer) is None:
            print(f"{peer} is not installed: left out", flush=True)
            continue
        (marginals, _), (best, answers) = map(processor_time, ask(network, d, evidence))
        check(post, PEER_ROWS, answers, peer)
        what = f"mNB of {name} ({d} labels), against {peer}"
        yield row_of(f"marginals, {what}", ours("marginals"), marginals / PEER_ROWS, 100)
        both = (marginals + best) / PEER_ROWS
        yield row_of(f"marginals and best vector, {what}", ours("marginals", "map"), both, 100)


def against_toulbar2(name: str, learned: Learned) -> Iterator[dict[str, object]]:
    if find_spec("pytoulbar2") is None:
        print("pytoulbar2 is not installed: left out", flush=True)
        return
    import pytoulbar2

    post = learned.posterior("MultilabelNB")

    def ours() -> None:
        learned.posterior("MultilabelNB")._mode()

    batch = processor_time(ours)[0] / len(post)
    stating = solving = 0.0
    answers = []
    for row in range(PEER_ROWS):
        tables = [table[..., row] for table in post.tables]

        def state(tables: list[np.ndarray] = tables) -> Any:
            problem = pytoulbar2.CFN(resolution=6, verbose=-1)
            for v, card in enumerate(post.plan.cards):
                problem.AddVariable(f"y{v}", range(card))
            for scope, table in zip(post.plan.scopes, tables, strict=True):
                problem.AddFunction(list(scope), (table.max() - table).ravel().tolist())
            return problem

        spent, problem = processor_time(state)
        stating += spent
        spent, answer = processor_time(problem.Solve)
        solving += spent
        answers.append(answer[0])
    check(post, PEER_ROWS, answers, "toulbar2")
    what = f"best vector, mNB of {name} ({len(learned.space)} labels), against toulbar2"
    yield row_of(f"{what}, its problem stated", batch, (stating + solving) / PEER_ROWS, 10)
    yield row_of(f"{what}, its solver alone", batch, solving / PEER_ROWS, 1)


def time_bridge(name: str) -> dict[str, object]:
    """Time the search for the parents of all features that CFS keeps."""
    data = jb.load_dataset(DATA / f"{name}.arff.xz")
    chosen = CFS().fit(data.X, data.Y).transform(data.X)
    known = MultilabelNB(max_parents=0).fit(chosen, data.Y).knowledge_
    start, spent = time.perf_counter(), time.process_time()
    bridge = learn_bridge(known.vectors, known.class_cards, known.counts, n_jobs=2)
    seconds, spent = time.perf_counter() - start, time.process_time() - spent
    rows, features = chosen.shape
    what = (
        f"bridge of {name} ({rows:,} rows, {features} of {data.X.shape[1]:,} features, "
        f"{len(known.class_cards)} labels) on two cores, seconds: {bridge.proof}, "
        f"{bridge.candidates / spent / 1e6:.1f} million sets per core-second (goal 5)"
    )
    print(f"{what}: {seconds:.1f} s", flush=True)
    return {"name": what, "value": seconds, "limit": 60.0}


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "results" / "inference.json"
    records, ratios, limits = [], [], []
    for name in sys.argv[2:] or NAMES:
        learned = learn(name)
        records += proven(name, learned)
        if name in SMALL:
            ratios += against_networks(name, learned)
        if name == LARGE:
            ratios += against_toulbar2(name, learned)
            limits.append(time_bridge(name))
    result = {
        "title": "Exact inference over label vectors",
        "machine": describe_machine() | {"compiled": _kernels.COMPILED},
        "ratios": ratios,
        "limits": limits,
        "proven": records,
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    os.environ["JOINTBAYES_NUM_THREADS"] = "1"
    main()
