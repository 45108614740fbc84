"""Sums of probabilities that are held as logarithms, without overflow and without loss."""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats

__all__ = ["log_mix", "log_normalize", "log_sum", "weigh"]

SHORT = 16
"""Entries up to which column by column is faster than row by row, unless there are few rows."""

FEW = 1 << 9
"""Entries in all up to which one call is faster than one for each column."""


def log_sum(terms: Floats, axis: int | tuple[int, ...]) -> Floats:
    """Return log Σ exp along an axis, or several; −inf where all terms are.

    >>> log_sum(np.array([[-1000.0, -1000.0], [-np.inf, -np.inf]]), axis=1).round(3).tolist()
    [-999.307, -inf]
    """
    if isinstance(axis, int) and terms.shape[axis] == 2:
        with np.errstate(invalid="ignore"):
            return _log_sum_two(*np.moveaxis(terms, axis, 0))
    top = _finite(terms.max(axis=axis, keepdims=True))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(terms - top).sum(axis=axis)) + top.squeeze(axis))


def weigh(table: Floats) -> tuple[Floats, Floats]:
    """Return exp(table) normalised over the first axis, and the logarithm of what it summed to.

    Where nothing is possible the weights stay 0. The table is overwritten by its weights.

    >>> weights, total = weigh(np.array([[np.log(3), -np.inf], [0.0, -np.inf]]))
    >>> weights.round(9).tolist(), np.exp(total).round(9).tolist()
    ([[0.75, 0.0], [0.25, 0.0]], [4.0, 0.0])
    """
    if len(table) == 2:
        with np.errstate(invalid="ignore", over="ignore"):
            return _weigh_two(table)
    top = _finite(table.max(axis=0))
    table -= top
    weights = np.exp(table, out=table)
    total = weights.sum(axis=0)
    weights /= np.where(total == 0, 1.0, total)
    with np.errstate(divide="ignore"):
        return weights, np.log(total) + top


def _log_sum_two(a: Floats, b: Floats) -> Floats:
    """Return log(e^a + e^b); most labels are binary, and this takes half of the exponentials."""
    total = np.asarray(a - b)
    np.abs(total, out=total)
    np.negative(total, out=total)
    np.exp(total, out=total)
    total += 1.0
    np.log(total, out=total)
    total += np.maximum(a, b)
    if np.isnan(total.min(initial=0.0)):  # −inf − −inf
        total[np.isneginf(a) & np.isneginf(b)] = -np.inf
    return total


def _weigh_two(table: Floats) -> tuple[Floats, Floats]:
    a, b = table
    total = _log_sum_two(a, b)
    impossible = np.isneginf(total)
    np.subtract(b, a, out=a)
    np.negative(a, out=b)
    np.exp(table, out=table)
    table += 1.0
    np.divide(1.0, table, out=table)
    if impossible.any():
        table[:, impossible] = 0.0
    return table, total


def _finite(top: Floats) -> Floats:
    return np.where(np.isneginf(top), 0.0, top)


def log_normalize(scores: Floats) -> Floats:
    """Return log-probabilities: the scores less log Σ exp over the last axis.

    The last axis has one entry per class; where it is short, it is reduced column by column.

    >>> np.exp(log_normalize(np.array([[-1000.0, -1000.0], [0.0, -np.inf]]))).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    k = scores.shape[-1]
    if k > SHORT or (k > 4 and scores.size <= FEW):
        top = scores.max(axis=-1)
    else:
        top = scores[..., 0].copy()
        for c in range(1, k):
            np.maximum(top, scores[..., c], out=top)
    out = scores - top[..., None]
    total = np.exp(out) @ np.ones(k)
    out -= np.log(total)[..., None]
    return np.asarray(out)


def log_mix(log_p: Floats, weights: Floats) -> Floats:
    """Return log Σ_r w_r exp(log_p[r]), the mixture over the first axis; rows may be all −inf.

    >>> np.exp(log_mix(np.log([[0.5], [0.1]]), np.array([0.25, 0.75]))).round(3).tolist()
    [0.2]
    """
    base = _finite(log_p.max(axis=0))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.tensordot(weights, np.exp(log_p - base), axes=1)) + base)
