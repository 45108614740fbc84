"""The demo runs from any folder, also beside data of the same names, with quicker rivals."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from sklearn.dummy import DummyClassifier

import jointbayes as jb

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


@pytest.fixture
def demo():
    spec = importlib.util.spec_from_file_location("demo", DEMO)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_demo_runs(demo, monkeypatch, tmp_path):
    quick = {"a rival": DummyClassifier(), "jointbayes    CTBN": jb.MultilabelNB()}
    monkeypatch.setattr(demo, "rivals", lambda: quick)
    (tmp_path / "flags.csv").write_text("a,b\n1,2\n")
    monkeypatch.setenv("JOINTBAYES_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with demo.console.capture() as told:
        demo.main()
    said = told.get()
    assert "Which colours are in this flag?" in said
    assert "By whole rows a joint model leads on flags and digits" in said
    assert (tmp_path / "build" / "flags.html").stat().st_size > 10_000
