"""Corani, Antonucci, Mauá, Gabaglio (2014), Trading off Speed and Accuracy (PGM 2014).

Tables 3 to 5: mNB, mFAN and the ensemble on eight data sets by five-fold cross-validation,
stratified on the rarest label; four bins at the quartiles, features selected by CFS for each label
(the union is kept). The joint query answers for global accuracy, the marginal query for Hamming
accuracy; the empty label set is prevented but for one half of Table 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sklearn.pipeline import Pipeline

from jointbayes.models.mfan import MultilabelFAN
from jointbayes.models.mnb import MultilabelNB
from jointbayes.models.network_ensemble import NetworkEnsemble
from jointbayes.reproduction.paper import Column, Paper, Source
from jointbayes.select import CFS
from jointbayes.validation import Folds

__all__ = ["CORANI2014"]


def _selected(kind: Callable[..., Any]) -> Callable[[Mapping[str, Any]], Any]:
    return lambda settings: Pipeline(
        [("select", CFS(n_jobs=1)), ("model", kind(n_jobs=1, **settings))]
    )


def _ensemble(**settings: Any) -> NetworkEnsemble:
    return NetworkEnsemble(pooling="marginals", **settings)


CORANI2014 = Paper(
    key="corani2014",
    title="Corani, Antonucci, Mauá, Gabaglio 2014, Trading off Speed and Accuracy in Multilabel "
    "Classification (PGM 2014)",
    models={
        "mNB": _selected(MultilabelNB),
        "mFAN": _selected(MultilabelFAN),
        "ensemble": _selected(_ensemble),
    },
    sources=(
        Source("Cal500", "CAL500"),
        Source("Emotions", "emotions"),
        Source("Enron", "enron"),
        Source("Genbase", "genbase"),
        Source("Medical", "medical"),
        Source("Scene", "scene"),
        Source("Slashdot", "slashdot"),
        Source("Yeast", "yeast"),
    ),
    splitter=Folds(5, stratify="rarest", random_state=0),
    columns=(
        Column("Table 3", "global_accuracy", "subset_accuracy", "global accuracy"),
        Column(
            "Table 4",
            "hamming_accuracy",
            "hamming_accuracy",
            "Hamming accuracy",
            {"loss": "hamming"},
        ),
        Column(
            "Table 5",
            "global_accuracy_empty_prevented",
            "subset_accuracy",
            "accuracy, empty prevented",
        ),
        Column(
            "Table 5",
            "global_accuracy_empty_allowed",
            "subset_accuracy",
            "accuracy, empty allowed",
            {"empty": "allow"},
        ),
    ),
    quick=("Emotions", "Genbase"),
)
