"""Posterior: one distribution over label vectors for each row, and every question one may ask it.

A kind of posterior (independent labels, a tree, a table, …) is a frozen object that knows seven
things about its rows in *codes*; everything public is derived from them here, once, in the user's
own label values:

    _log_prob(codes)  (n, m, d) → (n, m)    log P(Y = y | x) of m vectors for each row, normalised
    _best(k)          (n, m, d), (n, m)     k best vectors, sorted (best.py); fewer if the rest have P = 0
    _marginals()      list of (n, k_j)      P(Y_j = c | x)
    _sizes()          (n, d, d + 1)         P(Y_j = 1, |Y| = s | x) for binary labels
    _sample(size, rng)  (size, n, d)
    _given(known)     (n, d) → Posterior    condition on codes; −1 = not known
    _rows(index)      → Posterior           some of the rows
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import DataError, ParameterError
from jointbayes.labels import LabelSpace
from jointbayes.posterior.best import Best, fill
from jointbayes.posterior.minimize import exactness_of_losses, minimize

__all__ = ["Posterior"]

Labels = NDArray[np.intp]
Floats = NDArray[np.float64]
Rows = slice | NDArray[np.intp]

QUERIES = ("map", "top_k", "marginals", "log_prob", "sample")


class Posterior(ABC):
    """The distribution of the labels given each row; see the kinds for how it is represented."""

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
    def _given(self, known: Labels) -> Posterior: ...

    @abstractmethod
    def _rows(self, index: Rows) -> Self: ...

    def map(self, empty: str = "allow") -> NDArray[Any]:
        """Return the (n, d) most probable label vectors; ``empty="forbid"`` leaves out the empty set."""
        return self.decide("subset", empty)

    def top_k(self, k: int) -> tuple[NDArray[Any], Floats]:
        """Return the k best label vectors (n, k, d) and their log-probabilities (n, k), best first.

        There are never more columns than label vectors; vectors of probability 0 come last.
        """
        codes, log_p = self._top(k)
        return self.space.decode(codes), log_p

    def marginals(self) -> list[Floats]:
        """Return P(Y_j = c | x) as one (n, k_j) array per class variable."""
        return self._marginals()

    def log_prob(self, Y: Any) -> Floats:
        """Return log P(Y = y | x), one label vector for each row."""
        codes = self.space.encode(Y)
        if len(codes) != len(self):
            raise DataError(
                f"Y has {len(codes)} rows; the posterior has {len(self)}: give one vector for each"
            )
        return self._log_prob(codes[:, None])[:, 0]

    def sample(self, n: int, rng: Any = 0) -> NDArray[Any]:
        """Draw n label vectors for each row, (n, rows, d); ``rng`` is a seed or a generator."""
        if n < 0:
            raise ParameterError(f"sample(n={n}): n must not be negative")
        return self.space.decode(self._sample(n, np.random.default_rng(rng)))

    def decide(self, loss: str, empty: str = "allow") -> NDArray[Any]:
        """Return the (n, d) label vectors of least expected loss.

        ``loss`` is "subset", "hamming", "f1" or "jaccard"; see :mod:`jointbayes.posterior.minimize`.
        """
        return self.space.decode(minimize(self, loss, empty))

    def given(self, labels: Mapping[str, Any]) -> Posterior:
        """Return the posterior once some labels are known: by name, one value or one per row."""
        known = np.full((len(self), len(self.space)), -1, dtype=np.intp)
        for name, value in labels.items():
            if name not in self.space.names:
                raise DataError(
                    f"given: no label is called {name!r}; there are {', '.join(self.space.names)}"
                )
            j = self.space.names.index(name)
            known[:, j] = _encode_one(self.space, j, value, len(self))
        return self._given(known) if labels else self

    def __getitem__(self, index: Any) -> Self:
        if isinstance(index, slice):
            return self._rows(index)
        return self._rows(np.atleast_1d(np.arange(len(self))[index]))

    @property
    def exactness(self) -> Mapping[str, str]:
        """Say of each query and each loss whether it is answered exactly."""
        return dict.fromkeys(QUERIES, "exact") | exactness_of_losses(self)

    def gap(self) -> Floats:
        """Bound, for each row, how much better than ``map()`` a vector can be in log-probability."""
        return np.zeros(len(self))

    def _top(self, k: int) -> Best:
        if k < 1:
            raise ParameterError(f"top_k(k={k}): k must be at least 1")
        return fill(self._best(k), self.space.cards, k)


def _encode_one(space: LabelSpace, j: int, value: Any, n: int) -> Labels:
    values = np.asarray(value)
    if values.ndim and values.shape != (n,):
        raise DataError(
            f"given: label {space.names[j]!r} has values of shape {values.shape}; "
            f"give one value or one for each of the {n} rows"
        )
    column = LabelSpace((space.names[j],), (space.classes[j],))
    return column.encode(np.broadcast_to(values, (n,)))[:, 0]
