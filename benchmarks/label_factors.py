"""Label factors at work: the page docs/evidence/label_factors.md with its figures.

    python benchmarks/label_factors.py [distributions]     # 1,000 as in the paper unless fewer
    python benchmarks/label_factors.py sections            # only what takes a minute or two

Figure 2 of Gasse 2015: binary relevance, label powerset and ILF-Compo on the toy problem against
the number of training rows. With one nominal feature, fully grown trees come down to the counts of
label sets at each of its values, so all three predict by these counts; accuracy is worked out from
the distribution itself, without test rows. Beside it: the label graph of a data set next to a
permuted copy, and how many trees a forest of label sets needs.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import product
from multiprocessing import Pool
from pathlib import Path

import numpy as np

import jointbayes as jb
from jointbayes.independence import LabelFactors, Procedure
from jointbayes.independence.factors import find_label_factors
from jointbayes.models import VotingForest
from jointbayes.network import Network
from jointbayes.plots import as_svg, factor_graph, learning_curves
from jointbayes.reproduction.gasse2015 import DISTRIBUTIONS, FILES, SIZES
from jointbayes.synthetic import TOY_FACTORS, duplicate, random_network, sample_network, toy_dag
from jointbayes.validation import Folds

DOCS = Path(__file__).resolve().parent.parent / "docs" / "evidence"
NEXT = "## A data set beside"
ROWS, REPEATS = (25, 50, 100, 200, 400), 200
LINKED = ("emotions", "image", "scene", "yeast", "slashdot", "genbase", "enron")
TREES = (25, 50, 100, 200, 500, 1000)
SETS = np.array(list(product((0, 1), repeat=5)))  # the label sets by their number
PLACE = 2 ** np.arange(5)[::-1]
APART, TOGETHER = TOY_FACTORS[1], TOY_FACTORS[5]


def joint(network: Network) -> np.ndarray:
    """Return P(x, label set), (16, 32), of a toy network."""
    p = np.exp(network.log_tables[5])[:, None] * np.ones((16, 32))
    for label in range(5):
        family = network.families[label]
        where = [np.arange(16)[:, None] if v == 5 else SETS[:, v][None, :] for v in family]
        p = p * np.exp(network.log_tables[label])[tuple(where)]
    return p


def most_frequent(counts: np.ndarray, factors: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """Return the most frequent label set at each x, factor by factor; overall where x is new."""
    counts = np.where(counts.sum(axis=1, keepdims=True) > 0, counts, counts.sum(axis=0))
    best = np.zeros(16, dtype=int)
    for factor in factors:
        own = SETS[:, factor] @ PLACE[list(factor)]  # the set with all other labels off
        by_part = np.stack([np.bincount(own, row, 32) for row in counts])
        best += by_part.argmax(axis=1)
    return best


def accuracies(job: tuple[int, int]) -> list[list[float]]:
    """Return the accuracy of BR, LP and ILF-Compo at every sample size, for one distribution."""
    dag, seed = job
    rng = np.random.default_rng([dag, seed])
    network = random_network(toy_dag(dag), (2, 2, 2, 2, 2, 16), rng, n_targets=5)
    p = joint(network)
    found = []
    for n in SIZES:
        codes = sample_network(network, n, rng)
        x, label_set = np.asarray(codes.features)[:, 0], np.asarray(codes.targets) @ PLACE
        counts = np.zeros((16, 32))
        np.add.at(counts, (x, label_set), 1)
        factors = find_label_factors(codes, tuple("abcde"), Procedure(seed=seed, n_jobs=1)).factors
        found.append(
            [
                float(p[np.arange(16), most_frequent(counts, chosen)].sum())
                for chosen in (APART, TOGETHER, factors)
            ]
        )
    return found


def figure_2(distributions: int) -> list[str]:
    lines = []
    for dag in TOY_FACTORS:
        jobs = [(dag, seed) for seed in range(distributions)]
        with Pool(2) as pool:
            scores = np.mean(pool.map(accuracies, jobs, chunksize=10), axis=0)
        curves = {
            name: dict(zip(SIZES, scores[:, k].tolist(), strict=True))
            for k, name in enumerate(("BR", "LP", "ILF-Compo"))
        }
        blocks = " ".join("{" + ", ".join(f"Y{j + 1}" for j in f) + "}" for f in TOY_FACTORS[dag])
        drawing = learning_curves(curves, "mean global accuracy", title=f"DAG {dag}: {blocks}")
        (DOCS / f"label_factors_dag_{dag}.svg").write_text(as_svg(drawing), encoding="utf-8")
        lines.append(
            f"**{drawing.title}**\n\n![{drawing.description}](label_factors_dag_{dag}.svg)"
        )
        print(drawing.description, flush=True)
    return lines


def scene_twice() -> str:
    data = jb.load_dataset("scene")
    X, Y = duplicate(data.X, data.Y, rng=0)
    names = (*data.label_names, *(f"{name}, copy" for name in data.label_names))
    found = replace(LabelFactors.of(X, Y, random_state=0), names=names)
    drawing = factor_graph(found, title="Scene beside a permuted copy of itself")
    (DOCS / "label_factors_scene2.svg").write_text(as_svg(drawing), encoding="utf-8")
    return f"![{drawing.description}](label_factors_scene2.svg)"


def numbers_of_trees() -> list[str]:
    """Accuracy of the powerset of emotions, five times two folds, by the number of trees."""
    data = jb.load_dataset("emotions")
    lines = ["| trees | global accuracy in percent |", "| --- | --- |"]
    for n_trees in TREES:
        forest = VotingForest(n_trees=n_trees, random_state=0)
        folds = Folds(2, 5, stratify="none", random_state=0)
        found = jb.evaluate(
            jb.LabelPowerset(forest), data.X, data.Y, cv=folds, metrics="subset_accuracy"
        )
        score = found["subset_accuracy"]
        lines.append(f"| {n_trees} | {100 * score.mean:.1f} ± {100 * score.spread:.1f} |")
    return lines


def ties_of_three() -> str:
    """How often parity is found, by rows and noise, and how often coins are joined."""
    head = " | ".join(f"{n} rows" for n in ROWS)
    lines = [f"| labels | {head} |", "| --- " * (len(ROWS) + 1) + "|"]
    for noise in (0.0, 0.1, 0.2, 0.3):
        found = [_share_joined(n, noise, 1e-3) for n in ROWS]
        lines.append(f"| parity, {noise:.0%} flipped | " + " | ".join(found) + " |")
    for alpha in (0.05, 1e-3):
        found = [_share_joined(n, None, alpha) for n in ROWS]
        lines.append(f"| five coins, level {alpha:g} | " + " | ".join(found) + " |")
    return TRIPLES.format(repeats=REPEATS, table="\n".join(lines))


def _share_joined(n: int, noise: float | None, alpha: float) -> str:
    joined = 0
    for seed in range(REPEATS):
        rng = np.random.default_rng([n, seed])
        Y = rng.integers(0, 2, (n, 5))
        if noise is not None:
            Y[:, 2] = Y[:, 0] ^ Y[:, 1] ^ (rng.random(n) < noise)
        found = LabelFactors.of(None, Y, alpha, random_state=seed, ties="triples")
        joined += bool(found.triples) if noise is None else (0, 1, 2) in found.triples
    return f"{100 * joined / REPEATS:.1f} %"


def links_of_data() -> str:
    lines = [
        "| data set | labels | links | of all pairs | factors | largest |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in LINKED:
        data = jb.load_dataset(FILES[name])
        found = LabelFactors.of(data.X, data.Y, random_state=0)
        d, links, factors = len(found.names), len(found.edges), found.factors
        share = f"{links / (d * (d - 1) / 2):.0%}"
        largest = max(map(len, factors))
        lines.append(f"| {name} | {d} | {links} | {share} | {len(factors)} | {largest} |")
        print(lines[-1], flush=True)
    return LINKS.format(table="\n".join(lines))


TRIPLES = """## Ties of three

`ties="triples"` (of `label_factors`, `LabelFactors.of`, and of the `Procedure` that `ILFCompo`
takes as `test`) also tests a label against two others together, at the level over the number of
such tests, and joins the three. Parity is then found. Of {repeats} random data sets of five labels,
the share in which the three were joined (parity, level 0.001), or any three (coins, where all joins
are false):

{table}"""

LINKS = """## Links and factors of real data

All rows, level 0.001. The paper says in words that the graphs of some data sets are dense and those
of others sparse.

{table}"""

PAGE = """# Label factors

Rendered by `benchmarks/label_factors.py`, figures and numbers alike.

The labels of a row need not be learned one by one, nor all at once: P(Y | x) falls apart into
factors, and the finest such partition is unique (Gasse, Aussem & Elghazel, ICML 2015).
`jb.independence.label_factors(X, Y)` finds it from tests between pairs of labels, given the Markov
boundary of either among the features; `LabelFactors.of` also keeps the graph and every test,
`jb.plots.factor_graph` draws it, and `ILFCompo` learns one model for each factor.

## What pairs can and cannot see

`Y1 = Y2 or Y3` is found to be one factor: Y2 and Y3 are independent of each other, but both are
tied to Y1. `Y1 = Y2 xor Y3` is not: any two of the three are independent, so pairwise tests
separate them into three factors although they are one. This is no fault of the tests but the
assumption of the method (the Composition property: what is independent of two things one by one is
independent of both together). Where parity-like ties between labels are to be expected, use a model
of all labels instead, such as `LabelPowerset` or `CTBN`, or ask for ties of three.

{sections}

## A data set beside a permuted copy of itself

No label of the copy is tied to one of the original, and none is found to be:

{graph}

## Accuracy against sample size

Figure 2 of the paper from {distributions} random distributions for each graph. Where labels are all
apart, ILF-Compo is binary relevance (BR); where they are one factor it becomes the label powerset
(LP) as soon as the rows suffice to see it; in between it is ahead of both from some 200 rows on.

{curves}

## How many trees

Label powerset of emotions, five times two folds (± is the standard deviation of the folds). The
paper does not say how many trees it grew; its software's default is 500, the reproduction of its
Table 2 grows 200.

{trees}
"""


def quick_sections() -> str:
    return "\n\n".join([ties_of_three(), links_of_data()])


def renew_sections() -> None:
    """Measure the quick sections again and leave the rest of the page as it is."""
    page = (DOCS / "label_factors.md").read_text(encoding="utf-8")
    first = page.index("## Ties of three" if "## Ties of three" in page else NEXT)
    text = page[:first] + quick_sections() + "\n\n" + page[page.index(NEXT) :]
    (DOCS / "label_factors.md").write_text(text, encoding="utf-8")


def main() -> None:
    if sys.argv[1:] == ["sections"]:
        renew_sections()
        return
    distributions = int(sys.argv[1]) if len(sys.argv) > 1 else DISTRIBUTIONS
    text = PAGE.format(
        distributions=f"{distributions:,}",
        sections=quick_sections(),
        graph=scene_twice(),
        trees="\n".join(numbers_of_trees()),
        curves="\n\n".join(figure_2(distributions)),
    )
    (DOCS / "label_factors.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
