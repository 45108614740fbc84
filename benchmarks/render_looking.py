"""Render results/looking.json, written by looking.py, into docs/evidence/looking.md.

python benchmarks/render_looking.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from tables import table

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "evidence" / "looking.md"
LEAD = """\
Rendered by `benchmarks/render_looking.py` from the figures of `benchmarks/looking.py`; nothing here
is typed."""
CLICKS = """\
Every click fixes a label or lets it go; headless Chromium opens the page from the file system, with
the network off, in a window of 1280 × 900. Milliseconds are median / 95th percentile. Script and
drawing (style, layout, paint, commit) are processor time of the page's thread, from the browser's
trace; the clock runs from the click to the end of the frame that shows it, and holds the wait for
that frame, up to 16.7 ms on a screen of 60 a second, and what other programs took: see the load.
axe-core: violations on four screens together, desktop and phone, light and dark."""
TRIED = """\
`try_models` saw two thirds of the rows, with its usual limit of 60 s; the share of the other rows
that are answered right, every label of them, is of what it recommends, fitted to those two thirds,
and of scikit-learn's forest and logistic regression, fitted to the same. p is of McNemar's exact
test against what is recommended. The best of the board is by its own folds."""


def both(figure: dict[str, float]) -> str:
    return f"{figure['median']:.1f} / {figure['p95']:.1f}"


def page_row(record: dict[str, Any]) -> list[str]:
    return [
        record["model"],
        f"{record['data']}, {record['labels']} labels",
        f"{record['megabytes']:.2f} MB",
        "not run" if record["axe"] is None else str(record["axe"]),
        both(record["script_ms"]),
        both(record["drawing_ms"]),
        both(record["processor_ms"]),
        both(record["clock_ms"]),
    ]


def try_row(record: dict[str, Any]) -> list[str]:
    best, score = max(record["board"].items(), key=lambda item: item[1])
    peers = [record[name] for name in ("forest", "logistic regression")]
    return [
        f"{record['data']} ({record['rows']:,} + {record['test_rows']:,} rows)",
        record["recommended"],
        f"{record['score']:.3f}",
        *(f"{peer['score']:.3f} (p {peer['p']:.3f})" for peer in peers),
        f"{best}, {score:.3f}",
        ", ".join(record["left_out"]) or "nobody",
        f"{record['seconds']:.1f}",
    ]


def machine(part: dict[str, Any]) -> Paragraph:
    said = ", ".join(f"{name} {value}" for name, value in part["machine"].items())
    return Paragraph(f"Machine: {said}.")


def main() -> None:
    found = json.loads((HERE / "results" / "looking.json").read_text(encoding="utf-8"))
    pages, tried = found["pages"], found["try"]
    head = ["model", "data", "page", "axe", "script ms", "drawing ms", "both ms", "clock ms"]
    board = ["data", "recommended", "score", "forest", "logistic regression", "best of the board"]
    board += ["left out", tried["clock"]]
    sections = (
        Section(
            "The explorer's pages",
            (
                Paragraph(CLICKS),
                table(head, [page_row(record) for record in pages["records"]]),
                machine(pages),
            ),
        ),
        Section(
            "What to use, tried",
            (
                Paragraph(TRIED),
                table(board, [try_row(record) for record in tried["records"]]),
                machine(tried),
            ),
        ),
    )
    PAGE.write_text(as_markdown(Page("Looking at it", LEAD, (), sections)), encoding="utf-8")


if __name__ == "__main__":
    main()
