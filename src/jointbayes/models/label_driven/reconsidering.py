"""What `LabelDriven` and `LTAN` share: a generalist, and how its doubtful rows are reconsidered.

The stages are in `reconsider`, the trees of single rows in `experts`. ``delta="auto"`` is what the
paper proposes (Sun 2017, Sec. 6): part of the rows is held out, the model learns from the rest,
and the threshold that gets most of the held-out rows right is taken. ``combine="auto"`` takes the
share of the refined generalist, beside the experts, by which these rows are likeliest.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.optimize import brentq
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from jointbayes.arrays import Floats, Weights
from jointbayes.codes import Codes
from jointbayes.counts import PairCounts, count_pairs
from jointbayes.encoding import Encoder
from jointbayes.errors import ParameterError
from jointbayes.estimator.counting import learn_batch
from jointbayes.estimator.ranges import Range, named, number
from jointbayes.estimator.reading import Labelled
from jointbayes.inference.logs import log_normalize
from jointbayes.models.label_driven.dependent_experts import DependentExperts
from jointbayes.models.label_driven.diagnosis import Diagnosis, diagnose
from jointbayes.models.label_driven.experts import SUPPORTS, Experts, learn_experts
from jointbayes.models.label_driven.reconsider import COMBINED, RESTS, LabelDrivenNetworks
from jointbayes.models.label_driven.refine import learn_refiner
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.kdb import KDB
from jointbayes.models.one_class.knowledge import Rows
from jointbayes.models.one_class.tan import TAN
from jointbayes.seeds import generator_of

__all__ = ["DELTAS", "RANGES", "Reconsidering", "Tried", "likeliest_share"]

HELD_OUT = 0.3
DELTAS = (0.1, 0.05, 0.01, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The thresholds of the paper's Figure 4; of equally good ones the first is taken."""

RANGES: Mapping[str, Range] = {
    "delta": named("auto", "all") | number(0, 1, "(]"),
    "combine": named(*COMBINED, "auto"),
    "support": named(*SUPPORTS),
    "rest": named(*RESTS),
}


@dataclass(frozen=True, eq=False)
class Tried:
    """What is known, and the threshold and the share that did best on rows held out."""

    known: PairCounts | Rows
    delta: float
    share: float = 0.5


class Reconsidering:
    """What a `NetworkClassifier` adds whose generalist's doubtful rows are reconsidered."""

    delta: float | str
    combine: str
    support: str
    rest: str
    random_state: Any
    n_jobs: int | None

    @abstractmethod
    def _generalist(self) -> NetworkClassifier:
        """Return the model whose doubtful rows are reconsidered, not fitted."""

    @property
    def delta_(self: Any) -> float:
        """The threshold in use."""
        check_is_fitted(self)
        return float(self.learned_.delta)

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from a further batch; any split into batches gives the model of one `fit`."""
        for name, else_ in (("delta", "a number"), ("combine", "'average'")):
            if getattr(self, name) == "auto":
                raise ParameterError(
                    f"{type(self).__name__}: {name}='auto' holds rows out, so it needs them all "
                    f"at once; use fit, or give {name} {else_}"
                )
        learn_batch(self, X, y, classes, sample_weight)
        return self

    def diagnose(self: Any, X: Any, y: Any) -> Diagnosis:
        """Say how often rows with known labels were reconsidered, and what came of it."""
        codes = self._encode(self._known_columns(X))
        y = column_or_1d(y)
        check_consistent_length(X, y)
        return diagnose(self.learned_, codes, self.space_.encode(y)[:, 0], self.n_jobs)

    def _look(self, rows: Labelled) -> Encoder:
        return self._generalist()._look(rows)

    def _remember(self, codes: Codes, weights: Weights) -> PairCounts | Rows | Tried:
        known = self._remember_pairs(codes, weights)
        if "auto" not in (self.delta, self.combine):
            return known
        return Tried(known, *self._try(codes, weights))

    def _remember_pairs(self, codes: Codes, weights: Weights) -> PairCounts | Rows:
        known = self._generalist()._remember(codes, weights)
        if isinstance(known, PairCounts) or type(known) is Rows:
            return known
        return count_pairs(codes, weights, self.n_jobs)  # for the experts

    def _deduce(self, known: PairCounts | Rows | Tried) -> LabelDrivenNetworks:
        if isinstance(known, Tried):
            return self._reconsider(known.known, known.delta, known.share)
        return self._reconsider(known, self._threshold)

    @property
    def _threshold(self) -> float:
        """The threshold that was given, or the first that is tried."""
        named = {"auto": DELTAS[0], "all": 0.0}
        return named[self.delta] if isinstance(self.delta, str) else float(self.delta)

    def _reconsider(
        self, known: PairCounts | Rows, delta: float, share: float = 0.5
    ) -> LabelDrivenNetworks:
        model = self._generalist()
        smoothing = _innermost(model).smoothing
        counts = count_pairs(known.codes, known.weights) if isinstance(known, Rows) else known
        experts = self._learn_experts(known, counts, smoothing)
        refiner = None
        if isinstance(model, TAN | KDB):
            k = model.k if isinstance(model, KDB) else None
            refiner = learn_refiner(known, counts, experts.tables, smoothing, k)
        return LabelDrivenNetworks(
            model._deduce(known), refiner, experts, delta, self.combine, self.rest, share
        )

    def _learn_experts(
        self, known: PairCounts | Rows, counts: PairCounts, smoothing: float
    ) -> Experts | DependentExperts:
        """Return the trees of single rows and labels; other experts may need more than pairs."""
        del known
        return learn_experts(counts, smoothing, self.support)

    def _try(self, codes: Codes, weights: Weights) -> tuple[float, float]:
        """Return threshold and share, those not given being the best on rows held out."""
        order = generator_of(self.random_state).permutation(len(codes))
        n = round(HELD_OUT * len(codes))
        if n == 0:
            return self._threshold, 0.5
        w = np.ones(len(codes)) if weights is None else weights
        held, rest = np.sort(order[:n]), np.sort(order[n:])
        known = self._remember_pairs(codes[rest], w[rest])
        learned = self._reconsider(known, self._threshold)
        part, right = codes[held], codes.targets[held, 0]
        if self.delta == "auto":
            hits = [
                w[held] @ (replace(learned, delta=d).log_scores(part).argmax(axis=1) == right)
                for d in DELTAS
            ]
            learned = replace(learned, delta=DELTAS[int(np.argmax(hits))])
        share = likeliest_share(learned, part, w[held]) if self.combine == "auto" else 0.5
        return learned.delta, share


def likeliest_share(networks: LabelDrivenNetworks, codes: Codes, weights: Floats) -> float:
    """Return the share of the refined generalist by which rows are likeliest.

    It is drawn towards a half as by two more rows, one of either; rows whose label did not survive
    do not matter.
    """
    scores = log_normalize(networks.generalist.log_scores(codes))
    again, kept = networks.doubtful(scores)
    truth = codes.targets[again, 0]
    among = np.flatnonzero(kept[np.arange(len(again)), truth])
    again, kept, truth = again[among], kept[among], truth[among]
    if not len(again):
        return 0.5
    refined, experts = networks.opinions(codes[again], kept, scores[again])
    at = np.arange(len(again)), truth
    odds = np.exp(np.clip(refined[at] - experts[at], -700, 700))

    def slope(share: float) -> float:  # of the logarithm of the likelihood, which is concave
        own = weights[again] @ ((odds - 1) / (share * odds + 1 - share))
        return float(own + 1 / share - 1 / (1 - share))

    return float(brentq(slope, 1e-9, 1 - 1e-9))


def _innermost(model: NetworkClassifier) -> NetworkClassifier:
    """Return the model that says how probabilities are smoothed."""
    return _innermost(model._generalist()) if isinstance(model, Reconsidering) else model
