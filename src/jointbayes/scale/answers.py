"""What a model says about the rows of a part, as columns beside them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from jointbayes.arrays import Values
from jointbayes.errors import DataError, ParameterError, require
from jointbayes.labels import LabelSpace
from jointbayes.posterior.frame import marginal_columns
from jointbayes.scale.batch import Part, column_names, faults_of, read_rows, select
from jointbayes.table import Table
from jointbayes.table.wording import listed, shown

__all__ = ["WHAT", "Asking", "answer_part", "empty_answer"]

WHAT = ("labels", "marginals", "top_k")
AnswerColumns = dict[str, Values]


@dataclass(frozen=True, eq=False)
class Asking:
    """What is asked of a model: labels, marginals or the k best vectors, and what is carried."""

    model: Any
    what: str = "labels"
    k: int = 3
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.what not in WHAT:
            raise ParameterError(f"what is {self.what!r}; it has to be one of {', '.join(WHAT)}")
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise ParameterError(f"k is {self.k!r}; it has to be a whole number of at least 1")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that the model knows."""
        known = getattr(self.model, "feature_names_in_", None)
        if known is None:
            return tuple(f"x{j}" for j in range(self.model.n_features_in_))
        return tuple(map(str, known))

    @property
    def best(self) -> int:
        """How many vectors there are to rank, at most k."""
        cards: tuple[int, ...] = self.model.space_.cards
        return min(self.k, prod(cards))


def answer_part(part: Part, asking: Asking) -> Any:
    """Return the answers to a part as a frame of its own library, with what is carried.

    >>> import pandas
    >>> from jointbayes import NaiveBayes
    >>> frame = pandas.DataFrame({"sky": ["red", "grey"] * 5})
    >>> model = NaiveBayes().fit(frame, pandas.Series(["dry", "wet"] * 5, name="rain"))
    >>> answer_part(Part(frame[:2], "batch 0"), Asking(model, keep=("sky",)))
        sky rain
    0   red  dry
    1  grey  wet
    """
    table = read_rows(part, asking.names)
    with faults_of(part.where):
        columns = _ask(asking, table)
        return _beside(part.frame, columns, asking)


def empty_answer(asking: Asking, frame: Any) -> Any:
    """Return the answer to no rows: the columns and their types; ``frame`` has no rows."""
    space = asking.model.space_
    none = [np.empty(0, dtype=np.intp)] * len(space)
    if asking.what == "labels":
        columns = _named(space, none)
    elif asking.what == "marginals":
        columns = dict(marginal_columns(space, [np.empty((0, k)) for k in space.cards]))
    else:
        ranked = [_named(space, none, f"_{r + 1}") for r in range(asking.best)]
        columns = {}
        for r, part in enumerate(ranked):
            columns |= {**part, f"probability_{r + 1}": np.empty(0)}
    return _beside(frame, columns, asking)


def _ask(asking: Asking, table: Table) -> AnswerColumns:
    model, space = asking.model, asking.model.space_
    if asking.what == "labels":
        return _named(space, space.encode(model.predict(table)).T)
    posterior = model.posterior(table)
    if asking.what == "marginals":
        return dict(marginal_columns(space, posterior.marginals()))
    vectors, log_p = posterior.top_k(asking.best)
    columns: AnswerColumns = {}
    for r in range(asking.best):
        columns |= _named(space, space.encode(vectors[:, r]).T, f"_{r + 1}")
        columns[f"probability_{r + 1}"] = np.exp(log_p[:, r])
    return columns


def _named(space: LabelSpace, codes: Any, suffix: str = "") -> AnswerColumns:
    """Return a column of values for each label, in the label's own type."""
    found = zip(space.names, space.classes, codes, strict=True)
    return {f"{name}{suffix}": classes[own] for name, classes, own in found}


def _beside(frame: Any, columns: AnswerColumns, asking: Asking) -> Any:
    """Return columns, and before them those that are carried, as a frame of the same library."""
    absent = [name for name in asking.keep if name not in set(map(str, column_names(frame)))]
    twice = [name for name in asking.keep if name in columns]
    if absent or twice:
        raise DataError(
            f"keep names {shown(absent[0])}; the columns are {listed(column_names(frame))}"
            if absent
            else f"keep names {shown(twice[0])}, which is also a column of the answer; rename it"
        )
    kept = select(frame, asking.keep)
    library = type(frame).__module__.partition(".")[0]
    if library == "pandas":
        pandas = sys.modules["pandas"]
        answer = pandas.DataFrame(columns, index=frame.index)
        return pandas.concat([kept, answer], axis=1) if asking.keep else answer
    if library == "polars":
        polars = sys.modules["polars"]
        answer = polars.DataFrame({name: values.tolist() for name, values in columns.items()})
        answer = answer.cast(_polars_types(columns, asking, polars))
        return kept.hstack(answer) if asking.keep else answer
    arrow = require("pyarrow", extra="scale", purpose="answers as Arrow")
    arrays = {name: kept.column(name) for name in asking.keep}
    types = {name: _arrow_type(name, asking, arrow) for name in columns}
    arrays |= {n: arrow.array(v.tolist(), type=types[n]) for n, v in columns.items()}
    return arrow.table(arrays)


def _classes_of(name: str, asking: Asking) -> Values | None:
    """Return the classes of the label that a column of the answer holds; None for numbers."""
    space: LabelSpace = asking.model.space_
    known = dict(zip(space.names, space.classes, strict=True))
    if asking.what == "marginals" or (asking.what == "top_k" and name.startswith("probability_")):
        return None
    return known[name if asking.what == "labels" else name.rpartition("_")[0]]


def _arrow_type(name: str, asking: Asking, arrow: Any) -> Any:
    classes = _classes_of(name, asking)
    return arrow.float64() if classes is None else arrow.array(classes.tolist()).type


def _polars_types(columns: AnswerColumns, asking: Asking, polars: Any) -> dict[str, Any]:
    classes = {name: _classes_of(name, asking) for name in columns}
    return {
        name: polars.Float64 if values is None else polars.Series(values.tolist()).dtype
        for name, values in classes.items()
    }
