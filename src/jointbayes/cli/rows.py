"""Rows for a fitted model: its features, by name, from whatever file holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jointbayes.cli.reader import Reading
from jointbayes.datasets import Dataset
from jointbayes.errors import DataError
from jointbayes.storage import load, read_notes
from jointbayes.table import Column, Table

__all__ = ["Loaded", "aligned", "load_model"]


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model from a file, the names of its labels, and the rows to ask it about."""

    model: Any
    label_names: tuple[str, ...]
    X: Any


def load_model(model_file: str, reading: Reading) -> Loaded:
    """Load a model, and from the data file the columns it was fitted on."""
    model, notes = load(model_file), read_notes(model_file)
    if not hasattr(model, "predict"):
        raise DataError(f"{model_file} holds a {type(model).__name__}, which predicts nothing")
    space = getattr(model, "space_", None)
    names = tuple(notes.get("label_names") or (space.names if space is not None else ("class",)))
    return Loaded(model, names, aligned(model, notes, reading.load_rows()))


def aligned(model: Any, notes: Mapping[str, Any], dataset: Dataset) -> Any:
    """Return the columns of a data set that a model was fitted on, in its order and layout."""
    known = getattr(model, "feature_names_in_", None)
    wanted = list(notes.get("feature_names") or ([] if known is None else known))
    if not wanted:
        return dataset.X
    if dataset.feature_names == tuple(wanted[: len(dataset.feature_names)]) and dataset.is_sparse:
        dataset = _widened(dataset, wanted)  # the last indices of svmlight may not occur
    places = {name: j for j, name in enumerate(dataset.feature_names)}
    absent = [name for name in wanted if name not in places]
    if absent:
        more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
        raise DataError(
            f"{dataset.source} lacks the column {absent[0]!r}{more}, which the model was fitted on"
        )
    where = [places[name] for name in wanted]
    if notes.get("layout") == "sparse":
        return dataset.X[:, where] if dataset.is_sparse else _numbers(dataset.X.select(wanted))
    if dataset.is_sparse:
        dense = dataset.X[:, where].toarray()
        return Table(tuple(Column(n, "numeric", x) for n, x in zip(wanted, dense.T, strict=True)))
    return dataset.X.select(wanted)


def _widened(dataset: Dataset, wanted: list[str]) -> Dataset:
    from scipy.sparse import csr_matrix

    X = dataset.X
    shape = (X.shape[0], len(wanted))
    wide = csr_matrix((X.data, X.indices, X.indptr), shape=shape)
    return replace(dataset, X=wide, feature_names=tuple(wanted))


def _numbers(table: Table) -> Any:
    odd = [column.name for column in table.columns if column.kind != "numeric"]
    if odd:
        raise DataError(f"column {odd[0]!r} held numbers in fit and holds none now")
    return np.column_stack([column.values for column in table.columns])
