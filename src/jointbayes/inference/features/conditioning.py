"""Condition a network with one class variable on rows: block by block, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.budgets import CACHE_CELLS
from jointbayes.codes import CodeArray, Codes, SparseCodes
from jointbayes.inference.features.elimination import MAX_CELLS, sum_over_network
from jointbayes.inference.features.messages import is_tree, sum_over_tree
from jointbayes.inference.features.scorer import Scorer
from jointbayes.network import Network
from jointbayes.threads import each

__all__ = ["condition", "contributions", "in_blocks", "sum_out"]

# Rows per block, so that running sums, one term and one index of a block stay in the cache.
MIN_ROWS, MAX_ROWS = 128, 4096
SPARSE_CELLS = 1 << 26


def condition(scorer: Scorer, codes: Codes, n_jobs: int | None = None) -> Floats:
    """Return (n, C), log P(c, observed part of x) for every row and class.

    >>> from jointbayes.graph import Dag
    >>> from jointbayes.inference import compile_network
    >>> prior, copy = np.log([0.5, 0.5]), np.log([[0.9, 0.1], [0.1, 0.9]])
    >>> chain = np.log([[[0.8, 0.8], [0.2, 0.2]], [[0.2, 0.2], [0.8, 0.8]]])
    >>> network = Network(Dag(((), (0,), (0, 1))), (2, 2, 2), (prior, copy, chain))

    The first feature was not seen, so the second one speaks for it: 0.9 · 0.8 + 0.1 · 0.2 = 0.74.

    >>> codes = Codes.of([[2, 0]], feature_cards=(2, 2))
    >>> np.exp(condition(compile_network(network), codes)).round(2).tolist()
    [[0.37, 0.13]]
    """

    def score(x: CodeArray) -> Floats:
        total = scorer.add_up(x)
        odd = scorer.incomplete(x)
        if odd.any():
            total[odd] = sum_out(scorer.network, x[odd])
        return total

    return in_blocks(score, codes, len(scorer.log_prior), n_jobs)


def sum_out(network: Network, x: CodeArray) -> Floats:
    """Return (n, C), log P(c, observed part of x), whatever is missing."""
    if not is_tree(network):
        return sum_over_network(network, x)
    # A message takes at most as many numbers as its table, for each row.
    largest = max(table.size for table in network.log_tables)
    parts = np.array_split(x, max(1, -(-len(x) * largest // MAX_CELLS)))
    return np.concatenate([sum_over_tree(network, part) for part in parts])


def in_blocks(
    score: Callable[[CodeArray], Floats],
    codes: Codes,
    n_classes: int,
    n_jobs: int | None = None,
    cells: int = 1,
) -> Floats:
    """Return (n, n_classes) scores, made for blocks of dense (rows, p) codes.

    ``cells`` says how many numbers a row needs at a time: a block of them stays in the cache.
    """
    rows = max(MIN_ROWS, min(MAX_ROWS, CACHE_CELLS // cells))
    out = np.empty((len(codes), n_classes))
    for start, x in _pieces(codes):
        _fill(out[start : start + len(x)], score, x, rows, n_jobs)
    return out


def _fill(
    out: Floats,
    score: Callable[[CodeArray], Floats],
    x: CodeArray,
    rows: int,
    n_jobs: int | None,
) -> None:
    if len(x) <= rows:
        out[:] = score(x)
        return

    def work(start: int) -> None:
        out[start : start + rows] = score(x[start : start + rows])

    each(work, range(0, len(x), rows), n_jobs)


def _pieces(codes: Codes) -> Iterator[tuple[int, CodeArray]]:
    """Yield dense codes and where they start; sparse ones piece by piece, as memory allows."""
    if not isinstance(codes.features, SparseCodes):
        yield 0, codes.features
        return
    size = max(MAX_ROWS, SPARSE_CELLS // max(codes.n_features, 1))
    for start in range(0, len(codes), size):
        index = np.arange(start, min(start + size, len(codes)))
        yield start, codes.features.take(index).dense()


def contributions(scorer: Scorer, x: CodeArray) -> Floats:
    """Return (n, p, C), what each feature adds to log P(c, x): the terms of a sum.

    Feature i adds log P(x_i | pa(x_i), c). Where a parent is missing it adds log P(x_i | what was
    observed of the features before it in the network's order, c). Either way the terms and
    the prior sum to the answer of `condition`; a missing feature adds zero.
    """
    terms = np.stack([factor.look_up(x) for factor in scorer.factors], axis=1)
    odd = scorer.incomplete(x)
    if odd.any():
        terms[odd] = _step_by_step(scorer.network, x[odd])
    return terms


def _step_by_step(network: Network, x: CodeArray) -> Floats:
    shown = np.repeat(np.asarray(network.cards[1:], dtype=x.dtype)[None], len(x), axis=0)
    terms = np.empty((*x.shape, network.cards[0]))
    before = sum_out(network, shown)
    for i in (v - 1 for v in network.dag.order if v > 0):
        shown[:, i] = x[:, i]
        after = sum_out(network, shown)
        terms[:, i] = after - before
        before = after
    return terms
