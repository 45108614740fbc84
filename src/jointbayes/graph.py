"""Dag: which variables each variable is conditioned on. Frozen, and acyclic by construction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from jointbayes.errors import StructureError

__all__ = ["Dag"]


@dataclass(frozen=True)
class Dag:
    """A directed acyclic graph over the variables 0 … n − 1.

    Parameters
    ----------
    parents
        The parents of each variable, in the order in which its table has its axes.

    Examples
    --------
    A class above two features, the first of which is above the second:

    >>> dag = Dag(parents=((), (0,), (0, 1)))
    >>> dag.arcs
    ((0, 1), (0, 2), (1, 2))
    >>> dag.families[2]
    (0, 1, 2)
    >>> Dag(parents=((1,), (2,), (0,)))
    Traceback (most recent call last):
    ...
    jointbayes.errors.StructureError: the arcs 0 → 2 → 1 → 0 are a cycle; remove one of them
    """

    parents: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        for child, above in enumerate(self.parents):
            for parent in above:
                if not 0 <= parent < len(self.parents):
                    raise StructureError(
                        f"variable {child} has the parent {parent}; "
                        f"variables are numbered 0 to {len(self.parents) - 1}"
                    )
            if len(set(above)) < len(above):
                raise StructureError(
                    f"variable {child} names a parent twice: {above}; name each once"
                )
        _ = self.order

    def __len__(self) -> int:
        return len(self.parents)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """All variables, each after its parents; among the free ones the lowest number first."""
        waiting = [len(above) for above in self.parents]
        free = [v for v, n in enumerate(waiting) if n == 0]
        done: list[int] = []
        while free:
            free.sort(reverse=True)
            done.append(free.pop())
            for child in self.children[done[-1]]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    free.append(child)
        if len(done) < len(self):
            raise StructureError(self._cycle(next(v for v, n in enumerate(waiting) if n > 0)))
        return tuple(done)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each variable, in increasing order."""
        below: list[list[int]] = [[] for _ in self.parents]
        for child, above in enumerate(self.parents):
            for parent in above:
                below[parent].append(child)
        return tuple(map(tuple, below))

    @property
    def arcs(self) -> tuple[tuple[int, int], ...]:
        """All (parent, child) pairs, by child."""
        return tuple((p, c) for c, above in enumerate(self.parents) for p in above)

    @property
    def families(self) -> tuple[tuple[int, ...], ...]:
        """Each variable's parents followed by itself: the axes of its table."""
        return tuple((*above, child) for child, above in enumerate(self.parents))

    def _cycle(self, start: int) -> str:
        """Walk up from a variable that cannot be ordered until one comes again."""
        done: set[int] = set()
        grown = True
        while grown:
            before = len(done)
            done |= {v for v, above in enumerate(self.parents) if done.issuperset(above)}
            grown = len(done) > before
        path = [start]
        while path[-1] not in path[:-1]:
            path.append(next(p for p in self.parents[path[-1]] if p not in done))
        cycle = path[path.index(path[-1]) :]
        # The walk went from child to parent; arcs point the other way.
        return f"the arcs {' → '.join(map(str, reversed(cycle)))} are a cycle; remove one of them"
