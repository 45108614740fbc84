"""The command line: parse, one public call, one renderer.

Every command reads its data with the same options. What goes wrong is told in one sentence on
standard error, with exit code 1 (2 for a wrong command line); ``--debug`` shows where it arose.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any, Optional

import typer

import jointbayes
from jointbayes.datasets import Dataset, describe, load_dataset
from jointbayes.errors import JointBayesError, MissingExtraError
from jointbayes.report import as_json, show, summary_page

__all__ = ["app", "main", "reads_data"]

app = typer.Typer(
    name="jointbayes",
    help="Joint label distributions with Bayesian networks, and the decisions that cost least.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Write JSON instead of text.")]


def main() -> None:
    """Run the command line and leave with its exit code."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        app(arguments)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (JointBayesError, MissingExtraError) as error:
        if len(arguments) < len(sys.argv) - 1:
            raise
        typer.echo(f"jointbayes: {error}", err=True)
        sys.exit(1)


@app.callback(invoke_without_command=True)
def _common(
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    debug: Annotated[  # noqa: ARG001  main takes it out; it stands here for the help
        bool, typer.Option("--debug", help="Show where an error arose.")
    ] = False,
) -> None:
    if version:
        typer.echo(jointbayes.__version__)
        raise typer.Exit


def _reader(  # noqa: PLR0917  typer passes by name
    file: Annotated[str, typer.Argument(help="A path, or the name of a data set.")],
    target: Annotated[
        Optional[list[str]],  # noqa: UP045  older typer reads no unions
        typer.Option(help="Label column: its name or number, or a range 3:7; may be repeated."),
    ] = None,
    nominal: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="Column of categories, as for --target; or all."),
    ] = None,
    header: Annotated[
        str, typer.Option(help="auto, first, none, or names separated by commas.")
    ] = "auto",
    delimiter: Annotated[str, typer.Option(help="One character, or auto.")] = "auto",
    missing: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="Field that marks a missing value; may be repeated."),
    ] = None,
    sequences: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="Text column to be split into its letters."),
    ] = None,
    identifiers: Annotated[
        str, typer.Option(help="Columns that only name rows: drop, keep, or which to leave out.")
    ] = "drop",
    missing_labels: Annotated[
        str, typer.Option(help="Rows that lack a label: keep or drop.")
    ] = "keep",
    data_dir: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Where names are looked up first."),
    ] = None,
    max_bytes: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="How much a packed file may unpack to."),
    ] = None,
) -> Dataset:
    options: dict[str, Any] = {} if missing is None else {"missing": missing}
    return load_dataset(
        file,
        target or None,
        "all" if nominal == ["all"] else nominal or None,
        header=header.split(",") if "," in header else header,
        delimiter=delimiter,
        sequences=sequences or (),
        identifiers=identifiers,
        missing_labels=missing_labels,
        data_dir=data_dir,
        max_bytes=max_bytes,
        **options,
    )


def reads_data(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the reader's options in place of its first parameter, a Dataset.

    >>> @reads_data
    ... def rows(dataset: Dataset, json: Json = False) -> None: ...
    >>> list(inspect.signature(rows).parameters)[:3], "json" in inspect.signature(rows).parameters
    (['file', 'target', 'nominal'], True)
    """
    reader = inspect.signature(_reader, eval_str=True).parameters
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]

    @functools.wraps(command)
    def run(**options: Any) -> None:
        dataset = _reader(**{name: options.pop(name) for name in reader})
        command(dataset, **options)

    parameters = [*reader.values(), *own]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


@app.command(name="describe")
@reads_data
def _describe(dataset: Dataset, json: Json = False) -> None:
    """Show what a data set holds: rows, features, labels, and which labels go together."""
    summary = describe(dataset)
    if json:
        typer.echo(as_json(summary.as_dict()))
    else:
        show(summary_page(summary))


if __name__ == "__main__":
    main()
