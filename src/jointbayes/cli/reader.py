"""The options with which every verb reads its data."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Optional

import typer

from jointbayes.cli.program import tell
from jointbayes.datasets import Dataset, load_dataset
from jointbayes.datasets.notes import Note, brief
from jointbayes.datasets.words import Words

__all__ = ["Reading", "reads_data"]

INTERRUPTED = 130
Several = Optional[list[str]]  # noqa: UP045  older typer reads no unions
_option = functools.partial(typer.Option, rich_help_panel="How the file is read")
_WHICH = (
    "a name, a number from 0 (-1 is the last), a range (3:7 is 3 to 6, -5: the last five, A:B both "
    "and all between), or several with commas"
)


@dataclass(frozen=True)
class Reading:
    """What the command line says about reading a file, and whether to say what was read how."""

    file: str
    options: dict[str, Any]
    ids: tuple[str, ...] = ()
    aloud: bool = True

    def load(self, file: str | None = None) -> Dataset:
        """Read the file, or another one in the same way, and say on one line how it was read."""
        dataset = self.load_quietly(file)
        self.tell(dataset, dataset.notes)
        return dataset

    def load_quietly(self, file: str | None = None) -> Dataset:
        """Read the file, or another one in the same way."""
        return load_dataset(self.file if file is None else file, **self.options)

    def load_rows(self, words: Sequence[Words]) -> Dataset:
        """Read the file with all its columns as features: it need not have labels."""
        rows = {"target": "none", "identifiers": "keep", "split": (), "positive": (), "text": words}
        return load_dataset(self.file, **{**self.options, **rows})

    def tell(self, dataset: Dataset, notes: Sequence[Note]) -> None:
        """Say on standard error what was left out and what was read how."""
        if self.aloud and notes:
            tell(f"{dataset.name}: {brief(notes)}")


def _reading(  # noqa: PLR0917  typer passes by name
    file: Annotated[str, typer.Argument(help="A path, or the name of a data set.")] = "",
    target: Annotated[Several, _option(help=f"Label column: {_WHICH}; may be repeated.")] = None,
    nominal: Annotated[
        Several, _option(help="Column of categories, as for --target; or all.")
    ] = None,
    header: Annotated[
        str, _option(help="auto, first, none, or names separated by commas.")
    ] = "auto",
    delimiter: Annotated[str, _option(help="One character, or auto.")] = "auto",
    decimal: Annotated[str, _option(help="Decimal mark: auto, . or a comma.")] = "auto",
    dates: Annotated[str, _option(help="Order of dates: auto, dmy, mdy, ymd or none.")] = "auto",
    encoding: Annotated[str, _option(help="auto, utf-8, cp1252, or another.")] = "auto",
    missing: Annotated[
        Several, _option(help="Field that marks a missing value; may be repeated.")
    ] = None,
    sequences: Annotated[Several, _option(help="Text column to be split into its letters.")] = None,
    text: Annotated[
        Several,
        _option(
            metavar="COLUMN[=N]",
            help="Column of free text, read as its N commonest words (1,000); may be repeated.",
        ),
    ] = None,
    split: Annotated[
        Several,
        _option(
            metavar="COLUMN[=SEP]",
            help="Label column with several labels in a cell, such as a|b; may be repeated.",
        ),
    ] = None,
    positive: Annotated[
        Several,
        _option(metavar="LABEL=VALUE", help="The value that means yes; may be repeated."),
    ] = None,
    ids: Annotated[
        Several,
        _option("--id", help="Column that names the rows: left out, and carried to answers."),
    ] = None,
    identifiers: Annotated[
        str, _option(help="Columns that only name rows: drop, keep, or which to leave out.")
    ] = "drop",
    missing_labels: Annotated[str, _option(help="Rows that lack a label: keep or drop.")] = "keep",
    data_dir: Annotated[
        Optional[str],  # noqa: UP045
        _option(help="Where names are looked up first; JOINTBAYES_DATA names more folders."),
    ] = None,
    max_bytes: Annotated[
        Optional[int],  # noqa: UP045
        _option(help="How much a packed file may unpack to."),
    ] = None,
) -> Reading:
    left_out = [*([] if identifiers == "keep" else [identifiers]), *(ids or ())]
    options: dict[str, Any] = {
        "target": target or None,
        "nominal": "all" if nominal == ["all"] else nominal or None,
        "header": header.split(",") if "," in header else header,
        "delimiter": delimiter,
        "decimal": decimal,
        "dates": dates,
        "encoding": encoding,
        "sequences": sequences or (),
        "text": text or (),
        "split": split or (),
        "positive": positive or (),
        "identifiers": left_out if ids else identifiers,
        "missing_labels": missing_labels,
        "data_dir": data_dir,
        "max_bytes": max_bytes,
    }
    if missing is not None:
        options["missing"] = missing
    return Reading(file, options, tuple(ids or ()))


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
        reading = replace(reading, aloud=not options.get("quiet", False))
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
