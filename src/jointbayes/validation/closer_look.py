r"""A closer look at one model: which labels it gets right, how honest it is, what is tied to what.

One part of the rows trains, the other tests. For each label (or value of a class variable) the
share of hits is its F1 = 2 tp / (2 tp + fp + fn); a fresh sample of test rows would have counts

.. math:: (tp, fp, fn, tn) \sim \text{Multinomial}(n, (tp, fp, fn, tn) / n)               (1)

so that the 2.5% and 97.5% quantiles of F1 over draws from (1) are its bootstrap interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.metrics import Reliability, reliability
from jointbayes.models.catalog import model_name
from jointbayes.validation.splits import as_splitter, take_rows

__all__ = ["CloserLook", "LabelQuality", "look_closer"]

_DRAWS = 2000


@dataclass(frozen=True)
class LabelQuality:
    """F1 of one label on the test rows, its 95% interval, and how many of them carry it."""

    name: str
    f1: float
    low: float
    high: float
    rows: int


@dataclass(frozen=True, eq=False)
class CloserLook:
    """What one fit showed on rows it had not seen.

    ``reliability`` is None where the model gives no probabilities, or none for a label it met in
    the test rows only. ``edges`` are the model's arcs, empty if it has none; ``gains`` what each of
    them gains, if the model says so.
    """

    model: str
    train_rows: int
    test_rows: int
    labels: tuple[LabelQuality, ...]
    reliability: Reliability | None
    edges: tuple[tuple[str, str], ...]
    label_names: tuple[str, ...]
    gains: Mapping[tuple[str, str], float] = field(default_factory=dict)


def look_closer(
    model: Any, X: Any, Y: Any, *, cv: Any = "66%", random_state: int | None = 0
) -> CloserLook:
    """Fit a model on the first split of ``cv`` and look at each label on its test rows.

    Parameters
    ----------
    model
        An estimator of this library; it is fitted.
    X, Y
        Rows and labels, as `fit` takes them.
    cv, random_state
        As in `evaluate`.

    Examples
    --------
    The label copies the feature, and nothing is left to be wrong about:

    >>> from jointbayes import NaiveBayes
    >>> look = look_closer(NaiveBayes(), [["a"], ["b"]] * 15, ["yes", "no"] * 15)
    >>> look.labels[0]
    LabelQuality(name='no', f1=1.0, low=1.0, high=1.0, rows=5)
    >>> look.edges
    (('class', 'x0'),)
    """
    train, test = next(iter(as_splitter(cv, random_state=random_state).split(X, Y)))
    model.fit(take_rows(X, train), take_rows(Y, train))
    X_test, Y_test = take_rows(X, test), take_rows(Y, test)
    space = learn_labels(Y)
    truth, answer = (_items(labels, space) for labels in (Y_test, model.predict(X_test)))
    return CloserLook(
        model=model_name(model),
        train_rows=len(train),
        test_rows=len(test),
        labels=_qualities(truth, answer, _names(space), np.random.default_rng(random_state)),
        reliability=_reliability(model, X_test, Y_test),
        edges=tuple(getattr(model, "edges_", ())),
        label_names=space.names,
        gains=_gains(model),
    )


def _gains(model: Any) -> Mapping[tuple[str, str], float]:
    """Return what the arcs of a tree of labels gain; nothing of other models."""
    table = getattr(model, "gains_", None)
    if table is None:
        return {}
    place = {name: j for j, name in enumerate(model.label_names_)}
    return {(a, b): float(table[place[a], place[b]]) for a, b in model.edges_}


def _items(Y: Any, space: LabelSpace) -> NDArray[np.bool_]:
    """Return (n, L) which labels, or values of class variables, the rows carry."""
    codes = space.encode(Y)
    if space.binary and not space.single:
        return np.asarray(codes == 1)
    return np.concatenate(
        [codes[:, [j]] == np.arange(k) for j, k in enumerate(space.cards)], axis=1
    )


def _names(space: LabelSpace) -> list[str]:
    if space.binary and not space.single:
        return list(space.names)
    if space.single:
        return [str(value) for value in space.classes[0]]
    pairs = zip(space.names, space.classes, strict=True)
    return [f"{name}={value}" for name, values in pairs for value in values]


def _qualities(
    truth: NDArray[np.bool_],
    answer: NDArray[np.bool_],
    names: list[str],
    rng: np.random.Generator,
) -> tuple[LabelQuality, ...]:
    found = []
    for j, name in enumerate(names):
        yes, said = truth[:, j], answer[:, j]
        cells = np.array([yes & said, ~yes & said, yes & ~said, ~yes & ~said]).sum(axis=1)
        drawn = rng.multinomial(cells.sum(), cells / cells.sum(), _DRAWS)  # (1)
        low, high = np.quantile(_f1(drawn), [0.025, 0.975])
        f1 = float(_f1(cells[None])[0])
        found.append(LabelQuality(name, f1, float(low), float(high), int(yes.sum())))
    return tuple(found)


def _f1(cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return F1 of rows (tp, fp, fn, tn); 1 where the label is neither there nor said to be."""
    tp, wrong = cells[:, 0], cells[:, 1] + cells[:, 2]
    return np.where(tp + wrong > 0, 2 * tp / np.maximum(2 * tp + wrong, 1), 1.0)


def _reliability(model: Any, X: Any, Y: Any) -> Reliability | None:
    if not hasattr(model, "predict_proba"):
        return None
    try:
        return reliability(Y, model.predict_proba(X), classes=model.classes_)
    except DataError:
        return None
