"""The label vector of least expected loss, in codes, for every loss: what ``decide`` answers.

subset   1[y ≠ ŷ]                    the mode of the joint
hamming  mean of 1[y_j ≠ ŷ_j]        the mode of every marginal
f1       1 − 2|y ∩ ŷ| / (|y| + |ŷ|)  exact from P(Y = ∅) and P(Y_j = 1, |Y| = s): a set of t labels
         has F1 Σ_j Δ_jt over its labels, Δ_jt = Σ_s 2 P(Y_j = 1, |Y| = s) / (s + t), so the best
         set of t labels holds the t largest (Dembczyński, Waegeman, Cheng & Hüllermeier, 2011)
jaccard  1 − |y ∩ ŷ| / |y ∪ ŷ|       all vectors compared up to 12 labels; beyond that the best of
         the three decisions above and of the sets of likeliest labels

Two empty sets have F1 and Jaccard 1. Where the empty set is forbidden the best other vector is
returned: for subset the second best if the best is empty, for hamming the likeliest label alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.budgets import ENUMERATED_LABELS, SAMPLED_VECTORS
from jointbayes.errors import DataError, ParameterError
from jointbayes.inference.lists import select, vectors
from jointbayes.labels.space import shown
from jointbayes.posterior import Posterior

__all__ = ["LOSSES", "expected_f1", "expected_jaccard", "minimize"]


def minimize(post: Posterior, loss: str, empty: str) -> Labels:
    """Return the (n, d) codes of least expected loss."""
    if loss not in LOSSES:
        raise ParameterError(f"loss={loss!r}: choose one of {', '.join(LOSSES)}")
    if empty not in ("auto", "allow", "forbid"):
        raise ParameterError(f"empty={empty!r}: choose 'auto', 'allow' or 'forbid'")
    if empty == "auto":
        empty = "allow" if post.space.allows_empty else "forbid"
    if loss in ("f1", "jaccard"):
        check_binary(post, loss)
    sets = post.space.binary and not post.space.single
    return LOSSES[loss](post, empty if sets else "allow")


def check_binary(post: Posterior, loss: str) -> None:
    """Refuse a loss between sets where labels are not sets."""
    space = post.space
    for name, values, label in zip(space.names, space.classes, space.binary_labels, strict=True):
        if not label:
            raise DataError(
                f"loss={loss!r} compares sets of labels, but label {name!r} has the values "
                f"{shown(tuple(values))}; choose 'subset' or 'hamming', or say what is positive: "
                f"jointbayes.labels.binarize(Y, positive={{{name!r}: {values[-1]!r}}})"
            )


def minimize_subset(post: Posterior, empty: str) -> Labels:
    """Return the mode of the joint; its runner-up where the mode is empty and must not be."""
    codes = post._mode()
    rows = np.flatnonzero(~codes.any(axis=1))
    if empty == "allow" or not len(rows):
        return codes
    first, second = post._rows(rows)._leading(2).swapaxes(0, 1)
    codes = codes.copy()
    codes[rows] = np.where(second.any(axis=1, keepdims=True), second, first)
    return codes


def minimize_hamming(post: Posterior, empty: str) -> Labels:
    """Return the mode of every marginal; the likeliest label alone where that is empty."""
    marginals = post._marginals()
    codes = np.stack([p.argmax(axis=1) for p in marginals], axis=1)
    if empty == "forbid":
        rows = np.flatnonzero(~codes.any(axis=1))
        codes[rows, np.stack([p[rows, 1] for p in marginals], axis=1).argmax(axis=1)] = 1
    return codes


def minimize_f1(post: Posterior, empty: str) -> Labels:
    """Return the best of the best sets of every size."""
    d = len(post.space)
    return np.concatenate([_best_f1(part, empty) for part in post._blocks(3 * d * (d + 1))])


def _best_f1(post: Posterior, empty: str) -> Labels:
    n, d = len(post), len(post.space)
    delta = _delta(post)
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


def _delta(post: Posterior) -> Floats:
    """Return Δ_jt for t = 1 … d: what label j adds to the F1 of a set of t labels."""
    n, d = len(post), len(post.space)
    s = np.arange(d + 1)
    worth: Floats = post._sizes().reshape(n * d, d + 1) @ (2 / (s[:, None] + s[None, 1:]))
    return worth.reshape(n, d, d)


def expected_f1(post: Posterior, codes: Labels) -> Floats:
    """Return the expected F1 of one label vector for each row."""
    size = codes.sum(axis=1)
    column = np.maximum(size - 1, 0)[:, None, None]
    worth = np.take_along_axis(_delta(post), column, axis=2)[:, :, 0]
    return np.where(size == 0, post._p_empty(), (worth * codes).sum(axis=1))


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
    decided = [minimize(post, loss, empty)[:, None] for loss in ("subset", "hamming", "f1")]
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


LOSSES: dict[str, Callable[[Posterior, str], Labels]] = {
    "subset": minimize_subset,
    "hamming": minimize_hamming,
    "f1": minimize_f1,
    "jaccard": minimize_jaccard,
}
