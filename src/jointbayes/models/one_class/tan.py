r"""TAN: naive Bayes whose features form a tree (Sun 2017, Sec. 2.2.2, Algorithms 1 and 2).

.. math:: W_{ij} = I(X_i; X_j \mid C)                                                   (5)
.. math:: P(c, x) = P(c) \, P(x_1 \mid c) \prod_{i > 1} P(x_i \mid x_{\pi(i)}, c)        (6)

where π is the spanning tree of largest total weight W (Prim from the first feature, which is the
root). No other tree gives the training data a larger likelihood.

Cost: O(rows · features²) to count, O(features · classes) per row to predict.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Weights
from jointbayes.codes import Codes
from jointbayes.counts import PairCounts
from jointbayes.graph import Dag
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.knowledge import Rows, dependence, pairs_or_rows
from jointbayes.models.one_class.learned import OneNetwork, network_of
from jointbayes.structure import maximum_spanning_tree

__all__ = ["TAN", "learn_tan", "tree_below_class"]


def learn_tan(known: PairCounts | Rows) -> Dag:
    """Return the TAN graph of counted pairs: a tree of features, all of them below the class.

    Examples
    --------
    The second feature copies the first, and the third is noise; the tree joins the copies:

    >>> from jointbayes.counts import count_pairs
    >>> y, x, noise = np.random.default_rng(0).integers(0, 2, (3, 500))
    >>> counts = count_pairs(Codes.of(np.stack([x, x, noise], axis=1), targets=y))
    >>> learn_tan(counts).parents[2]
    (0, 1)
    """
    return tree_below_class(maximum_spanning_tree(dependence(known)))


def tree_below_class(parents: NDArray[np.int64]) -> Dag:
    """Return the graph of a tree of features (−1 = root) with the class as parent of them all.

    >>> tree_below_class(np.array([-1, 0, 0])).parents
    ((), (0,), (0, 1), (0, 1))
    """
    return Dag(((), *((0,) if p < 0 else (0, int(p) + 1) for p in parents)))


class TAN(NetworkClassifier):
    """Tree-augmented naive Bayes: each feature may depend on one other feature.

    Parameters
    ----------
    smoothing, discretizer, categorical_features, missing, n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_
        The labels, sorted.
    edges_
        The arcs of the network, (parent, child) by name.

    See Also
    --------
    learn_tan : The structure alone.

    Notes
    -----
    Where the counts of all pairs of values take more memory than the coded rows, the rows are kept
    until others come by `partial_fit`.

    Examples
    --------
    The label is the parity of two bits, which naive Bayes cannot see:

    >>> X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]] * 5
    >>> y = ["even", "odd", "odd", "even"] * 5
    >>> model = TAN().fit(X, y)
    >>> model.score(X, y)
    1.0
    >>> model.edges_
    [('class', 'x0'), ('class', 'x1'), ('x0', 'x1')]
    """

    def _remember(self, codes: Codes, weights: Weights) -> PairCounts | Rows:
        return pairs_or_rows(codes, weights, self.n_jobs)

    def _deduce(self, known: PairCounts | Rows) -> OneNetwork:
        return network_of(learn_tan(known), known, self.smoothing)
