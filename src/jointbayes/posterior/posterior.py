"""Posterior: one distribution over label vectors for each row, and every question one may ask it.

A kind of posterior (independent labels, a tree, a table, …) is a frozen object that answers eight
questions about its rows in *codes*; everything public is derived from them here, once, in the
user's own label values:

    _log_prob(codes)    (n, m, d) → (n, m)  log P(Y = y | x) of m vectors for each row
    _best(k)            lists (best.py)     the k best vectors; fewer if the others have P = 0
    _marginals()        list of (n, k_j)    P(Y_j = c | x)
    _sizes()            (n, d, d + 1)       P(Y_j = 1, |Y| = s | x) for binary labels
    _sample(size, rng)  (size, n, d)
    _evidence(known)    (n, d) → (n,)       log P(known | x); code −1 = not known
    _given(known)       (n, d) → Posterior  the posterior given what is known and possible
    _rows(index)        → Posterior         some of the rows
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels, Values
from jointbayes.budgets import BLOCK_CELLS, ENUMERATED_LABELS
from jointbayes.doors import through
from jointbayes.errors import DataError, ParameterError
from jointbayes.inference.lists import Best, count_vectors, fill, vectors
from jointbayes.labels import LabelSpace

__all__ = ["QUERIES", "Posterior", "conditioned"]

Rows = slice | NDArray[np.intp]

QUERIES = ("map", "top_k", "marginals", "log_prob", "sample", "sizes")


class Posterior(ABC):
    """The distribution of the labels given each row; the kinds say how it is represented.

    Examples
    --------
    Two labels that always come together, on a row where that is as likely as not:

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Listed
    >>> space = learn_labels([["-", "-"], ["+", "+"]])
    >>> post = Listed(np.array([[0, 0], [1, 1]]), np.log([[0.5, 0.5]]), space)
    >>> post.marginals()[0].tolist(), np.exp(post.log_prob([["+", "-"]])).tolist()
    ([[0.5, 0.5]], [0.0])
    >>> post.given({"y0": "-"}).map().tolist(), post.exactness["map"]
    ([['-', '-']], 'exact')
    """

    space: LabelSpace

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def _log_prob(self, codes: Labels) -> Floats: ...

    @abstractmethod
    def _best(self, k: int) -> Best: ...

    @abstractmethod
    def _marginals(self) -> list[Floats]: ...

    @abstractmethod
    def _sizes(self) -> Floats: ...

    @abstractmethod
    def _sample(self, size: int, rng: np.random.Generator) -> Labels: ...

    @abstractmethod
    def _evidence(self, known: Labels) -> Floats: ...

    @abstractmethod
    def _given(self, known: Labels) -> Self: ...

    @abstractmethod
    def _rows(self, index: Rows) -> Self: ...

    def map(self, empty: str = "allow") -> NDArray[Any]:
        """Return the (n, d) most probable label vectors; not the empty one if ``"forbid"``."""
        return self.decide("subset", empty)

    def top_k(self, k: int) -> tuple[NDArray[Any], Floats]:
        """Return the k best label vectors (n, k, d) and their log-probabilities (n, k).

        There are never more columns than label vectors; vectors of probability 0 come last.
        """
        codes, log_p = self._top(k)
        return self.space.decode(codes), log_p

    def marginals(self) -> list[Floats]:
        """Return P(Y_j = c | x) as one (n, k_j) array per class variable."""
        return self._marginals()

    def log_prob(self, Y: Any) -> Floats:
        """Return log P(Y = y | x), one label vector for each row."""
        return self._log_prob(self._encode(Y)[:, None])[:, 0]

    def sample(self, n: int, rng: Any = 0) -> NDArray[Any]:
        """Draw n label vectors for each row, (n, rows, d); ``rng`` is a seed or a generator."""
        if not n >= 0 or n != int(n):
            raise ParameterError(f"sample(n={n!r}): n must be an integer, and not negative")
        return self.space.decode(self._sample(int(n), np.random.default_rng(rng)))

    def decide(self, loss: str, empty: str = "allow") -> NDArray[Any]:
        """Return the (n, d) label vectors of least expected loss.

        ``loss`` is "subset", "hamming", "f1" or "jaccard"; ``empty="forbid"`` asks for the best
        vector that is not empty, where labels are sets.
        """
        decided: Values = through("decide")(self, loss, empty)
        return decided

    def given(self, labels: Mapping[str, Any]) -> Self:
        """Return the posterior once some labels are known: by name, one value or one per row."""
        known = np.full((len(self), len(self.space)), -1, dtype=np.intp)
        for name, value in labels.items():
            if name not in self.space.names:
                raise DataError(
                    f"given: no label is called {name!r}; there are {', '.join(self.space.names)}"
                )
            known[:, self.space.names.index(name)] = self._encode_one(name, value)
        if not labels:
            return self
        impossible = np.isneginf(self._evidence(known))
        if impossible.any():
            raise DataError(
                f"given: what is said of {', '.join(labels)} has probability 0 in row "
                f"{int(impossible.argmax())}; leave that row or a label out"
            )
        return self._given(known)

    def __getitem__(self, index: Any) -> Self:
        if isinstance(index, slice):
            return self._rows(index)
        return self._rows(np.atleast_1d(np.arange(len(self))[index]))

    @property
    def exactness(self) -> Mapping[str, str]:
        """Say of each query and each loss: "exact", "bounded" (see ``gap``) or "approximate"."""
        found = dict.fromkeys(QUERIES, "exact") | self._inexact()
        sizes = found.pop("sizes")
        found |= {"subset": found["map"], "hamming": found["marginals"]}
        if self.space.binary:
            few = len(self.space) <= ENUMERATED_LABELS
            found |= {"f1": sizes, "jaccard": found["log_prob"] if few else "approximate"}
        return found

    def gap(self) -> Floats:
        """Bound by how much a vector can beat ``map()`` in log-probability, row by row."""
        return np.zeros(len(self))

    def _inexact(self) -> dict[str, str]:
        """Return the queries that are not answered exactly, each with its word."""
        return {}

    def _mode(self) -> Labels:
        """Return the codes of the best vectors (n, d), without their probability."""
        return self._best(1)[0][:, 0]

    def _leading(self, k: int) -> Labels:
        """Return the codes of the k best vectors (n, k, d), without their probability."""
        return self._top(k)[0]

    def _p_empty(self) -> Floats:
        nothing = np.zeros((len(self), 1, len(self.space)), dtype=np.intp)
        return np.exp(self._log_prob(nothing)[:, 0])

    def _top(self, k: int) -> Best:
        if not k >= 1 or k != int(k):
            raise ParameterError(f"top_k(k={k!r}): k must be an integer of at least 1")
        return fill(self._best(int(k)), self.space.cards, int(k))

    def _blocks(self, cells: int) -> Iterator[Self]:
        """Cut the rows so that temporary arrays of ``cells`` for each row stay small."""
        step = max(1, BLOCK_CELLS // cells)
        if len(self) <= step:
            return iter([self])
        return (self._rows(slice(i, i + step)) for i in range(0, len(self), step))

    def _support(self) -> tuple[Labels, Floats] | None:
        """Return (m, d) vectors that hold all probability and its (n, m) logarithm, if few."""
        m = count_vectors(self.space.cards)
        if m > 1 << ENUMERATED_LABELS:
            return None
        codes = vectors(self.space.cards, m)
        return codes, self._log_prob(np.broadcast_to(codes, (len(self), *codes.shape)))

    def _encode(self, Y: Any) -> Labels:
        codes = self.space.encode(Y)
        if len(codes) != len(self):
            raise DataError(
                f"Y has {len(codes)} rows; the posterior has {len(self)}: give one vector for each"
            )
        return codes

    def _encode_one(self, name: str, value: Any) -> Labels:
        values, n = np.asarray(value), len(self)
        if values.ndim and values.shape != (n,):
            raise DataError(
                f"given: label {name!r} has values of shape {values.shape}; "
                f"give one value or one for each of the {n} rows"
            )
        classes = self.space.classes[self.space.names.index(name)]
        return LabelSpace((name,), (classes,)).encode(np.broadcast_to(values, (n,)))[:, 0]


def conditioned(part: Posterior, known: Labels) -> tuple[Posterior, Floats]:
    """Condition a part of a larger posterior; return it with log P(known).

    Where the part says that the evidence is impossible, it is left as it was: it has no weight.
    """
    log_p = part._evidence(known)
    possible = np.where(np.isneginf(log_p)[:, None], -1, known)
    return part._given(possible), log_p
