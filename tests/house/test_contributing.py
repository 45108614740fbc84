"""CONTRIBUTING.md speaks of the house as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jointbayes
import jointbayes.models

ROOT = Path(jointbayes.__file__).parent
PROJECT = Path(__file__).parents[2]
GUIDE = PROJECT / "CONTRIBUTING.md"
EXAMPLES = {"_kernels/topic.cpp", "_kernels/topic.py"}


@pytest.fixture(scope="module")
def text():
    if not GUIDE.exists():
        pytest.skip("the tests run without the files of the project")
    return GUIDE.read_text(encoding="utf-8")


def test_every_path_is_there(text):
    paths = set(re.findall(r"`([\w./]+(?:/|\.pyi?|\.md|\.toml))`", text)) - EXAMPLES
    assert len(paths) > 20
    missing = {p for p in paths if not any((base / p).exists() for base in (ROOT, PROJECT))}
    assert not missing


def test_the_families_are_those_of_the_models(text):
    rows = re.findall(r"^\| `models/(\w+)/` \|[^|]*\|([^|]*)\|$", text, flags=re.MULTILINE)
    told = {family: {name.strip() for name in members.split(",")} for family, members in rows}
    found: dict[str, set[str]] = {}
    for name, home in jointbayes.models._HOME.items():
        if home.startswith("models.") and name in jointbayes.__all__:
            found.setdefault(home.split(".")[1], set()).add(name)
    assert told == found


def test_the_folders_of_both_roads_are_there(text):
    block = text[text.index("folders") : text.index("Each noun")]
    for name in re.findall(r"[a-z]+", re.sub(r"\([\w ]+\)|folders", "", block)):
        assert (ROOT / name).is_dir(), name
