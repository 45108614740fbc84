r"""Information between all pairs of features at once, from the counts of pairs by class.

With n(c, v, w) the rows of class c in which two values meet (Sun 2017, Defs. 4 to 8):

(18)  CPMI  I(v; w | c)     = log2 [n(c, v, w) n(c) / n(c, v) n(c, w)]
(16)  terms T_c(X_i; X_j)   = Σ_vw n(c, v, w) / N · I(v; w | c)
(13)  LCMI  I(X_i; X_j | c) = T_c · N / n(c)
(10)  CLMI  I(v; w | C)     = Σ_c n(c, v, w) / N · I(v; w | c)
 (5)  CMI   I(X_i; X_j | C) = Σ_c T_c, which over the labels of Ω′ alone is the RCMI
 (9)  LMI   I(v; C)         = Σ_c n(c, v) / N · log2 [n(c, v) N / n(v) n(c)]
 (4)  MI    I(X_i; C)       = Σ_v I(v; C)

and what a value says about one label, as (18) is what two values say about each other:

 (1)  PMI   I(v; c)         = log2 [n(c, v) N / n(v) n(c)]

All counts of a pair are of the rows in which both features were observed. Two values that never
met have the CPMI 0: Sun 2017, Sec. 5 shows that their experts treat them so. So have a value and a
label the PMI 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Mask
from jointbayes.codes import Cards, offsets
from jointbayes.counts import PairCounts, SingleCounts

__all__ = [
    "class_information",
    "class_terms",
    "conditional_information",
    "label_information",
    "label_terms",
    "local_class_information",
    "local_information",
    "log2_ratio",
    "pointwise_class_information",
    "pointwise_information",
]


def log2_ratio(joint: Floats, whole: Floats, left: Floats, right: Floats) -> Floats:
    """Return log2 [joint · whole / (left · right)], and 0 where the joint count is 0.

    >>> one = np.ones(3)
    >>> log2_ratio(np.array([0.0, 1.0, 2.0]), 4 * one, 2 * one, 2 * one).tolist()
    [0.0, 0.0, 1.0]
    """
    ratio = np.ones_like(joint)
    np.divide(joint * whole, left * right, out=ratio, where=joint > 0)
    return np.log2(ratio, out=ratio)


def pointwise_information(counts: PairCounts) -> Floats:
    """Return (C, V, V), the information two values share given each label (Eq. 18).

    Examples
    --------
    Among the rows of class 0 the two features agree; in class 1 they have nothing in common:

    >>> from jointbayes.codes import Codes
    >>> from jointbayes.counts import count_pairs
    >>> x = [[0, 0], [1, 1], [0, 0], [0, 1], [1, 0], [1, 1]]
    >>> counts = count_pairs(Codes.of(x, targets=[0, 0, 1, 1, 1, 1]))
    >>> pointwise_information(counts)[:, :2, 2:].tolist()
    [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]]
    """
    # Class by class, so that temporaries have the size of one class's table.
    return np.stack([_pointwise(n, counts.cards) for n in counts.n_cxx])


def local_information(counts: PairCounts) -> Floats:
    """Return (V, V), the information two values share given the class variable (Eq. 10).

    >>> from jointbayes.codes import Codes
    >>> from jointbayes.counts import count_pairs
    >>> local_information(count_pairs(Codes.of([[0, 0], [1, 1]], targets=[0, 0])))[:2, 2:].tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    shared = np.zeros_like(counts.n_cxx[0])
    for n in counts.n_cxx:
        shared += n * _pointwise(n, counts.cards)
    feature = _feature_of(counts.cards)
    rows = _rows(counts)[feature][:, feature]
    return np.asarray(np.divide(shared, rows, out=shared, where=rows > 0))


def label_terms(counts: PairCounts) -> Floats:
    """Return (C, p, p), what each label adds to the conditional information (Eqs. 15 and 16).

    The sum over all labels is the CMI, the sum over surviving labels the RCMI; so a structure for
    any set of labels costs a sum of matrices that are computed once.

    >>> from jointbayes.codes import Codes
    >>> from jointbayes.counts import count_pairs
    >>> x = [[0, 0], [1, 1], [0, 0], [0, 1], [1, 0], [1, 1]]
    >>> label_terms(count_pairs(Codes.of(x, targets=[0, 0, 1, 1, 1, 1])))[:, 0, 1].round(3).tolist()
    [0.333, 0.0]
    """
    varying, counts = _without_constants(counts)
    return _spread(_label_terms(counts), varying)


def _label_terms(counts: PairCounts) -> Floats:
    shared = [_block_sums(n * _pointwise(n, counts.cards), counts.cards) for n in counts.n_cxx]
    rows = _rows(counts)
    terms = np.divide(shared, rows, out=np.zeros_like(np.stack(shared)), where=rows > 0)
    upper = np.triu(terms, k=1)  # exactly symmetric, whatever the order of the sums
    return upper + upper.transpose(0, 2, 1)


def label_information(counts: PairCounts) -> Floats:
    """Return (C, p, p), the mutual information within the rows of each label (Eq. 13).

    >>> from jointbayes.codes import Codes
    >>> from jointbayes.counts import count_pairs
    >>> x = [[0, 0], [1, 1], [0, 0], [0, 1], [1, 0], [1, 1]]
    >>> label_information(count_pairs(Codes.of(x, targets=[0, 0, 1, 1, 1, 1])))[:, 0, 1].tolist()
    [1.0, 0.0]
    """
    within = np.stack([_block_sums(n, counts.cards) for n in counts.n_cxx])
    share = np.divide(_rows(counts), within, out=np.zeros_like(within), where=within > 0)
    return label_terms(counts) * share


def conditional_information(counts: PairCounts) -> Floats:
    """Return (p, p), the information each pair of features shares given the class (Eq. 5).

    Examples
    --------
    The second feature copies the first, the third is on its own:

    >>> from jointbayes.codes import Codes
    >>> from jointbayes.counts import count_pairs
    >>> x = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> conditional_information(count_pairs(Codes.of(x, targets=[0, 0, 0, 0]))).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    varying, counts = _without_constants(counts)
    return _spread(_label_terms(counts).sum(axis=0), varying)


def local_class_information(counts: SingleCounts) -> Floats:
    """Return (V,), what observing each value says about the class (Eq. 9).

    >>> from jointbayes.codes import Codes
    >>> from jointbayes.counts import count_singles
    >>> local_class_information(count_singles(Codes.of([[0], [1]], targets=[0, 1]))).tolist()
    [0.5, 0.5]
    """
    return np.asarray(_class_cells(counts).sum(axis=0))


def class_terms(counts: SingleCounts) -> Floats:
    """Return (C, p), what each label adds to the information of a feature and the class.

    >>> from jointbayes.codes import Codes
    >>> from jointbayes.counts import count_singles
    >>> class_terms(count_singles(Codes.of([[0], [1]], targets=[0, 1]))).tolist()
    [[0.5], [0.5]]
    """
    return np.add.reduceat(_class_cells(counts), offsets(counts.cards)[:-1], axis=1)


def class_information(counts: SingleCounts) -> Floats:
    """Return (p,), the mutual information of each feature and the class (Eq. 4).

    >>> from jointbayes.codes import Codes
    >>> from jointbayes.counts import count_singles
    >>> counts = count_singles(Codes.of([[0, 0], [0, 1], [1, 0], [1, 1]], targets=[0, 0, 1, 1]))
    >>> class_information(counts).tolist()
    [1.0, 0.0]
    """
    return np.asarray(class_terms(counts).sum(axis=0))


def pointwise_class_information(counts: SingleCounts) -> Floats:
    """Return (C, V), the information that each value and each label share (1).

    >>> from jointbayes.codes import Codes
    >>> from jointbayes.counts import count_singles
    >>> counts = count_singles(Codes.of([[0], [0], [0], [1]], targets=[0, 1, 1, 1]))
    >>> pointwise_class_information(counts).round(3).tolist()
    [[0.415, 0.0], [-0.17, 0.415]]
    """
    n, rows, by_class = _met(counts)
    return log2_ratio(n, rows, np.broadcast_to(n.sum(axis=0), n.shape), by_class)


def _class_cells(counts: SingleCounts) -> Floats:
    """Return (C, V), the terms of Eq. 9."""
    n, rows, _ = _met(counts)
    shared = n * pointwise_class_information(counts)
    return np.asarray(np.divide(shared, rows, out=shared, where=rows > 0))


def _met(counts: SingleCounts) -> tuple[Floats, Floats, Floats]:
    """Return (C, V) n(c, v), N and n(c), the last two of rows in which the feature was observed."""
    n = counts.n_cx
    by_class = np.add.reduceat(n, offsets(counts.cards)[:-1], axis=1)[:, _feature_of(counts.cards)]
    return n, np.broadcast_to(by_class.sum(axis=0), n.shape), by_class


def _pointwise(n: Floats, cards: Cards) -> Floats:
    """Return Eq. 18 for the (V, V) counts of one class."""
    feature = _feature_of(cards)
    # margin[v, j]: rows with the value v in which feature j was observed.
    margin = np.add.reduceat(n, offsets(cards)[:-1], axis=1)
    left = margin[:, feature]
    whole = np.add.reduceat(margin, offsets(cards)[:-1], axis=0)[feature][:, feature]
    return log2_ratio(n, whole, left, left.T)


def _block_sums(table: Floats, cards: Cards) -> Floats:
    """Add up the (k_i, k_j) block of every pair of features."""
    start = offsets(cards)[:-1]
    return np.asarray(np.add.reduceat(np.add.reduceat(table, start, axis=0), start, axis=1))


def _without_constants(counts: PairCounts) -> tuple[Mask, PairCounts]:
    """Return which features have several values, and the counts of those: others share nothing."""
    varying = np.array(counts.cards) > 1
    if varying.all():
        return varying, counts
    values = np.flatnonzero(varying[_feature_of(counts.cards)])
    cards = tuple(k for k in counts.cards if k > 1)
    n_cxx = counts.n_cxx[:, values[:, None], values]
    return varying, PairCounts(counts.n_c, n_cxx, cards)


def _spread(table: Floats, varying: Mask) -> Floats:
    """Return (…, p, p), the table of the varying features, and 0 for the others."""
    if varying.all():
        return table
    out = np.zeros((*table.shape[:-2], len(varying), len(varying)))
    at = np.flatnonzero(varying)
    out[..., at[:, None], at] = table
    return out


def _rows(counts: PairCounts) -> Floats:
    """Return (p, p), in how many rows both features were observed."""
    return _block_sums(counts.n_cxx.sum(axis=0), counts.cards)


def _feature_of(cards: Cards) -> NDArray[np.int64]:
    """Return (V,), the feature to which each value belongs."""
    return np.repeat(np.arange(len(cards)), cards)
