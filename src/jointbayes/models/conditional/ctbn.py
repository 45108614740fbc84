r"""CTBN: a directed tree of labels, each given the row and its parent (Batal et al. 2013).

     P(y | x) = ∏_i P(y_i | x, y_π(i))
(3)  P(Y_i | x, Y_π(i) = v) = f_iv(x), a classifier of its own for each value v of the parent

The tree maximises the log-likelihood of rows held out from the fit of the classifiers,

(4)  Score(T) = Σ_i W[π(i) → i],   W[j → i] = Σ_(x, y) held out  log P(y_i | x, y_j),

a label without a parent counting W[∅ → i]. It is the branching of largest gain W[j → i] − W[∅ → i].
The classifiers of the tree are then refitted on all rows. What arcs are worth is found in
`edge_weights`.

Beyond the paper, trees can be drawn by their score and averaged (`label_trees`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np

from jointbayes.arrays import Labels
from jointbayes.checks import (
    check_attributes,
    check_counts,
    check_indices,
    check_shape,
    check_that,
)
from jointbayes.errors import ParameterError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.flips import ask
from jointbayes.estimator.ranges import Range, anything, integer, named
from jointbayes.estimator.reading import Labelled
from jointbayes.graph import Dag
from jointbayes.learners.known import of_known_rows, of_targets
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.logistic.reasons import our_logistics
from jointbayes.learners.stored import check_classifiers, check_design
from jointbayes.learners.wrapped import Learner
from jointbayes.models.conditional.edge_weights import Split, edge_weights, hold_out
from jointbayes.models.conditional.label_trees import (
    choose_trees,
    fitted_places,
    posterior_of_trees,
)
from jointbayes.models.conditional.reasons import explain_tree
from jointbayes.posterior import Posterior
from jointbayes.seeds import seed_of
from jointbayes.structure import maximum_branching

__all__ = ["CTBN"]


class CTBN(Classifier):
    """A conditional tree-structured Bayesian network.

    Parameters
    ----------
    estimator
        Any classifier with `predict_proba`, cloned for each conditional; None for
        `BatchedLogistic`.
    validation
        Where the weights of arcs come from: the share of rows held out, a number of folds, or a
        splitter of scikit-learn's kind, over whose held-out parts weights are added up.
    candidates
        How many labels are weighed as the parent of each: those that go most with it beside what
        the row says of both. None for all others, as in the paper; the time of a fit grows with
        their number.
    trees
        1 for the best tree, as in the paper; more are drawn, each in proportion to what it says of
        the rows held out, and averaged: 32 lowered the joint log-loss on six sets of six.
    categorical_features, loss, empty
        See `jointbayes.estimator.parameters`.
    unknown
        "refuse": every label of every row has to be known; "learn": NaN, None and NA are labels
        that are not known. The conditional of a label is learned from the rows in which it and its
        parent are known; for the weight of an arc, a row in which the parent is not counts as it
        does without that parent.
    random_state
        Seed of the split, and of the trees that are drawn.
    n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    edges_
        The arcs between labels, (parent, child) by name, of the best tree.
    gains_
        (d, d) what each arc ``[parent, child]`` gains in held-out log-likelihood.
    parents_
        (d,) the parent of each label in the best tree, −1 for none.
    trees_, tree_shares_
        (m, d) the parents in each of the trees, all different, and their (m,) shares.

    Examples
    --------
    Two labels that exclude each other, on rows that tell nothing: the tree knows.

    >>> X, Y = [[0.0]] * 40, [[0, 1], [1, 0]] * 20
    >>> model = CTBN().fit(X, Y)
    >>> model.edges_
    [('y0', 'y1')]
    >>> np.exp(model.posterior(X[:1]).log_prob([[0, 1]])).round(2).tolist()
    [0.49]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "validation": anything(),
        "candidates": named(None) | integer(1),
        "trees": integer(1),
    }
    _weighs: ClassVar[str] = "entries"

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        estimator: Any = None,
        *,
        validation: Any = 0.3,
        candidates: int | None = None,
        trees: int = 1,
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.validation = validation
        self.candidates = candidates
        self.trees = trees
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        names, cards = rows.space.names, rows.space.cards
        learner = of_known_rows(learner_of(self.estimator, self.n_jobs), rows.codes, rows.entries)
        self.design_, matrix = learner.read(rows.X, self.categorical_features)
        view = learner.view(matrix, rows.weights, rounds=len(cards))  # a label given each other
        splits = list(self._splits(rows.codes))
        paired, alone = edge_weights(learner, view, rows.codes, cards, splits, self.candidates)
        self.gains_ = paired - alone
        np.fill_diagonal(self.gains_, 0.0)
        self.parents_ = maximum_branching(self.gains_)
        seed = seed_of(self.random_state)
        self.trees_, self.tree_shares_ = choose_trees(self.gains_, self.trees, seed)
        self.edges_ = [
            (names[parent], names[child])
            for child, parent in enumerate(self.parents_)
            if parent >= 0
        ]
        self._refit(learner, view, rows.codes, cards)

    def _learn_known(self, rows: Labelled) -> None:
        self._learn(rows)

    def _refit(self, learner: Learner, view: Any, codes: Labels, cards: Sequence[int]) -> None:
        parts: list[Any] = []
        places = fitted_places(self.trees_, cards)
        for (j, v), some in groupby(places, key=itemgetter(1, 2)):
            children = [i for i, _, _ in some]
            rows = np.arange(len(codes)) if j < 0 else np.flatnonzero(codes[:, j] == v)
            y, k = codes[rows][:, children], [cards[i] for i in children]
            part = of_targets(view, np.array(children)).rows(rows)
            parts.append(learner.fit(part, y, k, learner.settings(part, y, k)))
        self.classifiers_ = parts[0].join(parts[1:])
        self.places_ = [(i, v) for i, _, v in places]
        warn_unless_converged(self, self.classifiers_)

    def _check_learned(self) -> None:
        if not hasattr(self, "trees_"):  # files of before have one tree
            self.trees_, self.tree_shares_ = self.parents_[None], np.ones(1)
        check_attributes(self, parents_=np.ndarray, gains_=np.ndarray, places_=list)
        check_attributes(self, trees_=np.ndarray, tree_shares_=np.ndarray)
        cards, d = self.space_.cards, len(self.space_)
        check_shape("parents_", self.parents_, (d,))
        check_shape("gains_", self.gains_, (d, d))
        check_shape("trees_", self.trees_, (None, d))
        check_indices("trees_", self.trees_, d, least=-1)
        check_counts("tree_shares_", self.tree_shares_, (len(self.trees_),))
        check_that(len(self.trees_) > 0, "there is no tree")
        for parents in (self.parents_, *self.trees_):
            Dag(tuple(() if j < 0 else (int(j),) for j in parents))  # which refuses cycles
        places = [(i, v) for i, _, v in fitted_places(self.trees_, cards)]
        check_that(self.places_ == places, "places_ is not where the trees have classifiers")
        width = check_design(self, self.design_)
        check_classifiers(self.classifiers_, [cards[i] for i, _ in places], width)

    def _condition(self, X: Any) -> Posterior:
        found = self.classifiers_.log_proba(self.design_.matrix(X))
        places = fitted_places(self.trees_, self.space_.cards)
        return posterior_of_trees(self.trees_, self.tree_shares_, places, found, self.space_)

    def explain(self, X: Any) -> Explanation:
        """Say what each feature contributed to each label of each answer; see `Explanation`."""
        asked = ask(self, X)
        if len(self.trees_) > 1:
            raise ParameterError(
                f"CTBN: explain speaks of one tree, and this is the mean of {len(self.trees_)}; "
                "fit with trees=1"
            )
        found = our_logistics(self, self.classifiers_)
        return explain_tree(asked, found, self.design_, self.places_, self.parents_)

    def _splits(self, targets: Labels) -> Iterator[Split]:
        """Yield the rows that train and the rows that are held out."""
        n, share = len(targets), self.validation
        if len(targets.T) < 2 or n < 2:
            return
        if isinstance(share, float) and 0 < share < 1:
            yield hold_out(n, share, seed_of(self.random_state))
            return
        from sklearn.model_selection import check_cv

        if isinstance(share, (bool, float, str)) or (isinstance(share, int) and share < 2):
            raise ParameterError(
                f"CTBN: validation={share!r} is outside its range; give a share between 0 and 1, "
                "a number of folds of at least 2, or a splitter"
            )
        for train, held in check_cv(share).split(np.zeros((n, 1)), targets):
            yield np.asarray(train), np.asarray(held)
