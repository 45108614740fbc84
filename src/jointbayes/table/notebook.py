"""Tables in notebooks: the first rows and columns as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape, unescape
from typing import Any

import numpy as np

from jointbayes.table.column import Column
from jointbayes.table.wording import visible

__all__ = ["FIRST_COLUMNS", "FIRST_ROWS", "cells", "grid_html"]

FIRST_ROWS, FIRST_COLUMNS = 5, 12
WIDTH = 120
"""Characters that all columns may have side by side."""
_LONGEST = 30


def grid_html(
    title: str,
    columns: Sequence[tuple[str, Sequence[Any]]],
    rows: int,
    total: int | None = None,
) -> str:
    """Return a small table of named columns, of which the first few rows and columns are shown.

    Parameters
    ----------
    title
        What stands above it.
    columns
        Names, and what they hold; of many, the first `FIRST_COLUMNS` are enough.
    rows, total
        How many rows and columns there are in all; None for the columns that are given.

    Examples
    --------
    >>> print(grid_html("sky", [("rain", [0.5, None])], 2, total=9))
    <p>sky</p>
    <table>
    <thead><tr><th>rain</th><th>… 8 more</th></tr></thead>
    <tbody>
    <tr><td>0.5</td><td>…</td></tr>
    <tr><td></td><td>…</td></tr>
    </tbody>
    </table>
    """
    held = _narrow([[name, *values[:FIRST_ROWS]] for name, values in columns[:FIRST_COLUMNS]])
    more, long = (len(columns) if total is None else total) - len(held), rows > FIRST_ROWS
    heads, cells = [one[0] for one in held], [one[1:] for one in held]
    if more:
        heads, cells = [*heads, f"… {more:,} more"], [*cells, ["…"] * min(rows, FIRST_ROWS)]
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


def _narrow(columns: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Return as many columns, the first one at least, as fit side by side."""
    held: list[list[str]] = []
    left = WIDTH
    for column in columns:
        texts = [_cell(value) for value in column]
        left -= max(len(unescape(text)) for text in texts)
        if held and left < 0:
            break
        held.append(texts)
    return held


def _cell(value: Any) -> str:
    if value is None or value != value:  # noqa: PLR0124  NaN
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else visible(str(value))
    return escape(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")
