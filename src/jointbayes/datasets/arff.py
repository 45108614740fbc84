"""ARFF, dense and sparse.

In a sparse row ``{1 7, 3 red}`` what is left out is 0, or the first declared value; so a sparse
file is a CSR matrix of numbers and of positions among declared values.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels import parse_sparse
from jointbayes._kernels.parsing import INDEX, NONE, NUMBER, TEXT
from jointbayes.datasets.fields import (
    ARFF,
    Fields,
    date_column,
    is_missing,
    nominal_column,
    number_column,
    read_fields,
    unquote,
)
from jointbayes.datasets.files import Text, shown
from jointbayes.datasets.header import Header, read_header
from jointbayes.datasets.sparse import Attribute, SparseTable
from jointbayes.errors import DataError
from jointbayes.table import Column, Table

__all__ = ["read_arff"]

_MISSING = ("?",)
_FIRST_ROW = re.compile(rb"(?:\s|%[^\n]*(?:\n|\Z))*")
# Letters of Java's date patterns, longest first, and what Python calls them.
_JAVA = {
    "yyyy": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d",
    "d": "%d", "HH": "%H", "H": "%H", "hh": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S",
    "SSS": "%f", "a": "%p", "EEEE": "%A", "EEE": "%a", "Z": "%z", "X": "%z",
}  # fmt: skip
_JAVA_PIECE = re.compile("'([^']*)'|" + "|".join(sorted(_JAVA, key=len, reverse=True)))


def read_arff(text: Text) -> tuple[Header, Table | SparseTable]:
    r"""Return the header and the rows.

    >>> head = b"@relation r\n@attribute a {no,yes}\n@attribute b numeric\n@data\n"
    >>> _, dense = read_arff(Text("dense.arff", head + b"yes,0\nno,2.5\n"))
    >>> _, sparse = read_arff(Text("sparse.arff", head + b"{0 yes}\n{1 2.5}\n"))
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
        return header, _read_sparse(text, start, header.attributes)
    return header, _read_dense(text, start, header.attributes)


def _read_dense(text: Text, start: int, attributes: tuple[Attribute, ...]) -> Table:
    end = text.data.find(b"\n", start)
    first = text.data[start : end if end >= 0 else len(text.data)]
    # Weka takes blanks and tabs between fields as well.
    delimiter = "," if b"," in first or len(attributes) == 1 else "\t" if b"\t" in first else " "
    kinds = np.array([TEXT if a.kind != "numeric" else NUMBER for a in attributes], dtype=np.uint8)
    dialect = replace(ARFF, delimiter=delimiter)
    fields = read_fields(text, start, len(text.data), dialect, kinds)
    return Table(tuple(_column(fields, j, attribute) for j, attribute in enumerate(attributes)))


def _column(fields: Fields, j: int, attribute: Attribute) -> Column:
    if attribute.kind == "numeric":
        return number_column(fields, j, attribute.name, _MISSING)
    if attribute.kind == "date":
        return date_column(fields, j, attribute.name, _MISSING, _date_reader(attribute))
    column = nominal_column(fields, j, attribute.name, _MISSING, attribute.values)
    return replace(column, kind=attribute.kind)


def _date_reader(attribute: Attribute) -> Callable[[str], dt.datetime]:
    if not attribute.date_format:
        return dt.datetime.fromisoformat

    def meant(found: re.Match[str]) -> str:
        return _JAVA.get(found[0], found[1] or "'")

    form = _JAVA_PIECE.sub(meant, attribute.date_format.replace("%", "%%"))
    return lambda value: dt.datetime.strptime(value, form)


def _read_sparse(text: Text, start: int, attributes: tuple[Attribute, ...]) -> SparseTable:
    from scipy.sparse import csr_matrix

    kinds = np.array([NUMBER if a.counts_up else TEXT for a in attributes], dtype=np.uint8)
    indptr, indices, values, starts, spans, odd, trouble = parse_sparse(text.data, start, kinds)
    _refuse(text, trouble, len(attributes))
    for begin, end in odd:
        if not is_missing(text.data[begin:end], ARFF, _MISSING):
            raise text.error(
                begin,
                f"a sparse row holds {shown(text.data[begin:end])} for a column of numbers; "
                "correct it",
            )
    rows = np.repeat(np.arange(len(starts)), np.diff(indptr))

    def fault(entry: int, what: str) -> DataError:
        name = attributes[indices[entry]].name
        return text.error(int(starts[rows[entry]]), f"column {shown(name)} {what}")

    _check_declared(attributes, indices, values, fault)
    distinct = [text.data[begin:end] for begin, end in spans]
    attributes = _code_text(attributes, indices, values, distinct, fault)
    matrix = csr_matrix((values, indices, indptr), shape=(len(starts), len(attributes)))
    if not matrix.has_canonical_format:
        order = np.lexsort((indices, rows))
        twice = (np.diff(indices[order]) == 0) & (np.diff(rows[order]) == 0)
        if twice.any():
            raise fault(int(order[twice.argmax() + 1]), "stands twice in a sparse row; drop one")
        matrix.sort_indices()
    matrix.eliminate_zeros()
    return SparseTable(matrix, attributes)


def _refuse(text: Text, trouble: tuple[int, int, int], n_columns: int) -> None:
    fault, offset, found = trouble
    if fault == INDEX:
        raise text.error(
            offset, f"the index {found} is too large for {n_columns} attributes, counted from 0"
        )
    if fault != NONE:
        piece = shown(text.data[offset : offset + 60].split(b"\n")[0])
        raise text.error(
            offset, f"{piece} is no part of a sparse row {{index value, …}}; correct it"
        )


def _check_declared(
    attributes: tuple[Attribute, ...],
    indices: NDArray[np.int32],
    values: NDArray[np.float64],
    fault: Callable[[int, str], DataError],
) -> None:
    """Refuse a number outside the declared values 0, 1, …, k − 1."""
    limits = np.array(
        [float(len(a.values)) if a.values and a.counts_up else np.inf for a in attributes]
    )
    bound = limits[indices]
    wrong = (values >= bound) | ((bound < np.inf) & ((values < 0) | (values % 1 > 0)))
    if wrong.any():
        entry = int(wrong.argmax())
        declared = ", ".join(attributes[indices[entry]].values or ())
        raise fault(
            entry, f"holds {values[entry]:g}, which is not among its declared values {declared}"
        )


def _code_text(
    attributes: tuple[Attribute, ...],
    indices: NDArray[np.int32],
    values: NDArray[np.float64],
    distinct: list[bytes],
    fault: Callable[[int, str], DataError],
) -> tuple[Attribute, ...]:
    """Turn codes of text into positions among declared values, or dates, in place."""
    out = list(attributes)
    is_text = np.array([not a.counts_up for a in attributes])
    entries = np.flatnonzero(is_text[indices])
    entries = entries[np.argsort(indices[entries], kind="stable")]
    for group in np.split(entries, np.flatnonzero(np.diff(indices[entries])) + 1):
        if len(group):
            j = int(indices[group[0]])
            out[j] = _code_column(attributes[j], group, values, distinct, fault)
    return tuple(out)


def _code_column(
    attribute: Attribute,
    entries: NDArray[np.intp],
    values: NDArray[np.float64],
    distinct: list[bytes],
    fault: Callable[[int, str], DataError],
) -> Attribute:
    held, first, inverse = np.unique(values[entries], return_index=True, return_inverse=True)
    raw = [distinct[int(k)] for k in held]
    known = [None if is_missing(one, ARFF, _MISSING) else unquote(one, ARFF) for one in raw]
    if attribute.kind == "string":  # what is left out is the empty string
        attribute = replace(attribute, values=("", *sorted({v for v in known if v})))
    position = {value: float(k) for k, value in enumerate(attribute.values or ())}
    meant = np.full(len(raw), np.nan)
    for k, value in enumerate(known):
        if value is None:
            continue
        try:
            is_date = attribute.kind == "date"
            meant[k] = _seconds(attribute, value) if is_date else position[value]
        except (KeyError, ValueError):
            raise fault(
                int(entries[first[k]]),
                f"holds {shown(value)}, which it is not declared for; correct it or declare it",
            ) from None
    values[entries] = meant[inverse]
    return attribute


def _seconds(attribute: Attribute, value: str) -> float:
    moment = _date_reader(attribute)(value)
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()
