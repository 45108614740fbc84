"""Features and labels of any kind to the codes that discrete tests take."""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes.codes import Codes, SparseCodes
from jointbayes.encoding import learn_encoder
from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.table import Table

__all__ = ["read_codes"]


def read_codes(X: Any, Y: Any, n_jobs: int | None = None) -> tuple[Codes, LabelSpace]:
    """Return coded rows: nominal columns as they are, numbers cut at their medians.

    Parameters
    ----------
    X
        (n, p) array, nested lists, frame, Table or sparse matrix; None for no features.
    Y
        (n,) or (n, d) labels.
    n_jobs
        Threads; None for every core the process may use.

    Examples
    --------
    >>> codes, space = read_codes([[0.3], [0.9], [0.7]], ["no", "yes", "no"])
    >>> codes.features.ravel().tolist(), codes.targets.ravel().tolist()
    ([0, 1, 0], [0, 1, 0])
    """
    space = learn_labels(Y)
    for name, classes in zip(space.names, space.classes, strict=True):
        if classes.dtype.kind == "f" and (classes != np.floor(classes)).any():
            odd = classes[classes != np.floor(classes)][0]
            raise DataError(
                f"label {name!r} holds {odd}; labels of discrete tests are classes, "
                "so cut numbers first (jb.discretize)"
            )
    targets = space.encode(Y)
    if X is None or getattr(X, "shape", ())[1:] == (0,):
        return Codes.of(np.empty((len(targets), 0), np.uint8), (), targets, space.cards), space
    X = X if hasattr(X, "toarray") else Table.of(X)
    encoder = learn_encoder(X, discretizer="median", n_jobs=n_jobs)
    features = encoder.encode(X, n_jobs)
    dense = features.dense() if isinstance(features, SparseCodes) else features
    return Codes.of(dense, encoder.cards, targets, space.cards), space
