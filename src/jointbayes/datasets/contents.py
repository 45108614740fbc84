"""Contents: what a file holds, whichever format it has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from jointbayes.datasets.arff import read_arff
from jointbayes.datasets.delimited import read_delimited
from jointbayes.datasets.files import as_text, read_bytes, without_suffixes
from jointbayes.datasets.formats import refuse_foreign
from jointbayes.datasets.mulan import label_columns
from jointbayes.datasets.notes import Note
from jointbayes.datasets.parquet import read_parquet
from jointbayes.datasets.sparse import SparseTable
from jointbayes.datasets.svmlight import read_svmlight
from jointbayes.datasets.writing import Writing
from jointbayes.table import Column, Table

__all__ = ["Contents", "read_contents"]

_ARFF_LINE = re.compile(rb"\s*(?:%[^\n]*\n\s*)*@(?:relation|attribute|data)\b", re.I)
_PAIR = re.compile(
    rb"(?:#[^\n]*\n)*[^\s:]*[ \t]+(?:\d+|qid):\S+(?:[ \t]+\d+:\S+)*[ \t]*(?:#|\r?\n|\Z)"
)
_SVMLIGHT, _DELIMITED = (".svmlight", ".libsvm", ".svm"), (".csv", ".tsv", ".tab")


@dataclass(frozen=True, eq=False)
class Contents:
    """The columns of a file, and the labels if the file says which they are."""

    table: Table | SparseTable
    labels: list[int] | None = None
    labels_apart: list[Column] | None = None  # where labels are not columns of the table
    notes: tuple[Note, ...] = ()


def read_contents(path: Path, writing: Writing, max_bytes: int | None) -> Contents:
    """Choose the reader by what the file holds, then by its suffix."""
    source, data = str(path), read_bytes(path, max_bytes)
    suffix = Path(without_suffixes(path.name, ())).suffix.lower()
    if data[:4] == b"PAR1" or suffix in (".parquet", ".pq"):
        return Contents(read_parquet(source, data))
    refuse_foreign(source, suffix, data)
    text = as_text(source, data, writing.encoding)
    if _ARFF_LINE.match(text.data) or suffix == ".arff":
        header, table = read_arff(text)
        labels = label_columns(path, header.relation, table.names)
        return Contents(table, labels, notes=_encoding(text.encoding, writing))
    if suffix in _SVMLIGHT or (suffix not in _DELIMITED and _PAIR.match(text.data)):
        sparse, apart = read_svmlight(text)
        return Contents(sparse, [], apart)
    read, notes = read_delimited(text, writing)
    return Contents(read, notes=(*_encoding(text.encoding, writing), *notes))


def _encoding(found: str, writing: Writing) -> tuple[Note, ...]:
    if writing.encoding != "auto" or found == "utf-8":
        return ()
    return (Note(f"read as {found}", otherwise="another encoding: encoding= (--encoding)"),)
