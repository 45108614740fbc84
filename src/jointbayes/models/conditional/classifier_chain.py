r"""Classifier chains: every label given the row and all labels before it.

(1)  P(y | x) = ∏_t P(y_π(t) | x, y_π(1) … y_π(t−1))

for an order π of the labels (Read et al. 2009); the vector of largest probability is found with a
proof, or greedily, by beam or among samples (Dembczyński, Cheng & Hüllermeier 2010). All logistic
regressions of (1) are one batch over the columns (x, y): those of labels that come later are held
at 0. A search over labels then costs a few additions a step, as x enters once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from jointbayes.arrays import Floats, Labels, Weights
from jointbayes.checks import check_that
from jointbayes.design.as_given import expect_labels
from jointbayes.design.label_columns import beside, label_columns
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.flips import ask
from jointbayes.estimator.ranges import Range, anything, integer, named
from jointbayes.estimator.reading import Labelled
from jointbayes.inference.prefixes import Conditional
from jointbayes.labels import LabelSpace
from jointbayes.learners.logistic.batch import LogisticLearner, Logistics, log_softmax
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.logistic.reasons import our_logistics
from jointbayes.learners.stored import check_classifiers, check_design
from jointbayes.learners.wrapped import Learner, Wrapped
from jointbayes.models.conditional.orders import learn_order, read_order
from jointbayes.models.conditional.reasons import explain_chain
from jointbayes.posterior import Chain, ChainSearch
from jointbayes.seeds import seed_of

__all__ = ["ClassifierChain", "check_chain", "learn_chain"]


CELLS = 2**22
"""Cells of a matrix that a given classifier sees at once."""

SEARCHES = {
    "exact": ("exact", 4096),
    "greedy": ("beam", 1),
    "beam": ("beam", 16),
    "sample": ("sample", 1000),
}
"""How the posterior looks for vectors, and how wide."""


@dataclass(frozen=True, eq=False)
class LogisticChain:
    """Logistic regressions over the columns (x, y), those of later labels being 0."""

    logistics: Logistics
    cards: tuple[int, ...]
    enumerated: int = 1 << 16

    def conditional(self, matrix: Any) -> Conditional:
        """Return the steps of the chain for the rows of a matrix."""
        found, n_labels = self.logistics, len(_starts(self.cards)[1])
        blank = np.zeros((matrix.shape[0], n_labels))
        base = found.predictors(beside(matrix, blank))  # of vectors whose labels are all 0
        scaling = found.scaling
        slope = (scaling.factor / scaling.unit)[-n_labels:, None] * found.W[-1 - n_labels : -1]
        ends = np.cumsum([outcome.width for outcome in found.outcomes])
        starts, _ = _starts(self.cards)

        def step(place: int, rows: Labels, before: Labels) -> Floats:
            outcome = found.outcomes[place]
            columns = slice(ends[place] - outcome.width, ends[place])
            z = base[rows, columns]
            if place:
                z = z + label_columns(before, self.cards[:place]) @ slope[: starts[place], columns]
            return outcome.spread(log_softmax(z))

        return step


@dataclass(frozen=True, eq=False)
class WrappedChain:
    """Given classifiers, each fitted to x and the labels before its own."""

    classifiers: tuple[Wrapped, ...]
    cards: tuple[int, ...]
    enumerated: int = 1 << 12

    def conditional(self, matrix: Any) -> Conditional:
        """Return the steps of the chain for the rows of a matrix."""
        size = max(1, CELLS // (matrix.shape[1] + 1))

        def step(place: int, rows: Labels, before: Labels) -> Floats:
            parts = []
            for start in range(0, len(rows), size):
                part = slice(start, start + size)
                columns = label_columns(before[part], self.cards[:place])
                seen = beside(matrix[rows[part]], columns)
                parts.append(self.classifiers[place].log_proba(seen)[0])
            return np.concatenate([*parts, np.empty((0, self.cards[place]))])

        return step


def learn_chain(
    learner: Learner, matrix: Any, codes: Labels, cards: Sequence[int], weights: Weights = None
) -> LogisticChain | WrappedChain:
    """Learn the conditionals (1) of labels in the order of their columns.

    Parameters
    ----------
    learner
        Makes the classifiers.
    matrix
        (n, p) numbers.
    codes
        (n, d) labels, in the order of the chain.
    cards
        How many values each has.
    weights
        (n,) how often each row counts; None for once.
    """
    labels = label_columns(codes, cards)
    starts, places = _starts(cards)
    if isinstance(learner, LogisticLearner):
        view = learner.view(beside(matrix, labels), weights, fixed=labels.shape[1])
        free = np.ones((view.shape[1], len(cards)), dtype=bool)
        free[-1 - len(places) : -1] = places[:, None] < np.arange(len(cards))
        settings = learner.settings(view, codes, cards, free)
        return LogisticChain(learner.fit(view, codes, cards, settings, free), tuple(cards))
    fitted = []
    for place, card in enumerate(cards):
        view = learner.view(beside(matrix, labels[:, : starts[place]]), weights)
        y = codes[:, place : place + 1]
        fitted.append(learner.fit(view, y, [card], learner.settings(view, y, [card])))
    return WrappedChain(tuple(fitted), tuple(cards))


def _starts(cards: Sequence[int]) -> tuple[Labels, Labels]:
    """Return where the columns of each label begin, and the label of each column."""
    widths = np.array([1 if card == 2 else card for card in cards])
    return np.cumsum(widths) - widths, np.repeat(np.arange(len(cards)), widths)


class ClassifierChain(Classifier):
    """A chain of classifiers, whose best label vector is proven to be the best.

    Parameters
    ----------
    estimator
        Any classifier with `predict_proba`, cloned for each label; None for `BatchedLogistic`.
    order
        The labels in the order of the chain, by position or name; None for the order given,
        "random" for one drawn by ``random_state``, "learned" for parents before children in the
        tree of `CTBN`.
    inference
        How the best vectors are found: "exact", "greedy" (label by label, as the chains of 2009),
        "beam" or "sample".
    width
        Prefixes of one row that the search may hold at once, or vectors that are drawn: 4096 for
        "exact", 16 for "beam", 1000 for "sample" if None. Where that is not enough to prove an
        answer, it is the best one found, and `posterior(X).gap()` bounds what it may lack.
    categorical_features, loss, empty, unknown, n_jobs
        See `jointbayes.estimator.parameters`.
    random_state
        Seed of a random or learned order.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    order_
        The label at each place of the chain.
    edges_
        The arcs between labels: from each to all that come after it.

    Examples
    --------
    The second label is the opposite of the first, on rows that tell nothing:

    >>> X, Y = [[0.0]] * 40, [[0, 1], [1, 0]] * 20
    >>> model = ClassifierChain().fit(X, Y)
    >>> post = model.posterior(X[:1])
    >>> bool(np.exp(post.log_prob([[0, 1]])) > 0.45), post.exactness["map"]
    (True, 'exact')
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "order": anything(),
        "inference": named("exact", "greedy", "beam", "sample"),
        "width": named(None) | integer(1),
    }

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        estimator: Any = None,
        *,
        order: Any = None,
        inference: str = "exact",
        width: int | None = None,
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.order = order
        self.inference = inference
        self.width = width
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        learner, space = learner_of(self.estimator, self.n_jobs), rows.space
        seed = seed_of(self.random_state)
        self.design_, matrix = learner.read(rows.X, self.categorical_features)
        if isinstance(self.order, str) and self.order == "learned":
            view = learner.view(matrix, rows.weights)
            self.order_ = learn_order(learner, view, rows.codes, space.cards, seed)
        else:
            self.order_ = read_order(self.order, space, seed)
        cards = [space.cards[j] for j in self.order_]
        codes = rows.codes[:, list(self.order_)]
        seen = expect_labels(matrix, space.take(self.order_))
        self.chain_ = learn_chain(learner, seen, codes, cards, rows.weights)
        names = [space.names[j] for j in self.order_]
        self.edges_ = [(a, b) for place, b in enumerate(names) for a in names[:place]]
        warn_unless_converged(self, getattr(self.chain_, "logistics", None))

    def _check_learned(self) -> None:
        check_chain(self.chain_, self.order_, self.space_, check_design(self, self.design_))

    def _condition(self, X: Any) -> Chain:
        matrix = expect_labels(self.design_.matrix(X), self.space_.take(self.order_))
        method, width = SEARCHES[self.inference]
        search = ChainSearch(
            method, 1 if self.inference == "greedy" else self.width or width, self.chain_.enumerated
        )
        step = self.chain_.conditional(matrix)
        return Chain(step, np.arange(matrix.shape[0]), self.order_, self.space_, search)

    def explain(self, X: Any) -> Explanation:
        """Say what each feature contributed to each label of each answer; see `Explanation`."""
        asked = ask(self, X)
        found = our_logistics(self, getattr(self.chain_, "logistics", None))
        return explain_chain(asked, found, self.design_, self.order_)


def check_chain(chain: Any, order: Any, space: LabelSpace, width: int) -> None:
    """Refuse a chain from a file, unless it is of these labels in that order."""
    check_that(sorted(order) == list(range(len(space))), "an order does not name each label once")
    same = chain.cards == tuple(space.cards[j] for j in order) and chain.enumerated >= 0
    check_that(same, "a chain is of other labels")
    if isinstance(chain, LogisticChain):
        check_classifiers(chain.logistics, chain.cards, width + len(_starts(chain.cards)[1]))
        return
    for classifier, card in zip(chain.classifiers, chain.cards, strict=True):
        check_classifiers(classifier, [card], width)
