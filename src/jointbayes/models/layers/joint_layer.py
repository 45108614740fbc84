r"""JointLayer: how labels go together, learned on top of anybody's marginals.

Let p_j(x) be what a classifier of several labels says of label j. The posterior is that of a joint
model which sees the log-odds of these probabilities, and nothing else of the row:

(1)  P(y | x) = P_joint(y | z(x)),   z_j(x) = log p_j(x) / (1 − p_j(x))

The joint model learns from probabilities out of fold, of classifiers that have not seen the row; at
predict they are those of one classifier that has learned all rows. If it is to see the row too, it
is P_joint(y | z(x), x): a second opinion on the columns, which knows the first.

Unless a joint model is given, three are pooled by weights of largest likelihood out of fold: the
labels as the classifier says them, a tree of labels, and label vectors as classes. The first keeps
the layer from being worse than nothing where labels tell little of each other, the last is best
where few vectors make up most rows. Where the row is seen, a forest takes the place of the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from jointbayes.checks import check_attributes, check_that
from jointbayes.errors import DataError, ParameterError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import Range, anything, integer, named
from jointbayes.estimator.reading import Labelled
from jointbayes.models.auto.auto import Auto
from jointbayes.models.auto.portfolio import VECTOR_CELLS
from jointbayes.models.conditional.ctbn import CTBN
from jointbayes.models.forests.joint_forest import JointForest
from jointbayes.models.layers.as_said import AsSaid
from jointbayes.models.layers.marginal_source import (
    MarginalSource,
    learn_source,
    log_odds_table,
    odds_columns,
)
from jointbayes.models.layers.seen import beside_odds, nominal_beside
from jointbayes.models.powersets.label_powerset import LabelPowerset
from jointbayes.models.relevance.binary_relevance import BinaryRelevance
from jointbayes.models.trust.inner_folds import deal_folds, learn_rows, with_others
from jointbayes.posterior import Posterior
from jointbayes.seeds import seed_of
from jointbayes.table import Table

__all__ = ["JointLayer", "out_of_fold"]

POOLED_LABELS = 60
"""Most labels of a pool: the best vector of a mixture is dear to find among more."""


def out_of_fold(
    estimator: Any, rows: Labelled, n_folds: int, seed: int, categorical_features: Any
) -> Table:
    """Return the log-odds of labels on each row, by classifiers that have not seen it."""
    if len(rows) < 2:
        raise DataError(
            f"JointLayer holds out rows, so it needs at least 2; found n_samples={len(rows)}"
        )
    folds, parts = deal_folds(rows.codes, n_folds, seed), []
    for held, others in with_others(folds):
        source = learn_source(estimator, rows.take(others), categorical_features)
        parts.append(source.probabilities(rows.X[held]))
    place = np.argsort(np.concatenate(folds))
    proba = [np.concatenate(each)[place] for each in zip(*parts, strict=True)]
    return log_odds_table(proba, rows.space)


class JointLayer(Classifier):
    """A joint model on top of the probabilities of any classifier of several labels.

    Parameters
    ----------
    estimator
        Any multi-label classifier with `predict_proba`: a forest of scikit-learn, boosted trees, a
        network, `OneVsRestClassifier` around anything, or one of our models; None for
        `BinaryRelevance`.
    joint
        One of our models of several class variables, which learns how labels go together; None for
        a pool of labels as they are said, `CTBN` and, unless there are too many vectors,
        `LabelPowerset`; for `CTBN` alone beyond 60 labels.
    cv
        How many folds make the probabilities that it learns from.
    sees
        What the joint model sees: "odds", what the classifier says and nothing else, or "row", the
        columns of the row too, which is often better and takes longer.
    categorical_features, loss, empty, unknown
        See `jointbayes.estimator.parameters`.
    random_state
        Seed of the folds.
    n_jobs
        See `jointbayes.estimator.parameters`; of the defaults, for others say themselves.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    source_
        The classifier, fitted to all rows.
    joint_
        The joint model; its columns are the log-odds of labels. A pool has a ``leaderboard_``.

    Examples
    --------
    Rows that tell nothing, and labels that exclude each other. A forest knows that each has an
    even chance; that they exclude each other takes a joint:

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, Y = [[0.0]] * 40, [[0, 1], [1, 0]] * 20
    >>> forest = RandomForestClassifier(10, random_state=0)
    >>> post = JointLayer(forest).fit(X, Y).posterior(X[:1])
    >>> bool(np.exp(post.log_prob([[1, 1]]))[0] < 0.05)
    True
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "joint": anything(),
        "cv": integer(2),
        "sees": named("odds", "row"),
    }

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        estimator: Any = None,
        joint: Any = None,
        cv: int = 5,
        *,
        sees: str = "odds",
        categorical_features: Any = "from_dtype",
        loss: Any = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.joint = joint
        self.cv = cv
        self.sees = sees
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        estimator, joint = self._source_model(), self._joint_model(rows)
        seed, nominal = seed_of(self.random_state), self.categorical_features
        odds = out_of_fold(estimator, rows, self.cv, seed, nominal)
        self.joint_ = learn_rows(joint, replace(rows, X=self._seen(odds, rows.X)))
        self.source_ = learn_source(estimator, rows, nominal)

    def _seen(self, odds: Table, X: Any) -> Any:
        return beside_odds(odds, X) if self.sees == "row" else odds

    def _source_model(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return BinaryRelevance(categorical_features=self.categorical_features, n_jobs=self.n_jobs)

    def _joint_model(self, rows: Labelled) -> Any:
        nominal = self._nominal(rows)
        joint = self._pool(rows, nominal) if self.joint is None else self.joint
        if not isinstance(joint, Classifier) or joint._targets != "several":
            raise ParameterError(
                f"JointLayer: joint={joint!r} cannot learn how labels go together; give one of "
                "this library's models of several class variables"
            )
        if nominal != "from_dtype" and "categorical_features" in joint.get_params():
            return clone(joint).set_params(categorical_features=nominal)
        return joint

    def _nominal(self, rows: Labelled) -> Any:
        """Return which columns of what the joint model sees are nominal."""
        if self.sees == "odds":
            return "from_dtype"
        return nominal_beside(odds_columns(rows.space), rows.X, self.categorical_features)

    def _pool(self, rows: Labelled, nominal: Any) -> Any:
        options = {"categorical_features": nominal, "n_jobs": self.n_jobs}
        tree = CTBN(**options)
        if len(rows.space) > POOLED_LABELS:
            return tree
        # What nodes try was measured so on scene and yeast, and is not chosen anew for odds.
        forest = JointForest(max_features="sqrt", n_cuts=2, **options)
        first = AsSaid(**options) if self.sees == "odds" else forest
        models: list[Any] = [first, tree]
        if len(rows) * len(np.unique(rows.codes, axis=0)) <= VECTOR_CELLS:
            models.append(LabelPowerset(**options))
        seed = seed_of(self.random_state)
        return Auto(
            self.loss, models=models, empty=self.empty, random_state=seed, n_jobs=self.n_jobs
        )

    def _check_learned(self) -> None:
        check_attributes(self, source_=MarginalSource, joint_=Classifier)
        columns = odds_columns(self.space_)
        same = self.joint_.space_.cards == self.source_.space.cards == self.space_.cards
        check_that(same, "the layers are of other labels")
        columns += self.n_features_in_ if self.sees == "row" else 0
        check_that(self.joint_.n_features_in_ == columns, "the joint model has other columns")

    def _condition(self, X: Any) -> Posterior:
        odds = log_odds_table(self.source_.probabilities(X), self.space_)
        post: Posterior = self.joint_.posterior(self._seen(odds, X))
        return post
