"""Named, typed columns: one form for arrays, nested lists, pandas and polars frames, and files."""

from jointbayes.table.column import Column
from jointbayes.table.table import Table

__all__ = ["Column", "Table"]
