"""``jointbayes describe``: what a data set holds."""

from __future__ import annotations

import typer

from jointbayes.cli.html import Html, write_html
from jointbayes.cli.program import Json, app, examples
from jointbayes.cli.reader import Reading, reads_data
from jointbayes.datasets.notes import in_full
from jointbayes.description import describe

__all__: list[str] = []


@app.command(name="describe", epilog=examples("describe iris", "describe emotions.arff --json"))
@reads_data
def _describe(reading: Reading, html: Html = None, json: Json = False) -> None:
    """Show what a data set holds: rows, features, labels, and which labels go together."""
    from jointbayes.report import as_json, show
    from jointbayes.report.describing import page_of_summary

    dataset = reading.load_quietly()
    summary = describe(dataset)
    if html is not None:
        write_html(summary, html)
    if json:
        notes = [note.as_dict() for note in dataset.notes]
        typer.echo(as_json({**summary.as_dict(), "notes": notes}))
    else:
        show(page_of_summary(summary))
        for line in in_full(dataset.notes):
            typer.echo(f"Note: {line}")
