"""What `import jointbayes` promises: the names, their documentation, and that it costs nothing."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest

import jointbayes
import jointbayes.models

MODULES = [name for name in jointbayes.__all__ if inspect.ismodule(getattr(jointbayes, name))]
# Members of public modules that still have no example; strike out what is mended.
WITHOUT_EXAMPLE = {
    "posterior": "ChainSearch mix",
    "reproduction": "Cell Contrast Experiment Judgement Paper PaperColumn Question Remark "
    "Reproduction Source",
}
DEMOTED = "Codes Counts codes count counts encoding graph inference network table".split()


def fresh(code: str) -> str:
    """Run code in a process of its own, and return what it prints."""
    return subprocess.check_output([sys.executable, "-c", code], text=True).strip()


@pytest.mark.parametrize("package", [jointbayes, jointbayes.models], ids=lambda p: p.__name__)
def test_all_is_sorted_and_importable(package):
    assert list(package.__all__) == sorted(set(package.__all__))
    for name in package.__all__:
        assert getattr(package, name) is not None
    assert set(package.__all__) <= set(dir(package))


def test_every_model_of_the_top_is_one_of_models():
    classes = [name for name in jointbayes.__all__ if inspect.isclass(getattr(jointbayes, name))]
    models = [name for name in classes if hasattr(getattr(jointbayes, name), "predict")]
    assert len(models) >= 25
    for name in models:
        assert getattr(jointbayes, name) is getattr(jointbayes.models, name)


@pytest.mark.parametrize(
    "package, name",
    [(p, n) for p in (jointbayes, jointbayes.models) for n in p.__all__],
    ids=lambda v: v if isinstance(v, str) else v.__name__,
)
def test_every_public_name_is_documented_with_an_example(package, name):
    thing = getattr(package, name)
    documentation = inspect.getdoc(thing) or ""
    assert len(documentation) > 20
    if not inspect.ismodule(thing):
        assert ">>> " in documentation, f"{name} has no example"


@pytest.mark.parametrize("name", MODULES)
def test_a_module_exports_what_it_lists(name):
    module = importlib.import_module(f"jointbayes.{name}")
    for member in module.__all__:
        assert hasattr(module, member)


@pytest.mark.parametrize("name", MODULES)
def test_every_member_of_a_public_module_is_documented_with_an_example(name):
    module = importlib.import_module(f"jointbayes.{name}")
    without = set()
    for member in module.__all__:
        thing = getattr(module, member)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            documentation = inspect.getdoc(thing) or ""
            assert len(documentation) > 20, f"{name}.{member} does not say what it is"
            if ">>> " not in documentation and not is_error(thing):
                without.add(member)
    assert without == set(WITHOUT_EXAMPLE.get(name, "").split())


def is_error(thing) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Exception)


@pytest.mark.parametrize("package", ["jointbayes", "jointbayes.models"])
def test_an_unknown_name_is_an_attribute_error(package):
    module = importlib.import_module(package)
    for name in ("no_such_name", "__no_such_name__"):
        with pytest.raises(AttributeError, match=f"module '{package}' has no attribute '{name}'"):
            getattr(module, name)


def test_low_stages_are_there_but_not_advertised():
    assert not set(DEMOTED) & set(dir(jointbayes))
    for name in "codes counts encoding graph inference network table".split():
        line = f"import jointbayes; print(jointbayes.{name}.__name__)"
        assert fresh(line) == f"jointbayes.{name}", "it depends on what was imported before"


def test_nouns_that_models_answer_with_have_public_homes():
    from jointbayes.models import Diagnosis, Explanation
    from jointbayes.posterior import Posterior

    assert jointbayes.posterior.Posterior is Posterior
    assert {Diagnosis.__name__, Explanation.__name__} <= set(jointbayes.models.__all__)


def test_import_pulls_in_nothing_heavy():
    heavy = "numpy scipy sklearn pandas polars matplotlib typer".split()
    for package in ("jointbayes", "jointbayes.models"):
        code = f"import sys, {package}; print([m for m in {heavy} if m in sys.modules])"
        assert fresh(code) == "[]"


def test_a_model_brings_what_it_needs_and_no_other_model():
    code = """
import sys
from jointbayes.models import TAN
print(*(name for name in sys.modules if name.startswith("jointbayes.")))
"""
    brought = fresh(code).split()
    assert "jointbayes.models.one_class.tan" in brought
    others = "conditional label_driven naibx networks powersets relevance".split()
    stages = [f"jointbayes.models.{family}" for family in others]
    stages += "jointbayes.independence jointbayes.learners jointbayes.validation".split()
    assert not set(stages) & set(brought)


def test_the_version_is_the_project_s():
    from importlib.metadata import PackageNotFoundError, version

    try:
        assert version("jointbayes") == jointbayes.__version__
    except PackageNotFoundError:
        pytest.skip("jointbayes runs from its source tree, so it has no installed version")
