"""``jointbayes explore``: a model as a page that recomputes its answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Optional

import typer

from jointbayes.cli.program import Quiet, app, examples, tell
from jointbayes.cli.reader import Reading, reads_data
from jointbayes.errors import DataError

__all__: list[str] = []


@app.command(
    name="explore",
    epilog=examples(
        "explore emotions.jb -o emotions.html",
        "explore emotions.jb --data new.arff -o emotions.html",
        "explore tickets.jb --data new.csv --id Ticket --title Tickets -o tickets.html",
    ),
)
@reads_data
def _explore(
    model_file: Annotated[str, typer.Argument(help="A file that fit wrote.")],
    reading: Reading,
    output: Annotated[str, typer.Option("--output", "-o", help="The page to write.")],
    files: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--data", metavar="FILE", help="Rows to choose from in the page."),
    ] = None,
    title: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="What the page is called; the data set of the model if not said."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write a page in which a model can be asked, in any browser, without a server or network.

    Change a feature, fix a label, and watch the joint answer: every number is recomputed exactly
    in the page. Models that a page cannot recompute are refused, with what to do.
    """
    from jointbayes.cli.rows import load_model
    from jointbayes.explorer.exploring import Captions, write_explorer
    from jointbayes.storage import load, read_notes

    notes = read_notes(model_file)
    X, rows = None, None
    if files is None:
        model = load(model_file)
    else:
        loaded = load_model(model_file, replace(reading, file=files))
        model, X = loaded.model, loaded.X
        rows = [" ".join(map(str, name)) for name in zip(*(c.decoded() for c in loaded.ids))]  # noqa: B905
    if not hasattr(model, "explore"):
        raise DataError(f"{model_file} holds a {type(model).__name__}, which a page cannot show")
    captions = Captions(
        title=title or notes.get("dataset"),
        rows=rows or None,
        features=notes.get("feature_names"),
        file=Path(model_file).name,
    )
    write_explorer(model, output, X, captions)
    if not quiet:
        tell(f"{type(model).__name__} is in {output}; open it in a browser")
