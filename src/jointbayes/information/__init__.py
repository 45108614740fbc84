"""What counts say about dependence, in bits of raw relative frequencies with 0·log 0 = 0.

`columns` takes coded columns, `pairs` takes the counts of all pairs of features at once, and
`scores` rates a table as the family of a network. Definitions and equations are those of Sun,
Wang & Sun, Entropy 19(12):661 (2017).
"""

from jointbayes.information.columns import (
    conditional_local_mutual_information,
    conditional_mutual_information,
    conditional_pointwise_mutual_information,
    entropy,
    entropy_of_counts,
    label_conditional_mutual_information,
    local_mutual_information,
    mutual_information,
    reduced_conditional_mutual_information,
)
from jointbayes.information.pairs import (
    class_information,
    class_terms,
    conditional_information,
    label_information,
    label_terms,
    local_class_information,
    local_information,
    pointwise_class_information,
    pointwise_information,
)
from jointbayes.information.scores import bdeu, log_likelihood

__all__ = [
    "bdeu",
    "class_information",
    "class_terms",
    "conditional_information",
    "conditional_local_mutual_information",
    "conditional_mutual_information",
    "conditional_pointwise_mutual_information",
    "entropy",
    "entropy_of_counts",
    "label_conditional_mutual_information",
    "label_information",
    "label_terms",
    "local_class_information",
    "local_information",
    "local_mutual_information",
    "log_likelihood",
    "mutual_information",
    "pointwise_class_information",
    "pointwise_information",
    "reduced_conditional_mutual_information",
]
