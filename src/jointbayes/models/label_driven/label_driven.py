"""LabelDriven: any model with one class variable, and a second look at its doubtful rows.

The stages are in `reconsider`, the trees of single rows in `experts`. ``delta="auto"`` is what the
paper proposes (Sun 2017, Sec. 6): part of the rows is held out, the model learns from the rest,
and the threshold that gets most of the held-out rows right is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from jointbayes.arrays import Floats
from jointbayes.codes import Codes
from jointbayes.counts import PairCounts, count_pairs
from jointbayes.encoding import Encoder
from jointbayes.errors import ParameterError
from jointbayes.estimator.ranges import Range, anything, check_parameters, named, number
from jointbayes.labels import LabelSpace
from jointbayes.models.label_driven.diagnosis import Diagnosis, diagnose
from jointbayes.models.label_driven.experts import SUPPORTS, learn_experts
from jointbayes.models.label_driven.reconsider import SHARES, LabelDrivenNetworks
from jointbayes.models.label_driven.refine import learn_refiner
from jointbayes.models.one_class.classifier import COMMON, NetworkClassifier
from jointbayes.models.one_class.kdb import KDB
from jointbayes.models.one_class.knowledge import Rows
from jointbayes.models.one_class.tan import TAN

__all__ = ["DELTAS", "RANGES", "LabelDriven"]

HELD_OUT = 0.3
# The thresholds of the paper's Figure 4; of equally good ones the first is taken.
DELTAS = (0.1, 0.05, 0.01, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
RANGES: dict[str, Range] = {
    "delta": named("auto") | number(0, 1, "(]"),
    "combine": named(*SHARES),
    "support": named(*SUPPORTS),
    "random_state": anything(),
    "n_jobs": COMMON["n_jobs"],
}


@dataclass(frozen=True, eq=False)
class Tried:
    """What is known, and the threshold that did best on rows held out."""

    known: PairCounts | Rows
    delta: float


class LabelDriven(NetworkClassifier):
    """A generalist whose doubtful rows are reconsidered, label by label.

    Parameters
    ----------
    estimator
        The generalist, one of our models with one class variable; None for `TAN`. How rows are
        encoded and smoothed is its business. Around `TAN` and `KDB` the refined generalist has a
        structure of its own for every set of surviving labels; around the others their posterior
        is renormalised (a Chow-Liu multinet has one structure per label already).
    delta
        A label survives if it is at least this many times as probable as the best one; "auto"
        chooses by rows held out.
    combine
        "average" of refined generalist and experts (LTAN), "refined" (the paper's TAN-IE) or
        "experts" (its IBMC-CL).
    support
        How far an expert trusts pairs of values that are rare: "any", "smoothed" or "discounted";
        see `experts`.
    random_state
        Which rows are held out for ``delta="auto"``.
    n_jobs
        Threads; None for all cores.

    Attributes
    ----------
    delta_
        The threshold in use.
    edges_
        The arcs of the generalist.

    See Also
    --------
    LTAN : The same around `TAN`.

    Examples
    --------
    >>> from jointbayes.models.one_class.kdb import KDB
    >>> X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]] * 5
    >>> y = ["even", "odd", "odd", "even"] * 5
    >>> model = LabelDriven(KDB(k=1), delta=0.1).fit(X, y)
    >>> model.score(X, y)
    1.0
    >>> model.diagnose(X, y).llp
    0.0
    """

    _ranges: ClassVar[dict[str, Range]] = RANGES
    learned_: LabelDrivenNetworks

    def __init__(
        self,
        estimator: NetworkClassifier | None = None,
        delta: float | str = 0.1,
        *,
        combine: str = "average",
        support: str = "any",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.delta = delta
        self.combine = combine
        self.support = support
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def delta_(self) -> float:
        """The threshold in use."""
        check_is_fitted(self, "learned_")
        return self.learned_.delta

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a further batch; any split into batches gives the model of one `fit`."""
        if self.delta == "auto":
            raise ParameterError(
                f"{type(self).__name__}: delta='auto' holds rows out, so it needs them all at "
                "once; use fit, or give delta a number"
            )
        return super().partial_fit(X, y, classes, sample_weight)

    def diagnose(self, X: Any, y: Any) -> Diagnosis:
        """Say how often rows with known labels were reconsidered, and what came of it."""
        codes = self._encode(X)
        y = column_or_1d(y)
        check_consistent_length(X, y)
        return diagnose(self.learned_, codes, self.space_.encode(y)[:, 0], self.n_jobs)

    def _generalist(self) -> NetworkClassifier:
        model = TAN() if self.estimator is None else self.estimator
        if not isinstance(model, NetworkClassifier):
            raise ParameterError(
                f"{type(self).__name__}: estimator={model!r} cannot be the generalist; give one of "
                "this library's models with one class variable"
            )
        check_parameters(model, model._ranges)
        return model

    def _encode_first(
        self, X: Any, targets: NDArray[np.intp], space: LabelSpace, weights: Floats | None
    ) -> tuple[Encoder, Codes]:
        return self._generalist()._encode_first(X, targets, space, weights)

    def _tally(self, codes: Codes, weights: Floats | None) -> PairCounts | Rows | Tried:
        known = self._remember(codes, weights)
        return Tried(known, self._try(codes, weights)) if self.delta == "auto" else known

    def _remember(self, codes: Codes, weights: Floats | None) -> PairCounts | Rows:
        known = self._generalist()._tally(codes, weights)
        if isinstance(known, PairCounts | Rows):
            return known
        return count_pairs(codes, weights, self.n_jobs)

    def _learn(self, known: PairCounts | Rows | Tried) -> LabelDrivenNetworks:
        if isinstance(known, Tried):
            return self._reconsider(known.known, known.delta)
        return self._reconsider(known, float(self.delta))

    def _reconsider(self, known: PairCounts | Rows, delta: float) -> LabelDrivenNetworks:
        model = self._generalist()
        smoothing = _innermost(model).smoothing
        counts = count_pairs(known.codes, known.weights) if isinstance(known, Rows) else known
        experts = learn_experts(counts, smoothing, self.support)
        refiner = None
        if isinstance(model, TAN | KDB):
            k = model.k if isinstance(model, KDB) else None
            refiner = learn_refiner(known, counts, experts.tables, smoothing, k)
        return LabelDrivenNetworks(model._learn(known), refiner, experts, delta, self.combine)

    def _try(self, codes: Codes, weights: Floats | None) -> float:
        """Return the best of `DELTAS` on rows held out."""
        order = check_random_state(self.random_state).permutation(len(codes))
        n = round(HELD_OUT * len(codes))
        if n == 0:
            return DELTAS[0]
        w = np.ones(len(codes)) if weights is None else weights
        held, rest = np.sort(order[:n]), np.sort(order[n:])
        learned = self._reconsider(self._remember(codes[rest], w[rest]), DELTAS[0])
        part, right = codes[held], codes.targets[held, 0]
        hits = [
            w[held] @ (replace(learned, delta=d).log_scores(part).argmax(axis=1) == right)
            for d in DELTAS
        ]
        return DELTAS[int(np.argmax(hits))]


def _innermost(model: NetworkClassifier) -> NetworkClassifier:
    """Return the model that says how probabilities are smoothed."""
    while isinstance(model, LabelDriven):
        model = model._generalist()
    return model
