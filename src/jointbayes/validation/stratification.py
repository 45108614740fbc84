r"""Deal rows into parts so that every label is spread as the parts' shares say.

Items are what is to be spread: relevant labels or, where a class variable has many values, each
value. Part j, of share r_j, desires n r_j rows and n_l r_j rows with item l.

*Dealing* is iterative stratification (Sechidis, Tsoumakas, Vlahavas 2011): take the item with the
fewest rows left; give each of these rows to the part that desires the item most, among equals to
the one that desires rows most, then at random. While one item is dealt, only the desires for it and
for rows decide and each gift lowers both by one, so that part j bids

.. math:: (d_{jl}, d_j),\; (d_{jl} - 1, d_j - 1),\; (d_{jl} - 2, d_j - 2), \dots         (1)

and the m rows go to the m highest bids: one sort per item instead of one search per row.

*Evening out* then moves single rows, the best move first, while that lowers

.. math:: Q = \sum_l w_l \sum_j (n_{jl} - n_l r_j)^2 / r_j, \quad w_l = 1 / n_l            (2)

where rows as such are one more item, of weight √L / n: a part of the wrong size has all L
proportions wrong. Moving row i from part a to b changes Q by

.. math:: \sum_{l \in i} w_l \Bigl(\frac{2 e_{bl} + 1}{r_b}
                                           - \frac{2 e_{al} - 1}{r_a}\Bigr)               (3)

where e is observed minus desired. The parts are never less even than they were dealt.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse

from jointbayes.arrays import Floats, Labels
from jointbayes.errors import ParameterError
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.labels.known import KnownLabels, known_labels

__all__ = ["carried_items", "deal", "even_out", "unevenness"]

Stratify = Literal["iterative", "rarest", "none"]

# Desires are fractions: bids that differ by less are equal.
DECIMALS = 8
# Far more than dealing leaves to do; each costs O(rows × parts).
MAX_MOVES = 1000


def carried_items(Y: Any, stratify: Stratify = "iterative") -> sparse.csr_array:
    """Return (n, L) what each row carries and the parts shall share.

    Parameters
    ----------
    Y
        Labels, 1-D or 2-D, in any container.
    stratify
        ``"iterative"``: all relevant labels or, unless all class variables have two values, all
        values. ``"rarest"``: only the item with the fewest rows (Corani et al. 2014).
        ``"none"``: nothing.

    Examples
    --------
    >>> carried_items([[1, 0], [1, 1]]).toarray().astype(int).tolist()
    [[1, 0], [1, 1]]
    >>> carried_items([[1, 0], [1, 1]], "rarest").toarray().astype(int).tolist()
    [[0], [1]]
    >>> carried_items(["a", "c", "b"]).toarray().astype(int).tolist()
    [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    """
    if stratify not in ("iterative", "rarest", "none"):
        raise ParameterError(
            f"stratify must be 'iterative', 'rarest' or 'none'; found {stratify!r}"
        )
    some = known_labels(Y, single="refuse")
    space = learn_labels(some)
    codes = space.encode(some)
    n = len(codes)
    if stratify == "none":
        return sparse.csr_array((n, 0))
    if space.binary and not space.single:
        (rows, columns), width = np.nonzero(codes), len(space)
    else:
        start = np.r_[0, np.cumsum(space.cards)]
        rows, width = np.repeat(np.arange(n), len(space)), int(start[-1])
        columns = (codes + start[:-1]).ravel()
    if isinstance(some, KnownLabels):  # what is not known is not carried
        known = some.known[rows, np.searchsorted(np.cumsum(_widths(space)), columns, "right")]
        rows, columns = rows[known], columns[known]
    if stratify == "rarest" and len(columns):
        total = np.bincount(columns)
        rarest = np.where(total > 0, total, n + 1).argmin()
        rows, width = rows[columns == rarest], 1
        columns = np.zeros_like(rows)
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, width))


def deal(carried: sparse.csr_array, shares: Any, rng: np.random.Generator) -> Labels:
    """Return (n,) the part each row is dealt to by iterative stratification.

    Parameters
    ----------
    carried
        (n, L) items of each row.
    shares
        (k,) share of rows each part shall have; they sum to one.
    rng
        Source of the order of rows and of the last tie-break.

    Examples
    --------
    Four of eight rows carry the first item, two the second: halves get two and one.

    >>> carried = carried_items([[1, 0], [1, 1], [1, 0], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]])
    >>> part = deal(carried, [0.5, 0.5], np.random.default_rng(0))
    >>> [carried[part == j].sum(axis=0).tolist() for j in (0, 1)]
    [[2.0, 1.0], [2.0, 1.0]]
    """
    share = np.asarray(shares, dtype=np.float64)
    n = carried.shape[0]
    holders = carried.tocsc()
    left = carried.sum(axis=0)
    desire, room = np.outer(share, left), n * share
    part = np.full(n, -1, dtype=np.intp)
    while left.any():
        fewest = np.flatnonzero(left == left[left > 0].min())
        item = rng.choice(fewest)
        rows = holders.indices[holders.indptr[item] : holders.indptr[item + 1]]
        rows = rng.permutation(rows[part[rows] < 0])
        part[rows] = _highest_bids(desire[:, item], room, len(rows), rng)
        given = _by_part(carried[rows], part[rows], len(share))
        desire -= given
        room -= np.bincount(part[rows], minlength=len(share))
        left -= given.sum(axis=0)
    rows = rng.permutation(np.flatnonzero(part < 0))
    part[rows] = _highest_bids(room, room, len(rows), rng)
    return part


def _highest_bids(desire: Floats, room: Floats, m: int, rng: np.random.Generator) -> Labels:
    """Return the parts of the ``m`` highest bids (1)."""
    fall = np.arange(m)
    first = np.round(desire[:, None] - fall, DECIMALS).ravel()
    second = np.round(room[:, None] - fall, DECIMALS).ravel()
    order = np.lexsort((rng.random(first.size), -second, -first))
    return order[:m] // max(m, 1)


def _by_part(carried: sparse.csr_array, part: Labels, k: int) -> Floats:
    """Return (k, L) how many rows of each part carry each item."""
    member = sparse.csr_array((np.ones(len(part)), (part, np.arange(len(part)))), (k, len(part)))
    counts: Floats = (member @ carried).toarray()
    return counts


def even_out(carried: sparse.csr_array, part: Labels, shares: Any) -> Labels:
    """Move single rows between parts while that lowers their unevenness (2).

    >>> carried = carried_items([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> bad, half = np.array([0, 0, 0, 1]), [0.5, 0.5]
    >>> good = even_out(carried, bad, half)
    >>> round(unevenness(carried, bad, half), 2), unevenness(carried, good, half)
    (3.41, 0.0)
    """
    share = np.asarray(shares, dtype=np.float64)
    part = part.copy()
    table, weight, excess = _excess(carried, part, share)
    weighted = table @ sparse.diags_array(weight)
    pull = (weighted @ excess.T) / share  # (n, k), the part of (3) that depends on e, halved
    toll = weighted.sum(axis=1)[:, None] / (2 * share)
    rows = np.arange(len(part))
    for _ in range(MAX_MOVES):
        change = pull + toll - (pull - toll)[rows, part][:, None]
        change[rows, part] = 0.0
        i, j = divmod(int(change.argmin()), len(share))
        if change[i, j] > -(10.0**-DECIMALS):
            break
        shift = weighted @ table[[i]].toarray()[0]
        pull[:, part[i]] -= shift / share[part[i]]
        pull[:, j] += shift / share[j]
        part[i] = j
    return part


def unevenness(carried: sparse.csr_array, part: Labels, shares: Any) -> float:
    """Return Q of equation (2), 0 where every part has its share of rows and of every item.

    >>> unevenness(carried_items([[1], [1]]), np.array([0, 0]), [0.5, 0.5])
    4.0
    """
    share = np.asarray(shares, dtype=np.float64)
    _, weight, excess = _excess(carried, part, share)
    return float((excess**2 @ weight / share).sum())


def _excess(
    carried: sparse.csr_array, part: Labels, share: Floats
) -> tuple[sparse.csr_array, Floats, Floats]:
    """Return the table of rows as such and of the items that occur, its w, and e of (3)."""
    everyone = sparse.csr_array(np.ones((carried.shape[0], 1)))
    occurring = np.flatnonzero(carried.sum(axis=0))
    table = sparse.hstack([everyone, carried[:, occurring]], format="csr")
    total = table.sum(axis=0)
    weight = 1 / total
    weight[0] *= np.sqrt(max(len(occurring), 1))
    return table, weight, _by_part(table, part, len(share)) - np.outer(share, total)


def _widths(space: LabelSpace) -> Labels:
    """Return how many items each class variable has."""
    return np.array([1] * len(space) if space.binary and not space.single else space.cards)
