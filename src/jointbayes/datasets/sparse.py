"""SparseTable: the columns of a sparse file, of which only what is not zero is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Ints
from jointbayes.errors import CostError, DataError
from jointbayes.table import Column

__all__ = ["Attribute", "SparseTable", "to_csr"]

_MAX_DENSE = 1 << 31  # bytes of a table that has to be made dense


@dataclass(frozen=True)
class Attribute:
    """What a column was declared to be, if not numeric: its kind, values or date format."""

    name: str
    kind: str
    values: tuple[str, ...] | None = None
    date_format: str = ""

    @property
    def counts_up(self) -> bool:
        """Whether the declared values are 0, 1, …, in this order: the column is numbers then."""
        return self.values is not None and self.values == tuple(map(str, range(len(self.values))))


@dataclass(frozen=True, eq=False)
class SparseTable:
    """A CSR matrix of numbers and of positions among declared values, so that 0 is the first one.

    >>> from scipy.sparse import csr_matrix
    >>> matrix = csr_matrix([[0.0, 1.0], [1.0, 0.0]])
    >>> declared = {1: Attribute("sky", "nominal", ("red", "blue"))}
    >>> table = SparseTable(matrix, ("rain", "sky"), declared)
    >>> table.column(1).decoded().tolist(), table.more_than_numbers
    (['blue', 'red'], [1])
    """

    matrix: Any  # scipy's csr_matrix
    names: tuple[str, ...]
    declared: Mapping[int, Attribute]  # all columns that were not declared numeric

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def more_than_numbers(self) -> list[int]:
        """The columns whose zeros mean something else than the number 0."""
        return [j for j, attribute in self.declared.items() if not attribute.counts_up]

    def known(self) -> Ints:
        """Return in how many rows each column has a value, left out or not."""
        missing = self.matrix.indices[np.isnan(self.matrix.data)]
        return np.asarray(len(self) - np.bincount(missing, minlength=len(self.names)))

    def column(self, j: int) -> Column:
        """Return one column, dense."""
        return self.dense([j])[0]

    def select(self, which: list[int]) -> tuple[Any, tuple[str, ...]]:
        """Return some columns as a CSR matrix, and their names."""
        if which and which == list(range(which[0], which[-1] + 1)):  # a slice is much faster
            part = slice(which[0], which[-1] + 1)
            return self.matrix[:, part], self.names[part]
        return self.matrix[:, which], tuple(self.names[j] for j in which)

    def dense(self, which: list[int]) -> list[Column]:
        """Return some columns, dense, if they fit into memory."""
        needed = 8 * len(self) * len(which)
        if needed > _MAX_DENSE:
            raise CostError(
                f"{len(which):,} columns of {len(self):,} rows have to be made dense because they "
                f"hold more than numbers, which takes {needed:,} bytes (limit {_MAX_DENSE:,}); "
                "declare them numeric in the file"
            )
        block = self.select(which)[0].toarray(order="F")
        return [self._column(j, block[:, k]) for k, j in enumerate(which)]

    def _column(self, j: int, values: NDArray[np.float64]) -> Column:
        attribute = self.declared.get(j, Attribute(self.names[j], "numeric"))
        if attribute.values is None and attribute.kind != "string":
            return Column(attribute.name, attribute.kind, values)
        codes = np.where(np.isnan(values), -1, values).astype(np.int32)
        categories = np.array(attribute.values or ("",), dtype=object)
        return Column(attribute.name, attribute.kind, codes, categories, declared=True)


def to_csr(
    values: Floats,
    indices: NDArray[np.int32],
    indptr: Ints,
    width: int,
    twice: Callable[[int], DataError],
) -> Any:
    """Return a canonical CSR matrix without stored zeros: indices rise in every row.

    ``twice`` makes the error for an entry whose column stands in its row already.

    >>> def twice(entry: int) -> DataError:
    ...     return DataError(f"entry {entry} stands twice")
    >>> rows = np.array([3.0, 2.0, 0.0]), np.array([1, 0, 1], dtype=np.int32), np.array([0, 2, 3])
    >>> to_csr(*rows, 2, twice).toarray().tolist()
    [[2.0, 3.0], [0.0, 0.0]]
    """
    from scipy.sparse import csr_matrix

    matrix = csr_matrix((values, indices, indptr), shape=(len(indptr) - 1, width))
    if not matrix.has_canonical_format:
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        order = np.lexsort((indices, rows))
        again = (np.diff(indices[order]) == 0) & (np.diff(rows[order]) == 0)
        if again.any():
            raise twice(int(order[again.argmax() + 1]))
        matrix.sort_indices()
    matrix.eliminate_zeros()
    return matrix
