r"""Classifier chains: every label given the row and all labels before it.

(1)  P(y | x) = ∏_t P(y_π(t) | x, y_π(1) … y_π(t−1))

for an order π of the labels (Read et al. 2009); the vector of largest probability is found with a
proof, or greedily, by beam or among samples (Dembczyński, Cheng & Hüllermeier 2010). All logistic
regressions of (1) are one batch over the columns (x, y): those of labels that come later are held
at 0. A search over labels then costs a few additions a step, as x enters once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from jointbayes.design.as_given import expect_labels
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.flips import ask
from jointbayes.estimator.ranges import Range, anything, integer, named, number
from jointbayes.estimator.reading import Labelled
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.logistic.reasons import our_logistics
from jointbayes.learners.stored import check_design
from jointbayes.models.conditional.chain_steps import check_chain, learn_chain
from jointbayes.models.conditional.orders import learn_order, read_order
from jointbayes.models.conditional.reasons import explain_chain
from jointbayes.posterior import Chain, ChainSearch, chain_of
from jointbayes.seeds import seed_of

__all__ = ["ClassifierChain"]


SEARCHES = {
    "exact": ("exact", 4096),
    "greedy": ("beam", 1),
    "beam": ("beam", 16),
    "sample": ("sample", 1000),
}
"""How the posterior looks for vectors, and how wide."""


WIDEST = 1 << 20
"""Most prefixes or samples of a row that memory is asked for."""


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
    time_limit
        Seconds that the exact search of a row may take, None for as many as its width lets it.
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
    >>> bool(post.log_prob([[0, 1]])[0] > -0.8), post.exactness["map"]
    (True, 'exact')
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "order": anything(),
        "inference": named("exact", "greedy", "beam", "sample"),
        "width": named(None)
        | Range(f"an integer from 1 to {WIDEST}", lambda v: integer(1).holds(v) and v <= WIDEST),
        "time_limit": named(None) | number(0, ends="()"),
    }

    _asked: ClassVar[tuple[str, ...]] = ("loss", "empty", "inference", "width", "time_limit")
    _weighs: ClassVar[str] = "entries"

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        estimator: Any = None,
        *,
        order: Any = None,
        inference: str = "exact",
        width: int | None = None,
        time_limit: float | None = 10.0,
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
        self.time_limit = time_limit
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
        seen = expect_labels(matrix, space, self.order_)
        entries = None if rows.entries is None else rows.entries[:, list(self.order_)]
        self.chain_ = learn_chain(learner, seen, codes, cards, rows.weights, entries)
        names = [space.names[j] for j in self.order_]
        self.edges_ = [(a, b) for place, b in enumerate(names) for a in names[:place]]
        warn_unless_converged(self, getattr(self.chain_, "logistics", None))

    def _check_learned(self) -> None:
        check_chain(self.chain_, self.order_, self.space_, check_design(self, self.design_))

    def _condition(self, X: Any) -> Chain:
        matrix = expect_labels(self.design_.matrix(X), self.space_, self.order_)
        method, width = SEARCHES[self.inference]
        search = ChainSearch(
            method,
            1 if self.inference == "greedy" else self.width or width,
            self.chain_.enumerated,
            self.time_limit,
        )
        step = self.chain_.conditional(matrix, self.n_jobs)
        return chain_of(step, matrix.shape[0], self.order_, self.space_, search)

    def explain(self, X: Any) -> Explanation:
        """Say what each feature contributed to each label of each answer; see `Explanation`."""
        asked = ask(self, X)
        found = our_logistics(self, getattr(self.chain_, "logistics", None))
        return explain_chain(asked, found, self.design_, self.order_)
