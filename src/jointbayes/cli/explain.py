"""``jointbayes explain``: why this answer, feature by feature."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from jointbayes.cli.html import Html, write_html
from jointbayes.cli.program import Json, app, examples
from jointbayes.cli.reader import Reading, reads_data
from jointbayes.errors import DataError, ParameterError

__all__: list[str] = []


@app.command(
    name="explain",
    epilog=examples(
        "explain iris.jb new.csv --row 7",
        "explain iris.jb new.csv --row 7 --html why.html",
        "explain iris.jb new.csv --row 7 --most 3 --json",
    ),
)
@reads_data
def _explain(
    model_file: Annotated[str, typer.Argument(help="A file that fit wrote.")],
    reading: Reading,
    row: Annotated[int, typer.Option(help="Which row, from 0; negative from the end.")] = 0,
    label: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="A label to explain, if there are several; may be repeated."),
    ] = None,
    most: Annotated[int, typer.Option(help="How many contributions to show.")] = 10,
    html: Html = None,
    json: Json = False,
) -> None:
    """Say what each feature of one row spoke for, and how loudly.

    The answer is weighed against the runner-up; of several labels, each against its next best
    value while the others stay as they are.
    """
    from jointbayes.cli.rows import load_model
    from jointbayes.report import as_json, show
    from jointbayes.report.explaining import page_of_explanation, reasons

    loaded = load_model(model_file, reading)
    n = loaded.X.shape[0]
    if not -n <= row < n:
        raise ParameterError(f"--row {row} is not there; {reading.file} has rows 0 to {n - 1}")
    if not hasattr(loaded.model, "explain"):
        raise DataError(f"{type(loaded.model).__name__} has no explanation by features")
    chosen = label or loaded.label_names
    if not set(chosen) <= set(loaded.label_names):
        odd = next(name for name in chosen if name not in loaded.label_names)
        known = ", ".join(loaded.label_names)
        raise ParameterError(f"--label {odd} is not a label of the model; it has {known}")
    why = loaded.model.explain(loaded.X[[row]])
    report = reasons(why, labels=loaded.label_names, most=most) | {"row": row % n}
    report["labels"] = [part for part in report["labels"] if part["label"] in chosen]
    if html is not None:
        write_html(page_of_explanation(report), html)
    if json:
        typer.echo(as_json(report))
    else:
        show(page_of_explanation(report))
