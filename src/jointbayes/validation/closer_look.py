r"""A closer look at one model: which labels it gets right, how honest it is, what is tied to what.

For each label (or value of a class variable) the share of hits over the test rows of all folds is
its F1 = 2 tp / (2 tp + fp + fn); a fresh sample of as many rows would have counts

.. math:: (tp, fp, fn, tn) \sim \text{Multinomial}(n, (tp, fp, fn, tn) / n)               (1)

so that the 2.5% and 97.5% quantiles of F1 over draws from (1) are its bootstrap interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Ints, Labels
from jointbayes.labels import LabelSpace
from jointbayes.metrics.calibration import Reliability, pool_curves, reliability
from jointbayes.metrics.targets import item_names

__all__ = ["CloserLook", "FoldLook", "LabelQuality", "look_at", "pool_looks"]

DRAWS = 2000


@dataclass(frozen=True)
class LabelQuality:
    """F1 of one label on the test rows, its 95% interval, and how many of them carry it.

    >>> LabelQuality("sad", f1=0.61, low=0.55, high=0.66, rows=168).f1
    0.61
    """

    name: str
    f1: float
    low: float
    high: float
    rows: int


@dataclass(frozen=True, eq=False)
class FoldLook:
    """What one fold tells of each label.

    Parameters
    ----------
    names
        What the rows of ``cells`` stand for: labels or, of other targets, values.
    cells
        (L, 4) test rows by (tp, fp, fn, tn).
    reliability
        None where the model gives no probabilities.
    label_names, edges, gains
        Class variables; the arcs of the model, if it has any; what each of them gains, if it says.
    joint
        Of the answers as a whole, where the model has a joint distribution of several labels.
    """

    names: tuple[str, ...]
    cells: Ints
    reliability: Reliability | None
    label_names: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    gains: Mapping[tuple[str, str], float] = field(default_factory=dict)
    joint: Reliability | None = None


@dataclass(frozen=True, eq=False)
class CloserLook:
    """What a model showed on rows it had not seen, over all folds; arcs are those of the first.

    The label copies the feature, and nothing is left to be wrong about:

    >>> from jointbayes import evaluate
    >>> look = evaluate("tan", [["a"], ["b"]] * 10, ["yes", "no"] * 10, cv=2).look
    >>> look.labels[0]
    LabelQuality(name='no', f1=1.0, low=1.0, high=1.0, rows=10)
    >>> look.edges
    (('class', 'x0'),)
    """

    test_rows: int
    labels: tuple[LabelQuality, ...]
    reliability: Reliability | None
    label_names: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    gains: Mapping[tuple[str, str], float]
    joint: Reliability | None = None


def look_at(
    model: Any, truth: Labels, answer: Labels, beliefs: Mapping[str, Any], space: LabelSpace
) -> FoldLook:
    """Look at a fitted model's answers, (n, d) codes as the truth, and at its arcs.

    ``beliefs`` may hold its ``marginals`` and its ``posterior``.
    """
    said, true = (space.items(codes).astype(bool) for codes in (answer, truth))
    cells = np.stack([true & said, ~true & said, true & ~said, ~true & ~said]).sum(axis=1).T
    curve = whole = None
    marginals, posterior = beliefs.get("marginals"), beliefs.get("posterior")
    if marginals is not None:
        classes = space.classes[0] if space.single else list(space.classes)
        labels = space.decode(truth)[:, 0] if space.single else space.decode(truth)
        curve = reliability(labels, marginals, classes=classes)
    if posterior is not None and not space.single:
        sure = np.exp(posterior.log_prob(space.decode(answer)))[:, None]
        right = (answer == truth).all(axis=1, keepdims=True).astype(np.intp)
        whole = reliability(right, sure, classes=[np.arange(2)])
    return FoldLook(
        names=_names(space),
        cells=cells.astype(np.int64),
        reliability=curve,
        label_names=space.names,
        edges=tuple(getattr(model, "edges_", ())),
        gains=_gains(model),
        joint=whole,
    )


def pool_looks(looks: Sequence[FoldLook]) -> CloserLook:
    """Put the folds together.

    >>> half = np.array([[3, 0, 1, 6]])
    >>> folds = [FoldLook(("sad",), half, None, ("sad",), ()) for _ in range(2)]
    >>> look = pool_looks(folds)
    >>> look.test_rows, look.labels[0].rows, round(look.labels[0].f1, 3)
    (20, 8, 0.857)
    """
    cells = np.sum([look.cells for look in looks], axis=0)
    curves = [look.reliability for look in looks if look.reliability is not None]
    joints = [look.joint for look in looks if look.joint is not None]
    first = looks[0]
    return CloserLook(
        test_rows=int(cells[0].sum()),
        labels=_qualities(cells, first.names),
        reliability=pool_curves(curves) if curves else None,
        label_names=first.label_names,
        edges=first.edges,
        gains=first.gains,
        joint=pool_curves(joints) if joints else None,
    )


def _names(space: LabelSpace) -> tuple[str, ...]:
    """Return what to call labels and values; of one class variable, its values as they are."""
    return tuple(map(str, space.classes[0])) if space.single else item_names(space)


def _gains(model: Any) -> Mapping[tuple[str, str], float]:
    """Return what the arcs of a tree of labels gain; nothing of other models."""
    table = getattr(model, "gains_", None)
    if table is None:
        return {}
    place = {name: j for j, name in enumerate(model.label_names_)}
    return {(a, b): float(table[place[a], place[b]]) for a, b in model.edges_}


def _qualities(cells: Ints, names: Sequence[str]) -> tuple[LabelQuality, ...]:
    rng = np.random.default_rng(0)
    found = []
    for name, counts in zip(names, cells, strict=True):
        drawn = rng.multinomial(counts.sum(), counts / counts.sum(), DRAWS)  # (1)
        low, high = np.quantile(_f1(drawn), [0.025, 0.975])
        rows = int(counts[0] + counts[2])
        found.append(LabelQuality(name, float(_f1(counts[None])[0]), float(low), float(high), rows))
    return tuple(found)


def _f1(cells: Ints) -> Floats:
    """Return F1 of rows (tp, fp, fn, tn); 1 where the label is neither there nor said to be."""
    tp, wrong = cells[:, 0], cells[:, 1] + cells[:, 2]
    return np.where(tp + wrong > 0, 2 * tp / np.maximum(2 * tp + wrong, 1), 1.0)
