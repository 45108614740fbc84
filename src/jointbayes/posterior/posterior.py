"""Posterior: one distribution over label vectors for each row, and every question one may ask it.

A kind of posterior (independent labels, a tree, a table, …) is a frozen object that answers nine
questions about its rows in *codes*; everything public is derived from them here, once, in the
user's own label values:

    _log_prob(codes)    (n, m, d) → (n, m)  log P(Y = y | x) of m vectors for each row
    _best(k)            lists (best.py)     the k best vectors; fewer if the others have P = 0
    _marginals()        list of (n, k_j)    P(Y_j = c | x)
    _sizes()            (n, d, d + 1)       P(Y_j = 1, |Y| = s | x) for binary labels
    _sample(size, rng)  (size, n, d)
    _evidence(known)    (n, d) → (n,)       log P(known | x); code −1 = not known
    _given(known)       (n, d) → Posterior  the posterior given what is known and possible
    _power(t)           → Posterior         P(y | x)^t, normalised
    _rows(index)        → Posterior         some of the rows
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from copy import copy
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels, Rows, Values
from jointbayes.budgets import BLOCK_CELLS, ENUMERATED_LABELS
from jointbayes.doors import through
from jointbayes.errors import DataError, ParameterError
from jointbayes.inference.lists import Best, count_vectors, fill, vectors
from jointbayes.labels import LabelSpace
from jointbayes.posterior.display import SHOWN, describe, html_table
from jointbayes.posterior.frame import Frame, marginal_columns, ranked_columns, vector_columns
from jointbayes.posterior.known import encode_known
from jointbayes.rules import Automaton

__all__ = ["QUERIES", "Posterior"]

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
    >>> post.power(2).exactness["marginals"], post
    ('exact', Listed: 1 row, 2 labels, exact)
    """

    space: LabelSpace
    frame: Frame = Frame()
    """Where the rows came from: what `to_frame` makes, and what it calls them."""
    obeyed: tuple[Automaton, ...] = ()
    """The rules to which it is subject: answers are chosen among the vectors that obey."""

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
    def _power(self, t: float) -> Posterior: ...

    @abstractmethod
    def _rows(self, index: Rows) -> Self: ...

    def map(self, empty: str = "allow") -> NDArray[Any]:
        """Return the (n, d) most probable label vectors; not the empty one if ``"forbid"``."""
        return self.space.decode(self._answer(self._resolved(empty)))

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

    def decide(self, loss: Any, empty: str = "auto") -> NDArray[Any]:
        """Return the (n, d) label vectors of least expected loss.

        ``loss`` is "subset", "hamming", "f1", "jaccard" or a loss of ``jb.losses``. Where labels
        are sets, ``empty="forbid"`` asks for the best vector that is not empty, ``"allow"`` for the
        best of all, and ``"auto"`` allows what the labels did that the model learned from.
        """
        decided: Values = through("decide")(self, loss, empty)
        return decided

    def top_labels(self, k: int) -> NDArray[Any]:
        """Return (n, d) vectors of exactly k labels, of largest precision at k in expectation."""
        named: Values = through("top_labels")(self, k)
        return named

    def expected_loss(self, Y: Any, loss: Any) -> Floats:
        """Return what it would cost, in expectation, to answer Y: (n,), one vector for each row."""
        cost: Floats = through("expected_loss")(self, Y, loss)
        return cost

    def next_question(self, loss: Any = "subset", labels: Any = None) -> tuple[Values, Floats]:
        """Return the name (n,) of the label whose answer is worth most, and what it is worth (n,).

        The worth is by how much the answer lowers the expected loss of the best decision, on
        average over what it may be. ``labels`` names those that can be asked for; None for all.
        """
        asked: tuple[Values, Floats] = through("next_question")(self, loss, labels)
        return asked

    def subject_to(self, *rules: Any) -> Posterior:
        """Return the posterior among the label vectors that obey rules of ``jb.rules``."""
        after: Posterior = through("subject_to")(self, rules)
        return after

    def power(self, t: Any) -> Posterior:
        """Return P(y | x)^t, normalised: surer for t > 1, less sure for t < 1."""
        if isinstance(t, bool) or not isinstance(t, Real) or not 0 < float(t) < np.inf:
            raise ParameterError(f"power(t={t!r}): t must be a finite number above 0")
        return self if t == 1 else self._power(float(t)).wearing(self.frame, self.obeyed)

    def to_frame(self, what: str = "marginals", k: int = 3) -> Any:
        """Return answers as a frame of pandas, or of polars where the rows came in one.

        "marginals": one column P(relevant) for each binary label, ``label=value`` for others.
        "map": the most probable vectors, a column for each label. "top_k": the ``k`` best vectors
        of each row below each other, with ``probability``, ``row`` (from 0) and ``rank`` (from 1).
        """
        if what == "marginals":
            return self.frame.build(marginal_columns(self.space, self._marginals()))
        if what == "map":
            return self.frame.build(vector_columns(self.space, self._mode()))
        if what != "top_k":
            raise ParameterError(f"to_frame({what!r}): choose 'marginals', 'map' or 'top_k'")
        columns = ranked_columns(self.space, *self._top(k))
        return self.frame.take(columns["row"]).build(columns)

    def in_frame(self, frame: Frame) -> Self:
        """Return this posterior with rows that came in a frame: see `to_frame`."""
        return self.wearing(frame, self.obeyed)

    def wearing(self, frame: Frame, obeyed: tuple[Automaton, ...]) -> Self:
        """Return this posterior with a frame and rules that it is known to obey."""
        same = copy(self)
        object.__setattr__(same, "frame", frame)
        object.__setattr__(same, "obeyed", obeyed)
        return same

    def given(self, labels: Mapping[str, Any]) -> Self:
        """Return the posterior once some labels are known: by name, one value or one per row."""
        known = encode_known(self.space, len(self), labels)
        if not labels:
            return self
        impossible = np.isneginf(self._evidence(known))
        if impossible.any():
            raise DataError(
                f"given: what is said of {', '.join(labels)} has probability 0 in row "
                f"{int(impossible.argmax())}; leave that row or a label out"
            )
        return self._given(known).wearing(self.frame, self.obeyed)

    def __getitem__(self, index: Any) -> Self:
        rows = index if isinstance(index, slice) else np.atleast_1d(np.arange(len(self))[index])
        return self._rows(rows).wearing(self.frame.take(rows), self.obeyed)

    def __repr__(self) -> str:
        return describe(type(self).__name__, len(self), self.space, self._rows(slice(0)).exactness)

    def _repr_html_(self) -> str:
        first, names = self._rows(slice(SHOWN)), self.frame.take(slice(SHOWN)).index
        return html_table(repr(self), self.space, *first._top(1), names, len(self))

    @property
    def exactness(self) -> Mapping[str, str]:
        """Say of each query and each loss: "exact", "bounded" (see ``gap``) or "approximate"."""
        found = dict.fromkeys(QUERIES, "exact") | self._inexact()
        sizes = found.pop("sizes")
        found |= {"subset": found["map"], "hamming": found["marginals"]}
        if self.space.binary:
            few = len(self.space) <= ENUMERATED_LABELS
            found["jaccard"] = found["log_prob"] if few else "approximate"
            found["f1"] = sizes if few or not self.obeyed else "approximate"
        return found

    def gap(self) -> Floats:
        """Bound by how much a vector can beat ``map()`` in log-probability, row by row."""
        return np.zeros(len(self))

    def _inexact(self) -> dict[str, str]:
        """Return the queries that are not answered exactly, each with its word."""
        return {}

    def _resolved(self, empty: str) -> str:
        """Return whether to "allow" or "forbid" the empty set, where there is one."""
        if empty not in ("auto", "allow", "forbid"):
            raise ParameterError(f"empty={empty!r}: choose 'auto', 'allow' or 'forbid'")
        if not self.space.binary or self.space.single:
            return "allow"
        if empty == "auto":
            return "allow" if self.space.allows_empty else "forbid"
        return empty

    def _answer(self, empty: str) -> Labels:
        """Return the mode; its runner-up where the mode is empty and must not be."""
        codes = self._mode()
        if empty == "allow":
            return codes
        rows = np.flatnonzero(~codes.any(axis=1))
        if not len(rows):
            return codes
        first, second = self._rows(rows)._leading(2).swapaxes(0, 1)
        codes = codes.copy()
        codes[rows] = np.where(second.any(axis=1, keepdims=True), second, first)
        return codes

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

    def _every(self) -> tuple[Labels, Floats]:
        """Return (m, d) vectors that hold all probability and its (n, m) logarithm."""
        codes = vectors(self.space.cards, count_vectors(self.space.cards))
        return codes, self._log_prob(np.broadcast_to(codes, (len(self), *codes.shape)))

    def _support(self) -> tuple[Labels, Floats] | None:
        """Return the same if the vectors are few."""
        few = count_vectors(self.space.cards) <= 1 << ENUMERATED_LABELS
        return self._every() if few else None

    def _encode(self, Y: Any) -> Labels:
        codes = self.space.encode(Y)
        if len(codes) != len(self):
            raise DataError(
                f"Y has {len(codes)} rows; the posterior has {len(self)}: give one vector for each"
            )
        return codes
