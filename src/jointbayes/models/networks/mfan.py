r"""mFAN: the classes form a forest-augmented naive Bayes network (Corani et al. 2014, Sec. 3).

As in mNB one class is the root, but a class below it may have one more parent. For each root the
best forest is a maximum branching (see :mod:`jointbayes.structure.class_graphs`); the best root is
taken. Class tables have at most eight cells.
"""

from __future__ import annotations

from jointbayes.models.networks.classifier import ClassNetworks
from jointbayes.models.networks.vector_counts import VectorCounts
from jointbayes.structure import ClassGraph, forest_augmented

__all__ = ["MultilabelFAN"]


class MultilabelFAN(ClassNetworks):
    """Forest-augmented multi-label naive Bayes: classes below the root may have one more parent.

    Parameters and attributes are those of `MultilabelNB`.

    Examples
    --------
    The third label is the parity of the other two, which no pair of labels shows:

    >>> X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]] * 10
    >>> Y = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 10
    >>> model = MultilabelFAN(empty="allow").fit(X, Y)
    >>> model.predict(X[:4]).tolist()
    [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
    >>> sum(child.startswith("y") for _, child in model.edges_)
    2
    """

    def _class_graphs(self, known: VectorCounts) -> tuple[ClassGraph, ...]:
        return (forest_augmented(known.class_codes(), self.ess, known.counts.n_c, self.n_jobs),)
