"""Sums of probabilities that are held as logarithms, without overflow and without loss."""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats

__all__ = ["log_mix", "log_normalize", "log_sum"]


def log_sum(terms: Floats, axis: int) -> Floats:
    """Return log Σ exp along an axis of finite numbers.

    >>> log_sum(np.array([-1000.0, -1000.0]), axis=0).round(3).tolist()
    -999.307
    """
    top = terms.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(terms - top).sum(axis=axis)) + top.squeeze(axis))


def log_normalize(scores: Floats) -> Floats:
    """Return log-probabilities: the scores less log Σ exp over the last axis.

    The last axis has one entry per class and is short, so it is reduced column by column.

    >>> np.exp(log_normalize(np.array([[-1000.0, -1000.0], [0.0, -np.inf]]))).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    top = scores[..., 0].copy()
    for c in range(1, scores.shape[-1]):
        np.maximum(top, scores[..., c], out=top)
    out = scores - top[..., None]
    total = np.exp(out) @ np.ones(scores.shape[-1])
    out -= np.log(total)[..., None]
    return np.asarray(out)


def log_mix(log_p: Floats, weights: Floats) -> Floats:
    """Return log Σ_r w_r exp(log_p[r]), the mixture over the first axis; rows may be all −inf.

    >>> np.exp(log_mix(np.log([[0.5], [0.1]]), np.array([0.25, 0.75]))).round(3).tolist()
    [0.2]
    """
    top = log_p.max(axis=0)
    base = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.tensordot(weights, np.exp(log_p - base), axes=1)) + base)
