"""The names of `jointbayes.models` for type checkers; at run time `_HOME` says the same."""

from jointbayes.estimator.explanation import Explanation as Explanation
from jointbayes.learners.forest import VotingForest as VotingForest
from jointbayes.learners.kernel import KernelClassifier as KernelClassifier
from jointbayes.learners.logistic.estimator import BatchedLogistic as BatchedLogistic
from jointbayes.models.auto.auto import Auto as Auto
from jointbayes.models.coding.mmoc import MMOC as MMOC
from jointbayes.models.conditional.chain_ensemble import ChainEnsemble as ChainEnsemble
from jointbayes.models.conditional.classifier_chain import ClassifierChain as ClassifierChain
from jointbayes.models.conditional.ctbn import CTBN as CTBN
from jointbayes.models.forests.joint_forest import JointForest as JointForest
from jointbayes.models.label_driven.diagnosis import Diagnosis as Diagnosis
from jointbayes.models.label_driven.label_driven import LabelDriven as LabelDriven
from jointbayes.models.label_driven.ltan import LTAN as LTAN
from jointbayes.models.layers.joint_layer import JointLayer as JointLayer
from jointbayes.models.naibx.classifier_cascade import ClassifierCascade as ClassifierCascade
from jointbayes.models.naibx.naibx import NaiBX as NaiBX
from jointbayes.models.networks.mfan import MultilabelFAN as MultilabelFAN
from jointbayes.models.networks.mnb import MultilabelNB as MultilabelNB
from jointbayes.models.networks.network_ensemble import NetworkEnsemble as NetworkEnsemble
from jointbayes.models.one_class.akdb import AKDB as AKDB
from jointbayes.models.one_class.aode import AODE as AODE
from jointbayes.models.one_class.atan import ATAN as ATAN
from jointbayes.models.one_class.kdb import KDB as KDB
from jointbayes.models.one_class.lkdb import LKDB as LKDB
from jointbayes.models.one_class.multinet import ChowLiuMultinet as ChowLiuMultinet
from jointbayes.models.one_class.naive_bayes import NaiveBayes as NaiveBayes
from jointbayes.models.one_class.tan import TAN as TAN
from jointbayes.models.one_class.watan import WATAN as WATAN
from jointbayes.models.powersets.ilf_compo import ILFCompo as ILFCompo
from jointbayes.models.powersets.label_powerset import LabelPowerset as LabelPowerset
from jointbayes.models.powersets.rakel import RAkEL as RAkEL
from jointbayes.models.relevance.binary_relevance import BinaryRelevance as BinaryRelevance
from jointbayes.models.relevance.iblr import IBLR as IBLR
from jointbayes.models.relevance.mlknn import MLkNN as MLkNN
from jointbayes.models.relevance.stacked_relevance import StackedRelevance as StackedRelevance
from jointbayes.models.wrappers.calibrated import Calibrated as Calibrated
from jointbayes.models.wrappers.conformal import Conformal as Conformal
from jointbayes.models.wrappers.constrained import Constrained as Constrained
from jointbayes.models.wrappers.label_sets import LabelSets as LabelSets
from jointbayes.models.wrappers.thresholded import Thresholded as Thresholded

__all__: list[str]
