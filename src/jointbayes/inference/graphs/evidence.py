"""Evidence: what a row's features say about the class variables, as factors over them.

Conditioned on x, a feature of a network with several class variables is a factor over its class
parents: the entry log P(x_j | ·) of its table. Factors of the same scope add up, so a row has as
many factors as there are distinct parent sets, whatever the number of features. A feature that was
not observed, and has no children, says nothing.
"""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.codes import Codes
from jointbayes.network import Network

__all__ = ["Factors", "class_factors", "feature_factors"]

Scope = tuple[int, ...]
Factors = dict[Scope, Floats]


def class_factors(network: Network) -> Factors:
    """Return log P(class | its class parents) of every class variable, the same for all rows."""
    return dict(zip(network.families, network.log_tables[: network.n_targets], strict=False))


def feature_factors(network: Network, codes: Codes) -> Factors:
    """Return, for each set of class parents, the (n, k, …) evidence of the features below it.

    Examples
    --------
    A class with two features below it, both seen in the first row, one in the second:

    >>> from jointbayes.graph import Dag
    >>> prior, copy = np.log([0.5, 0.5]), np.log([[0.9, 0.2], [0.1, 0.8]])
    >>> network = Network(Dag(((), (0,), (0,))), (2, 2, 2), (prior, copy, copy))
    >>> factors = feature_factors(network, Codes.of([[0, 0], [0, 2]], feature_cards=(2, 2)))
    >>> np.exp(factors[0,]).round(2).tolist()
    [[0.81, 0.04], [0.9, 0.2]]
    """
    d, families, out = network.n_targets, network.families, Factors()
    for v in range(d, len(network.cards)):
        scope = families[v][1:]
        if not scope:
            continue
        table = network.log_tables[v]
        padded = np.concatenate([table, np.zeros_like(table[:1])])  # the last code: not observed
        term = padded[codes.column(v - d + codes.n_targets)]
        if scope in out:
            out[scope] += term
        else:
            out[scope] = term
    return out
