"""Evidence: what a row's features say about the class variables, as factors over them.

Conditioned on x, a feature of a network with several class variables is a factor over its class
parents: the entry log P(x_j | ·) of its table. Factors of the same scope add up, so a row has as
many factors as there are distinct parent sets, whatever the number of features. A feature that was
not observed, and has no children, says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jointbayes import _kernels
from jointbayes.arrays import Floats, Ints
from jointbayes.codes import Codes, SparseCodes
from jointbayes.network import Network

__all__ = ["Evidence", "Factors", "Scope", "class_factors", "compile_evidence"]

Scope = tuple[int, ...]
Factors = dict[Scope, Floats]


def class_factors(network: Network) -> Factors:
    """Return log P(class | its class parents) of every class variable, the same for all rows."""
    return dict(zip(network.families, network.log_tables[: network.n_targets], strict=False))


@dataclass(frozen=True, eq=False)
class Evidence:
    """The tables of the features below one set of class parents, one after the other.

    Parameters
    ----------
    shape
        How many values each of the parents has.
    cells
        (values of all features, cells of the factor) logarithms; each feature has a last value
        more, "not observed", with zeros.
    first
        Where the values of each feature begin.
    features
        Which features they are.
    """

    shape: tuple[int, ...]
    cells: Floats
    first: Ints
    features: Ints

    def add_up(self, codes: Codes) -> Floats:
        """Return the (n, *shape) sum of what the features say."""
        if isinstance(codes.features, SparseCodes):  # column by column: it may not fit when dense
            total = np.zeros((len(codes), self.cells.shape[1]))
            for first, j in zip(self.first, self.features, strict=True):
                total += self.cells[first + codes.features.column(j).astype(np.intp)]
        else:
            members, strides = self.features[:, None], np.ones((len(self.features), 1), np.int64)
            nothing = np.zeros(self.cells.shape[1])
            total = _kernels.add_terms(
                codes.features, nothing, self.cells, self.first, members, strides
            )
        return total.reshape(-1, *self.shape)


def compile_evidence(network: Network) -> dict[Scope, Evidence]:
    """Lay out the tables of the features of a network for each set of class parents.

    Examples
    --------
    A class with two features below it, both seen in the first row, one in the second:

    >>> from jointbayes.graph import Dag
    >>> prior, copy = np.log([0.5, 0.5]), np.log([[0.9, 0.2], [0.1, 0.8]])
    >>> network = Network(Dag(((), (0,), (0,))), (2, 2, 2), (prior, copy, copy))
    >>> codes = Codes.of([[0, 0], [0, 2]], feature_cards=(2, 2))
    >>> np.exp(compile_evidence(network)[0,].add_up(codes)).round(2).tolist()
    [[0.81, 0.04], [0.9, 0.2]]
    """
    below: dict[Scope, list[int]] = {}
    for v in range(network.n_targets, len(network.cards)):
        if scope := network.families[v][1:]:
            below.setdefault(scope, []).append(v)
    return {scope: _lay_out(network, scope, members) for scope, members in below.items()}


def _lay_out(network: Network, scope: Scope, members: list[int]) -> Evidence:
    shape = tuple(network.cards[v] for v in scope)
    tables = [network.log_tables[v].reshape(network.cards[v], -1) for v in members]
    padded = [np.concatenate([table, np.zeros_like(table[:1])]) for table in tables]
    ends = np.cumsum([0, *map(len, padded)], dtype=np.int64)
    features = np.array(members, dtype=np.int64) - network.n_targets
    cells = np.ascontiguousarray(np.concatenate(padded))
    return Evidence(shape, cells, ends[:-1], features)
