"""Tests between classifiers: over many data sets by ranks and pairs, over folds by paired t."""

from jointbayes.statistics.folds import corrected_row_t, corrected_t, fold_pairs
from jointbayes.statistics.pairs import (
    Pair,
    Significance,
    WinDrawLoss,
    benjamini_hochberg,
    paired_t,
    sign_test,
    wilcoxon,
    wilcoxon_pairs,
    win_draw_loss,
)
from jointbayes.statistics.ranks import (
    CriticalDifference,
    Friedman,
    ScoreTable,
    critical_difference,
    friedman,
    nemenyi,
    rank,
    score_table,
)

__all__ = [
    "CriticalDifference",
    "Friedman",
    "Pair",
    "ScoreTable",
    "Significance",
    "WinDrawLoss",
    "benjamini_hochberg",
    "corrected_row_t",
    "corrected_t",
    "critical_difference",
    "fold_pairs",
    "friedman",
    "nemenyi",
    "paired_t",
    "rank",
    "score_table",
    "sign_test",
    "wilcoxon",
    "wilcoxon_pairs",
    "win_draw_loss",
]
