r"""The k labels to show: those of largest marginal.

Of an answer ŷ of exactly k labels, the expected precision at k is

(1)  E[ |y ∩ ŷ| / k ] = (1/k) \sum_{j ∈ ŷ} P(Y_j = 1 | x) ,

a sum of one term for each label by itself. So no k labels have a larger one than those of the k
largest marginals, whatever the labels know about each other; for a given k, they also have the
least expected Hamming loss, as E[|y Δ ŷ|] = E|y| + k − 2 E|y ∩ ŷ|.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes.arrays import Values
from jointbayes.errors import DataError, ParameterError
from jointbayes.labels.space import shown
from jointbayes.posterior import Posterior

__all__ = ["top_labels"]


def top_labels(posterior: Posterior, k: Any) -> Values:
    """Return (n, d) label vectors of exactly ``k`` relevant labels, by (1); ties to the first.

    Under rules, the marginals are those of the vectors that obey; the k labels are a list to show,
    and need not be such a vector.

    >>> from jointbayes.labels import LabelSpace
    >>> from jointbayes.posterior import Independent
    >>> space = LabelSpace(("sea", "sun", "fog"), (np.array(["no", "yes"]),) * 3)
    >>> post = Independent([np.log([[1 - p, p]]) for p in (0.4, 0.3, 0.1)], space)
    >>> top_labels(post, 2).tolist()
    [['yes', 'yes', 'no']]
    """
    space, d = posterior.space, len(posterior.space)
    for name, values, label in zip(space.names, space.classes, space.binary_labels, strict=True):
        if not label:
            raise DataError(
                f"top_labels names relevant labels, and label {name!r} has the values "
                f"{shown(tuple(values))}; say what is positive by "
                f"jb.labels.binarize(Y, positive={{{name!r}: {values.tolist()[-1]!r}}})"
            )
    if not (type(k) is not bool and isinstance(k, int | np.integer) and 1 <= k <= d):
        raise ParameterError(f"top_labels(k={k!r}): k must be an integer from 1 to {d}, the labels")
    p = np.stack([marginal[:, 1] for marginal in posterior._marginals()], axis=1)
    codes = np.zeros(p.shape, dtype=np.intp)
    np.put_along_axis(codes, np.argsort(-p, axis=1, kind="stable")[:, : int(k)], 1, axis=1)
    return space.decode(codes)
