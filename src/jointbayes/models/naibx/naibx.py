r"""NaiBX: the size of the label set by naive Bayes, then label after label, by naive Bayes too.

Mossina & Rachelson (2017). All steps share six tables of counts (`tables`), so a model learns
online and two models can be merged. Their greedy Algorithm 2 picks, for the most probable size m,
always the label that maximizes (Eq. 9)

(1)  P(y) P(M = m | y) ∏_i p(x_i | y) ∏_{y' picked} P(y' | y).

The posterior behind it sums over the orders in which labels can be picked (`posterior.cascade`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from jointbayes.arrays import Floats, Values
from jointbayes.errors import ParameterError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.counting import learn_batch
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.flips import ask
from jointbayes.estimator.ranges import Range, anything, integer, named, number
from jointbayes.estimator.reading import Labelled
from jointbayes.inference.logs import log_normalize
from jointbayes.labels import LabelSpace
from jointbayes.models.naibx.beam import picked_by, posterior_width
from jointbayes.models.naibx.believing import learn_belief
from jointbayes.models.naibx.columns import CELLS, Columns
from jointbayes.models.naibx.counting import count_rows
from jointbayes.models.naibx.kinds import learn_columns
from jointbayes.models.naibx.labels import (
    count_labels,
    given_sizes,
    grow_labels,
    is_one_class,
    members,
    room_for,
)
from jointbayes.models.naibx.merging import merged
from jointbayes.models.naibx.reasons import explain_naibx
from jointbayes.models.naibx.scores import NaiBXScores
from jointbayes.models.naibx.sizes import NAMED, SizeModel, learn_more_sizes, learn_sizes
from jointbayes.models.naibx.tables import Tables, fading, left_after
from jointbayes.models.trust.sharpness import SHARPNESS, needs_all_rows
from jointbayes.posterior import Cascade, Independent, Posterior
from jointbayes.seeds import seed_of

__all__ = ["NaiBX"]


class NaiBX(Classifier):
    """Naive Bayes for sets of labels, online.

    Parameters
    ----------
    size
        Who says how many labels a row has: "bayes" (naive Bayes, as in the paper), "forest" (random
        trees; right most often, on numbers and on words), "logistic" or "ordinal" (regressions,
        almost as good and cheaper), or any classifier; one without probabilities is believed.
    features
        What columns of numbers are: "auto", "gaussian", "bernoulli" (above 0 or not),
        "multinomial" (counts of words) or "poisson" (counts, each column by itself), or one of
        these for each column. "auto": Bernoulli within {0, 1}, else Gaussian; 50 or more columns,
        0 in four of five cells and nowhere negative, are multinomial unless all are within {0, 1}.
        Nominal columns are indicators of their values; "categorical" is one distribution of them.
    beam
        With ``loss="subset"``: 1 for the greedy Algorithm 2; a wider beam keeps that many sets, for
        several sizes, and answers with the most probable one, the greedy one included.
    smoothing
        Added to every count, as in Eqs. 10 and 11.
    half_life
        Rows after which a row counts half, for streams that change; None: rows count for ever. A
        classifier of sizes forgets nothing.
    sharpness
        "paper", or "cross_fitted": features and picked labels count less, labels of few rows are
        drawn to all rows, as rows held out advise; `predict` answers with the most probable set.
    categorical_features, loss, empty, unknown, n_jobs
        See `jointbayes.estimator.parameters`.
    random_state
        Seed of the forest of ``size="forest"``.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    tables_
        The six tables: all that is known, apart from the classifier of sizes.

    Examples
    --------
    Labels 0 and 1 stand in for each other, label 2 goes with either:

    >>> x = np.repeat([0.0, 0.1, 5.0, 5.1], 5)[:, None]
    >>> Y = np.repeat([[1, 0, 1], [0, 1, 1], [0, 0, 1], [0, 0, 1]], 5, axis=0)
    >>> model = NaiBX().fit(x, Y)
    >>> model.predict([[0.0], [5.0]]).tolist()
    [[1, 0, 1], [0, 0, 1]]

    Any split into batches, or two models merged, give the same:
    >>> halves = [NaiBX().fit(x[part], Y[part]) for part in (slice(0, None, 2), slice(1, None, 2))]
    >>> merged = halves[0].merge(halves[1]).posterior(x)
    >>> bool(np.allclose(merged.log_prob(Y), model.posterior(x).log_prob(Y), atol=1e-10))
    True
    """

    learned_: NaiBXScores
    _asked: ClassVar[tuple[str, ...]] = ("loss", "empty", "beam")
    _ranges: ClassVar[Mapping[str, Range]] = {
        "beam": integer(1),
        "features": anything(),
        "smoothing": number(0, ends="()"),
        "sharpness": named(*SHARPNESS),
        "half_life": Range("None", lambda v: v is None) | number(0, ends="()"),
        "size": Range(
            "'bayes', 'logistic', 'ordinal', 'forest' or a classifier",
            lambda v: v in ("bayes", *NAMED) if isinstance(v, str) else hasattr(v, "fit"),
        ),
    }

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        *,
        size: Any = "bayes",
        features: Any = "auto",
        beam: int = 1,
        smoothing: float = 1.0,
        half_life: float | None = None,
        sharpness: str = "paper",
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.size = size
        self.features = features
        self.beam = beam
        self.smoothing = smoothing
        self.half_life = half_life
        self.sharpness = sharpness
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def tables_(self) -> Tables:
        """The six tables."""
        check_is_fitted(self)
        return self.learned_.tables

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from a further batch; any split into batches gives the model of one `fit`.

        The first batch fixes the kinds of columns. ``classes`` (one array per label; of one class
        variable, its values) declares labels, new ones too. A batch refused leaves no trace.
        """
        needs_all_rows(self, "partial_fit")
        learn_batch(self, X, y, classes, sample_weight)
        return self

    def _learn(self, rows: Labelled) -> None:
        sizes, seed = None, seed_of(self.random_state)
        if self._asks_others(rows.space):
            n_labels = members(rows.codes, rows.space).sum(axis=1)
            sizes = learn_sizes(
                self.size, rows.X, n_labels, rows.weights, self.categorical_features, seed
            )
        self._know_first(rows, sizes)
        if self.sharpness == "cross_fitted":
            self.learned_ = replace(self.learned_, belief=learn_belief(self, rows))

    def _begin(self, rows: Labelled) -> None:
        self._know_first(rows, self._more_sizes(None, rows))

    def _know_first(self, rows: Labelled, sizes: SizeModel | None) -> None:
        columns = learn_columns(rows.X, self.features, self.categorical_features)
        self._know(columns, self._tally(columns, rows), rows.space, sizes)

    def _more_sizes(self, known: SizeModel | None, rows: Labelled) -> SizeModel | None:
        """Return the classifier of sizes once it has seen a further batch, if there is one."""
        if not self._asks_others(rows.space):
            return None
        return learn_more_sizes(
            known,
            self.size,
            rows.X,
            members(rows.codes, rows.space).sum(axis=1),
            rows.weights,
            n_sizes=len(rows.space) + 1,
            categorical_features=self.categorical_features,
        )

    def _tally(self, columns: Columns, rows: Labelled) -> Tables:
        weights = fading(rows.weights, len(rows), self.half_life)
        return count_rows(columns, rows.X, members(rows.codes, rows.space), weights)

    def _learn_more(self, rows: Labelled) -> None:
        columns, space = self.learned_.columns, rows.space
        spent = float(len(rows) if rows.weights is None else rows.weights.sum())
        if not self._own_size and count_labels(space) > count_labels(self.space_):
            raise ParameterError("NaiBX: labels can be added only if size='bayes'")
        known = room_for(space, self.learned_.tables, self.space_)
        before = known.scaled(left_after(spent, self.half_life))
        sizes = self._more_sizes(self.sizes_, rows)
        self._know(columns, before + self._tally(columns, rows), space, sizes)

    def _further_labels(self, y: Any, classes: Any) -> LabelSpace:
        return grow_labels(self.space_, y, classes)

    def merge(self, other: NaiBX) -> Self:
        """Add what another model has learned; its columns and labels have to be the same."""
        tables, space = merged(self, other)
        self._know(self.learned_.columns, tables, self.space_, None)
        self._adopt(space)
        return self

    def _know(
        self, columns: Columns, tables: Tables, space: LabelSpace, sizes: SizeModel | None
    ) -> None:
        tables.check_finite([columns.names[j] for j in columns.where("gaussian")])
        n_sizes = 1 if is_one_class(space) else len(tables.n_m)
        self.learned_ = NaiBXScores(columns, tables, self.smoothing, n_sizes)
        self.sizes_ = sizes

    def _check_learned(self) -> None:
        self.learned_.check_labels(count_labels(self.space_), self.n_features_in_, self.sizes_)
        posterior_width(self.beam, count_labels(self.space_))

    @property
    def _own_size(self) -> bool:
        return isinstance(self.size, str) and self.size == "bayes"

    def _asks_others(self, space: LabelSpace) -> bool:
        return not self._own_size and not is_one_class(space)

    def _condition(self, X: Any) -> Posterior:
        post = self._from_evidence(self.learned_, self.learned_.evidence(X))
        if self.sizes_ is None or not isinstance(post, Cascade):
            return post
        return replace(post, log_size=self.sizes_.log_proba(X, len(self.space_)))

    def _from_evidence(self, learned: NaiBXScores, evidence: Floats) -> Posterior:
        """Return the posterior of rows whose log-densities are known, sizes by naive Bayes."""
        base, log_size = learned.score(evidence)
        if is_one_class(self.space_):
            return Independent([log_normalize(base)], self.space_)
        width = posterior_width(self.beam, base.shape[1])
        links = learned.by_size, learned.together
        return Cascade(log_size, base, *links, self.space_, width, None, self.n_jobs)

    def predict(self, X: Any, size: Any = None) -> Values:
        """Return the labels of least expected ``loss``, in the shape of the labels of ``fit``.

        Parameters
        ----------
        X
            (n, p) rows, as in ``fit``.
        size
            How many labels each row has, if that is known: one number or one for each row. The
            labels are then picked greedily.
        """
        if size is None:
            return super().predict(X)
        columns = self._known_columns(X)
        sizes, at, found = given_sizes(size, columns.shape[0], self.space_), 0, list[Values]()
        for post in self._posteriors(columns):
            assert isinstance(post, Cascade)  # `given_sizes` refuses one class variable
            found.append(self.space_.decode(post.pick(sizes[at : at + len(post)])))
            at += len(post)
        return np.concatenate(found)

    def predict_from(self, posterior: Posterior) -> Values:
        """Return what `predict` answers: by ``loss="subset"`` greedily, or by a beam."""
        as_in_paper = self.loss == "subset" and self.sharpness == "paper"
        if not as_in_paper or not isinstance(posterior, Cascade):
            return super().predict_from(posterior)
        allowed = self.space_.allows_empty if self.empty == "auto" else self.empty == "allow"
        post = posterior if allowed else posterior.without_empty()
        return self._shaped(self.space_.decode(picked_by(post, self.beam)))

    def explain(self, X: Any) -> Explanation:
        """Say what each feature contributed to each label of each answer; see `Explanation`."""
        return explain_naibx(ask(self, X), self.learned_, "others" if self.sizes_ else "bayes")

    def _block_rows(self) -> int:
        return max(1, CELLS // count_labels(self.space_))
