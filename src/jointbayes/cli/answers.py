"""What a model says about rows, as columns to be written."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.cli.rows import Loaded
from jointbayes.datasets.recast import whole_numbers
from jointbayes.errors import DataError
from jointbayes.table.notebook import cells

__all__ = [
    "best_columns",
    "id_columns",
    "label_columns",
    "probability_columns",
    "rounded",
    "set_columns",
]

Columns = dict[str, NDArray[Any]]


def id_columns(loaded: Loaded, repeats: int = 1) -> Columns:
    """Return what names the rows, each as often as it has answers."""
    return {
        column.name: np.repeat(np.array(cells(column), dtype=object), repeats)
        if column.kind != "numeric"
        else np.repeat(whole_numbers(column.values), repeats)
        for column in loaded.ids
    }


def rounded(p: NDArray[np.float64], digits: int | None) -> NDArray[np.float64]:
    """Return numbers of so many significant digits, or as they are.

    >>> rounded(np.array([0.123456789, 1e-9]), 6).tolist()
    [0.123457, 1e-09]
    """
    return p if digits is None else np.char.mod(f"%.{digits}g", p).astype(np.float64)


def label_columns(loaded: Loaded, loss: str | None, empty: str | None) -> Columns:
    """Return the labels of least expected loss: the model's own unless another is named."""
    model = loaded.model
    chosen = {name: value for name, value in (("loss", loss), ("empty", empty)) if value}
    if loaded.given or loaded.rules:
        own = model.get_params(deep=False)
        wanted = loss or own.get("loss", "subset"), empty or own.get("empty", "auto")
        labels = loaded.posterior().decide(*wanted)
    elif chosen.keys() <= model.get_params(deep=False).keys():
        labels = model.set_params(**chosen).predict(loaded.X)
    else:
        labels = loaded.posterior().decide(loss or "subset", empty or "allow")
    labels = labels[:, None] if labels.ndim == 1 else labels
    return dict(zip(loaded.label_names, labels.T, strict=True))


def probability_columns(loaded: Loaded, digits: int | None) -> Columns:
    """Return P(label = value): of every value, or of relevance where labels are binary."""
    marginals, space = loaded.posterior().marginals(), loaded.model.space_
    columns: Columns = {}
    for name, classes, p in zip(loaded.label_names, space.classes, marginals, strict=True):
        first = 1 if space.binary and not space.single else 0
        for k in range(first, len(classes)):
            columns[f"{name}={classes[k]}"] = rounded(p[:, k], digits)
    return columns


def best_columns(loaded: Loaded, k: int, digits: int | None) -> Columns:
    """Return the k best label vectors of every row, one below the other, with probabilities."""
    vectors, log_p = loaded.posterior().top_k(k)
    n, k, _ = vectors.shape
    place = {"row": np.repeat(np.arange(n), k), "rank": np.tile(np.arange(1, k + 1), n)}
    flat = vectors.reshape(n * k, -1)
    labels = dict(zip(loaded.label_names, flat.T, strict=True))
    probability = rounded(np.exp(log_p).ravel(), digits)
    return {**id_columns(loaded, k), **place, **labels, "probability": probability}


def set_columns(loaded: Loaded, alpha: float, digits: int | None) -> Columns:
    """Return the label vectors of the set of every row, most probable first, one below the other.

    A set that is too large to be listed is refused by `LabelSets`.
    """
    model = loaded.model
    if not hasattr(model, "predict_sets"):
        raise DataError(
            f"--alpha asks for sets that cover with a promise, and {type(model).__name__} makes "
            f"none; fit 'Conformal({type(model).__name__})' instead"
        )
    sets = loaded.told(model.set_params(alpha=alpha).predict_sets(loaded.X))
    listed = [sets.vectors(i) for i in range(len(sets))]
    m = np.array([len(vectors) for vectors in listed])
    row = np.repeat(np.arange(len(m)), m)
    flat = np.concatenate(listed)
    place = {"row": row, "rank": np.concatenate([np.arange(1, k + 1) for k in m])}
    labels = dict(zip(loaded.label_names, flat.T, strict=True))
    log_p = np.concatenate(
        [sets.posterior[[i] * len(v)].log_prob(v) for i, v in enumerate(listed) if len(v)] or [[]]
    )
    ids = {name: values[row] for name, values in id_columns(loaded).items()}
    probability = rounded(np.exp(log_p), digits)
    return {**ids, **place, **labels, "probability": probability}
