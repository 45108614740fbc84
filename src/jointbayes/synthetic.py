r"""Data whose truth is known: random networks, the toy problem of Gasse 2015, duplicated data.

A random network has a table for each variable whose distributions are drawn uniformly from the
simplex: k exponential numbers divided by their sum (Smith & Tromble 2004). Rows are drawn variable
by variable, parents first.

The toy problem is one feature X with 16 values above five binary labels, and arcs between
neighbouring labels of one block; the blocks of DAG 1 to 5 are its irreducible label factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.codes import Codes, narrowest
from jointbayes.errors import DataError, ParameterError
from jointbayes.graph import Dag
from jointbayes.network import Network, families_of
from jointbayes.table import Table

__all__ = [
    "TOY_FACTORS",
    "duplicate",
    "random_dag",
    "random_network",
    "sample_network",
    "toy_dag",
    "toy_problem",
]

TOY_FACTORS = {
    1: ((0,), (1,), (2,), (3,), (4,)),
    2: ((0, 1), (2, 3), (4,)),
    3: ((0, 1, 2), (3, 4)),
    4: ((0, 1, 2, 3), (4,)),
    5: ((0, 1, 2, 3, 4),),
}


def toy_dag(number: int) -> Dag:
    """Return the toy graph of that number: labels 0 to 4, the feature is variable 5.

    >>> toy_dag(2).parents
    ((5,), (5, 0), (5,), (5, 2), (5,), ())
    """
    if number not in TOY_FACTORS:
        raise ParameterError(f"the toy problem has DAG 1 to 5; there is no DAG {number!r}")
    before = {j: (j - 1,) for factor in TOY_FACTORS[number] for j in factor[1:]}
    return Dag((*((5, *before.get(j, ())) for j in range(5)), ()))


def toy_problem(
    number: int, n: int, rng: Any = None, n_values: int = 16
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw rows from a random distribution on a toy graph.

    Parameters
    ----------
    number
        Which graph, 1 to 5.
    n
        How many rows.
    rng
        Seed or generator; the same one gives the same distribution and rows.
    n_values
        Of the feature.

    Returns
    -------
    X, Y
        (n, 1) and (n, 5) codes.

    Examples
    --------
    >>> X, Y = toy_problem(3, 1000, rng=0)
    >>> X.shape, Y.shape, int(X.max())
    ((1000, 1), (1000, 5), 15)

    Given the feature, the blocks are independent, and a large sample shows it:

    >>> from jointbayes.independence import label_factors
    >>> X, Y = toy_problem(3, 20_000, rng=0)
    >>> label_factors(X.astype(str), Y, random_state=0) == TOY_FACTORS[3]
    True
    """
    generator = np.random.default_rng(rng)
    network = random_network(toy_dag(number), (2, 2, 2, 2, 2, n_values), generator, n_targets=5)
    codes = sample_network(network, n, generator)
    return np.asarray(codes.features, dtype=np.int64), codes.targets.astype(np.int64)


def random_dag(n: int, rng: Any = None, max_parents: int = 2) -> Dag:
    """Return a graph in which each variable has up to ``max_parents`` parents before it.

    >>> random_dag(4, rng=0, max_parents=1).order
    (0, 1, 2, 3)
    """
    generator = np.random.default_rng(rng)
    counts = generator.integers(0, np.minimum(np.arange(n), max_parents) + 1)
    parents = [sorted(generator.permutation(v)[:k].tolist()) for v, k in enumerate(counts)]
    return Dag(tuple(map(tuple, parents)))


def random_network(
    dag: Dag, cards: Sequence[int], rng: Any = None, *, n_targets: int = 1
) -> Network:
    """Return a network with all distributions drawn uniformly from the simplex.

    >>> network = random_network(Dag(((), (0,))), (2, 3), rng=0)
    >>> np.exp(network.log_tables[1]).sum(axis=0).round(12).tolist()
    [1.0, 1.0]
    """
    generator = np.random.default_rng(rng)
    tables = []
    for v, family in enumerate(families_of(dag, n_targets)):
        drawn = generator.exponential(size=tuple(cards[u] for u in family))
        tables.append(np.log(drawn / drawn.sum(axis=family.index(v), keepdims=True)))
    return Network(dag, tuple(cards), tuple(tables), n_targets)


def sample_network(network: Network, n: int, rng: Any = None) -> Codes:
    """Draw ``n`` rows from a network.

    A class that its feature copies:

    >>> with np.errstate(divide="ignore"):
    ...     copy = Network(Dag(((), (0,))), (2, 2), (np.log([0.5, 0.5]), np.log(np.eye(2))))
    >>> codes = sample_network(copy, 100, rng=0)
    >>> bool((codes.features == codes.targets).all()), float(codes.targets.mean().round(2))
    (True, 0.56)
    """
    generator = np.random.default_rng(rng)
    rows = np.empty((n, len(network.cards)), dtype=narrowest(max(network.cards)), order="F")
    for v in network.dag.order:
        family = network.families[v]
        # The variable itself on the last axis, and its distribution as steps up to one.
        steps = np.exp(np.moveaxis(network.log_tables[v], family.index(v), -1)).cumsum(axis=-1)
        own = steps[tuple(rows[:, u] for u in family if u != v)]
        drawn = generator.random((n, 1)) * own[..., -1:]
        rows[:, v] = (drawn >= own[..., :-1]).sum(axis=-1)
    k = network.n_targets
    return Codes.of(rows[:, k:], network.cards[k:], rows[:, :k], network.cards[:k])


def duplicate(X: Any, Y: Any, rng: Any = None, copies: int = 2) -> tuple[Any, Any]:
    """Return a data set beside copies of itself whose rows are shuffled (Gasse 2015, Sec. 4.2).

    Every copy keeps its own structure and is independent of the others, so the labels have at least
    ``copies`` irreducible factors.

    Parameters
    ----------
    X, Y
        (n, p) and (n, d) arrays, sparse matrices, or Tables, whose copies get new column names.
    rng
        Seed or generator.
    copies
        How many data sets stand side by side, the original included.

    Examples
    --------
    >>> X, Y = duplicate(np.arange(3)[:, None], np.eye(3, dtype=int), rng=0)
    >>> X.shape, Y.shape, bool((X[:, 1] == Y[:, 3:].argmax(axis=1)).all())
    ((3, 2), (3, 6), True)
    """
    if X.shape[0] != Y.shape[0]:
        raise DataError(f"X has {X.shape[0]} rows and Y {Y.shape[0]}; they have to agree")
    if copies < 1:
        raise ParameterError(f"copies is {copies}; give an integer from 1 on")
    generator = np.random.default_rng(rng)
    orders = [np.arange(X.shape[0])]
    orders += [generator.permutation(X.shape[0]) for _ in range(copies - 1)]
    return _beside([X[rows] for rows in orders]), _beside([Y[rows] for rows in orders])


def _beside(parts: list[Any]) -> Any:
    if hasattr(parts[0], "tocsr"):
        from scipy.sparse import hstack

        return hstack(parts, format="csr")
    if isinstance(parts[0], Table):
        copies = [
            replace(column, name=f"{column.name}.{k}" if k else column.name)
            for k, part in enumerate(parts)
            for column in part.columns
        ]
        return Table(tuple(copies))
    return np.concatenate([np.asarray(part) for part in parts], axis=1)
