"""Completion: rows some labels of which are not known, as a first model completes them.

Most models need every label of a row. What is not known gets the most probable values

(1)  argmax P(unknown labels | row, known labels)

by a first model that learns from what is known. They make sure labels surer and rare ones rarer,
which a draw from P would not; but a draw is wrong half as often again, and expected counts give
a little weight to label vectors that there are not, of which models that take features as
independent make much. There is one row for each row, so that rows that are held out, or dealt out
to folds, stay apart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.reading import Labelled, read_columns
from jointbayes.models.conditional.ctbn import CTBN
from jointbayes.models.relevance.binary_relevance import BinaryRelevance

__all__ = ["complete_labels"]

MOST_IN_A_TREE = 32
"""Labels beyond which the arcs between them, each with regressions of its own, would take long."""


def complete_labels(rows: Labelled, categorical_features: Any = None) -> Labelled:
    """Return the rows with every label known, or as (1) completes them.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.table import Table
    >>> codes = np.array([[0, 0], [1, 1]] * 20)
    >>> codes[:8, 1] = -1
    >>> X = Table.of(codes[:, :1] * 1.0)
    >>> rows = complete_labels(Labelled(X, codes, learn_labels([[0, 0], [1, 1]])))
    >>> rows.codes[:8, 1].tolist()
    [0, 1, 0, 1, 0, 1, 0, 1]
    """
    few = len(rows.space) <= MOST_IN_A_TREE
    nominal = "from_dtype" if categorical_features is None else categorical_features
    first: Classifier = (CTBN if few else BinaryRelevance)(categorical_features=nominal)
    first._teach(replace(rows, X=read_columns(first, rows.X, reset=True)))
    first._adopt(rows.space)
    gaps = np.flatnonzero((rows.codes < 0).any(axis=1))
    codes = rows.codes.copy()
    codes[gaps] = first.posterior(rows.X[gaps])._given(codes[gaps])._mode()
    return replace(rows, codes=codes)
