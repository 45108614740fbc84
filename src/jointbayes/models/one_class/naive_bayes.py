r"""Naive Bayes: features that are independent given the class (Sun 2017, Sec. 2.2.1).

.. math:: P(c, x) = P(c) \prod_{i=1}^n P(x_i \mid c)                                    (8)

Cost: O(rows · features) to count, O(features · classes) per row to predict.
"""

from __future__ import annotations

from jointbayes.arrays import Weights
from jointbayes.codes import Codes
from jointbayes.counts import SingleCounts, count_singles
from jointbayes.graph import Dag
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.learned import OneNetwork, network_of

__all__ = ["NaiveBayes", "learn_naive_bayes"]


def learn_naive_bayes(n_features: int) -> Dag:
    """Return the graph of Eq. 8: every feature below the class (variable 0), and nothing else.

    >>> learn_naive_bayes(2).arcs
    ((0, 1), (0, 2))
    """
    return Dag(((), *((0,) for _ in range(n_features))))


class NaiveBayes(NetworkClassifier):
    """Naive Bayes on mixed, missing and named data.

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

    Examples
    --------
    Three weak signs, all for the same label, make a strong one:

    >>> X = [["a", "a", "a"], ["a", "b", "a"], ["b", "b", "b"], ["b", "a", "b"]]
    >>> model = NaiveBayes().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([["b", "b", "b"]]).tolist()
    ['yes']
    >>> model.edges_
    [('class', 'x0'), ('class', 'x1'), ('class', 'x2')]
    """

    def _remember(self, codes: Codes, weights: Weights) -> SingleCounts:
        return count_singles(codes, weights, self.n_jobs)

    def _deduce(self, known: SingleCounts) -> OneNetwork:
        return network_of(learn_naive_bayes(len(known.cards)), known, self.smoothing)
