"""What every classifier with one class variable shares: codes, knowledge, scores.

Codes are tallied into knowledge, knowledge becomes what was learned, whose scores become a
posterior. A model says what it remembers and how it learns from that, nothing else::

    _remember(codes, weights) -> knowledge    something that adds
    _deduce(knowledge) -> Learned             structure and parameters, ready to score rows
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

from jointbayes.arrays import Weights
from jointbayes.checks import check_attributes, check_that
from jointbayes.codes import Codes
from jointbayes.encoding import Encoder, learn_encoder
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.counting import learn_batch, learn_counts
from jointbayes.estimator.explanation import Explanation, explain_scores
from jointbayes.estimator.reading import Labelled
from jointbayes.inference import log_normalize
from jointbayes.labels import LabelSpace
from jointbayes.models.one_class.knowledge import cards_of
from jointbayes.models.one_class.learned import Learned
from jointbayes.posterior import Independent

__all__ = ["NetworkClassifier"]

BLOCK_ROWS = 4096
"""Rows that are normalised at a time: in the cache, not in fresh memory."""


class NetworkClassifier(Classifier):
    """The part that all classifiers with one class variable share."""

    _targets: ClassVar[str] = "one"
    _asked: ClassVar[tuple[str, ...]] = ()
    encoder_: Encoder
    learned_: Learned

    def __init__(
        self,
        *,
        smoothing: float = 1.0,
        discretizer: Any = "mdl",
        categorical_features: Any = "from_dtype",
        missing: str = "value",
        n_jobs: int | None = None,
    ):
        self.smoothing = smoothing
        self.discretizer = discretizer
        self.categorical_features = categorical_features
        self.missing = missing
        self.n_jobs = n_jobs

    @abstractmethod
    def _remember(self, codes: Codes, weights: Weights) -> Any:
        """Return the sufficient statistics of coded rows; those of two batches add."""

    @abstractmethod
    def _deduce(self, knowledge: Any) -> Learned:
        """Learn structure and parameters from the sufficient statistics."""

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from a further batch; any split into batches gives the model of one `fit`.

        Labels, cuts and categories are those of the first batch, or of `fit`; ``classes`` declares
        labels that the first batch lacks. A batch that is refused leaves no trace.
        """
        learn_batch(self, X, y, classes, sample_weight)
        return self

    def _learn(self, rows: Labelled) -> None:
        learn_counts(self, rows)

    def _look(self, rows: Labelled) -> Encoder:
        return learn_encoder(
            rows.X,
            rows.codes[:, 0],
            n_classes=rows.space.cards[0],
            categorical_features=self.categorical_features,
            discretizer=self.discretizer,
            missing=self.missing,
            sample_weight=rows.weights,
            n_jobs=self.n_jobs,
        )

    def _tally(self, encoder: Encoder, rows: Labelled) -> Any:
        codes = encoder.codes(rows.X, rows.codes, rows.space.cards, self.n_jobs)
        return self._remember(codes, rows.weights)

    def _check_learned(self) -> None:
        check_attributes(self, encoder_=Encoder)
        cards = (*self.space_.cards, *self.encoder_.cards)
        found = cards_of(getattr(self.knowledge_, "known", self.knowledge_))
        same = len(self.space_) == 1 and self.learned_.variable_cards == found == cards
        check_that(same, "what was learned is not of these columns and labels")
        check_that(self.n_features_in_ == len(cards) - 1, "the columns are not as many")

    def _know(self, encoder: Encoder, knowledge: Any, space: LabelSpace) -> None:
        learned = self._deduce(knowledge)
        self.encoder_, self.knowledge_, self.learned_ = encoder, knowledge, learned
        names = (space.names[0], *encoder.names)
        self.edges_ = [(names[parent], names[child]) for parent, child in learned.arcs]

    def _condition(self, X: Any) -> Independent:
        return self._posterior(self._encode(X))

    def row_edges(self, X: Any) -> list[dict[str, list[tuple[str, str]]]]:
        """Return the arcs that answer each row, network by network, as (parent, child) names.

        A model that builds networks for single rows (LKDB, LTAN, LabelDriven) has a row's own:
        ``jb.plots.label_tree(edges, model.feature_names_in_)`` draws one. Others have ``edges_``.
        """
        codes = self._encode(self._known_columns(X)).dense()
        names = (self.space_.names[0], *self.encoder_.names)
        own = getattr(self.learned_, "row_arcs", None)
        found = own(codes) if own else [{"network": self.learned_.arcs}] * len(codes)
        return [
            {
                self._network(key): [(names[a], names[b]) for a, b in arcs]
                for key, arcs in of.items()
            }
            for of in found
        ]

    def _network(self, key: str | int) -> str:
        """Return the name of a network; that of an expert is its label's."""
        return key if isinstance(key, str) else f"expert of {self.classes_[key]}"

    def explain(self, X: Any) -> Explanation:
        """Say what each feature contributed to each answer; see `Explanation`."""
        columns = self._known_columns(X)
        codes = self._encode(columns)
        members = self.learned_.members(codes.dense())
        return explain_scores(
            type(self).__name__, self.encoder_.names, columns, members, self._posterior(codes)
        )

    def _encode(self, X: Any) -> Codes:
        return self.encoder_.codes(X, n_jobs=self.n_jobs)

    def _posterior(self, codes: Codes) -> Independent:
        scores = self.learned_.log_scores(codes, self.n_jobs)
        for start in range(0, len(scores), BLOCK_ROWS):
            part = slice(start, start + BLOCK_ROWS)
            scores[part] = log_normalize(scores[part])
        return Independent([scores], self.space_)
