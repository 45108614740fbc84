"""Files that are read part by part: several at once, Arrow files, and those that are large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jointbayes.cli.program import tell
from jointbayes.cli.reader import Reading
from jointbayes.cli.rows import Loaded, known_labels
from jointbayes.errors import DataError, ParameterError
from jointbayes.rules import read
from jointbayes.scale.batch import blocks_of, read_rows
from jointbayes.scale.feed import LocalFeed
from jointbayes.scale.files import SUFFIXES, files_of
from jointbayes.scale.source import open_source
from jointbayes.storage import load, read_notes

__all__ = ["comes_in_parts", "fit_parts", "load_parts"]

LARGE = 1 << 28
"""Bytes of a file from which on it is read part by part."""

# Options of the reader that mean something for rows in parts, too.
_KNOWN = {"target", "identifiers", "data_dir", "max_bytes"}
_PLAIN: dict[str, Any] = {
    "nominal": None,
    "header": "auto",
    "delimiter": "auto",
    "decimal": "auto",
    "dates": "auto",
    "encoding": "auto",
    "missing_labels": "keep",
}


def comes_in_parts(file: str) -> bool:
    """Say whether a file is read part by part: a pattern, a folder, Arrow, or a large file.

    >>> comes_in_parts("logs/*.parquet"), comes_in_parts("iris")
    (True, False)
    """
    path = Path(file).expanduser()
    if path.is_dir():
        return True
    if not path.exists():
        return any(mark in file for mark in "*?[")
    form = SUFFIXES.get(path.suffix.lower())
    return form == "ipc" or (form is not None and path.stat().st_size >= LARGE)


def fit_parts(estimator: Any, reading: Reading, progress: Any) -> dict[str, Any]:
    """Learn from files part by part, and return what is noted in the model file."""
    from jointbayes.scale import fit

    _refuse_options(reading)
    target = [name for text in reading.options["target"] or () for name in text.split(",")]
    if not target:
        raise ParameterError(
            f"{reading.file} is read part by part, so the label columns have to be named; give "
            "them with --target"
        )
    files = files_of(reading.file)
    one = len(target) == 1
    fit(estimator, files, target[0] if one else target, ignore=reading.ids, progress=progress)
    return {
        "dataset": reading.file,
        "files": len(files),
        "feature_names": estimator.feature_names_in_.tolist(),
        "label_names": target,
        "layout": "table",
        "words": [],
        "ids": list(reading.ids),
    }


def load_parts(
    model_file: str, reading: Reading, given: Sequence[str] = (), rules: str | None = None
) -> Iterator[Loaded]:
    """Yield a model with the rows of files that it is asked about, some at a time."""
    _refuse_options(reading)
    model, notes = load(model_file), read_notes(model_file)
    space = getattr(model, "space_", None)
    if space is None:
        raise DataError(f"{model_file} holds a {type(model).__name__} that has learned nothing")
    names = tuple(notes.get("label_names") or space.names)
    wanted = tuple(notes.get("feature_names") or model.feature_names_in_)
    ids = tuple(reading.ids or notes.get("ids", ()))
    obeyed = () if rules is None else tuple(read(rules))
    asked = Loaded(model, names, None, given=known_labels(space, names, given), rules=obeyed)
    with open_source(files_of(reading.file), passes=1, once="refuse", n_jobs=1) as feed:
        assert isinstance(feed, LocalFeed)
        for part in feed.parts():
            for block in blocks_of(part):
                kept = read_rows(block, ids).columns if ids else ()
                yield replace(asked, X=read_rows(block, wanted), ids=kept)


def _refuse_options(reading: Reading) -> None:
    """Refuse what was said about reading that only files read at once can heed."""
    for name, value in reading.options.items():
        if name not in _KNOWN and value not in (_PLAIN.get(name), None, (), []):
            raise ParameterError(
                f"--{name.replace('_', '-')} is for files that are read at once, and "
                f"{reading.file} is read part by part; leave it out"
            )
    if reading.aloud:
        tell(f"{reading.file}: read part by part")
