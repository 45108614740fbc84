r"""The cascade of any classifiers: first the size of the label set, then label after label.

Mossina & Rachelson (2017, Sec. 3.4 and 3.5), of which `NaiBX` is the case of naive Bayes:

(1)  P(Y = {y_1 … y_m} | x) = P(M = m | x) ∏_k p(y_k | x, m, y_1 … y_{k−1}),

"where any efficient classification algorithm can be used to predict each level". No order of the
labels is given, unlike in a chain: each level says which of all labels comes next. The posterior
sums (1) over the orders in which a set can be picked (`jointbayes.posterior.stepped_cascade`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from jointbayes.arrays import Labels, Values
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import Range, integer, named
from jointbayes.estimator.reading import Labelled
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.stored import check_design
from jointbayes.learners.wrapped import Learner
from jointbayes.models.naibx.beam import picked_by, posterior_width
from jointbayes.models.naibx.examples import check_affordable
from jointbayes.models.naibx.labels import count_labels, is_one_class, members
from jointbayes.models.naibx.levels import learn_levels
from jointbayes.models.naibx.sizes import NAMED, SizeModel, learn_sizes
from jointbayes.posterior import Independent, Posterior, SteppedCascade
from jointbayes.posterior.sets_by_size import SetsBySize
from jointbayes.seeds import seed_of

__all__ = ["ClassifierCascade"]


class ClassifierCascade(Classifier):
    """A classifier says how many labels a row has, another which is picked first, and so on.

    Parameters
    ----------
    estimator
        Any classifier with `predict_proba`, cloned for each level; None for `BatchedLogistic`. It
        sees the columns, how many labels there are to be, and those picked so far.
    size
        Who says how many labels a row has: None for one more clone, "forest", "logistic" or
        "ordinal" as in `NaiBX`, or any classifier; one without probabilities is believed.
    examples
        How many examples a level learns from a row at most: a set of m labels has m · C(m−1, k−1)
        of them at level k. Beyond, so many orders of its labels are drawn; None: all, as in the
        paper. They share the weight of the row, if the classifier takes weights.
    beam
        With ``loss="subset"``: None for the most probable set of the posterior, 1 for the greedy
        choice of the paper, which is quicker and more often wrong; a wider beam keeps that many
        sets, for several sizes, and answers with the most probable one, the greedy one included.
    categorical_features, loss, empty, unknown, n_jobs
        See `jointbayes.estimator.parameters`.
    random_state
        Seed of the orders that are drawn, and of the forest of ``size="forest"``.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    levels_, sizes_
        The fitted classifiers of the levels and of the size.

    See Also
    --------
    NaiBX : The same with naive Bayes at every level, which learns in one pass.

    Notes
    -----
    There are as many classifiers as the largest set has labels, and one more. Of one class variable
    the cascade has one level, which is the classifier itself.

    Examples
    --------
    Labels 0 and 1 stand in for each other, label 2 goes with either. Trees that remember all rows
    give the frequencies of the sets:

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> x = np.repeat([0.0, 0.0, 5.0], [6, 4, 10])[:, None]
    >>> Y = np.repeat([[1, 0, 1], [0, 1, 1], [0, 0, 1]], [6, 4, 10], axis=0)
    >>> model = ClassifierCascade(DecisionTreeClassifier()).fit(x, Y)
    >>> model.predict([[0.0], [5.0]]).tolist()
    [[1, 0, 1], [0, 0, 1]]
    >>> np.exp(model.posterior([[0.0]]).log_prob([[0, 1, 1]])).round(3).tolist()
    [0.4]
    """

    _asked: ClassVar[tuple[str, ...]] = ("loss", "empty", "beam")
    _ranges: ClassVar[Mapping[str, Range]] = {
        "beam": named(None) | integer(1),
        "examples": named(None) | integer(1),
        "size": Range(
            "None, 'logistic', 'ordinal', 'forest' or a classifier",
            lambda v: v is None or (v in NAMED if isinstance(v, str) else hasattr(v, "fit")),
        ),
    }

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        estimator: Any = None,
        *,
        size: Any = None,
        examples: int | None = 32,
        beam: int | None = None,
        categorical_features: Any = "from_dtype",
        loss: Any = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.size = size
        self.examples = examples
        self.beam = beam
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        learner, space = learner_of(self.estimator, self.n_jobs), rows.space
        has, seed = members(rows.codes, space), seed_of(self.random_state)
        self.design_, matrix = learner.read(rows.X, self.categorical_features)
        dense = 0 if hasattr(matrix, "tocsr") else matrix.shape[1]
        check_affordable(has, self.examples, dense + has.shape[1] + 1)
        names = tuple(map(str, space.classes[0] if is_one_class(space) else space.names))
        self.sizes_ = self._learn_sizes(learner, rows, matrix, has.sum(axis=1))
        self.levels_ = learn_levels(
            learner, matrix, has, names, weights=rows.weights, most=self.examples, seed=seed
        )
        for level in (self.sizes_.classifier, *self.levels_.classifiers):
            warn_unless_converged(self, level)

    def _learn_sizes(
        self, learner: Learner, rows: Labelled, matrix: Any, n_labels: Labels
    ) -> SizeModel:
        seen = np.unique(n_labels)
        if len(seen) == 1:
            return SizeModel(self.design_, None, seen)
        if self.size is not None:
            weights, seed = rows.weights, seed_of(self.random_state)
            given = self.size, rows.X, n_labels, weights, self.categorical_features, seed
            return learn_sizes(*given)
        codes, view = np.searchsorted(seen, n_labels)[:, None], learner.view(matrix, rows.weights)
        settings = learner.settings(view, codes, [len(seen)])
        return SizeModel(self.design_, learner.fit(view, codes, [len(seen)], settings), seen)

    def _check_learned(self) -> None:
        q = count_labels(self.space_)
        self.levels_.check_columns(check_design(self, self.design_))
        self.sizes_.check_sizes(q, self.n_features_in_)
        posterior_width(self.beam or 1, q)

    def _condition(self, X: Any) -> Posterior:
        matrix, n, q = self.design_.matrix(X), X.shape[0], count_labels(self.space_)
        step, rows = self.levels_.step(matrix), np.arange(n)
        if is_one_class(self.space_):
            first = step(rows, np.ones(n, dtype=np.intp), np.zeros((n, q), dtype=np.intp))
            return Independent([first], self.space_)
        width = posterior_width(self.beam or 1, q)
        log_size = self.sizes_.log_proba(X, q)
        sizes = np.union1d(self.levels_.sizes, np.flatnonzero((log_size > -np.inf).any(axis=0)))
        return SteppedCascade(log_size, step, rows, sizes, self.space_, width)

    def predict_from(self, posterior: Posterior) -> Values:
        """Return what `predict` answers: by ``loss="subset"`` as the ``beam`` says."""
        if self.beam is None or self.loss != "subset" or not isinstance(posterior, SetsBySize):
            return super().predict_from(posterior)
        allowed = self.space_.allows_empty if self.empty == "auto" else self.empty == "allow"
        post = posterior if allowed else posterior.without_empty()
        return self._shaped(self.space_.decode(picked_by(post, self.beam)))
