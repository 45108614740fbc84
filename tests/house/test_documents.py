"""The documents: what they point at is there, and what they show runs.

Blocks with ``>>>`` are doctests of the suite itself (testpaths of pyproject.toml).
"""

from __future__ import annotations

import ast
import re
import shlex
from operator import attrgetter
from pathlib import Path

import pytest

import jointbayes as jb

ROOT = Path(__file__).parents[2]
GENERATED = ("reference/", "gallery/")  # by `make docs`
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ELSEWHERE = {"scale.md": 2}  # blocks that read from stores which no test has


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    text = path.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    inside = [target.partition("#")[0] for target in targets if "://" not in target]
    kept = [target for target in inside if target and not target.startswith(GENERATED)]
    assert not [target for target in kept if not (path.parent / target).exists()]
    for named in re.findall(r"`(docs/(?!_build)[\w/.]+)`", text):
        assert (ROOT / named).exists(), named


def blocks(path: Path, language: str) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("path", GUIDES, ids=lambda p: p.name)
def test_blocks_of_python_are_doctests(path):
    others = [block for block in blocks(path, "python") if ">>>" not in block]
    assert len(others) == ELSEWHERE.get(path.name, 0)
    for block in others:
        ast.parse(block)
        for name in re.findall(r"\bjb\.([\w.]+)", block):
            attrgetter(name)(jb)


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Stand in a folder with the tables that the documents name."""
    flags = jb.load_dataset("flags")
    frame, (red, green, white) = flags.X.to_pandas(), flags.Y[:, [0, 1, 4]].T
    frame[:5].to_csv(tmp_path / "new.csv", index=False)
    frame.assign(red=red, green=green, white=white).to_csv(tmp_path / "nations.csv", index=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("name", ["README.md", "docs/ten_minutes.md"])
def test_commands_run(name, run):
    lines = [line for block in blocks(ROOT / name, "console") for line in block.splitlines()]
    asked = [shlex.split(line, comments=True)[2:] for line in lines if "$ jointbayes" in line]
    assert len(asked) == 6
    for words in asked:
        if words[0] == "reproduce":  # needs the data of its paper, and has tests of its own
            continue
        code, _, said = run(*words, *(["--time", "0.1"] if words[0] == "try" else []))
        assert code == 0, (words, said)
