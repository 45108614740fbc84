"""``jointbayes audit``: labels that are probably wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from jointbayes.cli.html import Html, write_html
from jointbayes.cli.program import Json, Settings, Unknown, app, examples
from jointbayes.cli.reader import Reading, reads_data

__all__: list[str] = []


@app.command(
    name="audit",
    epilog=examples(
        "audit CTBN emotions",
        "audit CTBN tickets.csv --most 50 --html audit.html",
        "audit JointForest yeast --cv 10 --json",
    ),
)
@reads_data
def _audit(
    model: Annotated[str, typer.Argument(help="A model by its class name, in any case.")],
    reading: Reading,
    settings: Settings = [],  # noqa: B006  typer copies it
    unknown: Unknown = None,
    cv: Annotated[int, typer.Option(help="Folds.")] = 5,
    most: Annotated[int, typer.Option(help="How many entries and rows to show.")] = 20,
    html: Html = None,
    json: Json = False,
) -> None:
    """Look for labels that are probably wrong: those that a model of other rows finds improbable.

    An entry is held against the row and its other labels, a row against the most probable labels.
    """
    from jointbayes.auditing import audit
    from jointbayes.cli.learning import described_model, labels_for
    from jointbayes.report import as_json, show
    from jointbayes.report.auditing import page_of_audit

    estimator, dataset = described_model(model, settings, unknown), reading.load()
    found = audit(estimator, dataset.X, labels_for(estimator, dataset), cv=cv)
    if html is not None:
        write_html(found, html)
    if json:
        parts = {"entries": found.entries, "rows": found.rows}
        records = {
            name: [
                dict(zip(part.dtype.names, record.item(), strict=True)) for record in part[:most]
            ]
            for name, part in parts.items()
        }
        typer.echo(as_json({"dataset": dataset.name, "cv": cv, **records}))
    else:
        show(page_of_audit(found, most))
