r"""NaiBX: the size of the label set by naive Bayes, then its labels one by one, also by naive Bayes.

Mossina & Rachelson (2017). All steps share six tables of counts (`naibx_tables`), so a model learns
online and two models can be merged. Their greedy Algorithm 2 picks, for the most probable size m,
always the label that maximizes (Eq. 9)

(1)  P(y) P(M = m | y) ∏_i p(x_i | y) ∏_{y' picked} P(y' | y).

The posterior behind it sums over the orders in which labels can be picked (`posterior.cascade`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from jointbayes.errors import DataError, ParameterError
from jointbayes.inference.logs import log_normalize
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.models.joint import DECIDING, JointClassifier, check_labels
from jointbayes.models.naibx_columns import Columns, learn_columns
from jointbayes.models.naibx_moments import Moments
from jointbayes.models.naibx_scores import Learned
from jointbayes.models.naibx_sizes import SizeModel, begin_sizes, learn_sizes
from jointbayes.models.naibx_tables import Tables, tabulate
from jointbayes.models.ranges import Range, check_parameters, integer, number
from jointbayes.models.reading import read_columns, read_weights
from jointbayes.posterior import Cascade, Independent, Posterior

__all__ = ["NaiBX"]

Labels = NDArray[np.intp]
Floats = NDArray[np.float64]
Weights = Floats | None

WIDTH = 8
"""Least width of the beam that looks for the best sets of a posterior too large to list."""


class NaiBX(JointClassifier):
    """Naive Bayes for sets of labels, online.

    Parameters
    ----------
    size
        Who says how many labels a row has: "bayes" (naive Bayes, as in the paper), "logistic", or
        any classifier; one without probabilities is believed.
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
        Rows after which a row counts half, for streams that change; None: rows count for ever.
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

    >>> model.predict([[0.0]], size=1).tolist()
    [[0, 0, 1]]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        **DECIDING,
        "beam": integer(1),
        "smoothing": number(0, ends="()"),
        "half_life": Range("None", lambda v: v is None) | number(0, ends="()"),
        "size": Range(
            "'bayes', 'logistic' or a classifier",
            lambda v: v in ("bayes", "logistic") if isinstance(v, str) else hasattr(v, "fit"),
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

    def fit(self, X: Any, Y: Any, sample_weight: Any = None) -> Self:
        """Learn from labelled rows; what was learned before is forgotten."""
        return self._fit(X, Y, sample_weight)

    def _learn(self, X: Any, targets: Labels, space: LabelSpace, weights: Weights) -> None:
        members = _members(targets, space)
        columns = learn_columns(X, self.features, self.categorical_features)
        sizes = None
        if not self._own_size and not space.single:
            sizes = learn_sizes(
                self.size, X, members.sum(axis=1), weights, self.categorical_features
            )
        tables = _count(columns, X, members, self._aged(weights, len(members)))
        self._know(columns, tables, space, sizes)

    def partial_fit(self, X: Any, Y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a further batch; any split into batches gives the model of one `fit`.

        The kinds of columns are fixed by the first batch. ``classes`` (one array per label; of one
        class variable, its values) declares labels: those not known yet are added. A batch that is
        refused leaves no trace.
        """
        check_parameters(self, self._ranges)
        first = not hasattr(self, "learned_")
        X = read_columns(self, X, reset=first)
        check_labels(self, X, Y)
        weights = read_weights(sample_weight, X)
        space = learn_labels(Y, classes) if first else self._grown_space(Y, classes)
        members = _members(space.encode(Y), space)
        columns = (
            learn_columns(X, self.features, self.categorical_features)
            if first
            else self.learned_.columns
        )
        tables = _count(columns, X, members, self._aged(weights, len(members)))
        if not first:
            spent = float(len(members) if weights is None else weights.sum())
            tables = self._known_tables(space).scaled(self._decay(spent)) + tables
        sizes = self._more_sizes(X, members.sum(axis=1), weights, space, first=first)
        self._know(columns, tables, space, sizes)
        return self

    def merge(self, other: NaiBX) -> Self:
        """Add what another model has learned; its columns and labels have to be the same."""
        check_is_fitted(self)
        check_is_fitted(other)
        mine, theirs = self.learned_.columns, other.learned_.columns
        if self.space_.names != other.space_.names or any(
            a.tolist() != b.tolist()
            for a, b in zip(self.space_.classes, other.space_.classes, strict=True)
        ):
            raise DataError("merge: the models have different labels; declare all through classes=")
        if (mine.names, mine.kinds) != (theirs.names, theirs.kinds) or not _same_values(
            mine, theirs
        ):
            raise DataError(
                "merge: the models have different columns, kinds of columns or categories; "
                "say in features= what they are, and declare categories"
            )
        if not self._own_size:
            raise ParameterError("merge: a classifier of sizes cannot be merged; use size='bayes'")
        tables = self.learned_.tables + _in_units_of(mine, theirs, other.learned_.tables)
        self._know(mine, tables, self.space_, None)
        return self

    def _know(
        self, columns: Columns, tables: Tables, space: LabelSpace, sizes: SizeModel | None
    ) -> None:
        _check_finite(columns, tables)
        n_sizes = 1 if space.single else len(tables.n_m)
        self.learned_ = Learned(columns, tables, self.smoothing, n_sizes)
        self.sizes_ = sizes
        self._adopt(space)

    @property
    def _own_size(self) -> bool:
        return isinstance(self.size, str) and self.size == "bayes"

    def _decay(self, rows: float) -> float:
        return 1.0 if self.half_life is None else float(0.5 ** (rows / self.half_life))

    def _aged(self, weights: Weights, n: int) -> Weights:
        """Return weights that fade with the weight of the rows that came later."""
        if self.half_life is None:
            return weights
        w = np.ones(n) if weights is None else weights
        later = w.sum() - np.cumsum(w)
        return np.asarray(w * 0.5 ** (later / self.half_life))

    def _grown_space(self, Y: Any, classes: Any) -> LabelSpace:
        known = self.space_
        if classes is None:
            _check_names(learn_labels(Y).names, known)
            return known
        space = learn_labels(Y, classes)
        _check_names(space.names[: len(known)], known)
        if space.single:
            new = space.classes[0].tolist()
            lost = [c for c in known.classes[0].tolist() if c not in new]
        else:
            pairs = zip(known.names, known.classes, space.classes, strict=False)
            lost = [name for name, a, b in pairs if a.tolist() != b.tolist()]
            lost += list(known.names[len(space) :])
        if lost:
            raise DataError(
                f"classes leaves out or changes {lost[0]!r}, which the model has learned; "
                "name all labels, new ones last"
            )
        if len(known.names) < len(space.names):
            space = LabelSpace((*known.names, *space.names[len(known) :]), space.classes)
        return space

    def _known_tables(self, space: LabelSpace) -> Tables:
        """Return the tables so far, with room for labels that are new."""
        tables = self.learned_.tables
        q = _n_items(space)
        if q == len(tables.n_y):
            return tables
        if not self._own_size:
            raise ParameterError("NaiBX: labels can be added only if size='bayes'")
        where = np.arange(len(tables.n_y))
        if space.single:
            where = np.searchsorted(space.classes[0], self.space_.classes[0])
        return tables.grown(where, q)

    def _more_sizes(
        self, X: Any, sizes: Labels, weights: Weights, space: LabelSpace, *, first: bool
    ) -> SizeModel | None:
        if self._own_size or space.single:
            return None
        if first:
            q = _n_items(space)
            return begin_sizes(self.size, X, sizes, weights, self.categorical_features, q)
        if not hasattr(self.sizes_.classifier, "partial_fit"):
            raise ParameterError(
                f"NaiBX: size={self.size!r} cannot learn further batches; give size='bayes' or a "
                "classifier with partial_fit, and begin with partial_fit"
            )
        return self.sizes_.learn_more(X, sizes, weights)

    # ---- answering ----

    def _condition(self, X: Any) -> Posterior:
        base, log_size = self.learned_.score(X)
        if self.space_.single:
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
        post = self.posterior(X)
        if size is not None and isinstance(post, Cascade):
            return self.space_.decode(post.pick(_given_sizes(size, len(post), len(self.space_))))
        if self.loss != "subset" or not isinstance(post, Cascade):
            return self._shaped(post.decide(self.loss, self.empty))
        if self.beam > 1:
            return self.space_.decode(_best_of_beam(post, self.beam, self.empty))
        least = 1 if self.empty == "forbid" and np.isfinite(post.log_size[:, 1:]).any() else 0
        return self.space_.decode(post.pick(least + post.log_size[:, least:].argmax(axis=1)))


def _best_of_beam(post: Cascade, beam: int, empty: str) -> Labels:
    codes = post.sets(beam)
    log_p = post._log_prob(codes)
    if empty == "forbid":
        log_p = np.where(codes.any(axis=2), log_p, -np.inf)
    return codes[np.arange(len(codes)), log_p.argmax(axis=1)]


def _count(columns: Columns, X: Any, members: NDArray[np.bool_], weights: Weights) -> Tables:
    start, tables = 0, None
    for rows in columns.blocks(X):
        part = slice(start, start + rows.indicators.shape[0])
        new = tabulate(rows, members[part], None if weights is None else weights[part])
        tables, start = new if tables is None else tables + new, part.stop
    assert tables is not None  # a table without rows was refused
    return tables


def _n_items(space: LabelSpace) -> int:
    return space.cards[0] if space.single else len(space)


def _members(targets: Labels, space: LabelSpace) -> NDArray[np.bool_]:
    """Return which labels each row has; of one class variable, every value is a label."""
    if space.single:
        return targets == np.arange(space.cards[0])
    for name, card in zip(space.names, space.cards, strict=True):
        if card != 2:
            raise DataError(
                f"label {name!r} has {card} values; NaiBX picks sets of labels, so each column "
                "has to hold two: give one column for each value"
            )
    return targets == 1


def _given_sizes(size: Any, n: int, d: int) -> Labels:
    sizes = np.asarray(size)
    if sizes.dtype.kind not in "biu" and not (sizes == np.round(sizes.astype(float))).all():
        raise DataError("size holds numbers that are not whole; give how many labels each row has")
    if sizes.ndim > 1 or (sizes.ndim == 1 and len(sizes) != n):
        raise DataError(f"size has shape {sizes.shape}; give one number, or one for each of {n} rows")
    wrong = (sizes < 0) | (sizes > d)
    if wrong.any():
        odd = np.atleast_1d(sizes)[np.atleast_1d(wrong)][0]
        raise DataError(f"size holds {odd}; a set of {d} labels has from 0 to {d} of them")
    return np.broadcast_to(sizes, (n,)).astype(np.intp)


def _check_names(names: tuple[str, ...], known: LabelSpace) -> None:
    if names == known.names or names == tuple(f"y{j}" for j in range(len(names))):
        return
    odd = next((a for a, b in zip(names, known.names, strict=False) if a != b), names[-1])
    raise DataError(
        f"label {odd!r} is not where it was in the first batch; give the labels "
        f"{', '.join(known.names[:8])} in this order, new ones last and named in classes="
    )


def _check_finite(columns: Columns, tables: Tables) -> None:
    moments = tables.by_size[0]
    assert isinstance(moments, Moments)
    wrong = ~np.isfinite(moments.m2).all(axis=0)
    if wrong.any():
        name = columns.names[columns.where("gaussian")[int(wrong.argmax())]]
        raise DataError(
            f"column {name!r} has numbers too far from those of the first batch to be squared; "
            "give it in another unit, or give the first batch such rows too"
        )


def _same_values(mine: Columns, theirs: Columns) -> bool:
    if mine.encoder is None or theirs.encoder is None:
        return mine.encoder is theirs.encoder
    pairs = zip(mine.encoder.variables, theirs.encoder.variables, strict=True)
    return all(
        [a.label(k) for k in range(a.card)] == [b.label(k) for k in range(b.card)] for a, b in pairs
    )


def _in_units_of(mine: Columns, theirs: Columns, tables: Tables) -> Tables:
    """Return tables with Gaussian columns moved and scaled as ``mine`` are."""
    factor = mine.scale / theirs.scale
    shift = factor * theirs.origin - mine.origin

    def moved(parts: Any) -> Any:
        return (parts[0].moved(factor, shift), *parts[1:])

    return Tables(
        tables.n_y,
        tables.n_m,
        tables.n_yy,
        tables.n_ym,
        moved(tables.by_label),
        moved(tables.by_size),
    )
