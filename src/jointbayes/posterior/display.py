"""How a posterior shows itself: one line of text, or a small table in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.labels import LabelSpace

__all__ = ["SHOWN", "describe", "html_table"]

SHOWN = 5
"""Rows that a notebook shows."""

NAMED = 12
"""Labels of a row that a notebook names."""


def describe(kind: str, rows: int, space: LabelSpace, exactness: Mapping[str, str]) -> str:
    """Return one line: the kind, the rows, the labels, and what is not exact.

    >>> space = LabelSpace(("y0", "y1"), (np.array([0, 1]),) * 2)
    >>> describe("Chain", 1, space, {"map": "exact", "top_k": "bounded"})
    'Chain: 1 row, 2 labels, exact but for top_k (bounded)'
    """
    odd = [f"{query} ({word})" for query, word in exactness.items() if word != "exact"]
    what = "exact" + (f" but for {', '.join(odd)}" if odd else "")
    return f"{kind}: {_count(rows, 'row')}, {_count(len(space), 'label')}, {what}"


def html_table(
    title: str, space: LabelSpace, codes: Labels, log_p: Floats, index: Any, rows: int
) -> str:
    """Return the best vectors (n, 1, d) of the first rows as a table of HTML, all text escaped."""
    names = range(len(codes)) if index is None else index
    lines = [
        f"<tr><th>{escape(str(name))}</th><td>{escape(_named(space, best))}</td>"
        f"<td>{p:.3f}</td></tr>"
        for name, best, p in zip(names, codes[:, 0], np.exp(log_p[:, 0]), strict=True)
    ]
    if rows > len(codes):
        lines.append(f"<tr><td colspan=3>… {_count(rows - len(codes), 'more row')}</td></tr>")
    head = "<tr><th></th><th>most probable labels</th><th>probability</th></tr>"
    return (
        f"<table><caption>{escape(title)}</caption><thead>{head}</thead>"
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _named(space: LabelSpace, codes: Labels) -> str:
    """Return the names of a set of labels, or the values of all of them."""
    if space.binary and not space.single:
        named = [space.names[j] for j in np.flatnonzero(codes)]
    else:
        values = (classes[c] for classes, c in zip(space.classes, codes, strict=True))
        named = [f"{name}={value}" for name, value in zip(space.names, values, strict=True)]
    more = f", … ({len(named)})" if len(named) > NAMED else ""
    return (", ".join(named[:NAMED]) or "∅") + more


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}" + ("" if n == 1 else "s")
