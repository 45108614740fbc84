"""What a model says about rows, as columns to be written."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.cli.rows import Loaded
from jointbayes.errors import DataError

__all__ = ["best_columns", "label_columns", "probability_columns"]

Columns = dict[str, NDArray[Any]]


def label_columns(loaded: Loaded, loss: str | None, empty: str | None) -> Columns:
    """Return the labels of least expected loss: the model's own unless another is named."""
    model = loaded.model
    chosen = {name: value for name, value in (("loss", loss), ("empty", empty)) if value}
    if chosen.keys() <= model.get_params(deep=False).keys():
        labels = model.set_params(**chosen).predict(loaded.X)
    else:
        labels = _posterior(loaded).decide(loss or "subset", empty or "allow")
    labels = labels[:, None] if labels.ndim == 1 else labels
    return dict(zip(loaded.label_names, labels.T, strict=True))


def probability_columns(loaded: Loaded) -> Columns:
    """Return P(label = value): of every value, or of relevance where labels are binary."""
    marginals, space = _posterior(loaded).marginals(), loaded.model.space_
    columns: Columns = {}
    for name, classes, p in zip(loaded.label_names, space.classes, marginals, strict=True):
        first = 1 if space.binary and not space.single else 0
        for k in range(first, len(classes)):
            columns[f"{name}={classes[k]}"] = p[:, k]
    return columns


def best_columns(loaded: Loaded, k: int) -> Columns:
    """Return the k best label vectors of every row, one below the other, with probabilities."""
    vectors, log_p = _posterior(loaded).top_k(k)
    n, k, _ = vectors.shape
    place = {"row": np.repeat(np.arange(n), k), "rank": np.tile(np.arange(1, k + 1), n)}
    flat = vectors.reshape(n * k, -1)
    labels = dict(zip(loaded.label_names, flat.T, strict=True))
    return {**place, **labels, "probability": np.exp(log_p).ravel()}


def _posterior(loaded: Loaded) -> Any:
    if not hasattr(loaded.model, "posterior"):
        raise DataError(
            f"{type(loaded.model).__name__} is not probabilistic; it predicts labels only"
        )
    return loaded.model.posterior(loaded.X)
