"""svmlight and libsvm files: ``labels index:value …``, labels being one value or a comma list."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels import parse_svmlight
from jointbayes._kernels.parsing import INDEX, NONE, to_number
from jointbayes.datasets.files import FileText, decode
from jointbayes.datasets.sparse import SparseTable, to_csr
from jointbayes.errors import DataError
from jointbayes.table import Column
from jointbayes.table.wording import shown

__all__ = ["read_svmlight"]

_ROOM, _RATIO = 1 << 20, 64  # columns that are never too many, and for each value that is stored


def read_svmlight(text: FileText) -> tuple[SparseTable, list[Column]]:
    r"""Return the features and the label columns.

    Indices count from 0 if one of them is 0, else from 1. Where a row has no label or several,
    there is one binary column for each label; else there is one class variable.

    >>> X, (a, b) = read_svmlight(FileText("x.svm", b"a,b 1:0.5 # both\n 2:1\nb 1:3\n"))
    >>> X.matrix.toarray().tolist(), a.name, a.values.tolist(), b.name, b.values.tolist()
    ([[0.5, 0.0], [0.0, 1.0], [3.0, 0.0]], 'a', [1.0, 0.0, 0.0], 'b', [1.0, 0.0, 1.0])
    """
    codes, spans, indptr, indices, values, starts, (fault, offset, _) = parse_svmlight(text.data, 0)
    if fault != NONE:
        piece = shown(text.data[offset : offset + 60].split()[0])
        what = "has too large an index" if fault == INDEX else "is not an index:value pair"
        raise text.error(offset, f"{piece} {what}; correct it")
    if not len(starts):
        raise DataError(f"{text.source} has no rows; it is empty or truncated")
    base = int(indices.min(initial=1) > 0) if len(indices) else 0
    width = int(indices.max(initial=base - 1)) + 1 - base

    def row_of(entry: int) -> int:
        return int(starts[np.searchsorted(indptr, entry, side="right") - 1])

    def twice(entry: int) -> DataError:
        return text.error(row_of(entry), f"the index {indices[entry]} stands twice; drop one")

    if width > _ROOM + _RATIO * len(indices):
        raise text.error(
            row_of(int(indices.argmax())),
            f"the index {indices.max()} makes {width:,} columns, of which {len(indices):,} values "
            "are not zero; correct it, or number the features without gaps",
        )
    matrix = to_csr(values, indices - base, indptr, width, twice)
    names = tuple(f"x{j}" for j in range(width))
    sets = [decode(text.data[begin:end]) for begin, end in spans]
    return SparseTable(matrix, names, {}), _labels(sets, codes)


def _labels(sets: list[str], codes: NDArray[np.int32]) -> list[Column]:
    split = [[label for label in one.split(",") if label] for one in sets]
    names = sorted({label for one in split for label in one}, key=_by_number)
    if all(len(one) == 1 for one in split):
        position = {name: k for k, name in enumerate(names)}
        lookup = np.array([position[one[0]] for one in split])
        if all(_number(name) is not None for name in names):
            return [
                Column("class", "numeric", np.array([_number(n) for n in names])[lookup][codes])
            ]
        return [Column("class", "nominal", lookup[codes], np.array(names, dtype=object))]
    member = np.array([[name in one for name in names] for one in map(set, split)], dtype=float)
    return [Column(name, "numeric", member[codes, j]) for j, name in enumerate(names)]


def _number(label: str) -> float | None:
    return to_number(label.encode(), b"")


def _by_number(label: str) -> tuple[Any, ...]:
    number = _number(label)
    return (1, label) if number is None else (0, number, label)
