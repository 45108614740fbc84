"""What every class keeps to: shallow families, few parameters, a legal range for each of them."""

from __future__ import annotations

import importlib.util
import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import jointbayes
from jointbayes.errors import ParameterError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.parameters import SEE
from jointbayes.estimator.ranges import SHARED, Range

DEPTH = 2  # own classes above a class
WIDTH = 13  # parameters of a constructor
TESTS = Path(__file__).parents[1]
ENTRY = re.compile(r"^(\w+(?:, \w+)*)$", flags=re.MULTILINE)

# Classes that still stand deeper; strike out what is mended.
DEEPER = {"LTAN", "LabelDriven"}

# Parameters that take nonsense, or do not say who is at fault; strike out what is mended.
CREDULOUS = {
    "CFS": "locally_predictive n_jobs stale",
    "CTBN": "validation",
    "MarkovBoundary": "alpha n_jobs",
    "NaiBX": "features",
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
CLASSIFIERS = [kind for kind in ESTIMATORS if issubclass(kind, Classifier)]


def parameters(kind: type) -> set[str]:
    return set(inspect.signature(kind).parameters)


def test_there_are_classes_to_look_at():
    assert len(CLASSES) > 100
    assert len(ESTIMATORS) > 30
    assert len(CLASSIFIERS) > 25


@pytest.mark.parametrize("kind", CLASSES, ids=lambda c: c.__name__)
def test_few_of_our_own_classes_stand_above_a_class(kind):
    above = [base for base in kind.__mro__[1:] if is_own(base)]
    assert (len(above) > DEPTH) == (kind.__name__ in DEEPER), above


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda c: c.__name__)
def test_a_constructor_is_not_wide(kind):
    assert len(parameters(kind)) <= WIDTH


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=lambda c: c.__name__)
def test_every_parameter_has_a_range(kind):
    own = kind._ranges
    assert all(isinstance(legal, Range) for legal in own.values())
    assert parameters(kind) <= own.keys() | SHARED.keys()
    assert own.keys() <= parameters(kind), "a range speaks of a parameter there is not"


class Nonsense:
    """A value that is legal nowhere."""


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda c: c.__name__)
def test_nonsense_is_refused_in_the_name_of_its_parameter(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    Y = (X[:, :2] + rng.normal(size=(40, 2)) > 0).astype(int)
    y = Y if getattr(kind, "_targets", "one") == "several" else Y[:, 0]
    credulous = {name for name in parameters(kind) if not refused(kind, name, X, y)}
    assert credulous == set(CREDULOUS.get(kind.__name__, "").split())


def refused(kind: type, name: str, X, y) -> bool:
    try:
        model = kind(**{name: Nonsense()}).fit(X, y)
        if hasattr(model, "predict"):
            model.predict(X)
    except ParameterError as error:
        return name in str(error)
    except Exception:
        return False  # refused by accident: in nobody's name
    return False


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


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=lambda c: c.__name__)
def test_a_default_is_within_its_range(kind):
    defaults = {p.name: p.default for p in inspect.signature(kind).parameters.values()}
    ranges = {**SHARED, **kind._ranges}
    for name in defaults.keys() & ranges.keys():
        if defaults[name] is not inspect.Parameter.empty:
            legal = ranges[name]
            assert legal.holds(defaults[name]), f"{name}={defaults[name]!r} is not {legal.legal}"


def test_every_estimator_goes_through_scikit_learn_s_checks():
    path = TESTS / "estimator" / "test_estimators.py"
    spec = importlib.util.spec_from_file_location("the_checked_estimators", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert {type(estimator) for estimator in module.ESTIMATORS} >= PUBLIC
