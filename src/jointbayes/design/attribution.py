"""Which of the user's columns the columns of a design speak for.

A number and the indicator that it is missing speak for one column, and so do all values of a
nominal one. The length of a text speaks for its words, for each by its share in the squared length;
a text without words has it spread evenly over all words that there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from jointbayes.arrays import Floats, Labels
from jointbayes.design.design import Design

__all__ = ["add_up_by_column", "owners"]


def owners(design: Design) -> Labels:
    """Return the position of the user's column behind each column of a design, length apart.

    >>> from jointbayes.design.design import learn_design
    >>> from jointbayes.table import Table
    >>> table = Table.of([{"hue": "a", "size": 1.5}, {"hue": "b", "size": np.nan}])
    >>> owners(learn_design(table)).tolist()
    [1, 1, 0, 0]
    """
    cards = () if design.encoder is None else design.encoder.cards
    flagged = [design.numeric[i] for i in design.flagged]
    nominal = np.repeat(np.array(design.nominal, dtype=np.intp), cards)
    return np.concatenate([[*design.numeric, *flagged], nominal]).astype(np.intp)


def add_up_by_column(design: Design, matrix: Any, parts: Floats) -> Floats:
    """Add up what the columns of a design say to what the user's columns say.

    Parameters
    ----------
    design
        What made the matrix.
    matrix
        (n, m) its rows, dense or CSR.
    parts
        (n, k, m) numbers for each of its columns; the result is (n, k, p).
    """
    mine = owners(design)
    if design.direction is not None:
        parts = parts[:, :, :-1] + parts[:, :, -1:] * _shares_of_length(design, matrix)[:, None]
    n, k, m = parts.shape
    adding = sparse.csr_array((np.ones(m), (np.arange(m), mine)), (m, len(design.names)))
    return np.asarray((parts.reshape(n * k, m) @ adding).reshape(n, k, len(design.names)))


def _shares_of_length(design: Design, matrix: Any) -> Floats:
    assert design.direction is not None  # only texts have a length
    dense = np.asarray(matrix.toarray() if hasattr(matrix, "tocsr") else matrix)
    words = design.direction.factor > 0
    squares = dense[:, :-1] ** 2 * words  # words have length 1 in every row
    empty = squares.sum(axis=1) == 0
    squares[empty] = words if words.any() else 1.0
    return np.asarray(squares / squares.sum(axis=1, keepdims=True))
