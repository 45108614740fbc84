r"""ILF-Compo: one model for each irreducible label factor (Gasse, Aussem & Elghazel, ICML 2015).

The labels are split into factors that are independent of each other given the features, as
`jointbayes.independence.label_factors` finds them, and

(1)  P(Y | x) = ∏_F P(Y_F | x)

with one model for each factor: a classifier of its label sets (the paper), or any of our models of
several class variables. If all labels are apart this is binary relevance, if all hang together the
label powerset; in between it needs fewer rows than the powerset and loses nothing. With
``features="boundary"`` the model of a factor sees the Markov boundary of its labels alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from jointbayes.checks import check_attributes, check_indices, check_that
from jointbayes.design.as_given import learn_view, readable
from jointbayes.errors import DataError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import Range, integer, named, number
from jointbayes.estimator.reading import Labelled, read_columns
from jointbayes.independence import Procedure
from jointbayes.independence.factors import factor_boundaries, find_label_factors
from jointbayes.independence.procedure import METHODS, Method
from jointbayes.independence.reading import read_rows
from jointbayes.learners.forest import VotingForest
from jointbayes.learners.never_zero import NeverZero
from jointbayes.learners.stored import check_design
from jointbayes.learners.wrapped import EstimatorLearner
from jointbayes.models.conditional.classifier_chain import ClassifierChain
from jointbayes.models.powersets.powerset import UNSEEN, Powerset, learn_powerset
from jointbayes.posterior import Posterior, Product
from jointbayes.seeds import seed_of
from jointbayes.table import Table

__all__ = ["ILFCompo"]


class ILFCompo(Classifier):
    """Labels that hang together are learned together, all others apart.

    Parameters
    ----------
    estimator
        A classifier with ``predict_proba`` for the label sets of each factor, or one of our models
        of several class variables; None for `VotingForest`, a random forest. `JointForest` backs
        off to label sets never seen, and was ahead of it on scene and emotions.
    alpha
        The p-value up to which features, and labels, count as dependent.
    n_permutations
        Of the semi-parametric test; None for the mean over all there are.
    test
        ``"semiparametric"``, as the paper has it, ``"permutation"``, ``"g2"``, ``"chi2"``,
        ``"shrinkage"`` or ``"fisher_z"`` (numbers as they are, not cut); or a
        `jointbayes.independence.Procedure`, whose level, permutations, seed and rule (labels are
        joined if ``"either"`` of two tests rejects, or ``"both"``) then hold; one of
        ``ties="triples"`` also joins labels of which one is the parity of two others.
    confirm
        How many permutations to draw at most where the tail of that test is in doubt; 0 to trust
        it, as the paper does.
    large
        How factors of more than ``max_labels`` labels are learned, whose label sets would be too
        many classes: ``"chain"``, a greedy chain of the estimator, or ``"powerset"`` all the same.
    max_labels
        See ``large``.
    unseen
        What label vectors of a factor have that no training row had: "zero", or "back_off", a
        share of the probability, that of independent labels; how large a share, three more
        classifiers tell that learn two thirds of the rows each. A chain then calls no value
        impossible that it has seen; one of our models as ``estimator`` speaks for itself.
    features
        ``"all"``: every model sees all features; ``"boundary"``: those of its factor alone.
    loss, empty
        What `predict` minimizes in expectation, and whether it may be the empty set.
    unknown
        See `jointbayes.estimator.parameters`.
    random_state
        Seed or numpy generator, of the tests and of the default forest.
    n_jobs
        Threads, as in scikit-learn.

    Attributes
    ----------
    factors_
        The label indices of each factor.
    label_factors_
        The label graph and every test behind it.
    factor_features_
        The features each factor's model sees.
    members_
        The model of each factor.

    Examples
    --------
    The first two labels are one coin, the third is the feature:

    >>> rng = np.random.default_rng(0)
    >>> x, coin = rng.integers(0, 2, (2, 400))
    >>> Y = np.stack([coin, 1 - coin, x], axis=1)
    >>> model = ILFCompo(random_state=0).fit(x[:, None], Y)
    >>> model.factors_
    ((0, 1), (2,))
    >>> model.posterior([[1]]).marginals()[2].round(1).tolist()
    [[0.0, 1.0]]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "features": named("all", "boundary"),
        "large": named("chain", "powerset"),
        "max_labels": integer(1),
        "unseen": named(*UNSEEN),
        "alpha": number(0, 1),
        "n_permutations": named(None) | integer(1),
        "confirm": integer(0),
        "test": named(*METHODS)
        | Range("a jointbayes.independence.Procedure", lambda v: isinstance(v, Procedure)),
    }

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        estimator: Any = None,
        *,
        alpha: float = 1e-3,
        n_permutations: int | None = 100,
        confirm: int = 10_000,
        test: Method | Procedure = "semiparametric",
        features: str = "all",
        large: str = "chain",
        max_labels: int = 50,
        unseen: str = "zero",
        loss: str = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.n_permutations = n_permutations
        self.confirm = confirm
        self.test = test
        self.features = features
        self.large = large
        self.max_labels = max_labels
        self.unseen = unseen
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        rows = _repeated(rows)
        X, space, seed = rows.X, rows.space, seed_of(self.random_state)
        how = self._procedure(seed)
        tested, _ = read_rows(X, rows.codes, how.method, self.n_jobs)
        self.label_factors_ = find_label_factors(tested, space.names, how)
        self.factors_ = self.label_factors_.factors
        self.factor_features_ = (
            factor_boundaries(tested, self.label_factors_, how)
            if self.features == "boundary"
            else (tuple(range(X.shape[1])),) * len(self.factors_)
        )
        estimator = self.estimator
        if estimator is None:
            estimator = VotingForest(random_state=seed, n_jobs=self.n_jobs)
        self.designs_ = {}  # ours read tables; what others see is worked out once for all factors
        if not isinstance(estimator, Classifier):
            seen_by = [seen for seen in dict.fromkeys(self.factor_features_) if seen]
            self.designs_ = {seen: learn_view(estimator, _columns(X, seen))[0] for seen in seen_by}
        views = self._views(X)
        self.members_ = []
        for factor, seen in zip(self.factors_, self.factor_features_, strict=True):
            chained = self.large == "chain" and len(factor) > self.max_labels
            one = estimator
            if chained and not _is_joint(estimator):
                base = estimator if self.unseen == "zero" else NeverZero(estimator)
                one = ClassifierChain(base, inference="greedy")
            part = Labelled(views[seen], rows.codes[:, list(factor)], space.take(factor))
            self.members_.append(_learn_factor(one, part, self.unseen))

    def _procedure(self, seed: int) -> Procedure:
        """Return how labels and features are tested."""
        if isinstance(self.test, Procedure):
            return self.test
        return Procedure(
            self.alpha, self.test, self.n_permutations, self.confirm, seed, self.n_jobs
        )

    def _check_learned(self) -> None:
        check_attributes(self, factors_=tuple, factor_features_=tuple, designs_=dict, members_=list)
        d, p = len(self.space_), self.n_features_in_
        every = sorted(j for factor in self.factors_ for j in factor)
        check_that(every == list(range(d)), "the factors do not hold each label once")
        widths = {}
        for seen, design in self.designs_.items():
            check_indices("factor_features_", seen, p)
            widths[seen] = check_design(SimpleNamespace(n_features_in_=len(seen)), design)
        parts = zip(self.factors_, self.factor_features_, self.members_, strict=True)
        for factor, seen, member in parts:
            check_indices("factor_features_", seen, p)
            check_that(isinstance(member, Powerset | Classifier), "a factor has no model")
            cards, width = self.space_.take(factor).cards, widths.get(seen, len(seen))
            if isinstance(member, Powerset):
                member.check_labels(cards, width)
            else:
                same = (member.space_.cards, member.n_features_in_) == (cards, width)
                check_that(same, "the model of a factor is of other labels or columns")

    def _condition(self, X: Any) -> Posterior:
        views = self._views(X)
        parts = [
            member.posterior(views[seen], self.space_.take(factor))
            if isinstance(member, Powerset)
            else member.posterior(readable(views[seen]))
            for member, seen, factor in zip(
                self.members_, self.factor_features_, self.factors_, strict=True
            )
        ]
        return Product(parts, self.space_)

    def _views(self, X: Any) -> dict[tuple[int, ...], Any]:
        """Return the columns that factors see, each once, as their models want them."""
        views = {}
        for seen in dict.fromkeys(self.factor_features_):
            part = _columns(X, seen)
            views[seen] = self.designs_[seen].matrix(part) if seen in self.designs_ else part
        return views


def _learn_factor(estimator: Any, rows: Labelled, unseen: str) -> Any:
    """Fit the model of one label factor."""
    columns, constant = rows.X.shape[1], (rows.codes == rows.codes[0]).all()
    if columns and not constant and _is_joint(estimator):
        model = clone(estimator)
        model._learn(replace(rows, X=read_columns(model, readable(rows.X), reset=True)))
        model._adopt(rows.space)
        return model
    learner = EstimatorLearner(estimator)
    return learn_powerset(learner, learner.view(rows.X), rows.codes, rows.space.cards, unseen)


def _is_joint(estimator: Any) -> bool:
    """Say whether it is one of our models of several class variables."""
    return isinstance(estimator, Classifier) and estimator._targets == "several"


def _repeated(rows: Labelled) -> Labelled:
    """Return rows of weight 2 twice, and so on: tests of independence count rows."""
    if rows.weights is None:
        return rows
    odd = np.flatnonzero(rows.weights != np.round(rows.weights))
    if len(odd):
        raise DataError(
            f"sample_weight is {rows.weights[odd[0]]} in row {odd[0]}; ILFCompo tests independence "
            "by counting rows, so give whole numbers"
        )
    index = np.repeat(np.arange(len(rows)), rows.weights.astype(np.intp))
    return Labelled(rows.X[index], rows.codes[index], rows.space)


def _columns(X: Any, features: tuple[int, ...]) -> Any:
    if len(features) == X.shape[1]:
        return X
    if not features:
        return np.empty((X.shape[0], 0))
    if isinstance(X, Table):
        return Table(tuple(X.columns[j] for j in features))
    return X[:, list(features)]
