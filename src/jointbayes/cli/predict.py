"""``jointbayes predict``: labels, probabilities or the best label sets of new rows."""

from __future__ import annotations

from typing import Annotated, Any, Optional

import typer

from jointbayes.cli.program import Json, Quiet, app, examples
from jointbayes.cli.reader import Reading, reads_data
from jointbayes.errors import ParameterError

__all__: list[str] = []

DIGITS = 6  # of a probability that people read


@app.command(
    name="predict",
    epilog=examples(
        "predict iris.jb new.csv",
        "predict iris.jb new.csv --proba -o answers.parquet",
        "predict emotions.jb new.arff --loss f1 --format json",
        "predict emotions.jb new.arff --top 3",
        "predict emotions.jb new.arff --given sad-lonely=0 --proba",
        "predict tickets.jb new.csv --id Ticket",
        "predict scene.jb new.csv --rules scene.rules",
        "predict conformal.jb new.csv --alpha 0.1",
        "predict logs.jb 'logs/*.parquet' -o answers.parquet",
    ),
)
@reads_data
def _predict(  # noqa: PLR0917  typer passes by name
    model_file: Annotated[str, typer.Argument(help="A file that fit wrote.")],
    reading: Reading,
    top: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="The best k label sets of every row with their probabilities."),
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add probabilities.")] = False,
    loss: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="What to minimize: subset, hamming, f1 or jaccard."),
    ] = None,
    empty: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Whether no label at all is an answer: allow or forbid."),
    ] = None,
    given: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="LABEL=VALUE", help="A label that is known; may be repeated."),
    ] = None,
    rules: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="FILE", help="Rules that every answer obeys, one a line."),
    ] = None,
    alpha: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="The sets of labels of a Conformal model that miss with this share."),
    ] = None,
    precise: Annotated[
        bool, typer.Option("--precise", help="All digits, as JSON and Parquet have, in CSV too.")
    ] = False,
    form: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--format", help="csv, json or parquet; by default what -o ends in, or csv."),
    ] = None,
    output: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--output", "-o", help="A file instead of standard output."),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Predict the labels of the rows of a file.

    The file needs the columns the model was fitted on, in any order; others, labels included, are
    not looked at. Several files, Arrow files and large ones are answered part by part. Columns that
    were --id in fit, or are now, are carried to the answers.

    A line of --rules is *child, parent*, or begins with what it is: implies: a, b; exclusive: a, b;
    at most 3: (of all labels), at least 1: a, b; exactly 1: a, b; forbid: a=1, b=0.
    """
    from jointbayes.cli.answers import (
        best_columns,
        id_columns,
        label_columns,
        probability_columns,
        set_columns,
    )
    from jointbayes.cli.output import choose_format, numbered, write_columns, write_parts
    from jointbayes.cli.parts import comes_in_parts, load_parts
    from jointbayes.cli.rows import Loaded, load_model
    from jointbayes.validation.progress import progress_bar

    wanted = choose_format("json" if json else form, output)
    if top is not None and (proba or loss or empty):
        raise ParameterError("--top ranks whole label sets; leave out --proba, --loss and --empty")
    if alpha is not None and (top is not None or proba or loss or empty):
        raise ParameterError("--alpha lists sets; leave out --top, --proba, --loss and --empty")
    digits = None if precise or wanted != "csv" else DIGITS

    def columns_of(loaded: Loaded) -> dict[str, Any]:
        if top is not None:
            return best_columns(loaded, top, digits)
        if alpha is not None:
            return set_columns(loaded, alpha, digits)
        columns = {**id_columns(loaded), **label_columns(loaded, loss, empty)}
        return columns | (probability_columns(loaded, digits) if proba else {})

    with progress_bar("none" if quiet else "auto") as show:
        show("predicting", 0, None)
        if comes_in_parts(reading.file):
            parts = map(columns_of, load_parts(model_file, reading, given or (), rules))
            write_parts(numbered(parts), wanted, output)
        else:
            columns = columns_of(load_model(model_file, reading, given or (), rules))
            write_columns(columns, wanted, output)
