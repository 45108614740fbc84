"""The branching of largest weight (Chu-Liu 1965, Edmonds 1967), dense, in O(n²).

A branching gives every node at most one parent and has no cycle. Node 0 of the working copy is a
virtual root, reachable from nowhere, whose arcs weigh nothing: a node below it has no parent.

1. Walk backwards along the heaviest arc into each node until the walk meets itself or a node that
   is already connected to the root.
2. A walk that meets itself is a cycle: its nodes become one node. An arc u → v into it weighs
   w(u, v) − w(the cycle's arc into v): what is won by breaking the cycle at v.
3. When all are connected, undo the contractions, latest first: the arc into a contracted node
   breaks its cycle where the arc ends.

Each contraction of k nodes costs O(n k) and removes k − 1 of them, hence O(n²) in all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointbayes.arrays import Ints
from jointbayes.errors import DataError
from jointbayes.structure.trees import DECIMALS

__all__ = ["maximum_branching"]

ROOT = 0


def maximum_branching(weights: ArrayLike) -> Ints:
    """Return the branching of largest total weight: every node has at most one parent, no cycles.

    Parameters
    ----------
    weights
        (n, n) with ``weights[parent, child]``; −inf forbids an arc, the diagonal is not read, and
        arcs of weight ≤ 0 (after rounding to 1e-10) are never taken.

    Returns
    -------
    numpy.ndarray
        (n,) the parent of each node, −1 if it has none.

    Examples
    --------
    Both nodes would like the other as parent; the larger wish is granted:

    >>> maximum_branching([[0, 2], [3, 0]]).tolist()
    [1, -1]
    >>> maximum_branching([[0, -1], [-np.inf, 0]]).tolist()
    [-1, -1]
    """
    w = np.array(weights, dtype=float)
    if w.ndim != 2 or w.shape[0] != w.shape[1]:
        raise DataError(f"weights have the shape {w.shape}; a square matrix is needed")
    np.fill_diagonal(w, 0.0)
    if np.isnan(w).any() or np.isposinf(w).any():
        raise DataError("weights of a branching are numbers or −inf; found nan or +inf")
    w = np.round(w, DECIMALS)
    search = _Contracted.over(np.where(w > 0, w, -np.inf))
    _connect(search)
    return _expand(search) - 1


@dataclass
class _Contracted:
    """Working state; slots hold nodes or, once contracted, groups of nodes."""

    into: NDArray[np.float64]  # [child slot, parent slot], −inf where there is no arc
    tail: NDArray[np.int64]  # the nodes between which that arc really runs
    head: NDArray[np.int64]
    group: list[int]  # slot → its group; groups 0 … n are the nodes themselves
    above: list[int]  # group → the group that swallowed it, −1 if none
    arc: list[tuple[int, int]]  # group → the arc (tail, head) chosen to enter it

    @classmethod
    def over(cls, weights: NDArray[np.float64]) -> _Contracted:
        n = len(weights) + 1
        into = np.full((n, n), -np.inf)
        into[1:, 1:] = weights.T
        into[1:, ROOT] = 0.0
        head, tail = np.indices((n, n))
        return cls(into, tail, head, list(range(n)), [-1] * n, [(ROOT, ROOT)] * n)


def _connect(s: _Contracted) -> None:
    """Choose an arc into every group, contracting cycles (steps 1 and 2)."""
    connected = np.zeros(len(s.into), dtype=bool)
    connected[ROOT] = True
    dead: set[int] = set()
    for start in range(1, len(s.into)):
        walk = [] if connected[start] or start in dead else [start]
        while walk:
            slot = walk[-1]
            parent = int(s.into[slot].argmax())
            s.arc[s.group[slot]] = int(s.tail[slot, parent]), int(s.head[slot, parent])
            if connected[parent]:
                connected[walk] = True
                break
            if parent not in walk:
                walk.append(parent)
                continue
            first = walk.index(parent)
            cycle, walk = walk[first:], walk[:first]
            walk.append(_contract(s, cycle))
            dead.update(cycle)
            dead.discard(walk[-1])


def _contract(s: _Contracted, cycle: list[int]) -> int:
    """Merge the slots of a cycle, each entered from the one after it, into the first of them."""
    kept, slots = cycle[0], np.array(cycle)
    entered = s.into[slots, np.roll(slots, -1)]
    gain = s.into[slots] - entered[:, None]
    best, every = gain.argmax(axis=0), np.arange(len(s.into))
    incoming = gain[best, every], s.tail[slots[best], every], s.head[slots[best], every]
    exit_ = slots[s.into[:, slots].argmax(axis=1)]
    outgoing = s.into[every, exit_], s.tail[every, exit_], s.head[every, exit_]
    for table, row, column in zip((s.into, s.tail, s.head), incoming, outgoing, strict=True):
        table[kept], table[:, kept] = row, column
    s.into[kept, slots] = -np.inf
    s.into[:, slots[1:]] = -np.inf
    for slot in cycle:
        s.above[s.group[slot]] = len(s.above)
    s.above.append(-1)
    s.arc.append((ROOT, ROOT))
    s.group[kept] = len(s.above) - 1
    return kept


def _expand(s: _Contracted) -> Ints:
    """Hand the arc into each contracted group down to the node it enters (step 3)."""
    n = len(s.into)
    for group in range(len(s.above) - 1, n - 1, -1):
        member = s.arc[group][1]
        while s.above[member] != group:
            member = s.above[member]
        s.arc[member] = s.arc[group]
    return np.array([tail for tail, _ in s.arc[1:n]], dtype=np.int64)
