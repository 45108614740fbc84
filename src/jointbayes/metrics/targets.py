"""Truth beside an answer: labels beside labels, labels beside probabilities, in common codes.

Three kinds of targets: ``"multiclass"`` (one class variable), ``"multilabel"`` (a matrix of
binary labels) and ``"multidimensional"`` (some column is not a binary label). Rows of weight 0 are
left out here, once, so that an infinite loss on such a row is no loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels
from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.labels.learning import pool_spaces

__all__ = [
    "Answers",
    "Beliefs",
    "Kind",
    "item_names",
    "kind_of",
    "read_answers",
    "read_beliefs",
    "weights_of_rows",
]

Kind = Literal["multiclass", "multilabel", "multidimensional"]

# How far probabilities may be from the range [0, 1] and from summing to one: sums of them are
# rounded, and single precision is let in.
SUM_TOLERANCE = 1e-5


@dataclass(frozen=True, eq=False)
class Answers:
    """True and predicted labels.

    Parameters
    ----------
    space
        Names and values of the class variables.
    true, predicted
        (n, d) codes.
    weight
        (n,) weights of the rows, all positive.
    """

    space: LabelSpace
    true: Labels
    predicted: Labels
    weight: Floats

    def items(self) -> tuple[Labels, Labels]:
        """Return true and predicted 0/1 matrices: of labels, or else of every value."""
        return self.space.items(self.true), self.space.items(self.predicted)

    def item_names(self) -> tuple[str, ...]:
        """Return what the columns of `items` stand for."""
        return item_names(self.space)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """True labels and the probabilities a model gave to every value.

    Parameters
    ----------
    space, true, weight
        As in `Answers`.
    marginals
        One (n, k_j) array per class variable.
    """

    space: LabelSpace
    true: Labels
    marginals: tuple[Floats, ...]
    weight: Floats

    def items(self) -> tuple[Labels, Floats]:
        """Return the true 0/1 matrix of labels, or else of every value, and its probabilities."""
        if kind_of(self.space) == "multilabel":
            return self.true, np.stack([p[:, 1] for p in self.marginals], axis=1)
        return self.space.items(self.true), np.concatenate(self.marginals, axis=1)


def kind_of(space: LabelSpace) -> Kind:
    """Say which of the three kinds of targets a label space is.

    >>> [kind_of(learn_labels(Y)) for Y in (["a", "b"], [[0, 1], [0, 0]], [[1, 2], [3, 4], [5, 2]])]
    ['multiclass', 'multilabel', 'multidimensional']
    """
    if space.single:
        return "multiclass"
    return "multilabel" if space.binary else "multidimensional"


def read_answers(
    Y_true: Any, Y_pred: Any, *, classes: Any = None, sample_weight: Any = None
) -> Answers:
    """Bring true and predicted labels to common codes: the values of both, and of ``classes``.

    >>> answers = read_answers(["b", "a"], ["b", "c"])
    >>> answers.true.ravel().tolist(), answers.predicted.ravel().tolist()
    ([1, 0], [1, 2])
    """
    if _header(Y_true) != _header(Y_pred) and _header(Y_true) and _header(Y_pred):
        raise DataError(
            f"the true labels are {_header(Y_true)} and the predicted {_header(Y_pred)}; "
            "give the same columns in the same order"
        )
    spaces = [learn_labels(Y_true), learn_labels(Y_pred)]
    if classes is not None:
        spaces.append(learn_labels(Y_true, classes))
    space = _pooled(spaces)
    true, predicted = space.encode(Y_true), space.encode(Y_pred)
    if len(true) != len(predicted):
        raise DataError(
            f"there are {len(true)} rows of true labels and {len(predicted)} of predicted ones"
        )
    weight = weights_of_rows(sample_weight, len(true))
    kept = weight > 0
    return Answers(space, true[kept], predicted[kept], weight[kept])


def read_beliefs(
    Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None
) -> Beliefs:
    """Read probabilities in the shapes of ``predict_proba`` beside the true labels.

    Parameters
    ----------
    Y_true
        (n,) or (n, d) labels.
    proba
        (n, k) for one class variable, (n, d) probabilities of relevance for a binary label matrix,
        or a list of d arrays (n, k_j).
    classes
        Values the columns stand for (a model's ``classes_``); None: those of ``Y_true``, sorted.
    sample_weight
        (n,) weights; None: all one.

    Examples
    --------
    >>> beliefs = read_beliefs([[0, 1]], [[0.25, 0.5]])
    >>> [p.tolist() for p in beliefs.marginals]
    [[[0.75, 0.25]], [[0.5, 0.5]]]
    """
    space = learn_labels(Y_true, classes)
    true = space.encode(Y_true)
    marginals = tuple(
        _check_marginal(p, name, values, len(true))
        for p, name, values in zip(_columns(proba, space), space.names, space.classes, strict=True)
    )
    weight = weights_of_rows(sample_weight, len(true))
    kept = weight > 0
    return Beliefs(space, true[kept], tuple(p[kept] for p in marginals), weight[kept])


def weights_of_rows(sample_weight: Any, n: int) -> Floats:
    """Return (n,) weights, finite, not negative, not all zero.

    >>> weights_of_rows(None, 2).tolist(), weights_of_rows([0, 2], 2).tolist()
    ([1.0, 1.0], [0.0, 2.0])
    """
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n,):
        raise DataError(
            f"sample_weight has the shape {weight.shape}; give one for each of {n} rows"
        )
    wrong = ~(np.isfinite(weight) & (weight >= 0))
    if wrong.any():
        i = int(wrong.argmax())
        raise DataError(
            f"sample_weight is {weight[i]} in row {i}; weights are finite and not negative"
        )
    if not weight.any():
        raise DataError("no row has a weight above 0, so there is nothing to measure")
    return weight


def _header(Y: Any) -> list[str]:
    return (
        [] if not hasattr(Y, "columns") else [str(name) for name in getattr(Y, "names", Y.columns)]
    )


def _pooled(spaces: list[LabelSpace]) -> LabelSpace:
    """Return the space of the values of all."""
    first, second = spaces[:2]
    if len(first) != len(second):
        raise DataError(
            f"there are {len(first)} columns of true labels and {len(second)} of predicted ones"
        )
    return pool_spaces(spaces)


def item_names(space: LabelSpace) -> tuple[str, ...]:
    """Return what the columns of `LabelSpace.items` stand for.

    >>> item_names(learn_labels([["a", 1], ["b", 2], ["c", 2]]))
    ('y0=a', 'y0=b', 'y0=c', 'y1=1', 'y1=2')
    """
    if kind_of(space) == "multilabel":
        return space.names
    pairs = zip(space.names, space.classes, strict=True)
    return tuple(f"{name}={value}" for name, values in pairs for value in values.tolist())


def _columns(proba: Any, space: LabelSpace) -> list[Floats]:
    """Bring every shape of ``predict_proba`` to one (n, k_j) array per class variable."""
    if isinstance(proba, list | tuple) and len(proba) and np.ndim(proba[0]) == 2:
        columns = [np.asarray(p, dtype=np.float64) for p in proba]
    else:
        p = np.asarray(proba, dtype=np.float64)
        if p.ndim == 1 and len(space) == 1:
            p = p[:, None]
        columns = [p]
        if space.binary and p.ndim == 2 and p.shape[1] == len(space):  # of relevance
            columns = [np.stack([1 - column, column], axis=1) for column in p.T]
    if len(columns) != len(space):
        raise DataError(
            f"the probabilities are of {len(columns)} class variables; the labels have {len(space)}"
        )
    return columns


def _check_marginal(p: Floats, name: str, values: NDArray[Any], n: int) -> Floats:
    if p.shape != (n, len(values)):
        raise DataError(
            f"the probabilities of {name!r} have the shape {p.shape}; its {n} rows and "
            f"{len(values)} values need {(n, len(values))}: pass classes= if some values are absent"
        )
    close = np.abs(p.sum(axis=1) - 1) <= SUM_TOLERANCE
    wrong = ~((p >= -SUM_TOLERANCE).all(axis=1) & close)
    if wrong.any():
        i = int(wrong.argmax())
        raise DataError(
            f"the probabilities of {name!r} in row {i} are {p[i].tolist()}; "
            "they must not be negative and must sum to one"
        )
    return np.clip(p, 0.0, 1.0)
