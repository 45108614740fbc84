"""scikit-learn's own checks, on every estimator with its default parameters."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from jointbayes import (
    AKDB,
    AODE,
    ATAN,
    KDB,
    LKDB,
    LTAN,
    TAN,
    WATAN,
    ChowLiuMultinet,
    LabelDriven,
    NaiveBayes,
)

ESTIMATORS = [
    NaiveBayes(),
    TAN(),
    KDB(),
    KDB(2),
    AODE(),
    ATAN(),
    WATAN(),
    ChowLiuMultinet(),
    LKDB(),
    LKDB(2),
    AKDB(),
    LTAN(),
    LabelDriven(),
    LabelDriven(KDB(2)),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)
