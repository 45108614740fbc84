"""What the class graph is worth: none, mNB's, mFAN's or the ensemble's, all else being equal.

    python benchmarks/class_graphs.py [results.json [data set ...]]

Five folds, as in Corani et al. (2014), fewer of the largest sets. On each fold features are
selected once (or not at all) and one bridge is learned for each prior strength; the class graphs
are then put on it in turn, so that nothing but the graph differs between two rows of a table.
Recorded for each graph, on test rows: global accuracy of the best vector, with the share that is
proven, and of (approximate) max-product, Hamming accuracy of the marginals, and the log-probability
that the class graph alone gives to the labels. Of mNB also its structure, and the time for the best
vectors next to the ensemble's: Figures 2 and 3 of the paper. Times are processor time. Data sets
that are not named keep their records. `render_class_graphs.py` makes the page and its figures.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import jointbayes as jb
from environment import describe_machine
from jointbayes.inference.graphs.propagation import believe
from jointbayes.information import bdeu
from jointbayes.models.networks.mnb import MultilabelNB
from jointbayes.models.networks.multidimensional import learn_multidimensional
from jointbayes.models.networks.network_ensemble import NetworkEnsemble
from jointbayes.posterior import FactorGraph
from jointbayes.select import CFS
from jointbayes.structure import ClassGraph, forest_by_root, naive_by_root
from jointbayes.validation import Folds, take_rows
from structure_report import report_structure

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data" / "multilabel"
NAMES = ("emotions", "scene", "yeast", "genbase", "CAL500", "slashdot", "enron")
WIDE = ("genbase", "CAL500", "slashdot", "enron")  # a second prior would cost them many minutes
FEW = {"CAL500": 2, "slashdot": 2, "enron": 1}
"""Folds that are run of the five, where one takes more than ten seconds."""
MEASURED = ("none", "mNB", "mFAN")  # in all respects
COLD = 20.0
"""Max-product is belief propagation on P^COLD in the limit."""


def graphs_of(known: Any, ess: float) -> dict[str, tuple[ClassGraph, ...]]:
    classes, weights, d = known.class_codes(), known.counts.n_c, len(known.class_cards)
    naive, forest = (learn(classes, ess, weights) for learn in (naive_by_root, forest_by_root))
    own = [bdeu(known.class_table((root,)), ess) for root in range(d)]

    def best(graphs: list[ClassGraph]) -> tuple[ClassGraph]:
        return (max(graphs, key=lambda graph: graph.score),)

    def best_apart(graphs: list[ClassGraph]) -> tuple[ClassGraph]:
        """Choose the root by the score of all classes but itself."""
        return (max(graphs, key=lambda graph: graph.score - own[graph.root]),)

    return {
        "none": (ClassGraph(0, ((),) * d, float("nan")),),
        "mNB": best(naive),
        "mFAN": best(forest),
        "ensemble": NetworkEnsemble()._class_graphs(known),
        "mNB apart": best_apart(naive),
        "mFAN apart": best_apart(forest),
        "mFAN worst": (min(forest, key=lambda graph: graph.score),),
    }


def max_product(post: FactorGraph) -> np.ndarray:
    """Return the vectors of best single beliefs; where they are empty, the likeliest label."""

    def ask(tables: list[np.ndarray]) -> np.ndarray:
        marginals, _ = believe(post.plan, [COLD * table for table in tables])
        with np.errstate(divide="ignore"):
            return np.stack([np.log(p[:, 1]) - np.log(p[:, 0]) for p in marginals], axis=1)

    odds = post._by_blocks(ask, sum(map(post.plan.size, post.plan.scopes)))
    answer = (odds > 0).astype(int)
    empty = np.flatnonzero(~answer.any(axis=1))
    answer[empty, odds[empty].argmax(axis=1)] = 1
    return answer


def prior_of(network: Any, codes: np.ndarray) -> float:
    """Return the mean log-probability of label vectors under the class graph alone."""
    d = network.n_targets
    cells = zip(network.families[:d], network.log_tables[:d], strict=True)
    return float(sum(table[tuple(codes[:, list(f)].T)] for f, table in cells).mean())


def clocked(call: Any) -> tuple[float, Any]:
    start = time.process_time()
    answer = call()
    return time.process_time() - start, answer


def compare_graphs(
    base: MultilabelNB, X: Any, truth: np.ndarray, queries: str
) -> Iterator[dict[str, Any]]:
    for name, graphs in graphs_of(base.knowledge_, base.ess).items():
        learned = learn_multidimensional(base.knowledge_, graphs, base.learned_.bridge, base.ess)
        codes = base.encoder_.codes(X)
        post = learned.condition(codes, base.space_, base.max_bytes, base.time_limit)
        seconds, best = clocked(lambda post=post: post.map(empty="forbid"))
        record = {
            "graph": name,
            "arcs": graphs[0].arcs,
            "global": float((best == truth).all(axis=1).mean()),
            "proven": float((post.gap() == 0).mean()),
            "map_seconds": seconds,
        }
        if name in MEASURED:
            record["prior"] = prior_of(learned.networks[0], base.space_.encode(truth))
        if name in MEASURED and queries == "all":
            marginal = post.decide("hamming", empty="forbid")
            record["hamming"] = float((marginal == truth).mean())
            record["marginals"] = post.exactness["marginals"]
            record["max_product"] = float((max_product(post) == truth).all(axis=1).mean())
        yield record


def structure_of(base: MultilabelNB) -> dict[str, Any]:
    """Return what the paper tells of mNB: as it is, and with the root chosen apart."""
    report, known = report_structure(base), base.knowledge_
    found = {
        "classes": len(base.space_),
        "clique_size": report.clique_size,
        "root_percentile": report.root_percentile,
        "linked": report.linked,
        "connectivity_percentile": report.connectivity_percentile,
    }
    (apart,) = graphs_of(known, base.ess)["mNB apart"]
    base.learned_ = replace(base.learned_, graphs=(apart,))
    report = report_structure(base)
    return found | {
        "apart_root_percentile": report.root_percentile,
        "apart_linked": report.linked,
        "apart_connectivity_percentile": report.connectivity_percentile,
    }


def fold_of(name: str, train: tuple[Any, Any], test: tuple[Any, Any]) -> Iterator[dict[str, Any]]:
    X, Y = train
    selector = CFS().fit(X, Y)
    for features, ess in (("CFS", 5.0), ("CFS", 1.0), ("CFS", 10.0), ("all", 5.0)):
        usual = features == "CFS" and ess == 5.0
        if name in WIDE and not usual:
            continue
        seen, asked = (
            (rows if features == "all" else selector.transform(rows)) for rows in (X, test[0])
        )
        base = MultilabelNB(ess=ess).fit(seen, Y)
        about = {"set": name, "features": features, "ess": ess}
        for record in compare_graphs(base, asked, np.asarray(test[1]), "all" if usual else "few"):
            yield about | record
        if usual:
            yield {"set": name, "kept": seen.shape[1]} | structure_of(base)


def measure(name: str) -> list[dict[str, Any]]:
    data = jb.load_dataset(DATA / f"{name}.arff.xz")
    found: list[dict[str, Any]] = []
    splits = Folds(5, stratify="rarest", random_state=0).split(data.X, data.Y)
    for fold, split in zip(range(FEW.get(name, 5)), splits, strict=False):
        train, test = [(take_rows(data.X, rows), take_rows(data.Y, rows)) for rows in split]
        start = time.process_time()
        found += [{"fold": fold} | record for record in fold_of(name, train, test)]
        print(f"{name} fold {fold}: {time.process_time() - start:.1f} s", flush=True)
    return found


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "results" / "class_graphs.json"
    names = sys.argv[2:] or NAMES
    kept: dict[str, Any] = {"graphs": [], "structures": []}
    if target.exists():
        kept = json.loads(target.read_text(encoding="utf-8"))
    for name in names:
        found = measure(name)
        for key, own in (("graphs", True), ("structures", False)):
            others = [record for record in kept[key] if record["set"] != name]
            kept[key] = others + [record for record in found if ("graph" in record) == own]
        about = {"title": "Class graphs", "machine": describe_machine()}
        result = about | {"note": "Tables and figures are in [mfan_puzzle.md](mfan_puzzle.md)."}
        result |= {key: kept[key] for key in ("graphs", "structures")}
        target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
