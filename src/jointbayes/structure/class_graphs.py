r"""The class graph: which class variables depend on which (Corani et al. 2014, Sec. 3).

One class is the root. A naive graph links every other class to it or leaves it alone,

(7)  C_i ← root  if  BDeu(C_i, {root}) > BDeu(C_i, ∅),

a forest-augmented one may give a linked class one more parent. For a given root the best forest is
a maximum branching: the node i is worth max(BDeu(i, ∅), BDeu(i, {root})) on its own and the arc
j → i gains BDeu(i, {root, j}) over that. Every class is tried as root; the best graph wins.

Cost: for each of d roots the counts of all pairs of classes, O(n d²) bit operations, and O(d²).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from jointbayes.arrays import Floats, Weights
from jointbayes.codes import CodeArray, Codes, offsets
from jointbayes.counts import PairCounts, count_pairs
from jointbayes.errors import DataError
from jointbayes.information.scores import bdeu
from jointbayes.structure.branching import maximum_branching

__all__ = ["ClassGraph", "forest_augmented", "forest_by_root", "naive_by_root", "naive_classes"]

Compared = Literal["whole", "others"]

TIE = 1e-9  # BDeu is score-equivalent: exact ties differ by rounding


@dataclass(frozen=True)
class ClassGraph:
    """A graph over the class variables.

    Parameters
    ----------
    root
        The class that may be a parent of all others.
    parents
        One tuple of class indices per class, the root first.
    score
        The BDeu score of the whole graph, the root's own term included.

    Examples
    --------
    >>> found = naive_classes([[0, 0], [1, 1]] * 20)
    >>> found.root, found.parents, found.arcs
    (0, ((), (0,)), 1)
    """

    root: int
    parents: tuple[tuple[int, ...], ...]
    score: float

    @property
    def arcs(self) -> int:
        """How many arcs there are."""
        return sum(map(len, self.parents))


def naive_classes(
    classes: ArrayLike | Codes,
    ess: float = 5.0,
    weights: Weights = None,
    n_jobs: int | None = None,
    *,
    compared: Compared = "whole",
) -> ClassGraph:
    """Return the best naive class graph: every class hangs on one root, or on nothing.

    Parameters
    ----------
    classes, weights, n_jobs
        (n, d) class variables, how often each row counts, and threads.
    ess
        Equivalent sample size.
    compared
        What the graphs of all roots are compared by: the score of the ``"whole"`` graph, or that
        of the ``"others"``, without the root's own term: then a class that is hard to foretell is
        taken as root, whatever it tells of the others; the roots that Corani et al. describe are
        such.

    Examples
    --------
    The second class follows the first, the third none:

    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.integers(0, 2, (2, 500))
    >>> naive_classes(np.stack([a, a ^ (rng.random(500) < 0.1), b], axis=1)).parents
    ((), (0,), ())
    """
    codes = _as_features(classes)
    alone, linked = _scores_without_and_with_one(codes, ess, weights, n_jobs)
    graphs = [_naive(root, alone, linked[root]) for root in range(codes.n_features)]
    return _best(graphs, alone if compared == "others" else None)


def forest_augmented(
    classes: ArrayLike | Codes,
    ess: float = 5.0,
    weights: Weights = None,
    n_jobs: int | None = None,
) -> ClassGraph:
    """Return the best forest-augmented class graph: a class on the root may have one more parent.

    Examples
    --------
    The third class is the exclusive or of the others, so it needs both:

    >>> a, b = np.random.default_rng(0).integers(0, 2, (2, 500))
    >>> sorted(map(len, forest_augmented(np.stack([a, b, a ^ b], axis=1)).parents))
    [0, 0, 2]
    """
    return _best(forest_by_root(classes, ess, weights, n_jobs))


def naive_by_root(
    classes: ArrayLike | Codes,
    ess: float = 5.0,
    weights: Weights = None,
    n_jobs: int | None = None,
) -> list[ClassGraph]:
    """Return the best naive class graph of every root (7), root by root.

    Examples
    --------
    The second class follows the first, the third none: it is a root without arcs.

    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.integers(0, 2, (2, 500))
    >>> graphs = naive_by_root(np.stack([a, a ^ (rng.random(500) < 0.1), b], axis=1))
    >>> [graph.arcs for graph in graphs]
    [1, 1, 0]
    """
    codes = _as_features(classes)
    alone, linked = _scores_without_and_with_one(codes, ess, weights, n_jobs)
    return [_naive(root, alone, linked[root]) for root in range(codes.n_features)]


def forest_by_root(
    classes: ArrayLike | Codes,
    ess: float = 5.0,
    weights: Weights = None,
    n_jobs: int | None = None,
) -> list[ClassGraph]:
    """Return the best forest-augmented class graph of every root, root by root.

    Examples
    --------
    Of the exclusive or of two classes each can be the root:

    >>> a, b = np.random.default_rng(0).integers(0, 2, (2, 500))
    >>> [graph.arcs for graph in forest_by_root(np.stack([a, b, a ^ b], axis=1))]
    [2, 2, 2]
    """
    codes = _as_features(classes)
    alone, linked = _scores_without_and_with_one(codes, ess, weights, n_jobs)
    graphs = []
    for root in range(codes.n_features):
        by_root = _by(codes, codes.column(root), codes.feature_cards[root])
        augmented = _with_parent(count_pairs(by_root, weights, n_jobs), ess)
        graphs.append(_augment(_naive(root, alone, linked[root]), augmented, alone, linked))
    return graphs


def _naive(root: int, alone: Floats, linked: Floats) -> ClassGraph:
    takes = linked > alone + TIE  # (7)
    takes[root] = False
    parents = tuple((root,) if yes else () for yes in takes)
    return ClassGraph(root, parents, float(np.where(takes, linked, alone).sum()))


def _augment(naive: ClassGraph, augmented: Floats, alone: Floats, linked: Floats) -> ClassGraph:
    """Add the branching of largest gain among the classes other than the root.

    ``augmented`` is (d, d) BDeu(i, {root, j}) with j on the first axis.
    """
    root = naive.root
    gain = augmented - np.maximum(alone, linked[root])
    gain[root], gain[:, root] = -np.inf, -np.inf
    gain[gain <= TIE] = -np.inf
    second = maximum_branching(gain)
    parents = tuple(
        (root, int(j)) if j >= 0 else first for first, j in zip(naive.parents, second, strict=True)
    )
    taken = np.flatnonzero(second >= 0)
    return ClassGraph(root, parents, naive.score + float(gain[second[taken], taken].sum()))


def _best(graphs: Sequence[ClassGraph], left_out: Floats | None = None) -> ClassGraph:
    """Return the graph of highest score less what is left out; ties go to the lower root."""
    if not graphs:
        raise DataError("there is no class variable to learn a graph of")
    best, most = graphs[0], -np.inf
    for graph in graphs:
        score = graph.score - (0.0 if left_out is None else left_out[graph.root])
        if score > most + TIE:
            best, most = graph, score
    return best


def _scores_without_and_with_one(
    codes: Codes, ess: float, weights: Weights, n_jobs: int | None
) -> tuple[Floats, Floats]:
    """Return (d,) BDeu(i, ∅) and (d, d) BDeu(i, {j}) with j on the first axis."""
    together = _by(codes, np.zeros(len(codes), dtype=np.uint8), 1)
    counts = count_pairs(together, weights, n_jobs)
    singles = counts.singles
    alone = np.array([bdeu(singles.block(i)[0], ess) for i in range(codes.n_features)])
    return alone, _with_parent(counts, ess)


def _with_parent(counts: PairCounts, ess: float) -> Floats:
    """Score every feature given every other one and the counts' class, all families at once."""
    from scipy.special import gammaln

    start = offsets(counts.cards)[:-1]
    cards = np.asarray(counts.cards, dtype=np.float64)
    per_value = np.repeat(cards, counts.cards)
    n = counts.n_cxx
    config = ess / (len(n) * per_value)[:, None]  # the parent's values, on the first axis
    cell = config / per_value
    n_config = np.add.reduceat(n, start, axis=2)
    child = (gammaln(cell + n) - gammaln(cell)).sum(axis=0)
    whole = (gammaln(config + n_config) - gammaln(config)).sum(axis=0)
    child = np.add.reduceat(child, start, axis=1) - whole
    return np.asarray(np.add.reduceat(child, start, axis=0))


def _by(codes: Codes, target: CodeArray, card: int) -> Codes:
    return Codes(codes.features, codes.feature_cards, target[:, None], (card,))


def _as_features(classes: ArrayLike | Codes) -> Codes:
    """Take the class variables as the features of a data set, so that they can be counted."""
    return classes if isinstance(classes, Codes) else Codes.of(classes)
