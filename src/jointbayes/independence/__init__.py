"""Which variables are independent given others: tests, Markov boundaries and label factors.

Tests take coded columns or counts and give an `IndependenceTest`; `iamb` and `label_factors` take
data as `fit` does, `find_boundary` and `find_label_factors` take codes and any `Procedure` and keep
the log of every test.
"""

from jointbayes.independence.boundary import (
    Boundary,
    Round,
    find_boundary,
    iamb,
    joint_boundary,
)
from jointbayes.independence.factors import (
    LabelFactors,
    factor_boundaries,
    find_label_factors,
    label_factors,
    learn_label_factors,
)
from jointbayes.independence.parametric import chi2_test, fisher_z_test, g2_test
from jointbayes.independence.permutation import counts_test, permutation_test
from jointbayes.independence.procedure import Procedure
from jointbayes.independence.reading import read_codes
from jointbayes.independence.result import IndependenceTest, Tests

__all__ = [
    "Boundary",
    "IndependenceTest",
    "LabelFactors",
    "Procedure",
    "Round",
    "Tests",
    "chi2_test",
    "counts_test",
    "factor_boundaries",
    "find_boundary",
    "find_label_factors",
    "fisher_z_test",
    "g2_test",
    "iamb",
    "joint_boundary",
    "label_factors",
    "learn_label_factors",
    "permutation_test",
    "read_codes",
]
