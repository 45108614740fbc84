"""What each loss asks of a posterior: its least expected value, and that of any answer.

=========  =================================  ==================================================
loss       of the truth y and the answer ŷ    least where
=========  =================================  ==================================================
subset     1[y ≠ ŷ]                           ŷ is the mode of the joint
hamming    mean of 1[y_j ≠ ŷ_j]               ŷ_j is the mode of each marginal
Weighted   mean of fp_j 1[ŷ_j > y_j]          ŷ_j = 1 if fp_j P(Y_j = 0) < fn_j P(Y_j = 1)
           + fn_j 1[ŷ_j < y_j]
f1, FBeta  1 − F_β(y, ŷ)                      see :mod:`jointbayes.decision.sets`
jaccard    1 − |y ∩ ŷ| / |y ∪ ŷ|              likewise
=========  =================================  ==================================================

Where the empty set is forbidden the best other vector is returned: for hamming and Weighted the
label alone that costs least to name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.decision.sets import (
    expected_f_beta,
    expected_jaccard,
    minimize_f_beta,
    minimize_jaccard,
)
from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace
from jointbayes.labels.space import shown
from jointbayes.losses import FBeta, Loss, Weighted, check_loss
from jointbayes.posterior import Posterior

__all__ = ["Criterion", "criterion_of"]


@dataclass(frozen=True)
class Criterion:
    """A loss as two functions of a posterior, in codes.

    Parameters
    ----------
    minimize
        (posterior, "allow" or "forbid" the empty set) → (n, d) codes of least expected loss.
    expected
        (posterior, (n, m, d) codes) → (n, m) expected losses.
    costs
        Where a loss is a mean over labels: posterior → (n, k_j) expected costs of each value.
    """

    minimize: Callable[[Posterior, str], Labels]
    expected: Callable[[Posterior, Labels], Floats]
    costs: Callable[[Posterior], list[Floats]] | None = None


def criterion_of(loss: Loss, space: LabelSpace) -> Criterion:
    """Return the criterion of a loss for labels of a space, or say why there is none.

    >>> from jointbayes.labels import LabelSpace
    >>> criterion_of("f1", LabelSpace(("loan",), (np.array(["approved", "on hold", "rejected"]),)))
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: loss='f1' is between sets of labels, and label 'loan' has ...
    """
    check_loss(loss)
    if loss == "subset":
        return Criterion(lambda post, empty: post._answer(empty), expected_subset)
    if loss == "hamming":
        return Criterion(minimize_hamming, expected_hamming, _wrong)
    _check_binary(space, loss)
    if isinstance(loss, Weighted):
        prices = loss.by_label(space)
        return Criterion(
            partial(minimize_weighted, prices),
            partial(expected_weighted, prices),
            lambda post: list(np.stack(_costs(prices, post)[::-1], axis=2).transpose(1, 0, 2)),
        )
    if loss == "jaccard":
        return Criterion(minimize_jaccard, lambda post, codes: 1 - expected_jaccard(post, codes))
    beta = loss.beta if isinstance(loss, FBeta) else 1.0
    return Criterion(
        partial(minimize_f_beta, beta), lambda post, codes: 1 - expected_f_beta(beta, post, codes)
    )


def _check_binary(space: LabelSpace, loss: Loss) -> None:
    """Refuse a loss between sets where labels are not sets."""
    for name, values, label in zip(space.names, space.classes, space.binary_labels, strict=True):
        if not label:
            raise DataError(
                f"loss={loss!r} is between sets of labels, and label {name!r} has the values "
                f"{shown(tuple(values))}; choose 'subset' or 'hamming', or say what is positive by "
                f"jb.labels.binarize(Y, positive={{{name!r}: {values.tolist()[-1]!r}}})"
            )


def expected_subset(post: Posterior, codes: Labels) -> Floats:
    """Return the probability that a vector is wrong."""
    return -np.expm1(post._log_prob(codes))


def minimize_hamming(post: Posterior, empty: str) -> Labels:
    """Return the mode of every marginal; the likeliest label alone where that is empty."""
    marginals = post._marginals()
    codes = np.stack([p.argmax(axis=1) for p in marginals], axis=1)
    if empty == "forbid":
        rows = np.flatnonzero(~codes.any(axis=1))
        codes[rows, np.stack([p[rows, 1] for p in marginals], axis=1).argmax(axis=1)] = 1
    return codes


def expected_hamming(post: Posterior, codes: Labels) -> Floats:
    """Return the expected share of wrong labels."""
    right = [np.take_along_axis(p, codes[:, :, j], axis=1) for j, p in enumerate(post._marginals())]
    share: Floats = np.mean(right, axis=0)
    return 1 - share


def _wrong(post: Posterior) -> list[Floats]:
    return [1 - p for p in post._marginals()]


Prices = tuple[Floats, Floats]


def minimize_weighted(prices: Prices, post: Posterior, empty: str) -> Labels:
    """Return the labels that cost less when named; the cheapest alone where there are none."""
    named, unnamed = _costs(prices, post)
    codes = (named < unnamed).astype(np.intp)
    if empty == "forbid":
        rows = np.flatnonzero(~codes.any(axis=1))
        codes[rows, (named - unnamed)[rows].argmin(axis=1)] = 1
    return codes


def expected_weighted(prices: Prices, post: Posterior, codes: Labels) -> Floats:
    """Return the expected mean price of the mistakes."""
    named, unnamed = _costs(prices, post)
    cost: Floats = np.where(codes == 1, named[:, None], unnamed[:, None]).mean(axis=2)
    return cost


def _costs(prices: Prices, post: Posterior) -> Prices:
    """Return the (n, d) expected prices of naming each label and of not naming it."""
    p = np.stack(post._marginals(), axis=1)
    return prices[0] * p[:, :, 0], prices[1] * p[:, :, 1]
