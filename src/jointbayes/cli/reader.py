"""The options with which every verb reads its data."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Optional

import typer

from jointbayes.cli.program import tell
from jointbayes.datasets import Dataset, load_dataset

__all__ = ["Reading", "reads_data"]

INTERRUPTED = 130
_option = functools.partial(typer.Option, rich_help_panel="How the file is read")


@dataclass(frozen=True)
class Reading:
    """What the command line says about reading a file."""

    file: str
    options: dict[str, Any]

    def load(self, file: str | None = None) -> Dataset:
        """Read the file, or another one in the same way."""
        return load_dataset(self.file if file is None else file, **self.options)

    def load_rows(self) -> Dataset:
        """Read the file with all its columns as features: it need not have labels."""
        return load_dataset(self.file, **{**self.options, "target": "none", "identifiers": "keep"})


def _reading(  # noqa: PLR0917  typer passes by name
    file: Annotated[str, typer.Argument(help="A path, or the name of a data set.")] = "",
    target: Annotated[
        Optional[list[str]],  # noqa: UP045  older typer reads no unions
        _option(help="Label column: its name or number, or a range 3:7; may be repeated."),
    ] = None,
    nominal: Annotated[
        Optional[list[str]],  # noqa: UP045
        _option(help="Column of categories, as for --target; or all."),
    ] = None,
    header: Annotated[
        str, _option(help="auto, first, none, or names separated by commas.")
    ] = "auto",
    delimiter: Annotated[str, _option(help="One character, or auto.")] = "auto",
    missing: Annotated[
        Optional[list[str]],  # noqa: UP045
        _option(help="Field that marks a missing value; may be repeated."),
    ] = None,
    sequences: Annotated[
        Optional[list[str]],  # noqa: UP045
        _option(help="Text column to be split into its letters."),
    ] = None,
    identifiers: Annotated[
        str, _option(help="Columns that only name rows: drop, keep, or which to leave out.")
    ] = "drop",
    missing_labels: Annotated[str, _option(help="Rows that lack a label: keep or drop.")] = "keep",
    data_dir: Annotated[
        Optional[str],  # noqa: UP045
        _option(help="Where names are looked up first."),
    ] = None,
    max_bytes: Annotated[
        Optional[int],  # noqa: UP045
        _option(help="How much a packed file may unpack to."),
    ] = None,
) -> Reading:
    options: dict[str, Any] = {
        "target": target or None,
        "nominal": "all" if nominal == ["all"] else nominal or None,
        "header": header.split(",") if "," in header else header,
        "delimiter": delimiter,
        "sequences": sequences or (),
        "identifiers": identifiers,
        "missing_labels": missing_labels,
        "data_dir": data_dir,
        "max_bytes": max_bytes,
    }
    if missing is not None:
        options["missing"] = missing
    return Reading(file, options)


def reads_data(command: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the reader's options in place of its parameter ``reading``.

    A verb that names its files itself (``files``) gets the options alone.

    >>> @reads_data
    ... def rows(model: str, reading: Reading, json: bool = False) -> None: ...
    >>> list(inspect.signature(rows).parameters)[:3], "json" in inspect.signature(rows).parameters
    (['model', 'file', 'target'], True)
    """
    own = dict(inspect.signature(command, eval_str=True).parameters)
    reader = dict(inspect.signature(_reading, eval_str=True).parameters)
    if "files" in own:
        del reader["file"]
    else:
        reader["file"] = reader["file"].replace(default=inspect.Parameter.empty)

    @functools.wraps(command)
    def run(**options: Any) -> None:
        reading = _reading(**{name: options.pop(name) for name in reader})
        try:
            command(reading=reading, **options)
        except KeyboardInterrupt:
            tell("stopped")
            raise typer.Exit(INTERRUPTED) from None

    parameters: list[inspect.Parameter] = []
    for name, parameter in own.items():
        parameters += reader.values() if name == "reading" else [parameter]
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run
