r"""How well a table of counts rates as one family of a network, in natural logarithms.

A table has one axis per parent and the child's on the last. With r values of the child, q value
combinations of the parents and the equivalent sample size s (Corani 2014, Eq. 5):

    BDeu = Σ_j [lnΓ(s/q) − lnΓ(s/q + n_j) + Σ_k (lnΓ(s/qr + n_jk) − lnΓ(s/qr))]

The log-likelihood is what it is at its best: Σ_jk n_jk ln (n_jk / n_j).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from jointbayes.arrays import Floats
from jointbayes.errors import ParameterError

__all__ = ["bdeu", "bdeu_batch", "log_likelihood", "log_rising"]


def bdeu(table: ArrayLike, ess: float = 5.0) -> float:
    """Return the BDeu score of a child (last axis) given its parents (all other axes).

    Parameters
    ----------
    table
        Counts; a vector for a child without parents.
    ess
        Equivalent sample size, larger than 0.

    Returns
    -------
    float
        The log marginal likelihood of the family.

    Examples
    --------
    An arc may be turned around: both directions score the same in all.

    >>> n = np.array([[4.0, 1.0], [1.0, 4.0]])
    >>> forward = bdeu(n.sum(axis=1)) + bdeu(n)
    >>> backward = bdeu(n.sum(axis=0)) + bdeu(n.T)
    >>> round(bdeu(n), 6), bool(np.isclose(forward, backward, rtol=1e-14))
    (-6.73378, True)
    """
    counts = np.asarray(table, dtype=float)
    return float(bdeu_batch(counts.reshape(1, -1, counts.shape[-1]), ess)[0])


def bdeu_batch(tables: Floats, ess: float = 5.0) -> Floats:
    """Return (b,), the BDeu scores of (b, q, r) tables: q parent configurations, r child values."""
    if not ess > 0 or not np.isfinite(ess):
        raise ParameterError(f"ess is {ess}; an equivalent sample size is a number larger than 0")
    _, q, r = tables.shape
    child = log_rising(ess / (q * r), tables).sum(axis=(1, 2))
    return np.asarray(child - log_rising(ess / q, tables.sum(axis=2)).sum(axis=1))


def log_likelihood(table: ArrayLike) -> float:
    """Return the largest log-likelihood of a child (last axis) given its parents (all other axes).

    >>> log_likelihood([[3, 0], [0, 5]])
    0.0
    >>> bool(np.isclose(log_likelihood([2, 2]), 4 * np.log(0.5)))
    True
    """
    counts = np.asarray(table, dtype=float)
    whole = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)
    share = np.divide(counts, whole, out=np.ones_like(counts), where=counts > 0)
    return float((counts * np.log(share)).sum()) + 0.0


def log_rising(alpha: float, counts: Floats) -> Floats:
    """Return lnΓ(alpha + n) − lnΓ(alpha) for every count n.

    Whole counts that repeat are looked up, so the gamma function is called once per count.

    >>> bool(np.allclose(np.exp(log_rising(0.5, np.array([0.0, 1.0, 2.0]))), [1, 0.5, 0.5 * 1.5]))
    True
    """
    from scipy.special import gammaln

    index = counts.astype(np.int64)
    if counts.max(initial=0) < counts.size and (index == counts).all():
        table = gammaln(alpha + np.arange(index.max(initial=0) + 1)) - gammaln(alpha)
        return np.asarray(table[index])
    return np.asarray(gammaln(alpha + counts) - gammaln(alpha))
