"""Learn an encoder: which columns are nominal, their categories, and the cuts of all others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from jointbayes.arrays import Floats, Mask, Values
from jointbayes.discretize import MDL, Median, Quantile, Width
from jointbayes.discretize.histogram import as_weights, cut_columns
from jointbayes.discretize.transformers import Discretizer
from jointbayes.encoding.encoder import Encoder, read
from jointbayes.encoding.foreign import learn_front
from jointbayes.encoding.variable import Variable, as_numbers
from jointbayes.errors import DataError, ParameterError
from jointbayes.table import Column, Table

__all__ = ["learn_encoder", "nominal_positions"]

DISCRETIZERS = {"mdl": MDL, "quantile": Quantile, "width": Width, "median": Median}


def learn_encoder(
    X: Any,
    target: Values | None = None,
    *,
    n_classes: int | None = None,
    categorical_features: Any = "from_dtype",
    discretizer: Any = "mdl",
    missing: str = "value",
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> Encoder:
    """Learn what the codes of each column mean.

    Parameters
    ----------
    X
        A Table (or what becomes one) or a sparse matrix, whose columns are numeric.
    target
        (n,) class codes, for the ways of cutting that look at the class.
    n_classes
        How many classes there are; by default up to the largest code.
    categorical_features
        ``"from_dtype"``, or the nominal columns as a mask, positions or names; text is nominal
        in any case.
    discretizer
        ``"mdl"``, ``"quantile"``, ``"width"``, ``"median"``, a transformer of ``jb.discretize``,
        or any transformer from numbers to codes; a fitted one is taken as it is.
    missing
        ``"value"``: a value of its own where it occurs here; ``"ignore"``: not observed.
    sample_weight
        (n,) weight 2 is the row twice, 0 the row left out.
    n_jobs
        Threads; None for all cores.

    Examples
    --------
    >>> encoder = learn_encoder([[1, 7], [2, 8], [3, 7], [10, 8]] * 9, [0, 0, 0, 1] * 9)
    >>> [variable.label(0) for variable in encoder.variables], encoder.cards
    (['≤ 6.5', '≤ 7.5'], (2, 2))
    """
    if missing not in ("value", "ignore"):
        raise ParameterError(f"missing is {missing!r}; it has to be 'value' or 'ignore'")
    cutter = _cutter(discretizer)
    if hasattr(X, "toarray") and not isinstance(cutter, Discretizer):
        X = X.toarray()
    X = read(X)
    rows = _Rows.of(X.shape[0], target, n_classes, sample_weight, n_jobs)
    if rows.kept is not None:
        X = X[rows.kept]
    learn = _from_table if isinstance(X, Table) else _from_sparse
    encoder = learn(X, categorical_features, cutter, rows)
    if missing == "value":
        return encoder
    variables = tuple(replace(v, with_missing=False) for v in encoder.variables)
    return replace(encoder, variables=variables)


@dataclass(frozen=True, eq=False)
class _Rows:
    """What goes with the rows that count: class, weight, and which rows they are."""

    target: Values | None
    n_classes: int
    weights: Floats | None
    kept: Mask | None
    n_jobs: int | None

    @classmethod
    def of(
        cls, n: int, target: Any, n_classes: int | None, sample_weight: Any, n_jobs: int | None
    ) -> _Rows:
        weights = as_weights(sample_weight, n)
        y = None if target is None else np.asarray(target)
        if y is not None and y.shape != (n,):
            raise DataError(f"X has {n} rows and the target {y.shape}; one class for each row")
        classes = n_classes or (1 if y is None else int(y.max()) + 1)
        if y is not None and not 0 <= y.min() <= y.max() < classes:
            raise DataError(f"the target has codes {y.min()} to {y.max()}, not 0 to {classes - 1}")
        if weights is None or weights.all():
            return cls(y, classes, weights, None, n_jobs)
        kept = weights > 0
        return cls(None if y is None else y[kept], classes, weights[kept], kept, n_jobs)

    def distinct(self, columns: Any) -> list[Floats]:
        """Return the distinct numbers of columns: a list, or a sparse matrix."""
        return cut_columns(lambda h: h.values, columns, None, 1, self.weights, self.n_jobs)

    def cuts(self, cutter: Discretizer, columns: Any) -> list[Floats]:
        """Return the cuts of columns by a way of cutting."""
        if not cutter.by_class:
            return cut_columns(cutter.cut, columns, None, 1, self.weights, self.n_jobs)
        if self.target is None:
            raise ParameterError(
                "discretizer 'mdl' looks at the class and there is no single class variable; "
                "choose 'quantile', 'width' or 'median'"
            )
        return cut_columns(
            cutter.cut, columns, self.target, self.n_classes, self.weights, self.n_jobs
        )


def _from_table(table: Table, categorical_features: Any, cutter: Any, rows: _Rows) -> Encoder:
    asked = nominal_positions(categorical_features, table.names)
    table = Table(tuple(_typed(column, asked, j) for j, column in enumerate(table.columns)))
    numeric = [j for j, column in enumerate(table.columns) if not column.is_coded]
    nominal = [j for j in numeric if j in (asked or ())]
    cut = [j for j in numeric if j not in (asked or ())]
    front = None
    if not isinstance(cutter, Discretizer):
        front = learn_front(cutter, table, cut, rows.target, rows.weights)
        table, nominal, cut = front.apply(table), numeric, []
    columns = table.columns
    found = _found(cutter, rows, nominal, cut, lambda where: [columns[j].values for j in where])
    return Encoder(
        tuple(
            _coded_variable(column)
            if column.is_coded
            else _number_variable(
                column.name, column.kind, found[j], int(column.missing.sum()), len(column)
            )
            for j, column in enumerate(columns)
        ),
        front,
    )


def _from_sparse(X: Any, categorical_features: Any, cutter: Discretizer, rows: _Rows) -> Encoder:
    n, p = X.shape
    names = tuple(f"x{j}" for j in range(p))
    asked = nominal_positions(categorical_features, names)
    if asked is None:  # bool is nominal, dense or sparse
        asked = frozenset(range(p) if X.dtype.kind == "b" else ())
    nominal, cut = sorted(asked), [j for j in range(p) if j not in asked]
    found = _found(cutter, rows, nominal, cut, lambda where: X if len(where) == p else X[:, where])
    column_of = np.repeat(np.arange(p), np.diff(X.indptr))
    n_missing = np.bincount(column_of[np.isnan(X.data)], minlength=p).tolist()
    return Encoder(
        tuple(
            _number_variable(name, "numeric", found[j], n_missing[j], n)
            for j, name in enumerate(names)
        )
    )


# What was found of a column of numbers: its categories, or its cuts.
_Found = tuple[Literal["categories", "cuts"], Floats]


def _found(
    cutter: Any,
    rows: _Rows,
    nominal: list[int],
    cut: list[int],
    take: Callable[[list[int]], Any],
) -> dict[int, _Found]:
    found: dict[int, _Found] = {}
    if nominal:
        values = rows.distinct(take(nominal))
        found |= {j: ("categories", v) for j, v in zip(nominal, values, strict=True)}
    if cut:
        cuts = _cuts(cutter, rows, take(cut), cut)
        found |= {j: ("cuts", c) for j, c in zip(cut, cuts, strict=True)}
    return found


def _cuts(cutter: Any, rows: _Rows, columns: Any, where: list[int]) -> list[Floats]:
    fitted = getattr(cutter, "cuts_", None)
    if fitted is None:
        return rows.cuts(cutter, columns)
    if len(fitted) != len(where):
        raise ParameterError(
            f"discretizer was fitted on {len(fitted)} columns; X has {len(where)} numeric ones"
        )
    return list(fitted)


def _number_variable(name: str, kind: str, found: _Found, n_missing: int, n: int) -> Variable:
    what, values = found
    if what == "categories":
        return Variable(name, "nominal", categories=values, with_missing=n_missing > 0)
    cuts = None if n_missing == n else values
    return Variable(name, kind, cuts=cuts, with_missing=n_missing > 0)


def _coded_variable(column: Column) -> Variable:
    assert column.categories is not None
    if column.declared and column.values.max() >= 0:  # all of them count: no need to look which
        with_missing = bool(column.values.min() < 0)
        return Variable(column.name, "nominal", column.categories, with_missing=with_missing)
    seen = np.bincount(column.values.astype(np.int64) + 1, minlength=len(column.categories) + 1) > 0
    categories = column.categories if seen[1:].all() else column.categories[seen[1:]]
    return Variable(column.name, "nominal", categories, with_missing=bool(seen[0]))


def _typed(column: Column, asked: frozenset[int] | None, j: int) -> Column:
    """Read categories that are numbers as numbers where the user named other columns."""
    if asked is None or j in asked or not column.is_coded:
        return column
    numbers = as_numbers(column)
    return column if numbers is None else Column(column.name, "numeric", numbers)


def _cutter(discretizer: Any) -> Any:
    if isinstance(discretizer, str) and discretizer in DISCRETIZERS:
        return DISCRETIZERS[discretizer]()
    if not isinstance(discretizer, (str, type)) and hasattr(discretizer, "transform"):
        return discretizer
    raise ParameterError(
        f"discretizer is {discretizer!r}; it has to be one of {', '.join(map(repr, DISCRETIZERS))} "
        "or a transformer from numbers to codes"
    )


def nominal_positions(categorical_features: Any, names: tuple[str, ...]) -> frozenset[int] | None:
    """Return the positions of the columns named nominal; None: go by dtype."""
    if isinstance(categorical_features, str):
        if categorical_features == "from_dtype":
            return None
        raise ParameterError(
            f"categorical_features is {categorical_features!r}; it has to be 'from_dtype', a mask, "
            "positions or a list of names"
        )
    chosen = np.asarray([] if categorical_features is None else categorical_features)
    if chosen.dtype.kind == "b" and chosen.shape == (len(names),):
        return frozenset(np.flatnonzero(chosen).tolist())
    index = {name: j for j, name in enumerate(names)} | {j: j for j in range(len(names))}
    unknown = [c for c in chosen.ravel().tolist() if c not in index or isinstance(c, bool)]
    if unknown or chosen.dtype.kind == "b":
        raise ParameterError(
            f"categorical_features has {unknown[0] if unknown else chosen.shape!r}; X has the "
            f"{len(names)} columns {names[0]!r} to {names[-1]!r}"
        )
    return frozenset(index[c] for c in chosen.ravel().tolist())
