"""What every class keeps to: shallow families, few parameters, a legal range for each of them."""

from __future__ import annotations

import importlib.util
import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import jointbayes
from jointbayes.estimator.parameters import SEE
from jointbayes.estimator.ranges import Range

DEPTH = 2  # own classes above a class
WIDTH = 12  # parameters of a constructor
TESTS = Path(__file__).parents[1]
ENTRY = re.compile(r"^(\w+(?:, \w+)*)$", flags=re.MULTILINE)

# Parameters that no range speaks for yet, by class; strike out what is mended.
WITHOUT_RANGE = {
    "AKDB": "categorical_features discretizer",
    "AODE": "categorical_features discretizer",
    "ATAN": "categorical_features discretizer",
    "BatchedLogistic": "categorical_features random_state",
    "BinaryRelevance": "categorical_features estimator",
    "CFS": "categorical_features discretizer locally_predictive n_jobs stale",
    "CTBN": "categorical_features estimator random_state",
    "ChainEnsemble": "categorical_features estimator random_state",
    "ChowLiuMultinet": "categorical_features discretizer",
    "ClassifierChain": "categorical_features estimator random_state",
    "IBLR": "categorical_features estimator",
    "ILFCompo": "alpha confirm estimator n_jobs n_permutations random_state",
    "KDB": "categorical_features discretizer",
    "LKDB": "categorical_features discretizer",
    "LTAN": "categorical_features discretizer",
    "LabelDriven": "estimator",
    "LabelPowerset": "categorical_features estimator",
    "MLkNN": "categorical_features",
    "MarkovBoundary": "alpha n_jobs n_permutations random_state",
    "MultilabelFAN": "categorical_features discretizer n_jobs",
    "MultilabelNB": "categorical_features discretizer n_jobs",
    "NaiBX": "categorical_features features",
    "NaiveBayes": "categorical_features discretizer",
    "NetworkEnsemble": "categorical_features discretizer n_jobs",
    "Quantile": "bins",
    "RAkEL": "categorical_features estimator random_state",
    "StackedRelevance": "categorical_features estimator",
    "TAN": "categorical_features discretizer",
    "VotingForest": "n_jobs n_trees n_tried random_state",
    "WATAN": "categorical_features discretizer",
    "Width": "bins",
}

# Models that leave their parameters to another's documentation; strike out what is mended.
WITHOUT_PARAMETERS = {"MultilabelFAN", "NetworkEnsemble"}


def every_class() -> list[type]:
    """All classes of the package, each once, by name."""
    found = set()
    for module in pkgutil.walk_packages(jointbayes.__path__, "jointbayes."):
        if module.name.endswith("__main__") or "._kernels._fast" in module.name:
            continue
        members = vars(import_module(module.name)).values()
        found |= {m for m in members if inspect.isclass(m) and is_own(m)}
    return sorted(found, key=lambda c: (c.__name__, c.__module__))


def is_own(kind: type) -> bool:
    return kind.__module__.startswith("jointbayes.")


CLASSES = every_class()
PUBLIC = {
    thing
    for package in (jointbayes, jointbayes.models, jointbayes.select, jointbayes.discretize)
    for thing in (getattr(package, name) for name in package.__all__)
    if inspect.isclass(thing) and issubclass(thing, BaseEstimator)
}
ESTIMATORS = sorted(PUBLIC, key=lambda c: c.__name__)


def parameters(kind: type) -> set[str]:
    return set(inspect.signature(kind).parameters)


def test_there_are_classes_to_look_at():
    assert len(CLASSES) > 100
    assert len(ESTIMATORS) > 30


@pytest.mark.parametrize("kind", CLASSES, ids=lambda c: c.__name__)
def test_few_of_our_own_classes_stand_above_a_class(kind):
    assert len([base for base in kind.__mro__[1:] if is_own(base)]) <= DEPTH


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda c: c.__name__)
def test_a_constructor_is_not_wide(kind):
    assert len(parameters(kind)) <= WIDTH


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda c: c.__name__)
def test_every_parameter_has_a_range(kind):
    ranges = getattr(kind, "_ranges", {})
    assert all(isinstance(legal, Range) for legal in ranges.values())
    known = set(WITHOUT_RANGE.get(kind.__name__, "").split())
    assert parameters(kind) - ranges.keys() == known
    assert ranges.keys() <= parameters(kind), "a range speaks of a parameter there is not"


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda c: c.__name__)
def test_every_parameter_is_documented_and_in_full(kind):
    text = inspect.getdoc(kind)
    assert SEE not in text, "decorate the class with `documented`"
    named = {name for row in ENTRY.findall(section(text)) for name in row.split(", ")}
    assert named == (set() if kind.__name__ in WITHOUT_PARAMETERS else parameters(kind))


def section(text: str) -> str:
    """The lines below Parameters, up to the next heading."""
    _, _, rest = text.partition("Parameters\n----------\n")
    return re.split(r"\n\n\w[\w ]*\n---+\n", rest)[0]


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda c: c.__name__)
def test_a_default_is_within_its_range(kind):
    defaults = {p.name: p.default for p in inspect.signature(kind).parameters.values()}
    for name, legal in getattr(kind, "_ranges", {}).items():
        if defaults[name] is not inspect.Parameter.empty:
            assert legal.holds(defaults[name]), f"{name}={defaults[name]!r} is not {legal.legal}"


def test_every_estimator_goes_through_scikit_learn_s_checks():
    path = TESTS / "estimator" / "test_estimators.py"
    spec = importlib.util.spec_from_file_location("the_checked_estimators", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert {type(estimator) for estimator in module.ESTIMATORS} >= PUBLIC
