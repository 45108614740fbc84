"""What mNB, mFAN and the ensemble share: everything but the class graph.

A model says which class graphs it takes::

    _class_graphs(known) -> graphs      one, or those of all members
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from jointbayes.checks import check_attributes, check_that
from jointbayes.encoding import Encoder, learn_encoder
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.counting import learn_batch, learn_counts
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.flips import ask
from jointbayes.estimator.ranges import Range, integer, named, number
from jointbayes.estimator.reading import Labelled
from jointbayes.labels import LabelSpace
from jointbayes.models.completion import complete_labels
from jointbayes.models.networks.expectation import Incomplete, maximise_likelihood
from jointbayes.models.networks.flips import explain_network
from jointbayes.models.networks.multidimensional import Multidimensional, learn_multidimensional
from jointbayes.models.networks.vector_counts import VectorCounts, count_by_vector
from jointbayes.models.trust.sharpness import (
    SHARPNESS,
    Sharpness,
    hold_out,
    keep_answers,
    learn_sharpness,
    likeliest_sharpness,
    needs_all_rows,
)
from jointbayes.posterior import Blocks, Posterior, frame_of
from jointbayes.structure import ClassGraph, learn_bridge

__all__ = ["ClassNetworks"]

FACTOR_BYTES = 1 << 28
"""Bytes of the factors of the rows that are asked at a time."""


ENOUGH = 0.5
"""The share of rows that tell all labels from which on the arcs are learned from these alone."""

WORK, LEAST = 1 << 25, 20
"""Cells of factors that a look at rows held out may take, and rows that it takes nevertheless."""

TRUSTED = 1 / 3
"""How sharp networks must be by rows held out (`jointbayes.models.trust.sharpness`) for likelihood
to say what labels are not known: where features repeat each other it finds groups of features."""

FEW = 200
"""Rows below which those held out are too few to speak against likelihood."""


class ClassNetworks(Classifier):
    """Networks of several class variables that differ in the class graph alone."""

    _ranges: ClassVar[Mapping[str, Range]] = {
        "ess": number(0, ends="()"),
        "max_parents": named("auto") | integer(0),
        "max_bytes": integer(1),
        "time_limit": named(None) | number(0, ends="()"),
        "engine": named("search", "toulbar2"),
        "sharpness": named(*SHARPNESS),
    }
    _asked: ClassVar[tuple[str, ...]] = ("loss", "empty", "max_bytes", "time_limit", "engine")
    encoder_: Encoder
    learned_: Multidimensional

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        *,
        ess: float = 5.0,
        max_parents: int | str = "auto",
        discretizer: Any = "quantile",
        categorical_features: Any = "from_dtype",
        missing: str = "value",
        loss: Any = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        max_bytes: int = 1 << 27,
        time_limit: float | None = 10.0,
        engine: str = "search",
        sharpness: str = "paper",
        n_jobs: int | None = None,
    ):
        self.ess = ess
        self.max_parents = max_parents
        self.discretizer = discretizer
        self.categorical_features = categorical_features
        self.missing = missing
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.max_bytes = max_bytes
        self.time_limit = time_limit
        self.engine = engine
        self.sharpness = sharpness
        self.n_jobs = n_jobs

    @abstractmethod
    def _class_graphs(self, known: VectorCounts) -> tuple[ClassGraph, ...]:
        """Return the class graph, or those of all members."""

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from a further batch; any split into batches gives the model of one `fit`.

        Labels, cuts and categories are those of the first batch, or of `fit`; ``classes`` (one
        array per label) declares labels that the first batch lacks. A batch that is refused leaves
        no trace.
        """
        needs_all_rows(self, "partial_fit")
        learn_batch(self, X, y, classes, sample_weight)
        return self

    def _learn(self, rows: Labelled) -> None:
        learn_counts(self, rows)
        self._sharpen(rows)

    def _sharpen(self, rows: Labelled) -> None:
        """Let features count as much as rows held out advise, if that is asked for."""
        self.sharpness_, self.average_rows_ = 1.0, 0.0
        if self.sharpness == "cross_fitted":
            found = learn_sharpness(self, rows)
            self.sharpness_, self.average_rows_ = found.exponent, found.average_rows
            self.learned_ = self._sharpened(found).learned_

    def _sharpened(self, sharpness: Sharpness) -> Self:
        """Return the fitted model whose features are believed so much."""
        other, learned = copy(self), self.learned_
        if sharpness.average_rows > 0:
            learned = learned.drawn_to_average(self.knowledge_, self.ess, sharpness.average_rows)
        other.learned_ = learned.sharpened(sharpness.exponent)
        return other

    def _affordable(self, n: int) -> int:
        """Return how many of n rows can be asked again and again."""
        plan = self.learned_.plan
        exact = plan.fits(self.max_bytes)
        return min(n, max(LEAST, WORK // plan.cells)) if exact else n

    def _learn_known(self, rows: Labelled) -> None:
        encoder, whole = self._look(rows), complete_labels(rows, self.categorical_features)
        knowledge = self._tally(encoder, whole)
        told = np.flatnonzero((rows.codes >= 0).all(axis=1))
        enough = len(told) >= ENOUGH * len(rows)
        self._know(
            encoder, self._tally(encoder, rows.take(told)) if enough else knowledge, rows.space
        )
        self.knowledge_, found, self.sharpness_ = knowledge, self.learned_, 1.0
        self.average_rows_ = 0.0  # what likelihood makes of labels has no counts
        self.learned_ = learn_multidimensional(knowledge, found.graphs, found.bridge, self.ess)
        fits = all(one.plan.fits(self.max_bytes) for one in (found, *found.members))
        corrected = self.sharpness == "cross_fitted"
        judged = corrected or (fits and len(rows) >= FEW)
        held = hold_out(self, whole, rows.codes if fits else whole.codes) if judged else []
        likeliest = likeliest_sharpness(held, average_rows=(0.0,))
        if fits and (len(rows) < FEW or likeliest.exponent >= TRUSTED):
            weights = np.ones(len(rows)) if rows.weights is None else rows.weights
            codes = encoder.codes(rows.X, n_jobs=self.n_jobs)
            incomplete = Incomplete(codes, rows.codes, rows.space, weights)
            self.learned_ = maximise_likelihood(found, incomplete, self.ess).learned
        if corrected:
            self.sharpness_ = keep_answers(held, likeliest).exponent
            self.learned_ = self.learned_.sharpened(self.sharpness_)

    def _check_learned(self) -> None:
        kinds = {"encoder_": Encoder, "knowledge_": VectorCounts, "learned_": Multidimensional}
        check_attributes(self, **kinds)
        classes, cards = self.space_.cards, self.encoder_.cards
        known = self.knowledge_.class_cards, self.knowledge_.counts.cards
        same = self.learned_.networks[0].cards == (*classes, *cards)
        check_that(same and known == (classes, cards), "what was learned is of other variables")
        check_that(self.n_features_in_ == len(cards), "the columns are not as many")

    def _look(self, rows: Labelled) -> Encoder:
        return learn_encoder(
            rows.X,
            categorical_features=self.categorical_features,
            discretizer=self.discretizer,
            missing=self.missing,
            sample_weight=rows.weights,
            n_jobs=self.n_jobs,
        )

    def _tally(self, encoder: Encoder, rows: Labelled) -> VectorCounts:
        codes = encoder.codes(rows.X, rows.codes, rows.space.cards, self.n_jobs)
        return count_by_vector(codes, rows.weights)

    def _know(self, encoder: Encoder, knowledge: VectorCounts, space: LabelSpace) -> None:
        bridge = learn_bridge(
            knowledge.vectors,
            knowledge.class_cards,
            knowledge.counts,
            self.ess,
            self.max_parents,
            self.n_jobs,
        )
        graphs = self._class_graphs(knowledge)
        learned = learn_multidimensional(knowledge, graphs, bridge, self.ess)
        self.encoder_, self.knowledge_, self.learned_ = encoder, knowledge, learned
        names = (*space.names, *encoder.names)
        self.edges_ = [(names[parent], names[child]) for parent, child in learned.arcs]
        self.bridge_proof_ = bridge.proof

    def posterior(self, X: Any) -> Posterior:
        """Return the joint distribution of the labels given each row.

        Its factors are held for all rows, or made again for each question where they would take
        more than 256 MiB.
        """
        columns = self._known_columns(X)
        n, step = columns.shape[0], self._block_rows()
        frame = frame_of(X)
        if n <= step:
            return self._condition(columns).in_frame(frame)
        as_it_is = copy(self)  # what is learned later is not asked
        return Blocks(
            lambda rows: as_it_is._condition(columns[rows]), np.arange(n), self.space_, step
        ).in_frame(frame)

    def _block_rows(self) -> int:
        plan = self.learned_.plan
        return max(1, FACTOR_BYTES // (8 * plan.held))

    def _condition(self, X: Any) -> Posterior:
        codes = self.encoder_.codes(X, n_jobs=self.n_jobs)
        return self.learned_.condition(
            codes, self.space_, self.max_bytes, self.time_limit, self.engine, self.n_jobs
        )

    def explain(self, X: Any) -> Explanation:
        """Say what each feature contributed to each label of each answer; see `Explanation`."""
        asked = ask(self, X)
        codes = self.encoder_.codes(asked.X, n_jobs=self.n_jobs)
        learned = self.learned_
        return explain_network(
            asked, codes, learned.networks[0], learned.class_factors, self.knowledge_
        )
