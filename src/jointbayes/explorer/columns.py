"""The features of a model for the page: what each is, how a row is read, and some rows.

In a row of the page a number is a number, NaN if it is missing; a category is its place among the
known ones, `MISSING` or `UNSEEN`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.design.design import Design
from jointbayes.encoding.encoder import Encoder
from jointbayes.encoding.variable import Variable, as_numbers, checked_numbers
from jointbayes.errors import DataError
from jointbayes.explorer.packing import pack
from jointbayes.table import Column, Table
from jointbayes.table.column import is_number

__all__ = ["code_features", "code_reader", "number_features", "number_reader", "rows_for_page"]

MISSING, UNSEEN = -1.0, -2.0
ROWS, ROW_CELLS = 200, 1 << 17
"""How many rows, and cells of them, a page holds at most."""

Described = dict[str, Any]


def code_features(encoder: Encoder) -> list[Described]:
    """Return what the page says of the columns of an encoder."""
    return [_feature(variable) for variable in encoder.variables]


def code_reader(encoder: Encoder) -> Described:
    """Return how the page makes codes of a row, as `Encoder.encode` does."""
    if encoder.front is not None:
        raise DataError(
            "explore: numbers go through a transformer of somebody else's (discretizer=…), which a "
            "page cannot run; fit with 'mdl', 'quantile', 'width' or 'median'"
        )
    return {"variables": [_variable(variable) for variable in encoder.variables]}


def number_features(design: Design) -> list[Described]:
    """Return what the page says of the columns of a design."""
    variables = () if design.encoder is None else design.encoder.variables
    nominal = dict(zip(design.nominal, variables, strict=True))
    return [
        _feature(nominal[j]) if j in nominal else {"name": name, "kind": "number"}
        for j, name in enumerate(design.names)
    ]


def number_reader(design: Design) -> Described:
    """Return how the page makes the numbers of a row, as `Design.matrix` does."""
    variables = () if design.encoder is None else design.encoder.variables
    direction = design.direction
    return {
        "numeric": list(design.numeric),
        "means": pack(design.means),
        "flagged": [int(i) for i in design.flagged],
        "nominal": [
            {"column": int(j), "card": v.card, "missing": v.missing_code}
            for j, v in zip(design.nominal, variables, strict=True)
        ],
        "direction": direction
        and {
            "factor": pack(direction.factor),
            "shortest": direction.shortest,
            "longest": direction.longest,
        },
    }


def rows_for_page(X: Any, source: Encoder | Design, names: Iterable[Any]) -> Described:
    """Return the first rows of a Table or CSR matrix as the page has them, with their names."""
    n, p = X.shape
    count = max(1, min(n, ROWS, ROW_CELLS // p))
    if hasattr(X, "tocsr"):
        X = Table.of(X[:count].toarray())
    table = X[np.arange(count)]
    nominal = _nominal(source)
    cells = [_cells(column, nominal.get(j)) for j, column in enumerate(table.columns)]
    shown = [str(name) for _, name in zip(range(count), names, strict=False)]
    return {"count": n, "shown": count, "names": shown, "cells": pack(np.stack(cells, axis=1))}


def _nominal(source: Encoder | Design) -> dict[int, Variable]:
    """Return the columns that are read by a variable of codes; the others are plain numbers."""
    if isinstance(source, Encoder):
        return dict(enumerate(source.variables))
    variables = () if source.encoder is None else source.encoder.variables
    return dict(zip(source.nominal, variables, strict=True))


def _cells(column: Column, variable: Variable | None) -> Floats:
    if variable is None:
        return _plain_numbers(column)
    if variable.categories is None:
        return checked_numbers(column, variable.kind)
    codes = np.empty(len(column), dtype=np.int64)
    variable.write(column, codes)
    known = np.where(codes < variable.n_known, codes.astype(np.float64), UNSEEN)
    return np.where(column.missing, MISSING, known)


def _plain_numbers(column: Column) -> Floats:
    """Return numbers, NaN for what is none: so a design reads a column of bool."""
    numbers = as_numbers(column)
    if numbers is not None:
        return numbers
    known = [v if is_number(v) else np.nan for v in column.decoded().tolist()]
    return np.array(known, dtype=np.float64)


def _variable(variable: Variable) -> Described:
    return {
        "kind": "number" if variable.categories is None else "category",
        "card": variable.card,
        "missing": variable.missing_code,
        "cuts": None if variable.cuts is None else pack(variable.cuts),
    }


def _feature(variable: Variable) -> Described:
    if variable.categories is None:
        kind = "date" if variable.kind == "date" else "number"
        ends = [] if variable.cuts is None else _ends(variable.cuts)
        return {"name": variable.name, "kind": kind} | ({"ends": ends} if ends else {})
    known = variable.categories.tolist()
    return {
        "name": variable.name,
        "kind": "category",
        "values": [variable.label(code) for code in range(len(known))],
        "literals": [repr(value) for value in known],
    }


def _ends(cuts: Floats) -> list[float]:
    finite = cuts[np.isfinite(cuts)]
    return [float(finite[0]), float(finite[-1])] if len(finite) else []
