"""``jointbayes compare``: many models on many data sets."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from jointbayes.cli.html import Html, write_html
from jointbayes.cli.program import Json, Quiet, Seed, Unknown, app, examples, tell
from jointbayes.cli.reader import INTERRUPTED, Reading, reads_data

__all__: list[str] = []


@app.command(
    name="compare",
    epilog=examples(
        "compare NaiveBayes TAN 'KDB(k=2)' -d iris -d zoo",
        "compare MultilabelNB MultilabelFAN -d emotions --store run.jsonl",
    ),
)
@reads_data
def _compare(  # noqa: PLR0917  typer passes by name
    models: Annotated[list[str], typer.Argument(help="Models: TAN, or 'KDB(k=2)'.")],
    files: Annotated[
        list[str], typer.Option("--data", "-d", help="A path, or the name of a data set; repeat.")
    ],
    reading: Reading,
    cv: Annotated[str, typer.Option(help="Folds (10), repeats of folds (5x2), or 66%.")] = "10",
    metric: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="A metric by name; may be repeated."),
    ] = None,
    store: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Where finished cells are kept, so that a stopped run resumes."),
    ] = None,
    unknown: Unknown = None,
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option(help="Cells at a time.")] = 1,
    html: Html = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare models on data sets by cross-validation, with ranks and tests between them.

    A cell that fails is listed, and the exit code is then 1; the others go on.
    """
    from jointbayes.cli.learning import described_model
    from jointbayes.report import as_json, show
    from jointbayes.report.comparing import page_of_comparison
    from jointbayes.validation import compare

    try:
        found = compare(
            [described_model(text, [], unknown) for text in models],
            [reading.load(file) for file in files],
            cv=cv,
            metrics=metric or "usual",
            store=store,
            random_state=seed,
            n_jobs=jobs,
            progress="none" if quiet else "auto",
        )
    except KeyboardInterrupt:
        kept = f"finished cells are in {store}; the same command resumes" if store else "stopped"
        tell(kept)
        raise typer.Exit(INTERRUPTED) from None
    if html is not None:
        write_html(found, html)
    if json:
        typer.echo(as_json(found.as_dict()))
    else:
        show(page_of_comparison(found, metric or ()))
    if found.failures:
        tell(f"{len(found.failures)} of {len(found.records)} cells failed")
        raise typer.Exit(1)
