"""Contingency tables of any families of variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from jointbayes import _kernels
from jointbayes.arrays import Floats
from jointbayes.codes import Codes, SparseCodes
from jointbayes.counts.cost import MAX_BYTES, afford, row_weights
from jointbayes.errors import DataError
from jointbayes.threads import n_threads

__all__ = ["Counts", "Family", "count"]

Family = tuple[int, ...]
BATCH_BYTES = 64 << 20  # of sparse columns made dense at a time


@dataclass(frozen=True, eq=False)
class Counts:
    """Contingency tables by family; ``a + b`` are the counts of the pooled data.

    >>> codes = Codes.of([[0], [1], [1]], targets=[0, 1, 1])
    >>> whole = count(codes, [(0, 1)])
    >>> parts = count(codes[:1], [(0, 1)]) + count(codes[1:], [(0, 1)])
    >>> whole[0, 1].tolist() == parts[0, 1].tolist() == [[1.0, 0.0], [0.0, 2.0]]
    True
    """

    tables: Mapping[Family, Floats]

    def __getitem__(self, family: Family) -> Floats:
        return self.tables[family]

    def __add__(self, other: Counts) -> Counts:
        if self.tables.keys() != other.tables.keys():
            odd = sorted(self.tables.keys() ^ other.tables.keys())
            raise DataError(f"cannot add counts of different families: only one side has {odd}")
        return Counts({family: t + other.tables[family] for family, t in self.tables.items()})


def count(
    codes: Codes,
    families: Iterable[Family],
    weights: Floats | None = None,
    n_jobs: int | None = None,
    max_bytes: int = MAX_BYTES,
) -> Counts:
    """Count families of variables, targets numbered first; axes in the order of the family.

    Rows in which a variable of the family was not observed do not count for it.

    Parameters
    ----------
    codes
        The rows to count.
    families
        Tuples of variables.
    weights
        (n,) weight of each row; two is the row twice.
    n_jobs
        Threads, None for all cores.
    max_bytes
        Refuse tables that together need more.

    Examples
    --------
    >>> codes = Codes.of([[0, 1], [1, 1], [1, 2]], feature_cards=(2, 2), targets=[0, 1, 1])
    >>> counts = count(codes, [(0,), (0, 2)])
    >>> counts[(0,)].tolist()
    [1.0, 2.0]

    The last row does not count for (0, 2), as variable 2 was not observed in it:

    >>> counts[0, 2].tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    wanted = list(dict.fromkeys(tuple(map(int, family)) for family in families))
    _afford_families(codes, wanted, max_bytes)
    weights = row_weights(codes, weights)
    tables: dict[Family, Floats] = {}
    for batch in _batches(codes, wanted):
        used = sorted({v for family in batch for v in family} or {0})
        place = {v: k for k, v in enumerate(used)}
        flat = _kernels.count_families(
            [np.ascontiguousarray(codes.column(v)) for v in used],
            np.array([codes.cards[v] for v in used], dtype=np.int64),
            [[place[v] for v in family] for family in batch],
            weights,
            n_threads(n_jobs),
        )
        for family, table in zip(batch, flat, strict=True):
            tables[family] = table.reshape([codes.cards[v] for v in family])
    return Counts(tables)


def _batches(codes: Codes, families: list[Family]) -> Iterator[list[Family]]:
    """Split families so that the columns of a batch, once dense, take little memory."""
    if not isinstance(codes.features, SparseCodes):
        yield families
        return
    most = max(1, BATCH_BYTES // max(1, len(codes) * codes.features.codes.itemsize))
    batch: list[Family] = []
    used: set[int] = set()
    for family in families:
        if batch and len(used) + len(set(family) - used) > most:
            yield batch
            batch, used = [], set()
        batch.append(family)
        used |= set(family)
    yield batch


def _afford_families(codes: Codes, families: list[Family], max_bytes: int) -> None:
    n = len(codes.cards)
    for family in families:
        if any(not 0 <= v < n for v in family):
            raise DataError(f"the family {family} names a variable outside 0 … {n - 1}")
    cells = {family: prod(codes.cards[v] for v in family) for family in families}
    largest = max(cells, key=cells.__getitem__, default=())
    what = f"{len(families)} tables, the largest of the variables {largest},"
    afford(sum(cells.values()), what, max_bytes, tuple(codes.cards[v] for v in largest))
