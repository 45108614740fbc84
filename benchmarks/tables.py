"""Tables of a page, from texts, and seconds as people read them."""

from __future__ import annotations

from jointbayes.report import Entry, Grid

__all__ = ["seconds", "table"]


def table(head: list[str], rows: list[list[str]]) -> Grid:
    return Grid("", tuple(head), tuple(tuple(map(Entry, row)) for row in rows))


def seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.1f} ms"
