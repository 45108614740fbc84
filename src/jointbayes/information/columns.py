r"""Entropy and information of coded columns, in bits (Sun 2017, Defs. 1 to 8).

A mean of logarithms over rows needs no table, so columns may have as many values as rows:

(2)  H(X)        = −⟨log2 n(x) / N⟩
(4)  I(X; Y)     = ⟨log2 n(x, y) N / n(x) n(y)⟩
(5)  I(X; Y | Z) = ⟨log2 n(x, y, z) n(z) / n(x, z) n(y, z)⟩

where ⟨·⟩ is the (weighted) mean over the rows. The local, label-wise, pointwise and reduced forms
are tables by value; they are those of `pairs`, for two columns.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike

from jointbayes.arrays import Floats, Ints
from jointbayes.codes import Codes
from jointbayes.counts import PairCounts, count_pairs, count_singles
from jointbayes.errors import DataError
from jointbayes.information import pairs

__all__ = [
    "conditional_local_mutual_information",
    "conditional_mutual_information",
    "conditional_pointwise_mutual_information",
    "entropy",
    "entropy_of_counts",
    "label_conditional_mutual_information",
    "local_mutual_information",
    "mutual_information",
    "reduced_conditional_mutual_information",
]


def entropy(x: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Return H(X), how unpredictable a column is (Def. 1).

    >>> entropy([0, 1, 2, 3]), entropy([5, 5, 5])
    (2.0, 0.0)
    """
    (a,), w = _rows((x,), weights)
    return float(entropy_of_counts(_total(a, w)))


def entropy_of_counts(counts: ArrayLike) -> Floats:
    """Return the entropy of values counted along the last axis; of no rows it is 0.

    >>> entropy_of_counts([[2, 2, 0], [5, 0, 0], [0, 0, 0]]).tolist()
    [1.0, 0.0, 0.0]
    """
    n = np.asarray(counts, dtype=np.float64)
    whole = n.sum(axis=-1, keepdims=True)
    p = np.divide(n, whole, out=np.zeros_like(n), where=whole > 0)
    return np.asarray(np.abs((p * np.log2(p, out=np.zeros_like(p), where=p > 0)).sum(axis=-1)))


def mutual_information(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Return I(X; Y), what one column says about the other (Def. 3).

    A copy says all there is to say; rows weigh as often as they are repeated.

    >>> mutual_information([0, 0, 1, 1], [7, 7, 3, 3])
    1.0
    >>> mutual_information([0, 0, 1, 1], [0, 1, 0, 1])
    0.0
    >>> mutual_information([0, 1], [0, 1], weights=[3, 1]) == entropy([0, 0, 0, 1])
    True
    """
    return conditional_mutual_information(x, y, np.zeros(np.shape(x), dtype=np.int64), weights)


def conditional_mutual_information(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, weights: ArrayLike | None = None
) -> float:
    """Return I(X; Y | Z), what two columns share once a third is known (Def. 4).

    Two fair coins know nothing of each other, until their parity is told:

    >>> coin, other, parity = [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]
    >>> mutual_information(coin, other), conditional_mutual_information(coin, other, parity)
    (0.0, 1.0)
    """
    (a, b, c), w = _rows((x, y, z), weights)
    ac, bc = _join(a, c), _join(b, c)
    joint, whole, left, right = (_total(k, w)[k] for k in (_join(ac, bc), c, ac, bc))
    return max(0.0, _mean(pairs.log2_ratio(joint, whole, left, right), w))


def local_mutual_information(
    x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None
) -> Floats:
    """Return (k_x,), what each value of x says about y (Def. 5); the sum is I(X; Y).

    >>> local_mutual_information([0, 0, 1, 1], [0, 0, 1, 1]).tolist()
    [0.5, 0.5]
    """
    (a, b), w = _rows((x, y), weights, compress="none")
    return pairs.local_class_information(count_singles(Codes.of(a, targets=b), w))


def conditional_local_mutual_information(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, weights: ArrayLike | None = None
) -> Floats:
    """Return (k_x, k_y), what two values share given z (Def. 6); the sum is I(X; Y | Z).

    >>> conditional_local_mutual_information([0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    counts = _pair(x, y, z, weights)
    k = counts.cards[0]
    return pairs.local_information(counts)[:k, k:]


def label_conditional_mutual_information(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, weights: ArrayLike | None = None
) -> Floats:
    """Return (k_z,), the mutual information of x and y in the rows of each z (Eq. 13).

    >>> label_conditional_mutual_information([0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1]).tolist()
    [1.0, 0.0]
    """
    return pairs.label_information(_pair(x, y, z, weights))[:, 0, 1]


def conditional_pointwise_mutual_information(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, weights: ArrayLike | None = None
) -> Floats:
    """Return (k_z, k_x, k_y), the log-ratio of meeting and meeting by chance (Def. 8).

    Two values that never met have 0, not minus infinity:

    >>> conditional_pointwise_mutual_information([0, 1], [0, 1], [0, 0]).tolist()
    [[[1.0, 0.0], [0.0, 1.0]]]
    """
    counts = _pair(x, y, z, weights)
    k = counts.cards[0]
    return pairs.pointwise_information(counts)[:, :k, k:]


def reduced_conditional_mutual_information(
    x: ArrayLike,
    y: ArrayLike,
    z: ArrayLike,
    labels: Collection[int],
    weights: ArrayLike | None = None,
) -> float:
    """Return the part of I(X; Y | Z) that comes from the surviving ``labels`` of z (Def. 7).

    >>> x, y, z = [0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1]
    >>> reduced_conditional_mutual_information(x, y, z, labels=[0])
    0.5
    """
    terms = pairs.label_terms(_pair(x, y, z, weights))[:, 0, 1]
    wrong = [c for c in labels if not 0 <= c < len(terms)]
    if wrong:
        raise DataError(f"labels holds {wrong[0]}; z has the codes 0 to {len(terms) - 1}")
    return float(terms[sorted(set(labels))].sum())


def _pair(x: ArrayLike, y: ArrayLike, z: ArrayLike, weights: ArrayLike | None) -> PairCounts:
    (a, b, c), w = _rows((x, y, z), weights, compress="none")
    return count_pairs(Codes.of(np.stack([a, b], axis=1), targets=c), w)


def _rows(
    columns: tuple[ArrayLike, ...], weights: ArrayLike | None, compress: str = "values"
) -> tuple[list[Ints], Floats]:
    """Check columns and weights, and leave out rows of weight 0."""
    arrays = [np.asarray(column) for column in columns]
    w = np.ones(arrays[0].shape[:1]) if weights is None else np.asarray(weights, dtype=float)
    for array in arrays:
        if array.ndim != 1 or array.dtype.kind not in "iub":
            raise DataError(
                f"a coded column is a 1-D array of integers; got {array.dtype} of shape "
                f"{array.shape}; encode it first"
            )
        if len(array) != len(w) or w.ndim != 1:
            raise DataError(f"columns and weights have {len(array)} and {len(w)} rows; they differ")
    if not np.isfinite(w).all() or (w < 0).any() or not w.sum() > 0:
        raise DataError("weights have to be finite, not negative, and not all zero")
    kept = [array[w > 0] for array in arrays]
    if compress == "values":
        kept = [np.unique(array, return_inverse=True)[1] for array in kept]
    return [array.astype(np.int64) for array in kept], w[w > 0]


def _join(a: Ints, b: Ints) -> Ints:
    """Give each pair of values that occur together a number."""
    return np.unique(a * (b.max() + 1) + b, return_inverse=True)[1].astype(np.int64)


def _total(codes: Ints, weights: Floats) -> Floats:
    return np.bincount(codes, weights).astype(np.float64)


def _mean(values: Floats, weights: Floats) -> float:
    return float((weights * values).sum() / weights.sum())
