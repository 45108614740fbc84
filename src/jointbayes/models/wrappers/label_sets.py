"""LabelSets: for each row all label vectors whose score −log P(y | x) is at most a threshold.

Up to 2^16 label vectors all of them are looked at. Beyond, a set on a tree is grown label by label
(`tree_sets`), or bounded below and above by a counter over levels of scores where it is too large
(`level_counts`). That of any other posterior is counted by the search for the k best vectors, up to
a limit; what is past it is bounded, since every vector of the set has a probability of at least
exp(−threshold) and all that are not listed share what is left:

(1)  size ≤ k + (1 − Σ_{i ≤ k} P(y_i | x)) · exp(threshold) .

A label is in some vector of the set if it is in the most probable of those that have it, which is
the mode given that label; so inner and outer sets need no list at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels, Mask
from jointbayes.doors import Shown
from jointbayes.errors import CostError, DataError
from jointbayes.inference.lists import count_vectors, vectors
from jointbayes.models.wrappers.level_counts import LEVELS, count_within
from jointbayes.models.wrappers.tree_sets import as_tree, vectors_within
from jointbayes.posterior import Posterior, Tree
from jointbayes.posterior.among import among
from jointbayes.posterior.known import encode_known
from jointbayes.posterior.reweighted import LISTED_VECTORS
from jointbayes.rules import compile_rules

__all__ = ["LIMIT", "LabelSets", "scores_of"]

LIMIT = 1000
"""Vectors of a row that are listed, where there are too many to look at all."""

GROWN = 1 << 17
"""Vectors of a row that are counted on a tree, where counting needs no search."""

FEW = 64
"""Vectors that are listed first; most sets are smaller than the limit by far."""

ROUNDING = 1e-9
"""Scores that differ by less, relatively, are equal: a sum in another order is the same score."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelSets(Shown):
    """A set of label vectors for each row; `Conformal.predict_sets` makes them.

    Parameters
    ----------
    posterior
        The distribution of the labels of each row.
    threshold
        (n,) the largest score −log P(y | x) inside; a vector of equal score is inside.
    limit
        How many vectors of a row are listed to be counted, where there are more than 2^16 in all.

    Examples
    --------
    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> space = learn_labels([[0, 0], [1, 1]])
    >>> post = Independent([np.log([[0.1, 0.9]]), np.log([[0.4, 0.6]])], space)
    >>> sets = LabelSets(post, np.array([1.2]))
    >>> sets.size().tolist(), sets.vectors(0).tolist(), sets.exact.tolist(), sets
    ([2], [[1, 1], [1, 0]], [True], LabelSets: 1 row, 2 labels, mean size 2)
    >>> sets.inner().tolist(), sets.outer().tolist(), sets.covers([[0, 1]]).tolist()
    ([[1, 0]], [[1, 1]], [False])
    >>> sets.given({"y1": 0}).vectors(0).tolist()
    [[1, 0]]
    """

    posterior: Posterior
    threshold: Floats
    limit: int = LIMIT

    def __len__(self) -> int:
        return len(self.posterior)

    def __repr__(self) -> str:
        n, d = len(self), len(self.posterior.space)
        shown = f"LabelSets: {n} row{'s' * (n != 1)}, {d} label{'s' * (d != 1)}"
        if not n:
            return shown
        most = "" if self.exact.all() else "at most "
        return f"{shown}, mean size {most}{self.size().mean():.4g}"

    def covers(self, Y: Any) -> Mask:
        """Return (n,) whether the set of each row holds its vector of Y."""
        codes = self.posterior.space.encode(Y, unseen="mark")
        if len(codes) != len(self):
            raise DataError(
                f"Y has {len(codes)} rows, and there are {len(self)} sets; give one vector for each"
            )
        known = (codes >= 0).all(axis=1)
        return known & (scores_of(self.posterior, codes) <= self._level)

    def size(self) -> NDArray[Any]:
        """Return (n,) how many label vectors each set holds; at most that where not ``exact``.

        Whole numbers, or floats where a bound is too large for 64 bits.
        """
        return self._counted[1]

    def bounds(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return (n,) how many label vectors each set holds at least, and at most."""
        return self._counted

    @property
    def exact(self) -> Mask:
        """(n,) whether `size` is the number itself, and not a bound above it."""
        least, most = self._counted
        return np.asarray(least == most)

    def vectors(self, row: int) -> NDArray[Any]:
        """Return the (m, d) label vectors of the set of a row, the most probable first."""
        post = self.posterior[[row]]
        level, space = self._level[[row]], post.space
        total = count_vectors(space.cards)
        codes = vectors(space.cards, total) if total <= LISTED_VECTORS else self._first(post, row)
        scores = _scores(post, codes[None])[0]
        order = np.argsort(scores, kind="stable")
        return space.decode(codes[order[scores[order] <= level[0]]])

    def _first(self, post: Posterior, row: int) -> Labels:
        """Return (m, d) vectors of a row with all those of its set among them, or refuse."""
        level, k, tree = self._level[row], 0, as_tree(post)
        if tree is not None and level < np.inf:
            found = vectors_within(tree, self._level[[row]], self.limit)
            if found is not None:
                return found[1]
            k = self.limit + 1
        while k <= self.limit and level < np.inf:
            k = min(max(8 * k, FEW), self.limit + 1)
            codes, log_p = post._top(k)
            if -log_p[0, -1] > level or log_p.shape[1] < k:
                first: Labels = codes[0]
                return first
        raise CostError(
            f"the set of row {row} has more than {self.limit} vectors, which is the limit; give "
            "predict_sets a larger one, or ask for inner() and outer()"
        )

    def inner(self) -> NDArray[Any]:
        """Return (n, d) the labels that every vector of the set has; none if it has no vector."""
        absent, present = self._some
        return self.posterior.space.decode((present & ~absent).astype(np.intp))

    def outer(self) -> NDArray[Any]:
        """Return (n, d) the labels that some vector of the set has."""
        return self.posterior.space.decode(self._some[1].astype(np.intp))

    def given(self, labels: Mapping[str, Any]) -> LabelSets:
        """Return the vectors of each set in which labels have these values."""
        known = encode_known(self.posterior.space, len(self), labels)
        after = self.posterior.given(labels)
        # P(y | known) = P(y) / P(known): the same vectors, by a threshold that moves along.
        log_p = self.posterior._evidence(known) if labels else 0.0
        return LabelSets(after, self.threshold + log_p, self.limit)

    def subject_to(self, *rules: Any) -> LabelSets:
        """Return the vectors of each set that obey rules of ``jb.rules``."""
        after = self.posterior.subject_to(*rules)
        log_p = among(self.posterior, compile_rules(rules, self.posterior.space))[1]
        return LabelSets(after, self.threshold + log_p, self.limit)

    @property
    def _level(self) -> Floats:
        return self.threshold + ROUNDING * np.maximum(np.abs(self.threshold), 1.0)

    @cached_property
    def _counted(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The least and the largest number of vectors that each set may have."""
        post, level = self.posterior, self._level
        total = count_vectors(post.space.cards)
        if total <= LISTED_VECTORS:
            codes = vectors(post.space.cards, total)
            inside = [scores <= own[:, None] for scores, own in self._every(codes)]
            size = np.concatenate([part.sum(axis=1) for part in inside])
            return size, size
        least, most = np.full((2, len(self)), float(total))
        waiting, k, tree = np.flatnonzero(level < np.inf), 0, as_tree(post)
        if tree is not None:
            least[waiting], most[waiting] = self._grown(tree, waiting)
            waiting = waiting[:0]
        while len(waiting):
            k = min(max(8 * k, FEW), self.limit)
            least[waiting], most[waiting] = self._listed(waiting, k)
            waiting = waiting[least[waiting] < most[waiting]] if k < self.limit else waiting[:0]
        if post.exactness["top_k"] != "exact":
            most[(least == most) & (post.gap() > 0)] += 1  # the list may lack one
        whole = most.max(initial=0) < 2**63
        most = np.minimum(most, total)
        return (least.astype(np.int64), most.astype(np.int64)) if whole else (least, most)

    def _grown(self, tree: Tree, rows: Labels) -> tuple[Floats, Floats]:
        """Return the sizes of rows on a tree, or bounds where there are too many to hold."""
        least, most = np.zeros((2, len(rows)))
        for i, row in enumerate(rows):
            part, own = tree._rows(np.array([row])), self._level[[row]]
            found = vectors_within(part, own, GROWN)
            if found is not None:
                least[i] = most[i] = len(found[0])
            else:
                least[[i]], most[[i]] = count_within(part, own, LEVELS)
        return least, most

    def _listed(self, rows: Labels, k: int) -> tuple[Floats, Floats]:
        """Return how many of the k best vectors of rows are inside, and the bound (1)."""
        sizes, level = [], self._level[rows]
        done, tau = 0, self.threshold[rows]
        for part in self.posterior[rows]._blocks(4 * k * len(self.posterior.space)):
            own = slice(done, done + len(part))
            done += len(part)
            codes, log_p = part._top(k)
            inside = (_scores(part, codes) <= level[own, None]).sum(axis=1)
            more = -log_p[:, -1] <= level[own]
            rest = np.clip(1.0 - np.exp(log_p).sum(axis=1), 0.0, 1.0)
            with np.errstate(over="ignore"):
                bound = np.floor(rest * np.exp(tau[own]) * (1 + ROUNDING))
            sizes.append((inside, inside + np.where(more, bound, 0.0)))
        counted, bounded = zip(*sizes, strict=True)
        return np.concatenate(counted), np.concatenate(bounded)

    @cached_property
    def _some(self) -> tuple[Mask, Mask]:
        """(n, d) whether a vector of the set lacks each label, and whether one has it."""
        space = self.posterior.space
        if not space.binary:
            odd = space.names[space.binary_labels.index(False)]
            raise DataError(
                f"inner and outer sets are of binary labels, and {odd!r} is not one; ask for "
                "vectors(row), or say what is positive by jb.labels.binarize"
            )
        total = count_vectors(space.cards)
        if total <= LISTED_VECTORS:
            codes = vectors(space.cards, total)
            found = [
                [(inside @ (codes == value)) for value in (0, 1)]
                for inside in (scores <= own[:, None] for scores, own in self._every(codes))
            ]
            absent, present = (np.concatenate(parts) for parts in zip(*found, strict=True))
            return absent, present
        columns = [[self._reaches(j, value) for j in range(len(space))] for value in (0, 1)]
        absent, present = (np.stack(parts, axis=1) for parts in columns)
        return absent, present

    def _reaches(self, j: int, value: int) -> Mask:
        """Return whether the best vector in which label j has a value is inside, or may be."""
        known = np.full((len(self), len(self.posterior.space)), -1, dtype=np.intp)
        known[:, j] = value
        inside = np.isposinf(self._level)
        rows = np.flatnonzero(~inside & (self.posterior._evidence(known) > -np.inf))
        if len(rows):
            part = self.posterior[rows]
            after = part._given(known[rows])
            inside[rows] = scores_of(part, after._mode()) - after.gap() <= self._level[rows]
        return inside

    def _every(self, codes: Labels) -> Any:
        """Yield the scores of all vectors and the levels, some rows at a time."""
        done = 0
        for part in self.posterior._blocks(4 * codes.size):
            own = self._level[done : done + len(part)]
            done += len(part)
            yield _scores(part, np.broadcast_to(codes, (len(part), *codes.shape))), own


def scores_of(posterior: Posterior, codes: Labels) -> Floats:
    """Return −log P(y | x) of one vector (n, d) for each row; ∞ if a code is −1.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> post = Independent([np.log([[0.5, 0.5]] * 2)], learn_labels([0, 1]))
    >>> scores_of(post, np.array([[1], [-1]])).round(3).tolist()
    [0.693, inf]
    """
    known = (codes >= 0).all(axis=1)
    return np.where(known, _scores(posterior, np.maximum(codes, 0)[:, None])[:, 0], np.inf)


def _scores(posterior: Posterior, codes: Labels) -> Floats:
    return 0.0 - posterior._log_prob(codes)
