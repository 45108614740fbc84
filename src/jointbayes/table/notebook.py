"""Tables in notebooks: the first rows and columns as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from jointbayes.table.column import Column
from jointbayes.table.wording import visible

__all__ = ["FIRST_COLUMNS", "FIRST_ROWS", "cells", "grid_html"]

FIRST_ROWS, FIRST_COLUMNS = 5, 12
_LONGEST = 60


def grid_html(title: str, columns: Sequence[tuple[str, Sequence[Any]]], rows: int) -> str:
    """Return a small table of named columns, of which the first few rows and columns are shown.

    >>> print(grid_html("sky", [("rain", [0.5, None])], 2))
    <p>sky</p>
    <table>
    <thead><tr><th>rain</th></tr></thead>
    <tbody>
    <tr><td>0.5</td></tr>
    <tr><td></td></tr>
    </tbody>
    </table>
    """
    held = columns[:FIRST_COLUMNS]
    wide, long = len(columns) > len(held), rows > FIRST_ROWS
    cells = [[_cell(value) for value in values[:FIRST_ROWS]] for _, values in held]
    cells += [["…"] * min(rows, FIRST_ROWS)] if wide else []
    heads = [_cell(name) for name, _ in held] + (["…"] if wide else [])
    lines = [f"<p>{escape(visible(title))}</p>", "<table>"]
    lines.append("<thead><tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr></thead>")
    lines.append("<tbody>")
    body = [*zip(*cells, strict=True), *([["…"] * len(heads)] if long else [])]
    lines += ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body]
    return "\n".join([*lines, "</tbody>", "</table>"])


def cells(column: Column) -> list[Any]:
    """Return what a column holds, dates as such.

    >>> cells(Column("day", "date", np.array([86400.0, np.nan])))
    ['1970-01-02', None]
    """
    if column.kind != "date":
        return list(column.decoded().tolist())
    return [None if np.isnan(s) else _moment(float(s)) for s in column.values]


def _moment(seconds: float) -> str:
    text = str(np.datetime64(round(seconds), "s"))
    return text.removesuffix("T00:00:00")


def _cell(value: Any) -> str:
    if value is None or value != value:  # noqa: PLR0124  NaN
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else visible(str(value))
    return escape(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")
