"""Sun, Wang, Sun (2017), Label-Driven Learning Framework, Entropy 19(12):661.

Table 4: zero-one loss of seven classifiers on 40 data sets by ten-fold cross-validation; numbers
cut by MDL, a missing value is a value, m-estimate with m = 1, k = 1, δ = 10%: the models' defaults.
Table 6 and Secs. 4.3 and 4.4: how often LTAN reconsiders, what comes of it, and how long it takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes.datasets import Dataset
from jointbayes.models.label_driven.ltan import LTAN
from jointbayes.models.one_class.akdb import AKDB
from jointbayes.models.one_class.aode import AODE
from jointbayes.models.one_class.kdb import KDB
from jointbayes.models.one_class.naive_bayes import NaiveBayes
from jointbayes.models.one_class.tan import TAN
from jointbayes.models.one_class.watan import WATAN
from jointbayes.reproduction.looks import agreement_of_trees, lower_loss, slower
from jointbayes.reproduction.paper import (
    Paper,
    PaperColumn,
    Source,
    Splitter,
    Versus,
    made_of,
)
from jointbayes.validation import Folds

__all__ = ["SUN2017", "reconsidered"]

_NUMBERS_OF_CENSUS = {0, 5, 16, 17, 18, 24, 30, 39}
_NO_HEADER: dict[str, Any] = {"header": "none"}
_CENSUS = {
    **_NO_HEADER,
    "target": 41,
    "nominal": [j for j in range(41) if j not in _NUMBERS_OF_CENSUS],
    "missing": ["?"],
    "identifiers": "keep",
}
_LONGER, _LOWER = "extra_classification_time_s", "zero_one_loss_reduction_pct"
_BANDS = {"nominal": ["job_number"], "identifiers": "keep"}
_PROMOTERS = {**_NO_HEADER, "target": 0, "identifiers": [1], "sequences": [2]}


def reconsidered(dataset: Dataset, splitter: Splitter, _algorithm: str) -> dict[str, list[float]]:
    """Return how often LTAN reconsidered over all folds, and what came of it (Eqs. 22 to 25).

    κ is the mean of the folds', weighted by the rows that were reconsidered.
    """
    y, found = np.asarray(dataset.Y), []
    for train, test in splitter.split(dataset.X, y):
        model = LTAN(n_jobs=1).fit(dataset.X[train], y[train])
        found.append(model.diagnose(dataset.X[test], y[test]))
    again = np.array([d.n_reconsidered for d in found])
    mean = {
        name: float(np.average([getattr(d, name) for d in found], weights=again + 1e-300))
        for name in ("cp", "lp", "mean_labels", "kappa")
    }
    return {
        "reconsidered": [100 * again.sum() / len(y)],
        "rows reconsidered": [float(again.sum())],
        "corrected": [100 * mean["cp"]],
        "lost": [100 * mean["lp"]],
        "corrected less lost": [100 * (mean["cp"] - mean["lp"])],
        "labels that remain": [mean["mean_labels"]],
        "agreement of the stages": [mean["kappa"]],
    }


def _seen(place: str, printed: str, what: str, algorithm: str = "LTAN") -> PaperColumn:
    """Return the column of something that is seen of LTAN beside its loss."""
    unit = ", percent" if printed.endswith("_pct") else ""
    title = what + unit
    return PaperColumn(place, printed, what, title, algorithms=(algorithm,), look=reconsidered)


SUN2017 = Paper(
    versus=(Versus("Table 4", "win draw loss"),),
    key="sun2017",
    title="Sun, Wang, Sun 2017, Label-Driven Learning Framework (Entropy 19(12):661)",
    models={
        "NB": made_of(NaiveBayes, n_jobs=1),
        "TAN": made_of(TAN, n_jobs=1),
        "KDB": made_of(KDB, n_jobs=1),
        "AODE": made_of(AODE, n_jobs=1),
        "WATAN": made_of(WATAN, n_jobs=1),
        "AKDB": made_of(AKDB, n_jobs=1),
        "LTAN": made_of(LTAN, n_jobs=1),
    },
    sources=(
        Source("Lung Cancer", "lung-cancer.data", {**_NO_HEADER, "target": 0, "nominal": "all"}),
        Source("Labor-negotiations", "labor"),
        Source("Post-operative", "post-operative"),
        Source("Zoo", "zoo", {"nominal": ["legs"]}),
        Source("Promoters", "promoters.data", _PROMOTERS),
        Source("Iris", "iris"),
        Source("Teaching-ae", "teaching-ae", {"nominal": [1, 2]}),
        Source("Sonar", "sonar"),
        Source("Heart", "heart.arff"),
        Source("Heart-disease-c", "heart-disease-c"),
        Source("Musk1", "musk1.data", {**_NO_HEADER, "target": 168, "identifiers": [0, 1]}),
        Source("Cylinder-bands", "cylinder-bands", _BANDS),
        Source("Syncon", "syncon"),
        Source("Breast-cancer-w", "breast-cancer-w", {"nominal": "all"}),
        Source("Tic-Tac-Toe", "tic-tac-toe"),
        Source("Vowel", "vowel"),
        Source("Segment", "segment"),
        Source("Hypothyroid", "hypothyroid.data", {**_NO_HEADER, "target": 0}),
        Source("Kr-vs-Kp", "kr-vs-kp"),
        Source("Waveform-5000", "waveform-5000"),
        Source("Page-blocks", "page-blocks"),
        Source("Mushrooms", "mushrooms"),
        Source("Pendigits", "pendigits"),
        Source("Nursery", "nursery"),
        Source("Letter-recog", "letter-recog"),
        Source("Shuttle", "shuttle"),
        Source("Waveform", "waveform-21"),
        Source("Census-income", "census-income.data", _CENSUS),
        Source("Covtype", "covtype", {"nominal": range(10, 54)}),
        Source("Poker-hand", "poker-hand-part", {"nominal": "all"}),
    ),
    splitter=Folds(10, stratify="none", random_state=0),
    columns=(
        PaperColumn("Table 4", "zero_one_loss", "zero_one_loss", "zero-one loss"),
        *(_seen("Table 6", *what) for what in (("CP_pct", "corrected"), ("LP_pct", "lost"))),
        *(_seen(place, "LLP_pct", "reconsidered") for place in ("Sec 4.3", "Sec 4.4")),
        _seen("Sec 4.3", "reconsidered_instances", "rows reconsidered"),
        _seen("Sec 4.3", "CP_minus_LP_pct", "corrected less lost"),
        _seen("Sec 4.3.1", "mean_remaining_labels", "labels that remain"),
        _seen("Sec 4.3.2", "kappa", "agreement of the stages", "TAN_IE vs IBMC_CL"),
        PaperColumn(
            "Sec 4.4",
            "classification_time_s",
            "predict_seconds",
            "seconds of classification, one fold",
        ),
        PaperColumn(
            "Sec 4.3.2",
            "mean_kappa",
            "agreement of the trees",
            "agreement of WATAN's trees",
            algorithms=("WATAN",),
            look=agreement_of_trees,
        ),
        *(
            PaperColumn(place, printed, what, what, algorithms=(versus,), look=look)
            for place, printed, what, versus, look in (
                ("Sec 4.4", _LONGER, "seconds longer", "LTAN vs TAN", slower),
                ("Sec 4.4", _LONGER, "seconds longer", "AKDB vs TAN", slower),
                ("Sec 4.3", _LOWER, "loss lower by", "LTAN vs TAN", lower_loss),
                ("Sec 4.3.1", _LOWER, "loss lower by", "TAN_IE vs TAN", lower_loss),
            )
        ),
    ),
    quick=("Labor-negotiations", "Zoo", "Iris", "Heart", "Tic-Tac-Toe", "Vowel"),
)
