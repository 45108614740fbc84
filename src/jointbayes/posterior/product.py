"""Product: groups of labels that are independent of each other given the row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.errors import DataError
from jointbayes.inference.graphs.sizes import all_but_one, convolve
from jointbayes.inference.lists import Best, join_all
from jointbayes.labels import LabelSpace
from jointbayes.posterior.posterior import QUERIES, Posterior

__all__ = ["Product", "least_exact"]


@dataclass(frozen=True, eq=False, repr=False)
class Product(Posterior):
    """The product of posteriors over disjoint groups of labels; groups are found by label name.

    Parameters
    ----------
    parts
        One posterior per group, all of the same rows.
    space
        Names and values of all class variables, each of which belongs to one part.

    Examples
    --------
    >>> from jointbayes.labels import LabelSpace, learn_labels
    >>> from jointbayes.posterior.listed import Listed
    >>> space = learn_labels([[0, 0, 0], [1, 1, 1]])
    >>> ends = LabelSpace(("y0", "y2"), space.classes[:2])
    >>> same = Listed(np.array([[0, 0], [1, 1]]), np.log([[0.4, 0.6]]), ends)
    >>> middle = LabelSpace(("y1",), space.classes[:1])
    >>> coin = Listed(np.array([[0], [1]]), np.log([[0.7, 0.3]]), middle)
    >>> Product([same, coin], space).map().tolist()
    [[1, 0, 1]]
    """

    parts: Sequence[Posterior]
    space: LabelSpace

    def __post_init__(self) -> None:
        names = [name for part in self.parts for name in part.space.names]
        if sorted(names) != sorted(self.space.names) or any(c != sorted(c) for c in self._columns):
            raise DataError(
                f"the parts of a product hold the labels {', '.join(names)}; each of "
                f"{', '.join(self.space.names)} must be in one of them, in this order"
            )
        if any(len(part) != len(self) for part in self.parts):
            raise DataError(f"the parts of a product have {[len(p) for p in self.parts]} rows")

    @property
    def _columns(self) -> list[list[int]]:
        where = {name: j for j, name in enumerate(self.space.names)}
        return [[where[name] for name in part.space.names] for part in self.parts]

    def __len__(self) -> int:
        return len(self.parts[0])

    def _log_prob(self, codes: Labels) -> Floats:
        terms = [p._log_prob(codes[:, :, c]) for p, c in self._each()]
        total: Floats = np.sum(terms, axis=0)
        return total

    def _best(self, k: int) -> Best:
        return join_all([part._best(k) for part in self.parts], self._columns, k)

    def _marginals(self) -> list[Floats]:
        found = {
            j: p for part, c in self._each() for j, p in zip(c, part._marginals(), strict=True)
        }
        return [found[j] for j in range(len(self.space))]

    def _sizes(self) -> Floats:
        joint = [part._sizes().T for part in self.parts]  # (size, label, row)
        each = [_size_distribution(s, p._p_empty()) for s, p in zip(joint, self.parts, strict=True)]
        out = np.empty((len(self.space) + 1, len(self.space), len(self)))
        others = all_but_one(each, np.ones((1, len(self))))
        for columns, own, rest in zip(self._columns, joint, others, strict=True):
            out[:, columns] = convolve(own, rest[:, None])
        return out.T

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        out = np.empty((size, len(self), len(self.space)), dtype=np.intp)
        for part, columns in self._each():
            out[:, :, columns] = part._sample(size, rng)
        return out

    def _evidence(self, known: Labels) -> Floats:
        total: Floats = np.sum([p._evidence(known[:, c]) for p, c in self._each()], axis=0)
        return total

    def _given(self, known: Labels) -> Product:
        return Product([part._given(known[:, c]) for part, c in self._each()], self.space)

    def _power(self, t: float) -> Product:
        return Product([part._power(t) for part in self.parts], self.space)

    def _rows(self, index: Rows) -> Product:
        return Product([part._rows(index) for part in self.parts], self.space)

    def _inexact(self) -> dict[str, str]:
        return least_exact(self.parts)

    def gap(self) -> Floats:
        """Bound by how much a vector can beat ``map()``: by no more than the parts together."""
        total: Floats = np.sum([part.gap() for part in self.parts], axis=0)
        return total

    def _each(self) -> list[tuple[Posterior, list[int]]]:
        return list(zip(self.parts, self._columns, strict=True))


def _size_distribution(joint: Floats, p_empty: Floats) -> Floats:
    """Return P(|Y| = s) from P(Y_j = 1, |Y| = s): a set of s labels is counted by each of them."""
    size = np.arange(1, len(joint))[:, None]
    return np.concatenate([p_empty[None], joint[1:].sum(axis=1) / size])


def least_exact(parts: Sequence[Posterior]) -> dict[str, str]:
    """Return, for each query, the weakest word that a part has for it."""
    order = ("exact", "bounded", "approximate")
    words = [dict.fromkeys(QUERIES, "exact") | part._inexact() for part in parts]
    return {query: max((w[query] for w in words), key=order.index) for query in QUERIES}
