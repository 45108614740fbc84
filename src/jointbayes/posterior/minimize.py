"""The label vector of least expected loss, in codes, for every loss: what `decide` answers.

subset   1[y ≠ ŷ]                    the mode of the joint
hamming  mean of 1[y_j ≠ ŷ_j]        the mode of every marginal
f1       1 − 2|y ∩ ŷ| / (|y| + |ŷ|)  exact from P(Y = ∅) and P(Y_j = 1, |Y| = s): a set of size t is
         worth Σ_{j in set} Δ_jt with Δ_jt = Σ_s 2 P(Y_j = 1, |Y| = s) / (s + t), so the best one of
         each size holds the t largest Δ_jt (Dembczyński, Waegeman, Cheng & Hüllermeier, 2011)
jaccard  1 − |y ∩ ŷ| / |y ∪ ŷ|       all vectors compared up to 12 labels; beyond that the best of
         the other decisions and of the sets of most probable labels, weighed by samples

Two empty sets have F1 and Jaccard 1. With ``empty="forbid"`` the best non-empty vector is returned:
for subset the second best if the best is empty, for hamming the label of largest P(Y_j = 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import ParameterError

if TYPE_CHECKING:
    from jointbayes.posterior.protocol import Posterior

__all__ = ["LOSSES", "exactness_of_losses", "minimize"]

Labels = NDArray[np.intp]


def minimize_subset(post: Posterior, *, forbid: bool) -> Labels:
    """Return the mode of the joint; its runner-up where the mode is empty and must not be."""
    if not forbid:
        return post._best(1)[0][:, 0]
    codes = post._top(2)[0]
    empty = ~codes[:, 0].any(axis=1)
    return codes[np.arange(len(post)), empty.astype(np.intp)]


def minimize_hamming(post: Posterior, *, forbid: bool) -> Labels:
    """Return the mode of every marginal; the likeliest label alone where that is empty."""
    marginals = post._marginals()
    codes = np.stack([p.argmax(axis=1) for p in marginals], axis=1)
    if forbid:
        rows = np.flatnonzero(~codes.any(axis=1))
        likeliest = np.stack([p[rows, 1] for p in marginals], axis=1).argmax(axis=1)
        codes[rows, likeliest] = 1
    return codes


LOSSES: dict[str, Callable[..., Labels]] = {
    "subset": minimize_subset,
    "hamming": minimize_hamming,
}


def minimize(post: Posterior, loss: str, empty: str) -> Labels:
    """Return the (n, d) codes of least expected loss."""
    if loss not in LOSSES:
        raise ParameterError(f"loss={loss!r}: choose one of {', '.join(LOSSES)}")
    if empty not in ("allow", "forbid"):
        raise ParameterError(f"empty={empty!r}: choose 'allow' or 'forbid'")
    sets = post.space.binary and not post.space.single
    return LOSSES[loss](post, forbid=empty == "forbid" and sets)


def exactness_of_losses(post: Posterior) -> dict[str, str]:
    """Say of each loss whether its minimum is exact."""
    return {"subset": "exact", "hamming": "exact"}
