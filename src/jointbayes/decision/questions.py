r"""Which label to ask for: the one whose answer is worth most before it is known.

The worth of label j is by how much its answer lowers the loss of the best decision, in expectation:

.. math::
    \min_{ŷ} E[L(Y, ŷ)] - \sum_c P(Y_j = c) \min_{ŷ} E[L(Y, ŷ) \mid Y_j = c] \;\ge\; 0      (1)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels
from jointbayes.decision.criteria import Criterion, criterion_of
from jointbayes.decision.decide import least
from jointbayes.errors import DataError
from jointbayes.losses import Loss
from jointbayes.posterior import Posterior

__all__ = ["next_question"]


def next_question(
    posterior: Posterior, loss: Loss = "subset", labels: Iterable[str] | None = None
) -> tuple[NDArray[Any], Floats]:
    """Return the name (n,) of the label to ask for on each row, and what its answer is worth (n,).

    Parameters
    ----------
    posterior
        What is known about the labels of each row.
    loss
        Of what the answer is to lower: a name, or a loss of ``jb.losses``.
    labels
        Names of the labels that can be asked for; None for all.

    Examples
    --------
    The second label is the less certain one, but the first decides both:

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Tree
    >>> space = learn_labels([[0, 0], [1, 1]])
    >>> first, second = np.log([[[0.5, 0.5]]]), np.log([[[0.9, 0.1], [0.2, 0.8]]])
    >>> names, worth = next_question(Tree((-1, 0), [first, second], space))
    >>> names.tolist(), worth.round(3).tolist()
    (['y0'], [0.4])
    """
    names = posterior.space.names
    asked = names if labels is None else tuple(labels)
    strange = [name for name in asked if name not in names]
    if strange or not asked:
        found = f"no label is called {strange[0]!r}" if strange else "labels is empty"
        raise DataError(f"next_question: {found}; there are {', '.join(names)}")
    criterion = criterion_of(loss, posterior.space)
    now = _loss(posterior, criterion)
    marginals = posterior._marginals()
    after = []
    for j in map(names.index, asked):
        expected = np.zeros(len(posterior))
        for c, p in enumerate(marginals[j].T):
            rows = np.flatnonzero(p > 0)
            known = np.full((len(rows), len(names)), -1, dtype=np.intp)
            known[:, j] = c
            expected[rows] += p[rows] * _loss(_told(posterior, rows, known), criterion)
        after.append(expected)
    worth = np.maximum(now[:, None] - np.stack(after, axis=1), 0.0)  # (1), but for rounding
    best = worth.argmax(axis=1)
    return np.array(asked)[best], worth[np.arange(len(posterior)), best]


def _told(post: Posterior, rows: Labels, known: Labels) -> Posterior:
    return post._rows(rows)._given(known).wearing(post.frame, post.obeyed)


def _loss(post: Posterior, criterion: Criterion) -> Floats:
    """Return the expected loss of the best decision on each row."""
    return criterion.expected(post, least(post, criterion, "auto")[:, None])[:, 0]
