"""Validation: which rows train and which test, and what models are worth on them."""

from jointbayes.table.given import take_rows
from jointbayes.validation.closer_look import CloserLook, LabelQuality
from jointbayes.validation.compare import Comparison, compare
from jointbayes.validation.evaluate import DEFAULT_METRICS, evaluate
from jointbayes.validation.scores import FoldScores, Score, Scores
from jointbayes.validation.splits import Folds, HoldOut, as_splitter, train_test_split

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
    "evaluate",
    "take_rows",
    "train_test_split",
]
