"""A section of the field's page: JointForest on many labels and on many rows."""

from __future__ import annotations

import json

from jointbayes.report import Paragraph, Section
from large_forest import STORE
from tables import table

__all__ = ["large_section"]

TOLD = """\
`JointForest` with its defaults on one thread, from `benchmarks/large_forest.py`: 60 % of the rows
are learned, which should take no more than 60 processor seconds, and the others answered."""

SHOWN = ("rows", "columns", "labels", "vectors", "exact match", "fit", "predict")


def large_section() -> Section:
    """Return what was measured, one row for each set."""
    cells = json.loads(STORE.read_text(encoding="utf-8"))["cells"] if STORE.exists() else {}
    rows = [
        [key.split(" | ")[0], *(str(found.get(shown, "")) for shown in SHOWN)]
        for key, found in cells.items()
    ]
    heads = ["set", *SHOWN[:-2], "fit, CPU s", "predict, CPU s"]
    return Section("Many labels, many rows", (Paragraph(TOLD), table(heads, rows)))
