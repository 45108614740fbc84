"""Which variables are independent given others: tests, Markov boundaries and label factors.

Tests take coded columns or counts and give an `IndependenceTest`; `iamb` and `label_factors` take
data as `fit` does and give indices; `LabelFactors.of` also keeps the graph and every test. What
takes codes and any `Procedure` is in the files `boundary` and `factors`.
"""

from jointbayes.independence.boundary import Boundary, Round, iamb
from jointbayes.independence.factors import LabelFactors, label_factors
from jointbayes.independence.parametric import chi2_test, fisher_z_test, g2_test
from jointbayes.independence.permutation import counts_test, permutation_test
from jointbayes.independence.procedure import Procedure
from jointbayes.independence.result import IndependenceTest, Tests
from jointbayes.independence.shrinkage import shrinkage_test

__all__ = [
    "Boundary",
    "IndependenceTest",
    "LabelFactors",
    "Procedure",
    "Round",
    "Tests",
    "chi2_test",
    "counts_test",
    "fisher_z_test",
    "g2_test",
    "iamb",
    "label_factors",
    "permutation_test",
    "shrinkage_test",
]
