"""Render results/*.json into the tables of docs/benchmarks.md.

python benchmarks/render.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Rendered by `benchmarks/render.py` from `benchmarks/results/`; nothing here is typed. Every table is
one run on one machine, and the rivals' answers were checked to be the same before they were timed.
"""


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.1f} ms"


def ratio_row(row: dict[str, Any]) -> list[str]:
    floor = row.get("floor_s")
    return [
        row["name"] + (f" ({row['extra_mib']:.0f} MiB extra)" if "extra_mib" in row else ""),
        seconds(row["ours_s"]),
        seconds(row["rival_s"]),
        f"{row['ratio']:.1f}×",
        f"≥ {row['goal']:g}×",
        f"{row['ours_s'] / floor:.1f}" if floor else "",
    ]


def section(result: dict[str, Any]) -> str:
    machine = ", ".join(f"{key} {value}" for key, value in result["machine"].items())
    parts = [f"## {result['title']}", machine]
    if result.get("ratios"):
        head = ["what", "ours", "rival", "ratio", "goal", "÷ floor"]
        parts.append(table(head, [ratio_row(row) for row in result["ratios"]]))
    if result.get("limits"):
        rows = [[x["name"], f"{x['value']:.2f}", f"≤ {x['limit']:g}"] for x in result["limits"]]
        parts.append(table(["what", "measured", "limit"], rows))
    return "\n\n".join(parts)


def main() -> None:
    found = sorted((HERE / "results").glob("*.json"))
    results = [json.loads(path.read_text(encoding="utf-8")) for path in found]
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join([HEAD, *(section(r) + "\n" for r in results)]), encoding="utf-8")


if __name__ == "__main__":
    main()
