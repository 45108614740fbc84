"""Completion: rows some labels of which are not known, as a first model completes them.

Most models need every label of a row. They are given one draw from

(1)  P(unknown labels | row, known labels)

by a first model that learns from what is known. A draw has the marginals and the dependencies of
(1), which the most probable values do not have: they would make rare labels rarer. There is one row
for each row, so that rows that are held out, or dealt out to folds, stay apart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from jointbayes.arrays import Labels
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.reading import Labelled, read_columns
from jointbayes.models.conditional.ctbn import CTBN
from jointbayes.models.relevance.binary_relevance import BinaryRelevance
from jointbayes.posterior import Posterior
from jointbayes.seeds import generator_of

__all__ = ["complete_labels", "draw_unknown"]

MOST_IN_A_TREE = 32
"""Labels beyond which the arcs between them, each with regressions of its own, would take long."""


def complete_labels(rows: Labelled, categorical_features: Any = None) -> Labelled:
    """Return the rows with every label known, or drawn from (1) by a fixed seed.

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
    codes[gaps] = draw_unknown(first.posterior(rows.X[gaps]), codes[gaps])
    return replace(rows, codes=codes)


def draw_unknown(posterior: Posterior, codes: Labels) -> Labels:
    """Return codes in which every −1 is drawn, given the row and the others.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> sure = Independent([np.log([[1e-9, 1.0]])] * 2, learn_labels([[0, 0], [1, 1]]))
    >>> draw_unknown(sure, np.array([[0, -1]])).tolist()
    [[0, 1]]
    """
    drawn: Labels = posterior._given(codes)._sample(1, generator_of(None))[0]
    return drawn
