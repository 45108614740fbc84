"""load_dataset: find the file, read it, tell labels from features.

The labels are those that ``target`` or ``split`` names; else those of MULAN's xml beside the file;
else MEKA's ``-C n`` in the relation name; else the column called class; else the last one. What was
decided on the way stands in ``Dataset.notes``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from jointbayes.datasets.choices import Named, with_values
from jointbayes.datasets.contents import read_contents
from jointbayes.datasets.dataset import Dataset
from jointbayes.datasets.features import columns_of, find_identifiers, read_features, without
from jointbayes.datasets.files import faults_of, without_suffixes
from jointbayes.datasets.names import FORMATS, find_file
from jointbayes.datasets.roles import Which, label_values, positions
from jointbayes.datasets.targets import (
    drop_unlabelled,
    find_labels,
    missing_notes,
    split_cells,
    with_positives,
)
from jointbayes.datasets.words import Words
from jointbayes.datasets.writing import Writing
from jointbayes.errors import DataError

__all__ = ["load_dataset"]


def load_dataset(  # noqa: PLR0913  one keyword for each thing a file may not say of itself
    name_or_path: str | os.PathLike[str],
    target: Which | None = None,
    nominal: Which | None = None,
    *,
    header: str | Sequence[str] = "auto",
    delimiter: str = "auto",
    decimal: str = "auto",
    dates: str = "auto",
    encoding: str = "auto",
    missing: Sequence[str] = ("?", "NA", "N/A", "NaN", "nan"),
    sequences: Which = (),
    text: Named = (),
    split: Named = (),
    positive: Named = (),
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
        without its suffixes and in any case. ``"flags"``, ``"thyroid"`` and ``"zoo"`` come with
        the package.
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
    decimal
        Delimited text only: ``"."``, ``","``, or ``"auto"``: commas where a column that would not
        be numbers otherwise is with them (`datasets.local` has the rule).
    dates
        Delimited text only: the order of dates, ``"dmy"``, ``"mdy"`` or ``"ymd"``; ``"none"`` reads
        none, ``"auto"`` those whose order can be told (`datasets.local` has the rule).
    encoding
        One of Python's names, or ``"auto"``: UTF-8, else Windows-1252.
    missing
        Delimited text only: fields that mark a missing value, besides empty ones.
    sequences
        FileText columns of equal length, such as DNA, that are one nominal column for each letter.
    text
        Columns of free text, each of which becomes one column for each of its thousand commonest
        words (tf-idf); ``{"note": 200}`` or ``"note=200"`` takes 200. Or the ``words`` of another
        Dataset, so that both have the same columns.
    split
        Label columns whose cells hold several labels, ``red|round``: one binary label for each.
        ``{"tags": "|"}`` or ``"tags=|"`` says what separates them.
    positive
        Which value of a label means that it is there, as ``{"loan": "approved"}`` or
        ``"loan=approved"``: the label is 1 there and 0 elsewhere.
    identifiers
        ``"drop"`` leaves nominal and string columns out of ``X`` in which (nearly) no value is
        repeated, or that hold free text; ``"keep"`` leaves out none. Or the columns to leave out,
        ``"drop"`` among them or not.
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
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "flowers.csv"
    >>> _ = path.write_text("petal,colour,class\n1.4,white,a\n4.7,?,b\n")
    >>> flowers = load_dataset(path)
    >>> flowers, flowers.Y.tolist()
    (Dataset('flowers', 2 rows, 2 features, labels: class), ['a', 'b'])
    >>> [(column.name, column.kind) for column in flowers.X.columns]
    [('petal', 'numeric'), ('colour', 'nominal')]
    """
    writing = Writing(header, delimiter, decimal, dates, missing, encoding)
    path = find_file(name_or_path, data_dir)
    contents = read_contents(path, writing, max_bytes)
    table, names = contents.table, contents.table.names
    lists = with_values("split", split, names)
    labels, notes = find_labels(contents, target, lists)
    which = without(range(len(names)), labels)
    cast = set(which if nominal == "all" else positions("nominal", nominal or [], names))
    letters = positions("sequences", sequences, names)
    texts = with_values("text", _columns_of_words(text), names)
    gone, left_out = find_identifiers(table, identifiers, without(which, {*cast, *letters, *texts}))
    which = without(which, gone)
    if not which:
        raise DataError(f"{path} has no features beside its labels and identifiers; check target")
    with faults_of(path):
        features = read_features(table, which, cast, letters, texts)
        held = contents.labels_apart or columns_of(table, labels)
        held, several = split_cells(held, {names[j]: mark for j, mark in lists.items()})
        label_names = tuple(column.name for column in held)
        held = with_positives(held, with_values("positive", positive, label_names))
        unlabelled = not held and target == "none"
        Y = np.empty((len(table), 0)) if unlabelled else label_values(held)
    unknown = missing_notes(Y, label_names)
    X, Y, dropped = drop_unlabelled(features.X, Y, missing_labels)
    return Dataset(
        name=without_suffixes(path.name, FORMATS),
        X=X,
        Y=Y,
        label_names=label_names,
        feature_names=features.names,
        identifiers=tuple(names[j] for j in gone),
        rows_dropped=dropped,
        source=str(path),
        notes=(*contents.notes, *notes, *several, *unknown, *left_out, *features.notes),
        words=features.words,
    )


def _columns_of_words(text: Named) -> Named:
    """Return what to read as text: the words of another data set go by their columns."""
    words = [w for w in text if isinstance(w, Words)] if isinstance(text, Sequence) else []
    return {one.column: one for one in words} if words else text
