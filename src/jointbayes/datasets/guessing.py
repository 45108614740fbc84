"""Which kind a column of delimited text is: numbers, dates, or categories."""

from __future__ import annotations

import re

from jointbayes._kernels.parsing import NUMBER
from jointbayes.datasets.dates import seconds
from jointbayes.datasets.fields import (
    Fields,
    date_column,
    distinct_values,
    nominal_column,
    number_column,
)
from jointbayes.datasets.local import comma_numbers, local_dates
from jointbayes.datasets.writing import Writing
from jointbayes.errors import DataError
from jointbayes.table import Column

__all__ = ["COMMAS", "guess_column", "regrouped"]

COMMAS = "decimal commas"
_DOTS = "dots between thousands"
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?", re.A)


def guess_column(fields: Fields, j: int, name: str, writing: Writing) -> tuple[Column, str]:
    """Return a column, and in a word or two what was local about it: an order of dates, commas."""
    missing = writing.missing
    if fields.kinds[j] == NUMBER:
        return number_column(fields, j, name, missing), ""
    values = distinct_values(fields, j, missing)
    if writing.dates != "none" and all(v is None or _ISO_DATE.fullmatch(v) for v in values):
        try:
            return date_column(fields, j, name, missing, seconds), "ymd"
        except DataError:  # 2020-02-31 only looks like a date
            return nominal_column(fields, j, name, missing), ""
    dates = local_dates(values, writing.dates)
    if dates is not None and dates.moments is not None:
        return Column(name, "date", dates.moments[fields.values(j)]), dates.order
    if writing.decimal != ".":
        numbers = comma_numbers(values, writing.decimal, fields.dialect.delimiter)
        if numbers is not None:
            return Column(name, "numeric", numbers[fields.values(j)]), COMMAS
    return nominal_column(fields, j, name, missing), "" if dates is None else dates.order


def regrouped(fields: Fields, j: int, column: Column, writing: Writing) -> tuple[Column, str]:
    """Read a column of numbers again where commas are decimal, so that dots separate thousands."""
    values = distinct_values(fields, j, writing.missing)
    numbers = comma_numbers(values, ",")
    if numbers is not None:
        grouped = any(value is not None and "." in value for value in values)
        return Column(column.name, "numeric", numbers[fields.values(j)]), _DOTS if grouped else ""
    if writing.decimal == "," and any(value is not None for value in values):
        return nominal_column(fields, j, column.name, writing.missing), ""
    return column, ""
