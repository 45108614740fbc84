"""Read the pages of reproductions back: what was measured once need not be measured to be counted.

A page in Markdown has every cell in the grids of its tables; what is read from there has the
digits that are printed there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from jointbayes.errors import DataError
from jointbayes.reproduction.counting import AGGREGATES, PaperTally, tally
from jointbayes.reproduction.figures import printed_figures
from jointbayes.reproduction.paper import Paper
from jointbayes.reproduction.running import PAPERS
from jointbayes.reproduction.verdicts import Cell, Verdict

__all__ = ["read_cells", "tally_pages"]

_HEAD = "| data set | algorithm | published | measured | noise | verdict | seconds |"
_NONE = "–"


def tally_pages(folder: str | Path, paper: str = "") -> tuple[PaperTally, ...]:
    """Count the figures on the pages ``PAPER.md`` of a folder; papers without a page have none.

    All papers are counted unless one is named; studies, which are not to be reproduced but beaten,
    only by their names.

    >>> import tempfile
    >>> tally_pages(tempfile.mkdtemp())
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: ... has no page of a reproduction, such as sun2017.md; ...
    """
    chosen = [paper] if paper else [key for key, p in PAPERS.items() if p.kind == "paper"]
    pages = {key: Path(folder) / f"{key}.md" for key in chosen}
    if not any(path.exists() for path in pages.values()):
        raise DataError(
            f"{folder} has no page of a reproduction, such as {chosen[0]}.md; write one "
            "by jointbayes reproduce PAPER --markdown FILE"
        )
    return tuple(
        tally(PAPERS[key], read_cells(PAPERS[key], path.read_text(encoding="utf-8")))
        for key, path in pages.items()
        if path.exists()
    )


def read_cells(paper: Paper, page: str) -> tuple[Cell, ...]:
    """Return the cells of a page in Markdown, with the digits that it prints."""
    found: list[Cell] = []
    for table, part in _sections(page):
        titles = list(
            dict.fromkeys(c.title for c in paper.columns if c.table == table)
        ) + _titles_in(part)
        found += [_cell(paper, table, titles, line) for line in _lines(part)]
    return tuple(found)


def _sections(page: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        heading = part.partition("\n")[0]
        yield heading.partition(":")[0].strip(), part


def _titles_in(part: str) -> list[str]:
    return re.findall(r"^\*\*(.*): measured and published\*\*$", part, flags=re.MULTILINE)


def _lines(part: str) -> Iterator[list[str]]:
    _, _, grid = part.partition(_HEAD)
    for line in grid.strip().splitlines()[1:]:
        if not line.startswith("|"):
            return
        yield [field.strip() for field in re.split(r"(?<!\\)\|", line)[1:-1]]


def _cell(paper: Paper, table: str, titles: list[str], fields: list[str]) -> Cell:
    dataset, said, figure, measured, noise, verdict, seconds = fields
    printed, _, rival = figure.removesuffix(")").partition(" (")
    title = next((t for t in titles if said.endswith(f" ({t})")), titles[0] if titles else "")
    algorithm = said.removesuffix(f" ({title})")
    source = _source_of(paper, dataset)
    words = verdict.partition(" ")[2]
    if words not in get_args(Verdict):
        raise DataError(f"{verdict!r} is not a verdict, in the row of {dataset}, {algorithm}")
    kind: Verdict = next(name for name in get_args(Verdict) if name == words)
    return Cell(
        table,
        title,
        source,
        dataset,
        algorithm,
        _metric_of(paper, table, title, (source, algorithm, dataset)),
        float(printed),
        printed,
        _number(measured),
        _number(noise),
        kind,
        _number(seconds) or 0.0,
        rival=rival,
    )


def _source_of(paper: Paper, dataset: str) -> str:
    """Return the data set without what tells its figures apart."""
    names = sorted((source.name for source in paper.sources), key=len, reverse=True)
    found = (n for n in (*names, *AGGREGATES) if dataset == n or dataset.startswith(f"{n}, "))
    return next(found, dataset)


def _metric_of(paper: Paper, table: str, title: str, place: tuple[str, str, str]) -> str:
    source, algorithm, dataset = place
    at = dataset.removeprefix(source).removeprefix(", ")
    columns = [c for c in paper.columns if (c.table, c.title) == (table, title)]
    column = next((c for c in columns if c.at in ("", at)), None)
    exact = next((c for c in columns if c.at and c.at == at), column)
    if exact is not None:
        return exact.printed
    follows = [
        f.metric
        for f in printed_figures(paper.key)
        if (f.table, f.dataset, f.algorithm) == (table, source, algorithm)
        and _plain(f.metric) in _plain(title)
    ]
    return max(follows, key=len, default=title)  # "accuracy" is in "hamming accuracy" too


def _plain(name: str) -> str:
    return name.removeprefix("delta_").removeprefix("average_rank_").replace("_", " ")


def _number(text: str) -> float | None:
    return None if text == _NONE else float(text.replace(",", ""))
