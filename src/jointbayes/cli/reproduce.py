"""``jointbayes reproduce``: a paper's figures next to ours."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from jointbayes.cli.html import Html, write_html, write_text
from jointbayes.cli.program import Json, Quiet, app, examples, tell
from jointbayes.cli.reader import INTERRUPTED

__all__: list[str] = []


@app.command(
    name="reproduce",
    epilog=examples(
        "reproduce sun2017 --quick --html sun2017.html",
        "reproduce corani2014 --tables 3,4 --datasets Emotions,Scene --json",
        "reproduce bogatinovski2022 --datasets foodtruck",
        "reproduce all --summary docs/evidence/reproduction",
    ),
)
def _reproduce(  # noqa: PLR0917  typer passes by name
    paper: Annotated[
        str,
        typer.Argument(
            help="sun2017, corani2014, batal2013, mossina2017, gasse2015, or all of these five "
            "with --summary; bogatinovski2022 and mlhat2024 are studies of the field."
        ),
    ],
    tables: Annotated[str, typer.Option(help="Tables, such as 3,4; all unless given.")] = "",
    datasets: Annotated[
        str, typer.Option(help="Data sets by the paper's names, such as Emotions,Scene.")
    ] = "",
    quick: Annotated[bool, typer.Option("--quick", help="A few small data sets only.")] = False,
    data_dir: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Where data sets are looked up first."),
    ] = None,
    store: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Where finished folds are kept, so that a stopped run resumes."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Folds at a time.")] = 1,
    markdown: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="FILE", help="Also write the tables as Markdown to this file."),
    ] = None,
    summary: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="FOLDER", help="Run nothing: count the figures on the pages PAPER.md there."
        ),
    ] = None,
    html: Html = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Run a paper's protocol on the data at hand and show published next to measured.

    Data sets that are not there are named; the exit code is 1 if a model failed or nothing was run.
    """
    if summary is not None:
        _summarize(paper, summary, markdown, html, as_rows=json)
        return
    from jointbayes.report import as_json, show
    from jointbayes.report.markdown import as_markdown
    from jointbayes.report.reproducing import page_of_reproduction
    from jointbayes.reproduction import reproduce

    try:
        found = reproduce(
            paper,
            tables=[name for name in tables.split(",") if name],
            datasets=[name for name in datasets.split(",") if name],
            extent="quick" if quick else "full",
            data_dir=data_dir,
            store=store,
            n_jobs=jobs,
            progress="none" if quiet else "auto",
        )
    except KeyboardInterrupt:
        tell(f"finished folds are in {store}; the same command resumes" if store else "stopped")
        raise typer.Exit(INTERRUPTED) from None
    page = page_of_reproduction(found)
    if html is not None:
        write_html(page, html)
    if markdown is not None:
        write_text(as_markdown(page), markdown)
    if json:
        typer.echo(as_json(found.as_dict()))
    else:
        show(page)
    for note in dict.fromkeys(cell.note for cell in found.cells if cell.verdict == "no data"):
        tell(note)
    failed = sum(cell.verdict == "failed" for cell in found.cells)
    if failed:
        tell(f"{failed} of {len(found.cells)} cells failed")
    if failed or all(cell.measured is None for cell in found.cells):
        raise typer.Exit(1)


def _summarize(
    paper: str, folder: str, markdown: str | None, html: str | None, *, as_rows: bool
) -> None:
    """Show what became of the figures of one paper, or all, on pages that were written before."""
    from dataclasses import asdict

    from jointbayes.report import as_json, show
    from jointbayes.report.markdown import as_markdown
    from jointbayes.report.reproducing_summary import page_of_tallies
    from jointbayes.reproduction import find_paper
    from jointbayes.reproduction.recorded import tally_pages

    tallies = tally_pages(folder, "" if paper.lower() == "all" else find_paper(paper).key)
    page = page_of_tallies(tallies)
    if html is not None:
        write_html(page, html)
    if markdown is not None:
        write_text(as_markdown(page), markdown)
    if as_rows:
        typer.echo(as_json({"papers": [asdict(tally) for tally in tallies]}))
    else:
        show(page)
