"""The site: every public name is in its reference, every example of its gallery runs."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
import sys
import warnings
from pathlib import Path

import pytest

import jointbayes as jb

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GALLERY = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the tests run without the documents")


def module_of(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages():
    return module_of(DOCS / "_ext" / "reference.py").pages()


def headings(page: str) -> set[str]:
    return set(re.findall(r"^#{2,3} (\w+)$", page, flags=re.MULTILINE))


def test_every_public_name_is_in_the_reference(pages):
    modules = {name for name in jb.__all__ if inspect.ismodule(getattr(jb, name))}
    assert modules <= set(pages)
    at_top = headings(pages["functions"]) | headings(pages["models"]) | modules
    assert set(jb.__all__) <= at_top
    for name in modules:
        assert set(getattr(jb, name).__all__) <= headings(pages[name]), name


def test_every_page_of_the_reference_is_listed(pages):
    listed = pages["index"].split("```{toctree}")[1].split()
    assert set(pages) - {"index"} <= set(listed)


def test_every_document_is_in_a_table_of_contents():
    listed = set()
    for path in DOCS.rglob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", path.read_text("utf-8"), re.DOTALL):
            entries = [line for line in block.split() if not line.startswith(":")]
            listed |= {(path.parent / entry).relative_to(DOCS).as_posix() for entry in entries}
    made = ("_build", "gallery", "reference")
    there = {p.relative_to(DOCS).with_suffix("").as_posix() for p in DOCS.rglob("*.md")}
    there = {name for name in there if name.split("/")[0] not in made}
    assert there - {"index"} <= listed


@pytest.mark.parametrize("path", GALLERY, ids=lambda p: p.stem)
def test_examples_of_the_gallery_run(path, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.delenv("JOINTBAYES_DATA", raising=False)
    plt.switch_backend("agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", jb.errors.DataWarning)
        exec(compile(path.read_text("utf-8"), str(path), "exec"), {"__name__": path.stem})
    assert plt.get_fignums(), "an example without a picture"
    plt.close("all")


def test_the_table_of_the_readme_is_rendered():
    render = module_of(ROOT / "benchmarks" / "render_readme.py")
    result = json.loads(render.RESULT.read_text("utf-8"))
    text = render.README.read_text("utf-8")
    assert len(render.MARKS.findall(text)) == 1
    assert render.with_table(text, result) == text


def test_versions_agree():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f"version: {jb.__version__}\n" in citation
    assert f'version = "{jb.__version__}"' in project
