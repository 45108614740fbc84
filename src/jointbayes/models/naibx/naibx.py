r"""NaiBX: the size of the label set by naive Bayes, then label after label, by naive Bayes too.

Mossina & Rachelson (2017). All steps share six tables of counts (`naibx_tables`), so a model learns
online and two models can be merged. Their greedy Algorithm 2 picks, for the most probable size m,
always the label that maximizes (Eq. 9)

(1)  P(y) P(M = m | y) ∏_i p(x_i | y) ∏_{y' picked} P(y' | y).

The posterior behind it sums over the orders in which labels can be picked (`posterior.cascade`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from jointbayes.arrays import Labels, Weights
from jointbayes.errors import DataError, ParameterError
from jointbayes.estimator.joint import DECIDING, JointClassifier, check_labels
from jointbayes.estimator.ranges import Range, check_parameters, integer, number
from jointbayes.estimator.reading import read_columns, read_weights
from jointbayes.inference.logs import log_normalize
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.models.naibx.columns import CELLS, Columns
from jointbayes.models.naibx.kinds import learn_columns
from jointbayes.models.naibx.labels import (
    count_labels,
    given_sizes,
    grow_labels,
    is_one_class,
    members,
)
from jointbayes.models.naibx.scores import Learned
from jointbayes.models.naibx.sizes import NAMED, SizeModel, learn_more_sizes, learn_sizes
from jointbayes.models.naibx.tables import Tables, count_rows, fading, left_after
from jointbayes.posterior import Cascade, Independent, Posterior

__all__ = ["NaiBX"]


WIDTH = 8
"""Least width of the beam that looks for the best sets of a posterior too large to list."""


class NaiBX(JointClassifier):
    """Naive Bayes for sets of labels, online.

    Parameters
    ----------
    size
        Who says how many labels a row has: "bayes" (naive Bayes, as in the paper), "forest" (random
        trees; right most often, on numbers and on words), "logistic" or "ordinal" (regressions,
        almost as good and cheaper), or any classifier; one without probabilities is believed.
    features
        What columns of numbers are: "auto", "gaussian", "bernoulli" (above 0 or not) or
        "multinomial" (counts of words), or one of these for each column. "auto": columns within
        {0, 1} are Bernoulli, the others Gaussian. Nominal columns are indicators of their values.
    beam
        With ``loss="subset"``: 1 for the greedy Algorithm 2; a wider beam keeps that many sets, for
        several sizes, and answers with the most probable one, the greedy one included.
    smoothing
        Added to every count, as in Eqs. 10 and 11.
    half_life
        Rows after which a row counts half, for streams that change; None: rows count for ever. A
        classifier of sizes forgets nothing.
    categorical_features
        Which columns are nominal: "from_dtype", a mask, indices or names.
    loss
        What `predict` minimizes in expectation: "subset", "hamming", "f1" or "jaccard".
    empty
        Whether the empty label set is a legal answer: "allow" or "forbid".

    Attributes
    ----------
    classes_, label_names_
        The values and the name of every label.
    tables_
        The six tables: all that is known, apart from the classifier of sizes.

    Examples
    --------
    Labels 0 and 1 stand in for each other, label 2 goes with either:

    >>> import numpy as np
    >>> x = np.repeat([0.0, 0.1, 5.0, 5.1], 5)[:, None]
    >>> Y = np.repeat([[1, 0, 1], [0, 1, 1], [0, 0, 1], [0, 0, 1]], 5, axis=0)
    >>> model = NaiBX().fit(x, Y)
    >>> model.predict([[0.0], [5.0]]).tolist()
    [[1, 0, 1], [0, 0, 1]]

    Any split into batches, or two models merged, give the same answers:

    >>> halves = [NaiBX().fit(x[part], Y[part]) for part in (slice(0, None, 2), slice(1, None, 2))]
    >>> merged = halves[0].merge(halves[1]).posterior(x)
    >>> bool(np.allclose(merged.log_prob(Y), model.posterior(x).log_prob(Y), atol=1e-10))
    True

    Given how many labels there are, it says which:

    >>> model.predict([[5.0]], size=1).tolist()
    [[0, 0, 1]]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        **DECIDING,
        "beam": integer(1),
        "smoothing": number(0, ends="()"),
        "half_life": Range("None", lambda v: v is None) | number(0, ends="()"),
        "size": Range(
            "'bayes', 'logistic', 'ordinal', 'forest' or a classifier",
            lambda v: v in ("bayes", *NAMED) if isinstance(v, str) else hasattr(v, "fit"),
        ),
    }

    def __init__(
        self,
        *,
        size: Any = "bayes",
        features: Any = "auto",
        beam: int = 1,
        smoothing: float = 1.0,
        half_life: float | None = None,
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "allow",
    ):
        self.size = size
        self.features = features
        self.beam = beam
        self.smoothing = smoothing
        self.half_life = half_life
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty

    @property
    def tables_(self) -> Tables:
        """The six tables."""
        check_is_fitted(self)
        return self.learned_.tables

    # ---- learning ----

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from labelled rows; what was learned before is forgotten."""
        return self._fit(X, y, sample_weight)

    def _learn(self, X: Any, targets: Labels, space: LabelSpace, weights: Weights) -> None:
        rows = members(targets, space)
        columns = self._columns(X)
        sizes = None
        if not self._own_size and not is_one_class(space):
            sizes = learn_sizes(self.size, X, rows.sum(axis=1), weights, self.categorical_features)
        tables = count_rows(columns, X, rows, fading(weights, len(rows), self.half_life))
        self._know(columns, tables, space, sizes)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a further batch; any split into batches gives the model of one `fit`.

        The kinds of columns are fixed by the first batch. ``classes`` (one array per label; of one
        class variable, its values) declares labels: those not known yet are added. A batch that is
        refused leaves no trace.
        """
        check_parameters(self, self._ranges)
        first = not hasattr(self, "learned_")
        X = read_columns(self, X, reset=first)
        check_labels(self, X, y)
        weights = read_weights(sample_weight, X)
        space = learn_labels(y, classes) if first else grow_labels(self.space_, y, classes)
        targets = space.encode(y)
        if weights is not None and not weights.all():
            kept = weights > 0
            X, targets, weights = X[kept], targets[kept], weights[kept]
        rows = members(targets, space)
        columns = self._columns(X) if first else self.learned_.columns
        tables = count_rows(columns, X, rows, fading(weights, len(rows), self.half_life))
        if not first:
            spent = float(len(rows) if weights is None else weights.sum())
            tables = self._known_tables(space).scaled(left_after(spent, self.half_life)) + tables
        sizes = None
        if not self._own_size and not is_one_class(space):
            sizes = learn_more_sizes(
                None if first else self.sizes_,
                self.size,
                X,
                rows.sum(axis=1),
                weights,
                n_sizes=len(space) + 1,
                categorical_features=self.categorical_features,
            )
        self._know(columns, tables, space, sizes)
        return self

    def merge(self, other: NaiBX) -> Self:
        """Add what another model has learned; its columns and labels have to be the same."""
        check_is_fitted(self)
        check_is_fitted(other)
        mine, theirs = self.learned_.columns, other.learned_.columns
        spaces = [(s.names, [c.tolist() for c in s.classes]) for s in (self.space_, other.space_)]
        if spaces[0] != spaces[1]:
            raise DataError("merge: the models have different labels; declare all through classes=")
        if not mine.like(theirs):
            raise DataError(
                "merge: the models have different columns, kinds of columns or categories; "
                "say in features= what they are, and declare categories"
            )
        if not self._own_size:
            raise ParameterError("merge: a classifier of sizes cannot be merged; use size='bayes'")
        tables = self.learned_.tables + other.learned_.tables.moved(*mine.from_units_of(theirs))
        self._know(mine, tables, self.space_, None)
        return self

    def _know(
        self, columns: Columns, tables: Tables, space: LabelSpace, sizes: SizeModel | None
    ) -> None:
        tables.check_finite([columns.names[j] for j in columns.where("gaussian")])
        n_sizes = 1 if is_one_class(space) else len(tables.n_m)
        self.learned_ = Learned(columns, tables, self.smoothing, n_sizes)
        self.sizes_ = sizes
        self._adopt(space)

    def _columns(self, X: Any) -> Columns:
        return learn_columns(X, self.features, self.categorical_features)

    @property
    def _own_size(self) -> bool:
        return isinstance(self.size, str) and self.size == "bayes"

    def _known_tables(self, space: LabelSpace) -> Tables:
        """Return the tables so far, with room for labels that are new."""
        tables = self.learned_.tables
        if (q := count_labels(space)) == len(tables.n_y):
            return tables
        if not self._own_size:
            raise ParameterError("NaiBX: labels can be added only if size='bayes'")
        where = np.arange(len(tables.n_y))
        if is_one_class(space):
            where = np.searchsorted(space.classes[0], self.space_.classes[0])
        return tables.grown(where, q)

    # ---- answering ----

    def _condition(self, X: Any) -> Posterior:
        base, log_size = self.learned_.score(X)
        if is_one_class(self.space_):
            return Independent([log_normalize(base)], self.space_)
        if self.sizes_ is not None:
            log_size = self.sizes_.log_proba(X, base.shape[1])
        learned, width = self.learned_, max(self.beam, WIDTH)
        return Cascade(log_size, base, learned.by_size, learned.together, self.space_, width)

    def predict(self, X: Any, size: Any = None) -> NDArray[Any]:
        """Return the labels of least expected ``loss``, in the shape of the labels of ``fit``.

        Parameters
        ----------
        X
            (n, p) rows, as in ``fit``.
        size
            How many labels each row has, if that is known: one number or one for each row. The
            labels are then picked greedily.
        """
        check_parameters(self, self._ranges)
        check_is_fitted(self)
        sizes, found = None, list[NDArray[Any]]()
        if size is not None:
            n = read_columns(self, X, reset=False).shape[0]
            sizes = given_sizes(size, n, self.space_)
        for post in self._posteriors(X):
            start = sum(map(len, found))
            found.append(self._answer(post, None if sizes is None else sizes[start:][: len(post)]))
        return self._shaped(np.concatenate(found))

    def _answer(self, post: Posterior, sizes: Labels | None) -> NDArray[Any]:
        if isinstance(post, Cascade) and sizes is not None:
            return self.space_.decode(post.pick(sizes))
        if self.loss != "subset" or not isinstance(post, Cascade):
            return post.decide(self.loss, self.empty)
        post = post.without_empty() if self.empty == "forbid" else post
        greedy = self.beam == 1
        codes = post.pick(post.log_size.argmax(axis=1)) if greedy else post.best_of(self.beam)
        return self.space_.decode(codes)

    def _posteriors(self, X: Any) -> Iterator[Posterior]:
        """Yield the posteriors of so many rows at a time that their scores are not many."""
        check_is_fitted(self)
        rows = read_columns(self, X, reset=False)
        n, step = rows.shape[0], max(1, CELLS // count_labels(self.space_))
        if n <= step:
            yield self.posterior(X)
        else:
            yield from (self._condition(rows[start : start + step]) for start in range(0, n, step))
