"""Models in families; each makes a posterior, none knows a loss.

================  ==================================================================================
`one_class`       networks of features under one class variable
`label_driven`    a generalist, and a second look at the rows it doubts
`networks`        networks of several class variables
`conditional`     labels given the row and other labels
`relevance`       every label by itself
`powersets`       label vectors as classes
`naibx`           the size of the label set, then label after label
================  ==================================================================================

`BatchedLogistic` and `VotingForest` are here and not among the names of `jointbayes`: they are what
others are built of.
"""

from jointbayes.estimator.explanation import Explanation
from jointbayes.learners import BatchedLogistic, VotingForest
from jointbayes.models.conditional.chain_ensemble import ChainEnsemble
from jointbayes.models.conditional.classifier_chain import ClassifierChain
from jointbayes.models.conditional.ctbn import CTBN
from jointbayes.models.label_driven.diagnosis import Diagnosis
from jointbayes.models.label_driven.label_driven import LabelDriven
from jointbayes.models.label_driven.ltan import LTAN
from jointbayes.models.naibx.naibx import NaiBX
from jointbayes.models.networks.mfan import MultilabelFAN
from jointbayes.models.networks.mnb import MultilabelNB
from jointbayes.models.networks.network_ensemble import NetworkEnsemble
from jointbayes.models.one_class.akdb import AKDB
from jointbayes.models.one_class.aode import AODE
from jointbayes.models.one_class.atan import ATAN
from jointbayes.models.one_class.kdb import KDB
from jointbayes.models.one_class.lkdb import LKDB
from jointbayes.models.one_class.multinet import ChowLiuMultinet
from jointbayes.models.one_class.naive_bayes import NaiveBayes
from jointbayes.models.one_class.tan import TAN
from jointbayes.models.one_class.watan import WATAN
from jointbayes.models.powersets.ilf_compo import ILFCompo
from jointbayes.models.powersets.label_powerset import LabelPowerset
from jointbayes.models.powersets.rakel import RAkEL
from jointbayes.models.relevance.binary_relevance import BinaryRelevance
from jointbayes.models.relevance.iblr import IBLR
from jointbayes.models.relevance.mlknn import MLkNN
from jointbayes.models.relevance.stacked_relevance import StackedRelevance

__all__ = [
    "AKDB",
    "AODE",
    "ATAN",
    "CTBN",
    "IBLR",
    "KDB",
    "LKDB",
    "LTAN",
    "TAN",
    "WATAN",
    "BatchedLogistic",
    "BinaryRelevance",
    "ChainEnsemble",
    "ChowLiuMultinet",
    "ClassifierChain",
    "Diagnosis",
    "Explanation",
    "ILFCompo",
    "LabelDriven",
    "LabelPowerset",
    "MLkNN",
    "MultilabelFAN",
    "MultilabelNB",
    "NaiBX",
    "NaiveBayes",
    "NetworkEnsemble",
    "RAkEL",
    "StackedRelevance",
    "VotingForest",
]
