"""Mossina, Rachelson (2017), Naive Bayes Classification for Subset Selection (arXiv 1707.06142).

Tables 6 to 8: NaiBX, NBX_TrueM (told the number of labels) and five rivals on continuous columns,
binary words and counted words. Ten folds, or one split with 66 % for training.

H_s is over all labels of all rows; Z_s, Acc, and of NaiBX also Pre and Rec, are means over rows. Of
the rivals, the chains of Table 6 print means over rows too; all others print Pre and Rec of all
labels of all rows together (micro): precision times predicted is recall times true cardinality. An
empty answer has precision 0, as in the paper.

NaiBX's figures of ten folds are not reached by folds that were not learned before; the rows that
were learned are measured beside them. The rivals' base learners are linear support vector machines
that answer yes or no, and our naive Bayes in place of MEKA's. As in MEKA a chain is in random
order, an ensemble is ten chains on 67 % of the rows that vote label by label, and one vote of a
group of RAkEL is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jointbayes.models.conditional.chain_ensemble import ChainEnsemble
from jointbayes.models.conditional.classifier_chain import ClassifierChain
from jointbayes.models.naibx.naibx import NaiBX
from jointbayes.models.powersets.rakel import RAkEL
from jointbayes.reproduction.looks import labels_of_rows
from jointbayes.reproduction.mossina2017_models import (
    SeenRows,
    TrueSizes,
    YesNoSVM,
    with_sizes,
)
from jointbayes.reproduction.paper import Paper, PaperColumn, Source, made_of
from jointbayes.validation import Folds, HoldOut

__all__ = ["MOSSINA2017"]

Maker = Callable[[Mapping[str, Any]], Any]

_KINDS = {"Table 6": "gaussian", "Table 7": "bernoulli", "Table 8": "multinomial"}
_CHAINS = ("CC_SVM", "CC_NBC")
_RIVALS: tuple[str, ...] = (*_CHAINS, "ECC_SVM", "ECC_NBC", "RAkEL")
_BY_ROW = {
    "hamming_score": ("hamming_accuracy", "H_s, all labels of all rows"),
    "zero_one_score": ("subset_accuracy", "Z_s, mean over rows"),
    "accuracy": ("jaccard_zero", "Acc, mean over rows"),
    "precision": ("precision_zero", "Pre, mean over rows"),
    "recall": ("recall_zero", "Rec, mean over rows"),
    "LCard_hat": ("predicted_cardinality", "LCard_hat, labels predicted a row"),
}
_MICRO = {
    "precision": ("precision_micro", "Pre, all labels of all rows (micro)"),
    "recall": ("recall_micro", "Rec, all labels of all rows (micro)"),
}
_TIMED = {
    "T_train_s": ("fit_seconds", "T_train, seconds of learning, one fold"),
    "T_pred_s": ("predict_seconds", "T_pred, seconds of prediction, one fold"),
}
_ONE_SPLIT = HoldOut(0.34, stratify="none", random_state=0)


def _columns() -> Iterator[PaperColumn]:
    """Yield what answers each printed metric of each table."""
    for table, kind in _KINDS.items():
        settings = {"features": kind}
        by_row: tuple[str, ...] = _CHAINS if table == "Table 6" else ()
        for printed, (metric, title) in _BY_ROW.items():
            asked = (table, printed, metric)
            rivals = by_row if printed in _MICRO else _RIVALS
            yield PaperColumn(*asked, title, settings, ("NaiBX", *rivals))
            yield PaperColumn(*asked, title, settings, ("NBX_TrueM",), change=with_sizes)
            if table != "Table 8":  # which has no ten folds
                seen = f"{title}; rows that were learned"
                yield PaperColumn(*asked, seen, settings, ("NaiBX",), SeenRows())
                yield PaperColumn(*asked, seen, settings, ("NBX_TrueM",), SeenRows(), with_sizes)
        for printed, (metric, title) in _TIMED.items():
            yield PaperColumn(table, printed, metric, title, settings, ("NaiBX", *_RIVALS))
            told = ("NBX_TrueM",)
            yield PaperColumn(table, printed, metric, title, settings, told, change=with_sizes)
        for printed, (metric, title) in _MICRO.items():
            rivals = tuple(name for name in _RIVALS if name not in by_row)
            yield PaperColumn(table, printed, metric, title, settings, rivals)
        yield _of_data(table, "LCard", "labels a row")
    yield _of_data("Sec 5.5", "unlabelled_instances", "rows without a label")


def _of_data(table: str, printed: str, what: str) -> PaperColumn:
    return PaperColumn(
        table, printed, what, what, algorithms=("data",), look=labels_of_rows, sees="file"
    )


def _on_svm(rival: Callable[..., Any], **options: Any) -> Maker:
    def make(settings: Mapping[str, Any]) -> Any:
        matrix = "dense" if settings["features"] == "gaussian" else "sparse"
        return rival(YesNoSVM(matrix=matrix), **options)

    return make


def _on_bayes(rival: Callable[..., Any], **options: Any) -> Maker:
    return lambda _: rival(NaiBX(), **options)


_GREEDY: dict[str, Any] = {"order": "random", "inference": "greedy", "empty": "allow"}
_VOTING: dict[str, Any] = {"n_chains": 10, "share": 0.67, "voting": "votes"}

_CHAIN_FITS = {"Bibtex": 1_590, "Slashdot": 2_200, "Enron": 5_300, "CAL500": 17_400}
"""Classifiers of 10 chains, one for every label and fold, where they are many."""

_FIT_LIMITS = {"ECC_SVM": 3_000, "ECC_NBC": 20_000}


def _left_out(dataset: str, algorithm: str) -> str:
    """Leave out ensembles that take longer than all the rest: a machine costs six naive Bayes."""
    fitted, most = _CHAIN_FITS.get(dataset, 0), _FIT_LIMITS.get(algorithm)
    if most is None or fitted <= most:
        return ""
    return (
        f"{algorithm} is left out: 10 chains would be {fitted:,} classifiers, one for every label "
        f"and fold, and no more than {most:,} are fitted here."
    )


MOSSINA2017 = Paper(
    key="mossina2017",
    title="Mossina, Rachelson 2017, Naive Bayes Classification for Subset Selection "
    "(arXiv 1707.06142)",
    models={
        "NaiBX": made_of(NaiBX, empty="allow"),
        "NBX_TrueM": made_of(TrueSizes),
        "CC_SVM": _on_svm(ClassifierChain, **_GREEDY),
        "ECC_SVM": _on_svm(ChainEnsemble, **_VOTING),
        "CC_NBC": _on_bayes(ClassifierChain, **_GREEDY),
        "ECC_NBC": _on_bayes(ChainEnsemble, **_VOTING),
        "RAkEL": _on_svm(RAkEL, voting="any", empty="allow"),
    },
    sources=(
        Source("Emotions", "emotions"),
        Source("Scene", "scene"),
        Source("Yeast", "yeast"),
        Source("CAL500", "CAL500"),
        Source("Mediamill", "mediamill_small", splitter=_ONE_SPLIT),
        Source("Enron", "enron"),
        Source("Slashdot", "slashdot"),
        Source("Bibtex", "bibtex", splitter=_ONE_SPLIT),
        Source("Arts", "yahoo_arts", splitter=_ONE_SPLIT),
        Source("Business", "yahoo_business", splitter=_ONE_SPLIT),
        Source("Computers", "yahoo5000_computers", splitter=_ONE_SPLIT),
        Source("Education", "yahoo_education", splitter=_ONE_SPLIT),
        Source("Entertainment", "yahoo5000_entertainment", splitter=_ONE_SPLIT),
        Source("Health", "yahoo5000_health", splitter=_ONE_SPLIT),
        Source("Recreation", "yahoo5000_recreation", splitter=_ONE_SPLIT),
        Source("Reference", "yahoo_reference", splitter=_ONE_SPLIT),
        Source("Science", "yahoo_science", splitter=_ONE_SPLIT),
        Source("Society", "yahoo5000_society", splitter=_ONE_SPLIT),
    ),
    splitter=Folds(10, stratify="none", random_state=0),
    columns=tuple(_columns()),
    quick=("Emotions", "Slashdot", "Arts"),
    left_out=_left_out,
)
