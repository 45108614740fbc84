r"""Correlation-based feature selection (Hall 1999), for one class variable or the union over many.

A subset of k features is good if they tell of the class and not of each other:

(1)  merit = k r̄_cf / √(k + k (k − 1) r̄_ff)

with the mean symmetric uncertainty r of the features with the class (cf) and among each other (ff).
Subsets are searched best first: expand the best unexpanded subset by every single feature, stop
after five expansions in a row that improved nothing, keep five open subsets. That is what Weka's
CfsSubsetEval with BestFirst does; its afterthought, features that are "locally predictive", is an
option here.

Corani et al. (2014, Sec. 3) run it once for each class and keep the union. Numbers are cut into
quantile bins to measure uncertainty; the columns that are kept come out as they went in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from jointbayes.arrays import Floats
from jointbayes.codes import Codes
from jointbayes.counts import count_singles_by_target, pair_information
from jointbayes.encoding import learn_encoder
from jointbayes.information import class_information, entropy_of_counts
from jointbayes.labels import learn_labels
from jointbayes.select.selector import ColumnSelector

__all__ = ["CFS", "best_first", "uncertainties"]

IMPROVEMENT = 1e-5
CUTS_WITHOUT_LABELS = ("quantile", "width", "median")
"""Discretizers that do not look at the labels, so that one cutting serves all of them."""


class CFS(ColumnSelector):
    """Select the features that tell most of the labels and least of each other.

    Parameters
    ----------
    discretizer
        How numbers are cut to measure uncertainty: "quantile", "mdl", "width", "median" or a
        transformer. What cuts by a label ("mdl", or a transformer that is told it) cuts anew for
        each of them.
    categorical_features
        Which columns are nominal: "from_dtype", a mask, indices or names.
    stale
        Expansions in a row without improvement after which the search stops.
    locally_predictive
        Whether to add features of which no selected one tells more than they tell of the label,
        the most telling first.
    n_jobs
        Threads; None for all cores.

    Attributes
    ----------
    selected_
        Positions of the features that are kept, in increasing order: the union over the labels.
    subsets_
        One tuple of positions per label.

    Examples
    --------
    The first two features are copies of the label, the third is noise:

    >>> rng = np.random.default_rng(0)
    >>> y, noise = rng.integers(0, 2, (2, 200))
    >>> selector = CFS().fit(np.stack([y, y, noise], axis=1), y)
    >>> selector.selected_.tolist()
    [0]
    """

    def __init__(
        self,
        *,
        discretizer: Any = "quantile",
        categorical_features: Any = "from_dtype",
        stale: int = 5,
        locally_predictive: bool = False,
        n_jobs: int | None = None,
    ):
        self.discretizer = discretizer
        self.categorical_features = categorical_features
        self.stale = stale
        self.locally_predictive = locally_predictive
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the subsets for the labels ``y``, (n,) or (n, d)."""
        table = self._meet(X, y)
        check_consistent_length(X, y)
        space = learn_labels(y)
        targets = space.encode(y)
        together = isinstance(self.discretizer, str) and self.discretizer in CUTS_WITHOUT_LABELS
        labels = [slice(None)] if together else [slice(j, j + 1) for j in range(len(space))]
        found: list[tuple[int, ...]] = []
        for some in labels:
            cards = space.cards[some]
            encoder = learn_encoder(
                table,
                targets[:, some][:, 0],
                n_classes=cards[0],
                categorical_features=self.categorical_features,
                discretizer=self.discretizer,
            )
            found += self._subsets(encoder.codes(table, targets[:, some], cards))
        self.subsets_ = tuple(found)
        self.selected_ = np.unique(np.concatenate([[], *found])).astype(np.intp)
        return self

    def _subsets(self, codes: Codes) -> Iterator[tuple[int, ...]]:
        with_labels, among = uncertainties(codes, self.n_jobs)
        for row in with_labels:
            subset = best_first(row, among, self.stale)
            yield add_locally_predictive(subset, row, among) if self.locally_predictive else subset

    def _selected(self) -> NDArray[np.intp]:
        return self.selected_


def uncertainties(codes: Codes, n_jobs: int | None = None) -> tuple[Floats, Floats]:
    """Return the symmetric uncertainty of labels and features (d, p), and of features (p, p).

    >>> codes = Codes.of([[0, 0], [0, 1], [1, 0], [1, 1]], targets=[0, 0, 1, 1])
    >>> [u.tolist() for u in uncertainties(codes)]
    [[[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]]
    """
    counts = count_singles_by_target(codes, n_jobs=n_jobs)
    shared = np.stack([class_information(c) for c in counts])
    h_label = np.array([entropy_of_counts(c.n_c) for c in counts])
    by_value = (counts[0].block(j).sum(axis=0) for j in range(codes.n_features))
    h_feature = np.array([entropy_of_counts(n) for n in by_value])
    everything = np.zeros((len(codes), 1), dtype=np.uint8)  # one class: plain mutual information
    pairs = pair_information(
        Codes(codes.features, codes.feature_cards, everything, (1,)), n_jobs=n_jobs
    )
    among = _symmetric(pairs, h_feature[:, None] + h_feature)
    np.fill_diagonal(among, 1.0)
    return _symmetric(shared, h_label[:, None] + h_feature), among


def _symmetric(information: Floats, entropies: Floats) -> Floats:
    return np.divide(
        2 * information, entropies, out=np.zeros_like(information), where=entropies > 0
    )


@dataclass(order=True)
class _Open:
    """A subset that waits for its expansion; the best one sorts first."""

    worse: float
    members: tuple[int, ...] = field(compare=False)


def best_first(with_class: Floats, among: Floats, stale: int = 5) -> tuple[int, ...]:
    """Return the subset of highest merit that a best-first search finds.

    Parameters
    ----------
    with_class
        (p,) symmetric uncertainty of each feature and the class.
    among
        (p, p) symmetric uncertainty of the features with each other.
    stale
        Expansions in a row without improvement after which to stop.

    Examples
    --------
    The second feature repeats the first, the third adds to it:

    >>> best_first(np.array([0.6, 0.5, 0.4]), np.array([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1.0]]))
    (0, 2)
    """
    best: tuple[int, ...] = ()
    top, without_gain = 0.0, 0
    waiting, seen = [_Open(0.0, ())], {frozenset[int]()}
    while waiting and without_gain < stale:
        members = waiting.pop(0).members
        merits = _merits(members, with_class, among)
        fresh = [i for i in np.argsort(-merits, kind="stable") if np.isfinite(merits[i])]
        fresh = [int(i) for i in fresh if frozenset((*members, int(i))) not in seen]
        seen.update(frozenset((*members, i)) for i in fresh)
        # Only the best few can ever be expanded.
        waiting = sorted([*waiting, *(_Open(-merits[i], (*members, i)) for i in fresh[:stale])])
        waiting = waiting[:stale]
        without_gain += 1
        if fresh and merits[fresh[0]] > top + IMPROVEMENT:
            best, top, without_gain = (*members, fresh[0]), float(merits[fresh[0]]), 0
    return tuple(sorted(best))


def add_locally_predictive(
    subset: tuple[int, ...], with_class: Floats, among: Floats
) -> tuple[int, ...]:
    """Return the subset with every feature that tells more of the class than members tell of it.

    Features are tried in the order of what they tell of the class; those that tell nothing never.

    >>> among = np.array([[1, 0.9, 0.1], [0.9, 1, 0], [0.1, 0, 1.0]])
    >>> add_locally_predictive((0,), np.array([0.6, 0.5, 0.2]), among)
    (0, 2)
    """
    members = list(subset)
    for i in np.argsort(-with_class, kind="stable"):
        told = with_class[i]
        if told > 0 and i not in members and (among[i, members] <= told).all():
            members.append(int(i))
    return tuple(sorted(members))


def _merits(members: tuple[int, ...], with_class: Floats, among: Floats) -> Floats:
    """Return the merit (1) of the subset and each one feature more; −inf for its own members."""
    chosen = list(members)
    k = len(chosen) + 1
    told = with_class[chosen].sum() + with_class
    pairs = among[np.ix_(chosen, chosen)].sum() / 2 - among[chosen, chosen].sum() / 2
    shared = pairs + among[chosen].sum(axis=0)
    merits = np.asarray(told / np.sqrt(k + 2 * shared))
    merits[chosen] = -np.inf
    return merits
