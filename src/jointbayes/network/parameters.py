r"""Parameters: from counts to conditional probabilities.

The m-estimate, with k the number of values of the variable and m = ``smoothing``:

.. math:: P(v \mid ctx) = \frac{n(v, ctx) + m/k}{n(ctx) + m}                           (1)

m = 0 stands for the limit m → 0: relative frequencies where the context occurred, equal shares
where it did not, and a value never seen in a context that did occur costs so much that it only
decides between classes that are otherwise impossible. So every probability stays finite.
"""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.counts import Counts
from jointbayes.graph import Dag
from jointbayes.network.network import Network, families_of

__all__ = ["estimate", "log_m_estimate"]

# Small enough to vanish beside any count, large enough to be divided by any number of values.
_LIMIT = 1e-290


def log_m_estimate(n: Floats, axis: int, smoothing: float = 1.0) -> Floats:
    """Return log P(v | ctx) of Eq. 1, with the values v along ``axis`` and contexts on the others.

    Parameters
    ----------
    n
        Counts n(v, ctx).
    axis
        Where the values are.
    smoothing
        The m of Eq. 1, not negative.

    Examples
    --------
    >>> n = np.array([[3.0, 1.0], [0.0, 0.0]])
    >>> np.exp(log_m_estimate(n, axis=1)).round(3).tolist()
    [[0.7, 0.3], [0.5, 0.5]]
    >>> np.exp(log_m_estimate(n, axis=1, smoothing=0)).round(3).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    m = max(smoothing, _LIMIT)
    return np.asarray(
        np.log(n + m / n.shape[axis]) - np.log(n.sum(axis=axis, keepdims=True) + m)  # (1)
    )


def estimate(dag: Dag, counts: Counts, *, smoothing: float = 1.0, n_targets: int = 1) -> Network:
    """Return the network on ``dag`` whose tables are the m-estimates from ``counts``.

    Parameters
    ----------
    dag
        The graph, targets first.
    counts
        Tables of all `families_of` the graph.
    smoothing
        The m of Eq. 1.
    n_targets
        How many of the variables are targets.

    Examples
    --------
    >>> from jointbayes.codes import Codes
    >>> from jointbayes.counts import count
    >>> codes = Codes.of([[0], [0], [1]], targets=[0, 0, 1])
    >>> dag = Dag(((), (0,)))
    >>> network = estimate(dag, count(codes, families_of(dag)))
    >>> np.exp(network.log_tables[1]).round(3).tolist()
    [[0.833, 0.25], [0.167, 0.75]]
    """
    families = families_of(dag, n_targets)
    tables = tuple(
        log_m_estimate(counts[family], family.index(v), smoothing)
        for v, family in enumerate(families)
    )
    cards = tuple(
        table.shape[family.index(v)]
        for v, (family, table) in enumerate(zip(families, tables, strict=True))
    )
    return Network(dag, cards, tables, n_targets)
