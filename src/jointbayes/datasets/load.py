"""load_dataset: find the file, read it, tell labels from features.

The labels are those that ``target`` names; else those of MULAN's xml beside the file; else MEKA's
``-C n`` in the relation name; else the column called class; else the last one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.datasets.arff import read_arff
from jointbayes.datasets.dataset import Dataset
from jointbayes.datasets.delimited import read_delimited
from jointbayes.datasets.files import as_text, read_bytes, without_suffixes
from jointbayes.datasets.mulan import label_columns
from jointbayes.datasets.names import FORMATS, find_file
from jointbayes.datasets.parquet import read_parquet
from jointbayes.datasets.recast import as_letters, as_nominal
from jointbayes.datasets.roles import (
    Which,
    default_target,
    is_missing_label,
    label_values,
    names_rows,
    positions,
)
from jointbayes.datasets.sparse import SparseTable
from jointbayes.datasets.svmlight import read_svmlight
from jointbayes.errors import DataError, ParameterError
from jointbayes.table import Column, Table

__all__ = ["load_dataset"]

_ARFF_LINE = re.compile(rb"\s*(?:%[^\n]*\n\s*)*@(?:relation|attribute|data)\b", re.I)
_PAIR = re.compile(
    rb"(?:#[^\n]*\n)*[^\s:]*[ \t]+(?:\d+|qid):\S+(?:[ \t]+\d+:\S+)*[ \t]*(?:#|\r?\n|\Z)"
)
_SVMLIGHT, _DELIMITED = (".svmlight", ".libsvm", ".svm"), (".csv", ".tsv", ".tab")


@dataclass(frozen=True, eq=False)
class _Contents:
    """What a file holds: columns, and the labels if the file says which they are."""

    table: Table | SparseTable
    labels: list[int] | None = None
    labels_apart: list[Column] | None = None  # where labels are no columns of the table


def load_dataset(  # noqa: PLR0913  one keyword for each thing a file may not say of itself
    name_or_path: str | os.PathLike[str],
    target: Which | None = None,
    nominal: Which | None = None,
    *,
    header: str | Sequence[str] = "auto",
    delimiter: str = "auto",
    missing: Sequence[str] = ("?", "NA", "N/A", "NaN", "nan"),
    sequences: Which = (),
    identifiers: Which = "drop",
    missing_labels: str = "keep",
    data_dir: str | os.PathLike[str] | None = None,
    max_bytes: int | None = None,
) -> Dataset:
    r"""Read ARFF (dense, sparse, MULAN, MEKA), CSV, TSV, Parquet or svmlight; plain, gz, bz2 or xz.

    Parameters
    ----------
    name_or_path
        A path, or the name of a data set: a file in ``data_dir``, in the directories of the
        environment variable ``JOINTBAYES_DATA`` (separated as in PATH), or in the current one,
        without its suffixes and in any case.
    target
        The label columns, by name or number; by default what the file says (see above). ``"none"``,
        unless a column is called so, takes all columns for features: ``Y`` then has none.
    nominal
        Columns whose values are categories even if they look like numbers; ``"all"`` for all.
    header
        Delimited text only: ``"first"`` row, ``"none"``, or the names of the columns. ``"auto"`` is
        the first row, refused if it looks like data.
    delimiter
        Delimited text only: one character (a blank: any run of blanks), or ``"auto"``.
    missing
        Delimited text only: fields that mark a missing value, besides empty ones.
    sequences
        Text columns of equal length, such as DNA, that are one nominal column for each letter.
    identifiers
        ``"drop"`` leaves nominal and string columns out of ``X`` in which (nearly) no value is
        repeated, ``"keep"`` none; or the columns to leave out.
    missing_labels
        ``"keep"`` rows with a missing label, as NaN or None, or ``"drop"`` them.
    data_dir
        Where to look for names first.
    max_bytes
        How much a packed file may unpack to; by default 256 MiB and 200 times its size.

    Returns
    -------
    Dataset
        ``X`` is a CSR matrix for sparse files of numbers, else a Table.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "flowers.csv"
    >>> _ = path.write_text("petal,colour,class\n1.4,white,a\n4.7,?,b\n")
    >>> flowers = load_dataset(path)
    >>> flowers, flowers.Y.tolist()
    (Dataset('flowers', 2 rows, 2 features, labels: class), ['a', 'b'])
    >>> [(column.name, column.kind) for column in flowers.X.columns]
    [('petal', 'numeric'), ('colour', 'nominal')]
    """
    path = find_file(name_or_path, data_dir)
    contents = _read(path, header, delimiter, missing, max_bytes)
    table, names = contents.table, contents.table.names
    labels = _labels(contents, target)
    features = _without(range(len(names)), labels)
    cast = set(features if nominal == "all" else positions("nominal", nominal or [], names))
    letters = set(positions("sequences", sequences, names))
    gone = _identifiers(table, identifiers, _without(features, cast | letters))
    features = _without(features, gone)
    X, feature_names = _features(table, features, cast, letters, str(path))
    columns = contents.labels_apart or _columns(table, labels)
    unlabelled = not columns and target == "none"
    Y = np.empty((X.shape[0], 0)) if unlabelled else label_values(columns)
    X, Y, dropped = _drop_rows(X, Y, missing_labels)
    return Dataset(
        name=without_suffixes(path.name, FORMATS),
        X=X,
        Y=Y,
        label_names=tuple(column.name for column in columns),
        feature_names=feature_names,
        identifiers=tuple(names[j] for j in gone),
        rows_dropped=dropped,
        source=str(path),
    )


def _read(
    path: Path,
    header: str | Sequence[str],
    delimiter: str,
    missing: Sequence[str],
    max_bytes: int | None,
) -> _Contents:
    """Choose the reader by what the file holds, then by its suffix."""
    source, data = str(path), read_bytes(path, max_bytes)
    suffix = Path(without_suffixes(path.name, ())).suffix.lower()
    if data[:4] == b"PAR1" or suffix in (".parquet", ".pq"):
        return _Contents(read_parquet(source, data))
    text = as_text(source, data)
    if _ARFF_LINE.match(text.data) or suffix == ".arff":
        arff_header, table = read_arff(text)
        return _Contents(table, label_columns(path, arff_header.relation, table.names))
    if suffix in _SVMLIGHT or (suffix not in _DELIMITED and _PAIR.match(text.data)):
        table, labels = read_svmlight(text)
        return _Contents(table, [], labels)
    return _Contents(read_delimited(text, header, delimiter, missing))


def _labels(contents: _Contents, target: Which | None) -> list[int]:
    if contents.labels_apart is not None:
        if target not in (None, "none"):
            raise ParameterError(
                "target cannot be chosen: the labels of svmlight files stand apart"
            )
        return []
    if target == "none" and "none" not in contents.table.names:
        return []
    if target is not None:
        return positions("target", target, contents.table.names)
    return contents.labels or default_target(contents.table.names)


def _without(which: Iterable[int], others: Iterable[int]) -> list[int]:
    out = set(others)
    return [j for j in which if j not in out] if out else list(which)


def _identifiers(
    table: Table | SparseTable, identifiers: Which, candidates: list[int]
) -> list[int]:
    if identifiers == "keep":
        return []
    if identifiers != "drop":
        return positions("identifiers", identifiers, table.names)
    if isinstance(table, SparseTable):
        candidates = sorted(set(candidates).intersection(table.more_than_numbers))
    return [j for j in candidates if names_rows(_columns(table, [j])[0])]


def _columns(table: Table | SparseTable, which: list[int]) -> list[Column]:
    return [table.columns[j] for j in which] if isinstance(table, Table) else table.dense(which)


def _features(
    table: Table | SparseTable, which: list[int], cast: set[int], letters: set[int], source: str
) -> tuple[Any, tuple[str, ...]]:
    if not which:
        raise DataError(f"{source} has no features beside its labels and identifiers; check target")
    if isinstance(table, SparseTable) and not {*cast, *table.more_than_numbers}.intersection(which):
        return table.select(which)
    columns: list[Column] = []
    for j, column in zip(which, _columns(table, which), strict=True):
        if j in letters:
            columns.extend(as_letters(column, source))
        else:
            columns.append(as_nominal(column) if j in cast else column)
    X = Table(tuple(columns))
    return X, X.names


def _drop_rows(X: Any, Y: NDArray[Any], missing_labels: str) -> tuple[Any, NDArray[Any], int]:
    if missing_labels not in ("keep", "drop"):
        raise ParameterError(
            f"missing_labels={missing_labels!r} is not known; choose 'keep' or 'drop'"
        )
    if missing_labels == "keep":
        return X, Y, 0
    gone = is_missing_label(Y)
    known = ~(gone if gone.ndim == 1 else gone.any(axis=1))
    if known.all():
        return X, Y, 0
    return X[known], Y[known], int((~known).sum())
