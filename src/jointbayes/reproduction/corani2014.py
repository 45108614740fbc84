"""Corani, Antonucci, Mauá, Gabaglio (2014), Trading off Speed and Accuracy (PGM 2014).

Tables 3 to 5: mNB, mFAN and the ensemble on eight data sets by five-fold cross-validation,
stratified on the rarest label. Before anything is trained, and so from all rows, numbers are cut at
their quartiles and features selected by CFS as Weka does it by default, for each label; the union
is kept. The joint query answers for global accuracy, the marginal query for Hamming accuracy; the
empty label set is prevented but for one half of Table 5. The rivals, binary relevance and 20 voting
chains of naive Bayes, give one answer to both queries, which may be empty.

Table 2 and Secs. 5.1 and 5.2: features that CFS leaves, the largest clique of classes (called
treewidth there) of networks of all rows, arcs of the root, and empty answers where allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline

from jointbayes.datasets import Dataset
from jointbayes.discretize import Quantile
from jointbayes.discretize.histogram import Histogram
from jointbayes.discretize.transformers import Discretizer
from jointbayes.models.conditional.chain_ensemble import ChainEnsemble
from jointbayes.models.networks.mfan import MultilabelFAN
from jointbayes.models.networks.mnb import MultilabelNB
from jointbayes.models.networks.network_ensemble import NetworkEnsemble
from jointbayes.models.one_class.naive_bayes import NaiveBayes
from jointbayes.models.relevance.binary_relevance import BinaryRelevance
from jointbayes.reproduction.looks import classes_together, empty_answers, width_of_data
from jointbayes.reproduction.paper import Paper, PaperColumn, Source, Versus, made_of
from jointbayes.select import CFS
from jointbayes.table import Column, Table
from jointbayes.table.column import nominal_column
from jointbayes.validation import Folds

__all__ = ["CORANI2014", "cut_and_selected"]


def cut_and_selected(dataset: Dataset) -> Dataset:
    """Return the data cut at the quartiles, with the features that CFS selects, from all rows.

    >>> X, Y = Table.of([[1.0, 5.0], [2.0, 5.0]] * 4), np.array([[0], [1]] * 4)
    >>> data = Dataset("the first column matters", X, Y, ("y",), X.names)
    >>> cut_and_selected(data).X.columns[0].decoded().tolist()
    [0, 1, 0, 1, 0, 1, 0, 1]
    """
    X = dataset.X
    if isinstance(X, Table):  # words of sparse files are there or not: nothing to cut
        X = Table(tuple(column if column.is_coded else _quartered(column) for column in X.columns))
    selector = CFS(locally_predictive=True).fit(X, dataset.Y)
    names = tuple(dataset.feature_names[j] for j in selector.selected_)
    return replace(dataset, X=selector.transform(X), feature_names=names)


def _quartered(column: Column) -> Column:
    bins = Quantile(4).fit_transform(column.values[:, None])[:, 0]
    codes = np.where(np.isnan(bins), -1, bins).astype(np.int8)
    return replace(nominal_column(column.name, codes, range(4)), declared=True)


_ROOM = 1 << 22  # bytes a row; each member of the ensemble is asked for its marginals


def _ensemble(**settings: Any) -> Any:
    """Pool as the paper does; the marginals of wide members by belief propagation, as there."""
    made = NetworkEnsemble(pooling="marginals", **settings)
    return made.set_params(max_bytes=_ROOM) if made.loss == "hamming" else made


class _Numbered(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Make codes of nominal columns: one-hot they would count as often as they have values."""

    def fit(self, X: Any, _y: Any = None) -> Self:
        """Learn nothing."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        """Return the codes of the columns of a frame; numbers stay what they are."""
        return X.apply(lambda column: column.cat.codes) if hasattr(X, "columns") else X


def _rival(model: Any) -> Callable[[Mapping[str, Any]], Any]:
    return lambda _settings: Pipeline([("number", _Numbered()), ("model", model)])


class _EachValue(Discretizer):
    """Every value is a bin of its own: the numbers are codes already."""

    def cut(self, histogram: Histogram) -> Any:
        """Return all values but the last."""
        return histogram.values[:-1]


_NAIVE = NaiveBayes(discretizer=_EachValue(), n_jobs=1)
_NETWORKS, _RIVALS = ("mNB", "mFAN", "ensemble"), ("BR", "ECC")


def _seen() -> Iterator[PaperColumn]:
    """Yield what the paper says of features, networks and answers beside their scores."""
    union = ("CFS_union",)
    yield PaperColumn("Table 2", "features_selected", "features", "features selected",
                      algorithms=union, look=width_of_data)  # fmt: skip
    yield PaperColumn("Table 2", "features_original", "features", "features of the file",
                      algorithms=union, look=width_of_data, sees="file")  # fmt: skip
    pooled = ("mNB", "ensemble")
    for table, printed, metric, about, look in (
        ("Table 2", "treewidth", "largest clique", pooled, classes_together),
        ("Sec 5.1", "class_arcs_of_optimal_root", "arcs between classes", ("mNB",),
         classes_together),
        ("Sec 5.2", "empty_predictions", "empty answers", pooled, empty_answers),
    ):  # fmt: skip
        yield PaperColumn(table, printed, metric, metric, algorithms=about, look=look)


FILES = {
    "Cal500": "CAL500",
    "Emotions": "emotions",
    "Enron": "enron",
    "Genbase": "genbase",
    "Medical": "medical",
    "Scene": "scene",
    "Slashdot": "slashdot",
    "Yeast": "yeast",
}

CORANI2014 = Paper(
    versus=(Versus("Table 3", "wilcoxon"), Versus("Table 4", "wilcoxon")),
    key="corani2014",
    title="Corani, Antonucci, Mauá, Gabaglio 2014, Trading off Speed and Accuracy in Multilabel "
    "Classification (PGM 2014)",
    models={
        "mNB": made_of(MultilabelNB, n_jobs=1, empty="forbid"),
        "mFAN": made_of(MultilabelFAN, n_jobs=1, empty="forbid"),
        "ensemble": made_of(_ensemble, n_jobs=1, empty="forbid"),
        "BR": _rival(BinaryRelevance(_NAIVE, empty="allow")),
        "ECC": _rival(ChainEnsemble(_NAIVE, n_chains=20, share=0.67, voting="votes")),
    },
    sources=tuple(Source(name, file, change=cut_and_selected) for name, file in FILES.items()),
    splitter=Folds(5, stratify="rarest", random_state=0),
    columns=(
        PaperColumn("Table 3", "global_accuracy", "subset_accuracy", "global accuracy"),
        PaperColumn(
            "Table 4",
            "hamming_accuracy",
            "hamming_accuracy",
            "Hamming accuracy",
            {"loss": "hamming"},
            _NETWORKS,
        ),
        PaperColumn(
            "Table 4",
            "hamming_accuracy",
            "hamming_accuracy",
            "Hamming accuracy",
            algorithms=_RIVALS,
        ),
        PaperColumn(
            "Table 5",
            "global_accuracy_empty_prevented",
            "subset_accuracy",
            "accuracy, empty prevented",
        ),
        PaperColumn(
            "Table 5",
            "global_accuracy_empty_allowed",
            "subset_accuracy",
            "accuracy, empty allowed",
            {"empty": "allow"},
        ),
        *_seen(),
    ),
    quick=("Emotions", "Genbase"),
)
