"""Examples of the documents see the data that ships, whatever else the machine has."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _only_shipped_data(request, monkeypatch):
    if request.node.path.suffix == ".md":
        monkeypatch.delenv("JOINTBAYES_DATA", raising=False)
