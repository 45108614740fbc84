"""Validation: which rows train and which test."""

from jointbayes.validation.splits import Folds, HoldOut, as_splitter, train_test_split
from jointbayes.validation.stratification import deal, even_out, items, unevenness

__all__ = [
    "Folds",
    "HoldOut",
    "as_splitter",
    "deal",
    "even_out",
    "items",
    "train_test_split",
    "unevenness",
]
