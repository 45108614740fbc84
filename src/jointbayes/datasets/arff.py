"""ARFF: the header, then dense or sparse rows."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import numpy as np

from jointbayes._kernels.parsing import NUMBER, TEXT
from jointbayes.datasets.dates import seconds
from jointbayes.datasets.fields import (
    ARFF,
    Fields,
    date_column,
    nominal_column,
    number_column,
    read_fields,
)
from jointbayes.datasets.files import FileText
from jointbayes.datasets.header import Header, read_header
from jointbayes.datasets.sparse import SparseTable
from jointbayes.datasets.sparse_arff import MISSING, read_sparse_rows
from jointbayes.errors import DataError
from jointbayes.table import Column, Table

__all__ = ["read_arff"]

_FIRST_ROW = re.compile(rb"(?:\s|%[^\n]*(?:\n|\Z))*")


def read_arff(text: FileText) -> tuple[Header, Table | SparseTable]:
    r"""Return the header and the rows.

    >>> head = b"@relation r\n@attribute a {no,yes}\n@attribute b numeric\n@data\n"
    >>> _, dense = read_arff(FileText("dense.arff", head + b"yes,0\nno,2.5\n"))
    >>> _, sparse = read_arff(FileText("sparse.arff", head + b"{0 yes}\n{1 2.5}\n"))
    >>> [sparse.column(j).decoded().tolist() for j in (0, 1)]
    [['yes', 'no'], [0.0, 2.5]]
    >>> [dense.column(name).decoded().tolist() for name in "ab"]
    [['yes', 'no'], [0.0, 2.5]]
    """
    header = read_header(text)
    found = _FIRST_ROW.match(text.data, header.rows_start)
    start = found.end() if found else header.rows_start
    if start >= len(text.data):
        raise DataError(f"{text.source} has no rows after @data; it is empty or truncated")
    if text.data[start : start + 1] == b"{":
        return header, read_sparse_rows(text, start, header)
    return header, _read_dense_rows(text, start, header)


def _read_dense_rows(text: FileText, start: int, header: Header) -> Table:
    end = text.data.find(b"\n", start)
    first = text.data[start : end if end >= 0 else len(text.data)]
    # Weka takes blanks and tabs between fields as well.
    one = len(header.names) == 1
    delimiter = "," if b"," in first or one else "\t" if b"\t" in first else " "
    kinds = np.full(len(header.names), NUMBER, dtype=np.uint8)
    kinds[list(header.declared)] = TEXT
    dialect = replace(ARFF, delimiter=delimiter)
    fields = read_fields(text, start, len(text.data), dialect, kinds)
    return Table(tuple(_column(fields, j, header) for j in range(len(kinds))))


def _column(fields: Fields, j: int, header: Header) -> Column:
    attribute = header.declared.get(j)
    if attribute is None:
        return number_column(fields, j, header.names[j], MISSING)
    if attribute.kind == "date":
        parse = partial(seconds, java_format=attribute.date_format)
        return date_column(fields, j, attribute.name, MISSING, parse)
    column = nominal_column(fields, j, attribute.name, MISSING, attribute.values)
    return replace(column, kind=attribute.kind)
