"""Losses between sets of labels: the best set in expectation, and what a set is worth.

F_β   from P(Y = ∅) and P(Y_j = 1, |Y| = s), exactly: a set of t labels is worth Σ_j Δ_jt over its
      labels, Δ_jt = Σ_s (1 + β²) P(Y_j = 1, |Y| = s) / (β² s + t), so that the best set of t labels
      holds the t largest (Dembczyński, Waegeman, Cheng & Hüllermeier, 2011, for β = 1)
Jaccard  all sets compared up to 12 labels; beyond that the best of the decisions for the other
      losses and of the sets of likeliest labels

Two empty sets are worth 1.
"""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.budgets import ENUMERATED_LABELS, SAMPLED_VECTORS
from jointbayes.inference.lists import select, vectors
from jointbayes.posterior import Posterior

__all__ = ["expected_f_beta", "expected_jaccard", "minimize_f_beta", "minimize_jaccard"]


def minimize_f_beta(beta: float, post: Posterior, empty: str) -> Labels:
    """Return the best of the best sets of every size."""
    d = len(post.space)
    parts = post._blocks(3 * d * (d + 1))
    return np.concatenate([_best_f_beta(beta, part, empty) for part in parts])


def _best_f_beta(beta: float, post: Posterior, empty: str) -> Labels:
    n, d = len(post), len(post.space)
    delta = worth_by_size(beta, post)
    # Ascending and stable: of equal labels the last are taken, which makes the lower vector.
    order = np.argsort(delta, axis=1, kind="stable")
    size = np.arange(1, d + 1)
    taken = np.arange(d)[:, None] >= d - size
    codes = np.zeros((n, d, d), dtype=np.intp)  # (row, label, size)
    np.put_along_axis(codes, order, np.broadcast_to(taken, (n, d, d)), axis=1)
    value = (delta * codes).sum(axis=1)
    codes = codes.transpose(0, 2, 1)
    if empty == "allow":
        codes = np.concatenate([np.zeros((n, 1, d), dtype=np.intp), codes], axis=1)
        value = np.concatenate([post._p_empty()[:, None], value], axis=1)
    return select(codes, value, 1)[0][:, 0]


def worth_by_size(beta: float, post: Posterior) -> Floats:
    """Return Δ_jt (n, d, d) for t = 1 … d: what label j adds to the F_β of a set of t labels."""
    n, d = len(post), len(post.space)
    s = np.arange(d + 1)
    of_size = (1 + beta**2) / (beta**2 * s[:, None] + s[None, 1:])
    worth: Floats = post._sizes().reshape(n * d, d + 1) @ of_size
    return worth.reshape(n, d, d)


def expected_f_beta(beta: float, post: Posterior, codes: Labels) -> Floats:
    """Return the expected F_β (n, m) of m label vectors for each row."""
    size = codes.sum(axis=2)  # (n, m)
    column = np.maximum(size - 1, 0)[:, None]
    worth = np.take_along_axis(worth_by_size(beta, post), column, axis=2)  # (n, d, m)
    total = np.einsum("ndm,nmd->nm", worth, codes)
    return np.where(size == 0, post._p_empty()[:, None], total)


def minimize_jaccard(post: Posterior, empty: str) -> Labels:
    """Return the best of all vectors, or of the candidates where there are too many."""
    d = len(post.space)
    best = _best_jaccard if d <= ENUMERATED_LABELS else _best_candidate
    cells = 2**d if d <= ENUMERATED_LABELS else SAMPLED_VECTORS * (d + 4)
    return np.concatenate([best(part, empty) for part in post._blocks(cells)])


def _best_jaccard(post: Posterior, empty: str) -> Labels:
    d, support = len(post.space), post._support()
    assert support is not None  # there are at most 2^12 vectors
    candidates = vectors((2,) * d, 2**d)[empty == "forbid" :]
    best, value = np.zeros(len(post), dtype=np.intp), np.full(len(post), -np.inf)
    step = max(1, (1 << 20) // len(support[0]))
    for start in range(0, len(candidates), step):
        worth = np.exp(support[1]) @ _jaccard(support[0], candidates[start : start + step])
        top = worth.argmax(axis=1)
        better = worth[np.arange(len(post)), top] > value  # ties stay with the lower vector
        best = np.where(better, start + top, best)
        value = np.where(better, worth[np.arange(len(post)), top], value)
    return candidates[best]


def _best_candidate(post: Posterior, empty: str) -> Labels:
    d = len(post.space)
    p = np.stack([p[:, 1] for p in post._marginals()], axis=1)
    rank = np.argsort(np.argsort(-p, axis=1, kind="stable"), axis=1)
    likeliest = (rank[:, None] < np.arange(empty == "forbid", d + 1)[:, None]).astype(np.intp)
    decided = [post._answer(empty)[:, None], minimize_f_beta(1.0, post, empty)[:, None]]
    codes = np.concatenate([*decided, likeliest], axis=1)
    return select(codes, expected_jaccard(post, codes), 1)[0][:, 0]


def expected_jaccard(post: Posterior, codes: Labels) -> Floats:
    """Return the expected Jaccard index (n, m) of m label vectors for each row."""
    support = post._support()
    if support is not None:
        drawn, weight = support[0], np.exp(support[1])[:, :, None]
    else:
        drawn = post._sample(SAMPLED_VECTORS, np.random.default_rng(0)).transpose(1, 0, 2)
        weight = np.full((1, SAMPLED_VECTORS, 1), 1 / SAMPLED_VECTORS)
    worth: Floats = (_jaccard(drawn, codes) * weight).sum(axis=1)
    return worth


def _jaccard(a: Labels, b: Labels) -> Floats:
    """Return |a ∩ b| / |a ∪ b| of every a (…, m, d) with every b (…, k, d), as (…, m, k)."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    common = a @ b.swapaxes(-1, -2)
    union = a.sum(axis=-1)[..., :, None] + b.sum(axis=-1)[..., None, :] - common
    return np.where(union == 0, 1.0, common / np.maximum(union, 1.0))
