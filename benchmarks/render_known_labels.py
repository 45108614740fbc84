"""The page of `known_labels.py`: its figures as tables, and how many are as they should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jointbayes.report import Page, Paragraph, Section
from tables import table

__all__ = ["ALPHA", "COVERED", "LISTED", "MOST_ROWS", "SETS", "SIZED", "TITLE", "page_of"]

TITLE = "What is known about labels"
SETS = (
    "flags",
    "foodtruck",
    "emotions",
    "image135",
    "scene",
    "yeast",
    "genbase",
    "wq",
    "slashdot",
    "tmc2007-500",
)
MOST_ROWS = 400
"""Rows of a set, drawn once by a fixed seed, that coverage and calibration look at."""
COVERED, SIZED = 1000, 100
"""Rows of a split of which it is asked whether they are covered, and how large their sets are."""
LISTED = 16
"""Labels up to which the powers of chains and cascades are exact; of more they are left out."""
OF_ALL_SETS = ("coverage", "calibration", "audit")
"""Parts that are meant to be measured on all of them."""
ALPHA, NEAR = 0.1, 0.02
"""What is not to be covered, and how near to it counts as kept."""
Record = dict[str, Any]

HEADS: dict[str, tuple[str, str, dict[str, str]]] = {
    "coverage": (
        "Sets that cover nine times in ten",
        "Conformal, alpha 0.1: share of rows covered and mean number of label vectors in a set; "
        "beside it the product of sets of single labels, each at alpha / d (Bonferroni). Half of "
        f"the rows, {MOST_ROWS // 2} at most, are learned (regressions with a penalty of 1), a "
        f"quarter, {MOST_ROWS // 4} at most, calibrates, the others, {COVERED} at most, are asked "
        f"about ({SIZED} of them for sizes and times), dealt out anew for each split; means over "
        "splits, and the standard error of what is covered. Of n rows that calibrate, "
        "⌈0.9 (n + 1)⌉ / (n + 1) are to be expected, whatever the model. Where not all sets of a "
        "model are counted exactly, sizes are means of numbers and of bounds above them.",
        {
            "set": "set",
            "model": "model",
            "labels": "labels",
            "calibrated": "rows that calibrate",
            "asked": "rows asked",
            "splits": "splits",
            "covered": "covered",
            "due": "expected",
            "noise": "standard error",
            "size": "size",
            "exact": "counted exactly",
            "covered_each": "covered, label by label",
            "size_each": "size, label by label",
            "ms": "ms a row",
        },
    ),
    "calibration": (
        "The joint calibrated",
        "Joint log-loss of a row before and after Calibrated, on a third of the rows, and the "
        f"standard error of the difference: level is what differs by less than two of them. "
        f"{MOST_ROWS} rows of a set at most were drawn, and regressions of CTBN and "
        "BinaryRelevance have a penalty of 1. Rows whose vector has probability 0 are counted and "
        f"left out: no exponent changes that. Of more than {LISTED} labels, chains and NaiBX are "
        "left out: their powers are not exact.",
        {
            "set": "set",
            "model": "model",
            "rows": "rows",
            "before": "before",
            "after": "after",
            "noise": "standard error",
            "said": "",
            "power": "exponent",
            "impossible": "rows of probability 0",
        },
    ),
    "sharpness": (
        "NaiBX, as sure as it may be",
        "Joint log-loss of a row and share of rows that are right in all labels, for NaiBX as in "
        "its paper, where a column that hardly varies within a label or a size of sets outweighs "
        'all others, and with `sharpness="cross_fitted"`, by which features count less and sizes '
        "that were never seen have a probability. Rows of probability 0 are counted and left out.",
        {
            "set": "set",
            "rows": "rows",
            "paper": "paper",
            "paper impossible": "rows of probability 0, paper",
            "paper right": "right, paper",
            "cross_fitted": "cross-fitted",
            "cross_fitted impossible": "rows of probability 0, cross-fitted",
            "cross_fitted right": "right, cross-fitted",
        },
    ),
    "audit": (
        "Labels that were flipped",
        "One entry in ten flipped: average precision of what is suspected, by jb.audit and by "
        "cleanlab's scores of entries on the same out-of-fold probabilities. Where the table says "
        f"how many rows, at most {MOST_ROWS} were drawn, and regressions have a penalty of 1; else "
        "all rows were audited by default models. One draw of flips; that other labels of a row "
        "are believed as likely as not was chosen among eight ways by the same draw, on up to "
        f"{MOST_ROWS} rows of each set.",
        {
            "set": "set",
            "model": "model",
            "rows": "rows",
            "ours": "jb.audit",
            "cleanlab": "cleanlab",
        },
    ),
    "questions": (
        "Questions until the rest is sure",
        "Labels of a row that are asked for until the best vector has a probability of 0.95, of 60 "
        "rows that CTBN has not learned; and how often the labels are right then.",
        {
            "set": "set",
            "labels": "labels",
            "worth": "by worth",
            "least certain": "least certain first",
            "random": "at random",
            "right": "right in the end, by worth",
        },
    ),
    "rules": (
        "Rules",
        "Best label vectors of independent labels, and of a tree of labels, subject to rules: a "
        "hierarchy learned from the training rows, and a number of labels that 95 % of them keep. "
        "How many answers break a rule without and with them, how many are proven best, whether "
        "marginals under rules are exact, and the time to make the posterior of rows, or to make "
        "that under rules of it, and find its best vectors: the best of three, and the first, in "
        "which the order of elimination is planned for all rows that follow.",
        {
            "set": "set",
            "model": "model",
            "labels": "labels",
            "rules": "rules",
            "arcs": "arcs of the hierarchy",
            "rows": "rows",
            "broken_before": "break one, without",
            "broken": "break one, with",
            "proven": "proven",
            "marginals": "marginals",
            "ms_before": "ms a row, without",
            "ms": "ms a row, with",
            "ms_first": "ms a row, with, the first time",
        },
    ),
}


def say_coverage(records: list[Record]) -> str:
    """Return how many cells are as they should be."""
    near = sum(abs(r["covered"] - (1 - ALPHA)) <= NEAR for r in records)
    due = sum(abs(r["covered"] - r["due"]) <= 2 * r["noise"] for r in records)
    return (
        f"Of {len(records)} cells, {near} are within {NEAR} of {1 - ALPHA:g}, and {due} within two "
        "standard errors of what is to be expected."
    )


def say_calibration(records: list[Record]) -> str:
    """Return how many cells became better, or stayed level."""
    said = [verdict(record)["said"] for record in records]
    count = {word: said.count(word) for word in ("better", "level", "worse")}
    told = ", ".join(f"{n} are {word}" for word, n in count.items())
    good = (count["better"] + count["level"]) / len(records)
    return f"Of {len(records)} cells, {told}: {good:.0%} are better or level."


def say_missing(part: str, records: list[Record]) -> str:
    """Return which of the ten sets are not measured."""
    missing = [name for name in SETS if name not in {record["set"] for record in records}]
    if part not in OF_ALL_SETS or not missing:
        return ""
    return f"Not measured: {', '.join(missing)}."


def verdict(record: Record) -> Record:
    """Return a record of calibration with a word for its difference."""
    gain, noise = record["before"] - record["after"], record["noise"]
    said = "better" if gain > 2 * noise else "worse" if gain < -2 * noise else "level"
    return record | {"said": said}


SUMMARIES: dict[str, Callable[[list[Record]], str]] = {
    "coverage": say_coverage,
    "calibration": say_calibration,
}


def page_of(result: dict[str, Any]) -> Page:
    machine = ", ".join(f"{key} {value}" for key, value in result["machine"].items())
    sections = [Section("Where it ran", (Paragraph(machine),))]
    for part, (title, said, columns) in HEADS.items():
        records = result.get(part, [])
        if part == "calibration":
            records = [verdict(record) for record in records]
        rows = [[shown(record.get(key, "")) for key in columns] for record in records]
        if rows:
            found = SUMMARIES[part](result[part]) if part in SUMMARIES else ""
            text = Paragraph(" ".join(filter(None, (said, found, say_missing(part, records)))))
            sections.append(Section(title, (text, table(list(columns.values()), rows))))
    lead = (
        "Rendered by `benchmarks/known_labels.py` from `benchmarks/results/known_labels.json`; "
        "nothing here is typed."
    )
    return Page(TITLE, lead, (), tuple(sections))


def shown(value: Any) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else str(value)
