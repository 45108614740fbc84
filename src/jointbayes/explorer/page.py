"""The page: one HTML file with the tables, the engine, the view and the style inside.

Nothing is fetched: the content security policy of the page forbids every connection, and lets run
the one script and the one style sheet that are written here, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from jointbayes.explorer.packing import safe_json

__all__ = ["ENGINE", "VIEW", "engine_script", "page_text"]

ENGINE = """
    numbers reading regressions networks counting plans lists laws decisions reasons python engine
"""
"""The parts of the engine, in the order in which they stand in the page; none knows the page."""

VIEW = "elements labels features graph panels page"
"""The parts of the view."""


@cache
def engine_script() -> str:
    """Return the engine: functions of plain tables that any JavaScript can run.

    >>> "function makeEngine(model)" in engine_script()
    True
    """
    return _joined("engine", ENGINE)


def page_text(tables: dict[str, Any], title: str) -> str:
    """Return the whole page of a model's tables."""
    script = f"(() => {{\n{engine_script()}\n{_joined('view', VIEW)}\n}})();\n"
    style = _text("view", "style.css")
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"script-src '{_hash(script)}'; style-src '{_hash(style)}'"
    )
    parts = {
        "policy": policy,
        "title": escape(title),
        "model": escape(tables["model"]),
        "style": style,
        "tables": safe_json(tables),
        "script": script,
    }
    # One piece after the other, so that nothing in a name can be taken for a place to fill.
    out = []
    for piece in _text("view", "page.html").split("{{"):
        name, end, rest = piece.partition("}}")
        out.append(parts[name] + rest if end else piece)
    return "".join(out)


def _joined(folder: str, names: str) -> str:
    return "\n".join(_text(folder, f"{name}.js") for name in names.split())


def _text(folder: str, name: str) -> str:
    return (files("jointbayes.explorer") / folder / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
