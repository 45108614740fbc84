"""What `import jointbayes` promises: the names, their documentation, and that it costs nothing."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest

import jointbayes


def test_all_is_sorted_and_importable():
    assert list(jointbayes.__all__) == sorted(set(jointbayes.__all__))
    for name in jointbayes.__all__:
        assert getattr(jointbayes, name) is not None
    assert set(jointbayes.__all__) <= set(dir(jointbayes))


@pytest.mark.parametrize("name", jointbayes.__all__)
def test_every_public_name_is_documented_with_an_example(name):
    thing = getattr(jointbayes, name)
    documentation = inspect.getdoc(thing) or ""
    assert len(documentation) > 20
    if not inspect.ismodule(thing):
        assert ">>> " in documentation, f"{name} has no example"


@pytest.mark.parametrize(
    "name", [n for n in jointbayes.__all__ if inspect.ismodule(getattr(jointbayes, n))]
)
def test_a_module_exports_what_it_lists(name):
    module = importlib.import_module(f"jointbayes.{name}")
    for member in module.__all__:
        assert hasattr(module, member)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = jointbayes.no_such_name


def test_import_pulls_in_nothing_heavy():
    heavy = "numpy scipy sklearn pandas polars matplotlib typer".split()
    code = f"import sys, jointbayes; print([m for m in {heavy} if m in sys.modules])"
    answer = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert answer.strip() == "[]"


def test_the_version_is_the_project_s():
    from importlib.metadata import PackageNotFoundError, version

    try:
        assert version("jointbayes") == jointbayes.__version__
    except PackageNotFoundError:
        pytest.skip("jointbayes runs from its source tree, so it has no installed version")
