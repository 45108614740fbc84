"""Features and labels of any kind to what tests take: codes, or numbers for Fisher's z."""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes.codes import Codes, SparseCodes
from jointbayes.design.design import learn_design
from jointbayes.encoding import learn_encoder
from jointbayes.errors import DataError
from jointbayes.independence.correlations import Numbers
from jointbayes.independence.procedure import Method
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.table import Table

__all__ = ["read_codes", "read_numbers_of", "read_rows"]


def read_rows(
    X: Any, Y: Any, method: Method, n_jobs: int | None = None
) -> tuple[Codes | Numbers, LabelSpace]:
    """Return features and labels as the tests of a method take them."""
    return read_numbers_of(X, Y) if method == "fisher_z" else read_codes(X, Y, n_jobs)


def read_numbers_of(X: Any, Y: Any) -> tuple[Numbers, LabelSpace]:
    """Return rows as numbers: numbers as they are, indicators of the values of nominal columns.

    A missing number is the mean, and has an indicator; labels are indicators of all their values
    but the first. All columns have the mean 0.

    >>> rows, _ = read_numbers_of(Table.of([[1.0], [np.nan], [3.0]]), [0, 1, 0])
    >>> rows.features.round(2).tolist(), rows.owners.tolist()
    ([[-1.0, -0.33], [0.0, 0.67], [1.0, -0.33]], [0, 0])
    """
    space = _labels_of(Y)
    codes = space.encode(Y)
    labels = np.repeat(np.arange(len(space)), np.array(space.cards) - 1)
    values = np.concatenate([np.arange(1, card) for card in space.cards])
    targets = (codes[:, labels] == values).astype(np.float64)
    features, owners, p = np.empty((len(codes), 0)), np.empty(0, dtype=np.intp), 0
    if X is not None and getattr(X, "shape", ())[1:] != (0,):
        X = X.tocsr() if hasattr(X, "tocsr") else Table.of(X)
        design, p = learn_design(X), X.shape[1]
        matrix = design.numbers(X)
        features = matrix.toarray() if hasattr(matrix, "toarray") else matrix
        cards = () if design.encoder is None else design.encoder.cards
        numeric, nominal = np.array(design.numeric, np.intp), np.array(design.nominal, np.intp)
        flags = numeric[list(design.flagged)]
        owners = np.concatenate([numeric, flags, np.repeat(nominal, cards)])
    features, targets = (part - part.mean(axis=0) for part in (features, targets))
    return Numbers(features, owners, targets, labels, p, len(space)), space


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
    space = _labels_of(Y)
    targets = space.encode(Y)
    if X is None or getattr(X, "shape", ())[1:] == (0,):
        return Codes.of(np.empty((len(targets), 0), np.uint8), (), targets, space.cards), space
    X = X if hasattr(X, "toarray") else Table.of(X)
    encoder = learn_encoder(X, discretizer="median", n_jobs=n_jobs)
    features = encoder.encode(X, n_jobs)
    dense = features.dense() if isinstance(features, SparseCodes) else features
    return Codes.of(dense, encoder.cards, targets, space.cards), space


def _labels_of(Y: Any) -> LabelSpace:
    """Return the labels; refuse those that are numbers and not classes."""
    space = learn_labels(Y)
    for name, classes in zip(space.names, space.classes, strict=True):
        if classes.dtype.kind == "f" and (classes != np.floor(classes)).any():
            odd = classes[classes != np.floor(classes)][0]
            raise DataError(
                f"label {name!r} holds {odd}; labels of discrete tests are classes, "
                "so cut numbers first (jb.discretize)"
            )
    return space
