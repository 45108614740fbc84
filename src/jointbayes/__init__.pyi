"""The names of `jointbayes` for type checkers; at run time `_HOME` and `_MODULES` say the same."""

from typing import Any

from jointbayes import datasets as datasets
from jointbayes import discretize as discretize
from jointbayes import errors as errors
from jointbayes import independence as independence
from jointbayes import information as information
from jointbayes import labels as labels
from jointbayes import losses as losses
from jointbayes import metrics as metrics
from jointbayes import models as models
from jointbayes import plots as plots
from jointbayes import reproduction as reproduction
from jointbayes import rules as rules
from jointbayes import scale as scale
from jointbayes import select as select
from jointbayes import statistics as statistics
from jointbayes import structure as structure
from jointbayes import synthetic as synthetic
from jointbayes import validation as validation
from jointbayes.auditing import audit as audit
from jointbayes.datasets.dataset import Dataset as Dataset
from jointbayes.datasets.load import load_dataset as load_dataset
from jointbayes.decision.asking import ask as ask
from jointbayes.decision.decide import decide as decide
from jointbayes.description import describe as describe
from jointbayes.models import AKDB as AKDB
from jointbayes.models import AODE as AODE
from jointbayes.models import ATAN as ATAN
from jointbayes.models import CTBN as CTBN
from jointbayes.models import IBLR as IBLR
from jointbayes.models import KDB as KDB
from jointbayes.models import LKDB as LKDB
from jointbayes.models import LTAN as LTAN
from jointbayes.models import MMOC as MMOC
from jointbayes.models import TAN as TAN
from jointbayes.models import WATAN as WATAN
from jointbayes.models import Auto as Auto
from jointbayes.models import BinaryRelevance as BinaryRelevance
from jointbayes.models import Calibrated as Calibrated
from jointbayes.models import ChainEnsemble as ChainEnsemble
from jointbayes.models import ChowLiuMultinet as ChowLiuMultinet
from jointbayes.models import ClassifierCascade as ClassifierCascade
from jointbayes.models import ClassifierChain as ClassifierChain
from jointbayes.models import Conformal as Conformal
from jointbayes.models import Constrained as Constrained
from jointbayes.models import ILFCompo as ILFCompo
from jointbayes.models import JointForest as JointForest
from jointbayes.models import JointLayer as JointLayer
from jointbayes.models import LabelDriven as LabelDriven
from jointbayes.models import LabelPowerset as LabelPowerset
from jointbayes.models import MLkNN as MLkNN
from jointbayes.models import MultilabelFAN as MultilabelFAN
from jointbayes.models import MultilabelNB as MultilabelNB
from jointbayes.models import NaiBX as NaiBX
from jointbayes.models import NaiveBayes as NaiveBayes
from jointbayes.models import NetworkEnsemble as NetworkEnsemble
from jointbayes.models import RAkEL as RAkEL
from jointbayes.models import StackedRelevance as StackedRelevance
from jointbayes.models import Thresholded as Thresholded
from jointbayes.posterior import Posterior
from jointbayes.storage.model_file import load as load
from jointbayes.storage.model_file import save as save
from jointbayes.table.table import Table as Table
from jointbayes.trying.search import try_models as try_models
from jointbayes.validation.compare import compare as compare
from jointbayes.validation.evaluate import evaluate as evaluate

__version__: str
__all__: list[str]

# The module is called by that name: `jb.posterior(model, X)`.
def posterior(model: Any, X: Any) -> Posterior: ...
