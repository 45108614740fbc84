"""Labels: the names of class variables, their values, and which of these mean *relevant*."""

from jointbayes.labels.learning import learn_labels
from jointbayes.labels.sets import binarize, from_sets, to_sets
from jointbayes.labels.space import LabelSpace

__all__ = ["LabelSpace", "binarize", "from_sets", "learn_labels", "to_sets"]
