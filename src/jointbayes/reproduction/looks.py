"""What papers say of their data and of what was learned, beside scores: looks at one data set.

A look takes a data set, a protocol and an algorithm, and gives numbers by their names.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np

from jointbayes.datasets import Dataset
from jointbayes.inference import compile_network
from jointbayes.labels import learn_labels
from jointbayes.metrics import cohen_kappa
from jointbayes.models.label_driven.ltan import LTAN
from jointbayes.models.networks.mnb import MultilabelNB
from jointbayes.models.networks.network_ensemble import NetworkEnsemble
from jointbayes.models.one_class.akdb import AKDB
from jointbayes.models.one_class.learned import OneNetwork
from jointbayes.models.one_class.tan import TAN
from jointbayes.models.one_class.watan import WATAN, learn_watan
from jointbayes.reproduction.paper import Splitter

__all__ = [
    "agreement_of_trees",
    "classes_together",
    "empty_answers",
    "labels_of_rows",
    "lower_loss",
    "slower",
    "width_of_data",
]

_KINDS: dict[str, Any] = {
    "mNB": MultilabelNB,
    "ensemble": partial(NetworkEnsemble, pooling="marginals"),
}
_ONE_CLASS: dict[str, Any] = {
    "TAN": TAN,
    "LTAN": LTAN,
    "AKDB": AKDB,
    "TAN_IE": lambda **options: LTAN(combine="refined", **options),
}

Seen = dict[str, list[float]]


def width_of_data(dataset: Dataset, _splitter: Splitter, _algorithm: str) -> Seen:
    """Return how many features there are.

    >>> from jointbayes.table import Table
    >>> X = Table.of([[1.0, 2.0]])
    >>> width_of_data(Dataset("d", X, np.array([[0]]), ("y",), X.names), None, "CFS_union")
    {'features': [2.0]}
    """
    return {"features": [float(len(dataset.feature_names))]}


def labels_of_rows(dataset: Dataset, _splitter: Splitter, _algorithm: str) -> Seen:
    """Return the mean number of labels of a row, and how many rows have none.

    >>> from jointbayes.table import Table
    >>> X = Table.of([[1.0], [2.0]])
    >>> data = Dataset("d", X, np.array([[0, 0], [1, 1]]), ("a", "b"), X.names)
    >>> labels_of_rows(data, None, "data")
    {'labels a row': [1.0], 'rows without a label': [1.0]}
    """
    sizes = learn_labels(dataset.Y).encode(dataset.Y).sum(axis=1)
    return {
        "labels a row": [float(sizes.mean())],
        "rows without a label": [float((sizes == 0).sum())],
    }


def classes_together(dataset: Dataset, _splitter: Splitter, algorithm: str) -> Seen:
    """Return the largest clique of classes of a network of all rows, and the arcs of its root."""
    learned = _KINDS[algorithm](n_jobs=1).fit(dataset.X, dataset.Y).learned_
    return {
        "largest clique": [learned.plan.width + 1.0],
        "arcs between classes": [float(learned.graphs[0].arcs)],
    }


def empty_answers(dataset: Dataset, splitter: Splitter, algorithm: str) -> Seen:
    """Return how many rows, of all folds, are answered by no label where that is allowed."""
    Y, empty = np.asarray(dataset.Y), 0
    for train, test in splitter.split(dataset.X, Y):
        model = _KINDS[algorithm](empty="allow", n_jobs=1).fit(dataset.X[train], Y[train])
        answers = model.space_.encode(model.predict(dataset.X[test]))
        empty += int((answers.sum(axis=1) == 0).sum())
    return {"empty answers": [float(empty)]}


def agreement_of_trees(dataset: Dataset, splitter: Splitter, _algorithm: str) -> Seen:
    """Return the mean κ of all pairs of WATAN's trees, over all rows of all folds."""
    y, answers = np.asarray(dataset.Y), []
    for train, test in splitter.split(dataset.X, y):
        model = WATAN(n_jobs=1).fit(dataset.X[train], y[train])
        codes = model.encoder_.codes(dataset.X[test], n_jobs=1)
        members = learn_watan(model.knowledge_, model.smoothing)
        trees = (members.network(root) for root in range(codes.n_features))
        scores = [OneNetwork(compile_network(tree)).log_scores(codes, 1) for tree in trees]
        answers.append(np.stack([one.argmax(axis=1) for one in scores]))
    pairs = [cohen_kappa(a, b) for a, b in combinations(np.concatenate(answers, axis=1), 2)]
    return {"agreement of the trees": [float(np.mean(pairs or [1.0]))]}


def slower(dataset: Dataset, splitter: Splitter, algorithm: str) -> Seen:
    """Return the seconds of classification that "A vs B" takes A longer than B, by folds."""
    times = [_folds(dataset, splitter, name)[1] for name in algorithm.split(" vs ")]
    return {"seconds longer": [a - b for a, b in zip(*times, strict=True)]}


def lower_loss(dataset: Dataset, splitter: Splitter, algorithm: str) -> Seen:
    """Return by how many percent of B's zero-one loss that of A is lower, for "A vs B"."""
    wrong = [sum(_folds(dataset, splitter, name)[0]) for name in algorithm.split(" vs ")]
    return {"loss lower by": [100.0 * (wrong[1] - wrong[0]) / max(wrong[1], 1)]}


def _folds(dataset: Dataset, splitter: Splitter, name: str) -> tuple[list[int], list[float]]:
    """Return the errors and the seconds of classification of every fold."""
    y, wrong, seconds = np.asarray(dataset.Y), [], []
    for train, test in splitter.split(dataset.X, y):
        model = _ONE_CLASS[name](n_jobs=1).fit(dataset.X[train], y[train])
        start = perf_counter()
        answers = model.predict(dataset.X[test])
        seconds.append(perf_counter() - start)
        wrong.append(int((np.asarray(answers) != y[test]).sum()))
    return wrong, seconds
