"""Sparse ARFF rows ``{1 7, 3 red}``: what is left out is 0, or the first declared value.

So a sparse file is a CSR matrix of numbers and of positions among declared values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels import parse_sparse
from jointbayes._kernels.parsing import INDEX, NONE, NUMBER, TEXT
from jointbayes.datasets.dates import seconds
from jointbayes.datasets.fields import ARFF, is_missing, unquote
from jointbayes.datasets.files import FileText
from jointbayes.datasets.header import Header
from jointbayes.datasets.sparse import Attribute, SparseTable, to_csr
from jointbayes.errors import DataError
from jointbayes.table.wording import listed, shown

__all__ = ["MISSING", "read_sparse_rows"]

MISSING = ("?",)

Fault = Callable[[int, str], DataError]  # of an entry, and what is wrong with it


def read_sparse_rows(text: FileText, start: int, header: Header) -> SparseTable:
    """Read the rows from the byte ``start`` on."""
    kinds = np.full(len(header.names), NUMBER, dtype=np.uint8)
    kinds[[j for j, attribute in header.declared.items() if not attribute.counts_up]] = TEXT
    indptr, indices, values, starts, spans, odd, trouble = parse_sparse(text.data, start, kinds)
    _refuse(text, trouble, odd, len(kinds))

    def fault(entry: int, what: str) -> DataError:
        row = int(np.searchsorted(indptr, entry, side="right")) - 1
        return text.error(int(starts[row]), f"column {shown(header.names[indices[entry]])} {what}")

    _check_numbers(header, indices, values, fault)
    distinct = [text.data[begin:end] for begin, end in spans]
    texts = np.flatnonzero(kinds[indices] == TEXT) if distinct else np.empty(0, dtype=np.intp)
    declared = dict(header.declared)
    for entries in _by_column(texts, indices):
        j = int(indices[entries[0]])
        declared[j] = _code_text(declared[j], entries, values, distinct, fault)

    def twice(entry: int) -> DataError:
        return fault(entry, "stands twice in a sparse row; drop one")

    matrix = to_csr(values, indices, indptr, len(kinds), twice)
    return SparseTable(matrix, header.names, declared)


def _refuse(
    text: FileText, trouble: tuple[int, int, int], odd: NDArray[np.int64], n_columns: int
) -> None:
    fault, offset, found = trouble
    if fault == INDEX:
        raise text.error(
            offset, f"the index {found} is too large for {n_columns} attributes, counted from 0"
        )
    if fault != NONE:
        piece = shown(text.data[offset : offset + 60].split(b"\n")[0])
        raise text.error(
            offset, f"{piece} is not part of a sparse row {{index value, …}}; correct it"
        )
    for begin, end in odd.tolist():
        if not is_missing(text.data[begin:end], ARFF, MISSING):
            piece = shown(text.data[begin:end])
            raise text.error(begin, f"a column of numbers holds {piece}, which is none; correct it")


def _check_numbers(
    header: Header, indices: NDArray[np.int32], values: NDArray[np.float64], fault: Fault
) -> None:
    """Refuse a number outside the declared values 0, 1, …, k − 1."""
    limits = np.full(len(header.names), np.inf)
    for j, attribute in header.declared.items():
        if attribute.counts_up:
            limits[j] = len(attribute.values or ())
    entries = np.flatnonzero(limits[indices] < np.inf)
    held, bound = values[entries], limits[indices[entries]]
    wrong = (held >= bound) | (held < 0) | (np.trunc(held) != held) & ~np.isnan(held)
    if wrong.any():
        entry = int(entries[wrong.argmax()])
        declared = listed(header.declared[int(indices[entry])].values or ())
        raise fault(
            entry, f"holds {values[entry]:g}, which is not among its declared values {declared}"
        )


def _by_column(entries: NDArray[np.intp], indices: NDArray[np.int32]) -> list[NDArray[np.intp]]:
    if not len(entries):
        return []
    entries = entries[np.argsort(indices[entries], kind="stable")]
    return np.split(entries, np.flatnonzero(np.diff(indices[entries])) + 1)


def _code_text(
    attribute: Attribute,
    entries: NDArray[np.intp],
    values: NDArray[np.float64],
    distinct: list[bytes],
    fault: Fault,
) -> Attribute:
    """Turn the text codes of one column into positions among its values, or dates, in place."""
    held, first, inverse = np.unique(values[entries], return_index=True, return_inverse=True)
    raw = [distinct[int(k)] for k in held]
    known = [None if is_missing(one, ARFF, MISSING) else unquote(one, ARFF) for one in raw]
    if attribute.kind == "string":  # what is left out is the empty string
        attribute = replace(attribute, values=("", *sorted({v for v in known if v})))
    position = {value: float(k) for k, value in enumerate(attribute.values or ())}
    meant = np.full(len(raw), np.nan)
    for k, value in enumerate(known):
        if value is None:
            continue
        try:
            is_date = attribute.kind == "date"
            meant[k] = seconds(value, attribute.date_format) if is_date else position[value]
        except (KeyError, ValueError):
            raise fault(
                int(entries[first[k]]),
                f"holds {shown(value)}, which it is not declared for; correct it or declare it",
            ) from None
    values[entries] = meant[inverse]
    return attribute
