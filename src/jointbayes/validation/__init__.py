"""Validation: which rows train and which test, and what models are worth on them."""

from jointbayes.validation.closer_look import CloserLook, LabelQuality, look_closer
from jointbayes.validation.compare import Comparison, compare
from jointbayes.validation.evaluate import DEFAULT_METRICS, evaluate
from jointbayes.validation.scores import FoldScores, Score, Scores
from jointbayes.validation.splits import Folds, HoldOut, as_splitter, take_rows, train_test_split
from jointbayes.validation.stratification import deal, even_out, items, unevenness

__all__ = [
    "DEFAULT_METRICS",
    "CloserLook",
    "Comparison",
    "FoldScores",
    "Folds",
    "HoldOut",
    "LabelQuality",
    "Score",
    "Scores",
    "as_splitter",
    "compare",
    "deal",
    "evaluate",
    "even_out",
    "items",
    "look_closer",
    "take_rows",
    "train_test_split",
    "unevenness",
]
