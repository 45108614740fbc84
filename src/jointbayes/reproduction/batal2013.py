"""Batal, Hong, Hauskrecht (2013), An Efficient Probabilistic Framework (CIKM 2013).

Tables 3 to 5: exact match, CLL-loss (the mean over folds of Σ −log P(y | x)) and micro F1 of CTBN
and its rivals by ten-fold cross-validation; L2-penalised logistic regressions, the penalty chosen
by cross-validation: the models' defaults. The RCV1 sets keep their ten most frequent labels, and
the words that four rows or more have. Emotions has 593 rows, of which other ten folds are enough to
find another share right by 0.02: it is cut ten times. Table 6, the seconds of learning, is measured
too, and not judged: the machine is another one. MMOC comes in two readings, see its module.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from jointbayes.datasets import Dataset
from jointbayes.models.coding.mmoc import MMOC
from jointbayes.models.conditional.classifier_chain import ClassifierChain
from jointbayes.models.conditional.ctbn import CTBN
from jointbayes.models.relevance.binary_relevance import BinaryRelevance
from jointbayes.models.relevance.iblr import IBLR
from jointbayes.models.relevance.mlknn import MLkNN
from jointbayes.models.relevance.stacked_relevance import StackedRelevance
from jointbayes.posterior import Independent
from jointbayes.reproduction.paper import Paper, PaperColumn, Source, Versus, made_of
from jointbayes.validation import Folds

__all__ = ["BATAL2013", "GreedyChain", "common_words", "most_frequent_labels"]


class GreedyChain(ClassifierChain):
    """A chain of 2009: each label is given what was predicted of the labels before it.

    As it predicts ŷ label by label, its answer and its probabilities are those of labels that are
    independent once ŷ is known, ∏_i P(y_i | x, ŷ_1 … ŷ_(i−1)): not a chain's likelihood of y, but
    what the paper prints as such.

    >>> X, Y = [[0.0]] * 40, [[0, 1], [1, 0]] * 20
    >>> post = GreedyChain().fit(X, Y).posterior(X[:2])
    >>> np.exp(post.log_prob([[0, 1], [1, 0]])).round(2).tolist()
    [0.5, 0.0]
    """

    def _condition(self, X: Any) -> Independent:  # type: ignore[override]  # no chain of y
        matrix = self.design_.matrix(X)
        step, rows = self.chain_.conditional(matrix), np.arange(matrix.shape[0])
        before = np.empty((len(rows), 0), dtype=np.intp)
        log_p = []
        for place in range(len(self.order_)):
            log_p.append(step(place, rows, before))
            before = np.column_stack([before, log_p[-1].argmax(axis=1)])
        return Independent([log_p[place] for place in np.argsort(self.order_)], self.space_)


def most_frequent_labels(dataset: Dataset, count: int = 10) -> Dataset:
    """Return the data with the most frequent labels alone, in the file's order.

    >>> Y = np.array([[1, 0, 1], [1, 0, 1], [0, 1, 1]])
    >>> data = Dataset("few", np.zeros((3, 1)), Y, ("a", "b", "c"), ("x",))
    >>> most_frequent_labels(data, 2).label_names
    ('a', 'c')
    """
    relevant = np.asarray(dataset.Y).sum(axis=0)
    kept = np.sort(np.argsort(-relevant, kind="stable")[:count])
    names = tuple(dataset.label_names[j] for j in kept)
    return replace(dataset, Y=dataset.Y[:, kept], label_names=names)


def common_words(dataset: Dataset, rows: int = 4) -> Dataset:
    """Return the data without the columns that are zero but in fewer rows.

    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[1, 1, 0], [1, 0, 1]])
    >>> data = Dataset("few", X, np.ones((2, 1)), ("y",), ("a", "b", "c"))
    >>> common_words(data, 2).feature_names
    ('a',)
    """
    kept = np.flatnonzero(np.diff(dataset.X.tocsc().indptr) >= rows)
    names = tuple(dataset.feature_names[j] for j in kept)
    return replace(dataset, X=dataset.X[:, kept], feature_names=names)


def _newswire(dataset: Dataset) -> Dataset:
    return common_words(most_frequent_labels(dataset))


_APART = "MMOC with a Gaussian for each codeword"
_INDEPENDENT: Any = {"settings": {"residuals": "independent"}, "algorithms": ("MMOC",)}

BATAL2013 = Paper(
    key="batal2013",
    title="Batal, Hong, Hauskrecht 2013, An Efficient Probabilistic Framework for "
    "Multi-Dimensional Classification (CIKM 2013)",
    models={
        "BR": made_of(BinaryRelevance, empty="allow"),
        "CHF": made_of(StackedRelevance, empty="allow"),
        "CC": made_of(GreedyChain, empty="allow"),
        "MLKNN": made_of(MLkNN, empty="allow"),
        "IBLR": made_of(IBLR, empty="allow"),
        "MMOC": made_of(MMOC, empty="allow"),
        "CTBN": made_of(CTBN, empty="allow"),
    },
    sources=(
        Source("Emotions", "emotions", repeats=10),
        Source("Yeast", "yeast"),
        Source("Scene", "scene"),
        Source("Enron", "enron"),
        Source("TMC 2007", "tmc2007-500"),
        *(Source(f"RCV1_top10 (S{k})", f"rcv1sub{k}", change=_newswire) for k in range(1, 5)),
    ),
    splitter=Folds(10, stratify="none", random_state=0),
    columns=(
        PaperColumn("Table 3", "exact_match_accuracy", "subset_accuracy", "exact match"),
        PaperColumn("Table 3", "exact_match_accuracy", "subset_accuracy", _APART, **_INDEPENDENT),
        PaperColumn("Table 4", "CLL_loss", "cll_loss", "CLL-loss"),
        PaperColumn("Table 5", "micro_F1", "f1_micro", "micro F1"),
        PaperColumn("Table 5", "micro_F1", "f1_micro", _APART, **_INDEPENDENT),
        PaperColumn("Table 6", "learning_time_s", "fit_seconds", "seconds of learning, one fold"),
    ),
    quick=("Emotions", "Yeast", "Scene"),
    versus=tuple(Versus(f"Table {k}", "paired t", "CTBN") for k in (3, 4, 5)),
)
