"""Render results/joint_forest.json into the table of README.md, between its marks.

python benchmarks/render_readme.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
README = HERE.parent / "README.md"
RESULT = HERE / "results" / "joint_forest.json"
MARKS = re.compile(r"(<!-- forests: begin[^>]*-->\n).*?(<!-- forests: end -->)", re.DOTALL)
NAMES = {
    "random forest": "random forest",
    "extra trees": "extra trees",
    "CatBoost": "CatBoost",
    "powerset of extra trees": "powerset",
    "JointForest": "JointForest",
}


def main() -> None:
    """Write the table into the README."""
    text = README.read_text(encoding="utf-8")
    README.write_text(with_table(text, json.loads(RESULT.read_text("utf-8"))), encoding="utf-8")


def with_table(text: str, result: dict[str, Any]) -> str:
    r"""Return the text with the table between its marks.

    >>> scores = {"exact match": 0.5, "hamming loss": 0.25}
    >>> result = {"sets": {"tiny": {"random forest": scores, "JointForest": scores}}}
    >>> print(with_table("<!-- forests: begin -->\n<!-- forests: end -->", result).splitlines()[4])
    | tiny | **0.500** | **0.500** | **0.750** | **0.750** |
    """
    return MARKS.sub(lambda found: found[1] + table(result) + found[2], text)


def table(result: dict[str, Any]) -> str:
    """Return one line for each data set: whole rows right of all models, then single labels."""
    models = [name for name in NAMES if name in next(iter(result["sets"].values()))]
    heads = [f"{NAMES[name]} rows" for name in models] + [f"{NAMES[m]} labels" for m in models]
    lines = ["| data | " + " | ".join(heads) + " |", "| --- " + "| --: " * len(heads) + "|"]
    for data, scores in result["sets"].items():
        rows = [scores[model]["exact match"] for model in models]
        labels = [1 - scores[model]["hamming loss"] for model in models]
        lines.append(f"| {data} | " + " | ".join(best(rows) + best(labels)) + " |")
    return "\n".join(lines) + "\n"


def best(scores: list[float]) -> list[str]:
    """Return scores as text, the best in bold; ties as printed are ties."""
    shown = [f"{score:.3f}" for score in scores]
    return [f"**{one}**" if one == max(shown) else one for one in shown]


if __name__ == "__main__":
    main()
