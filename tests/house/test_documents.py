"""The documents: what they point at is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = ("reference/", "gallery/")  # by `make docs`
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    text = path.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    inside = [target.partition("#")[0] for target in targets if "://" not in target]
    kept = [target for target in inside if target and not target.startswith(GENERATED)]
    assert not [target for target in kept if not (path.parent / target).exists()]
    for named in re.findall(r"`(docs/(?!_build)[\w/.]+)`", text):
        assert (ROOT / named).exists(), named
