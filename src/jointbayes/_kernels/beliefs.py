r"""Damped belief propagation on factor graphs of one structure, row by row.

Each factor f tells each of its variables v, and hears h in turn,

.. math::
    m_{f v}(y) = \log \sum_{y_f:\, y_v = y} \exp\big(t_f(y_f) + \sum_{w \ne v} h_{w f}(y_w)\big),
    \qquad h_{w f} = \sum_{g \ne f} m_{g w}                                           (1)

until the beliefs :math:`b_v \propto \exp \sum_f m_{f v}` rest. Half of every message is that of the
round before (damping), which keeps most graphs from swinging. Bethe's sum over factors and
variables, n_v factors around v, stands for log Z:

.. math::
    \log Z \approx \sum_f \big(E_{b_f} t_f + H(b_f)\big) + \sum_v (1 - n_v) H(b_v)       (2)

A row that rests is done with, whatever its neighbours do. Tables of one shape are stacked, so that
a round is a handful of operations for any number of factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jointbayes._kernels.arguments import FLOATS, INT64, array, takes
from jointbayes.arrays import Floats, Ints

__all__ = ["settled_beliefs"]


DAMPING, ROUNDS, REST = 0.5, 200, 1e-7
LOWEST = -700.0
"""Log-probability that stands for 0 in messages: its exponential is still a positive number."""


@takes(
    cards=INT64,
    scope_at=INT64,
    scopes=INT64,
    at=INT64,
    shared=FLOATS,
    rows=array("float64", axes=2),
)
def settled_beliefs(
    cards: Ints,
    scope_at: Ints,
    scopes: Ints,
    at: Ints,
    shared: Floats,
    rows: Floats,
    threads: int,
) -> tuple[Floats, Floats]:
    """Return the beliefs (n, values of all variables) at rest, and (2) as (n,).

    The arrays are those of `jointbayes.inference.graphs.flat.Flat`; every row has a possible
    vector.
    """
    del threads  # rows are independent of each other
    n, widest = len(rows), int(cards.max())
    marginals, log_z = np.empty((n, int(cards.sum()))), np.empty(n)
    absent = np.arange(widest)[:, None] >= cards[:, None, None]
    there = ~absent[..., 0]
    belief = np.where(absent, -np.inf, np.zeros((len(cards), widest, n)))
    groups = _stack(cards, scope_at, scopes, at, np.vstack([np.tile(shared[:, None], n), rows.T]))
    told = [[np.zeros((len(g.scopes), k, n)) for k in g.tables.shape[1:-1]] for g in groups]
    moving = np.arange(n)
    for left in reversed(range(ROUNDS)):
        before, belief = belief, _round(groups, belief, told, absent)
        moved = np.abs(np.exp(belief) - np.exp(before)).max(axis=(0, 1), initial=0.0)
        rest = moved < (REST if left else np.inf)
        if not rest.any():
            continue
        p, z = _settle(*_of_rows(rest, groups, told, belief))
        marginals[moving[rest]] = p[there].T
        log_z[moving[rest]] = z
        if rest.all():
            break
        groups, told, belief = _of_rows(~rest, groups, told, belief)
        moving = moving[~rest]
    return marginals, log_z


@dataclass(frozen=True)
class _Group:
    """Factors of one shape: which variables (F, a), their tables (F, values …, n)."""

    scopes: Ints
    tables: Floats

    def others(self, axis: int) -> tuple[int, ...]:
        return tuple(1 + i for i in range(self.scopes.shape[1]) if i != axis)

    def add_up(self, told: Sequence[Floats], total: Floats) -> None:
        """Add the messages (F, k, n) to each axis to those of its variables (d, k, n)."""
        for v, own in zip(self.scopes.T, told, strict=True):
            into = csr_array((np.ones(len(v)), (v, np.arange(len(v)))), (len(total), len(v)))
            k, n = own.shape[1:]
            total[:, :k] += (into @ own.reshape(len(v), k * n)).reshape(len(total), k, n)

    def heard(self, belief: Floats, told: Sequence[Floats]) -> list[Floats]:
        """Return h of (1) for each axis: (F, k, n)."""
        sizes = self.tables.shape[1:-1]
        return [belief[v, : sizes[axis]] - told[axis] for axis, v in enumerate(self.scopes.T)]

    def believed(self, heard: Sequence[Floats]) -> tuple[list[Floats], Floats]:
        """Return the sums of (1) before their logarithm, for each axis, and log Σ exp of all."""
        total = self.tables.copy()
        for axis, h in enumerate(heard):
            total += np.expand_dims(h, self.others(axis))
        cells = tuple(range(1, total.ndim - 1))
        top = total.max(axis=cells, keepdims=True)
        weight = np.exp(total - top)
        whole = weight.sum(axis=cells)
        sums = [weight.sum(axis=self.others(axis)) for axis in range(len(heard))]
        return [s / whole[:, None] for s in sums], np.log(whole) + top.reshape(whole.shape)

    def tell(self, belief: Floats, told: list[Floats]) -> None:
        """Bring the messages up to date, damped."""
        heard = self.heard(belief, told)
        for axis, p in enumerate(self.believed(heard)[0]):
            with np.errstate(divide="ignore"):
                new = np.log(p) - heard[axis]  # (1)
            new = np.maximum(new - new.max(axis=1, keepdims=True), LOWEST)
            told[axis] *= DAMPING
            told[axis] += (1 - DAMPING) * new


def _stack(cards: Ints, scope_at: Ints, scopes: Ints, at: Ints, cells: Floats) -> list[_Group]:
    """Return the factors by the numbers of values of their variables."""
    shapes: dict[tuple[int, ...], list[int]] = {}
    own = [scopes[scope_at[f] : scope_at[f + 1]] for f in range(len(at))]
    for f, scope in enumerate(own):
        shapes.setdefault(tuple(cards[scope].tolist()), []).append(f)
    return [
        _Group(
            np.array([own[f] for f in same]),
            np.stack([cells[at[f] :][: int(np.prod(shape))].reshape(*shape, -1) for f in same]),
        )
        for shape, same in shapes.items()
    ]


def _round(
    groups: Sequence[_Group],
    belief: Floats,
    told: Sequence[list[Floats]],
    absent: NDArray[np.bool_],
) -> Floats:
    """Bring all messages up to date and return the beliefs (d, k, n) that follow."""
    total = np.where(absent, -np.inf, np.zeros_like(belief))
    for group, own in zip(groups, told, strict=True):
        group.tell(belief, own)
        group.add_up(own, total)
    return np.asarray(total - total.max(axis=1, keepdims=True))


def _of_rows(
    which: NDArray[np.bool_],
    groups: Sequence[_Group],
    told: Sequence[list[Floats]],
    belief: Floats,
) -> tuple[list[_Group], list[list[Floats]], Floats]:
    """Return the part of some rows: those at rest, or those that still move."""
    parts = [_Group(group.scopes, group.tables[..., which]) for group in groups]
    return parts, [[m[..., which] for m in own] for own in told], belief[..., which]


def _settle(
    groups: Sequence[_Group], told: Sequence[list[Floats]], belief: Floats
) -> tuple[Floats, Floats]:
    """Return the marginals (d, k, n) of beliefs at rest, and (2).

    A factor's E t + H is log Σ exp of what it believes less what it has heard.
    """
    p = np.exp(belief)
    p /= p.sum(axis=1, keepdims=True)
    entropy = -(p * np.log(np.where(p > 0, p, 1.0))).sum(axis=1)
    log_z: Floats = entropy.sum(axis=0)
    for group, own in zip(groups, told, strict=True):
        heard = group.heard(belief, own)
        believed, whole = group.believed(heard)
        log_z = log_z + whole.sum(axis=0)
        for v, h, b in zip(group.scopes.T, heard, believed, strict=True):
            log_z = log_z - (b * h).sum(axis=(0, 1)) - entropy[v].sum(axis=0)
    return p, log_z
