"""Rows for a fitted model: its features, by name, from whatever file holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jointbayes.cli.reader import Reading
from jointbayes.datasets import Dataset
from jointbayes.datasets.choices import with_values
from jointbayes.datasets.roles import positions
from jointbayes.datasets.words import Words
from jointbayes.errors import DataError, ParameterError
from jointbayes.rules import Rule, read
from jointbayes.storage import load, read_notes
from jointbayes.table import Column, Table
from jointbayes.table.wording import listed, shown

__all__ = ["Loaded", "aligned", "known_labels", "load_model"]


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model from a file, the names of its labels, and the rows to ask it about."""

    model: Any
    label_names: tuple[str, ...]
    X: Any
    ids: tuple[Column, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()

    def posterior(self) -> Any:
        """Return the distribution of the labels of every row, given those known, and the rules."""
        if not hasattr(self.model, "posterior"):
            raise DataError(
                f"{type(self.model).__name__} is not probabilistic; it predicts labels only"
            )
        return self.told(self.model.posterior(self.X))

    def told(self, found: Any) -> Any:
        """Return a posterior, or sets of labels, given those that are known, and the rules."""
        found = found.subject_to(*self.rules) if self.rules else found
        return found.given(self.given) if self.given else found


def load_model(
    model_file: str, reading: Reading, given: Sequence[str] = (), rules: str | None = None
) -> Loaded:
    """Load a model, and from the data file the columns it was fitted on; say how they were read."""
    model, notes = load(model_file), read_notes(model_file)
    if not hasattr(model, "predict"):
        raise DataError(f"{model_file} holds a {type(model).__name__}, which predicts nothing")
    space = getattr(model, "space_", None)
    names = tuple(notes.get("label_names") or (space.names if space is not None else ("class",)))
    dataset = reading.load_rows([Words.from_dict(one) for one in notes.get("words", ())])
    X = aligned(model, notes, dataset)
    used = {*notes.get("feature_names", dataset.feature_names)}
    noted = [note for note in dataset.notes if note.what != "constant"]  # of these few rows
    reading.tell(dataset, [note for note in noted if used.intersection(note.columns)])
    ids = _named_rows(dataset, reading.ids, notes.get("ids", ()))
    known = known_labels(space, names, given)
    return Loaded(model, names, X, ids, known, () if rules is None else tuple(read(rules)))


def _named_rows(dataset: Dataset, asked: Sequence[str], noted: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns that name the rows: those asked for, or those of fit that are there."""
    wanted = positions("id", asked, dataset.feature_names) if asked else []
    wanted = wanted or [j for j, name in enumerate(dataset.feature_names) if name in noted]
    if isinstance(dataset.X, Table):
        return tuple(dataset.X.columns[j] for j in wanted)
    dense = dataset.X[:, wanted].toarray()
    return tuple(
        Column(dataset.feature_names[j], "numeric", dense[:, k]) for k, j in enumerate(wanted)
    )


def known_labels(space: Any, names: tuple[str, ...], given: Sequence[str]) -> dict[str, Any]:
    """Return the labels that are given as ``label=value``, in the values that the model knows.

    >>> from jointbayes.labels import learn_labels
    >>> known_labels(learn_labels([[0, 1], [1, 0]]), ("happy", "sad"), ["sad=1"])
    {'y1': 1}
    """
    found = {}
    for j, text in with_values("given", list(given), names).items():
        classes = [] if space is None else space.classes[j].tolist()
        same = [one for one in classes if str(one) == text]
        if not same:
            raise ParameterError(
                f"--given names the value {shown(text)} of label {shown(names[j])}, which has "
                f"{listed(classes)}; write label=value"
            )
        found[space.names[j]] = same[0]  # as the model calls it
    return found


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
            f"{dataset.source} lacks the column {shown(absent[0])}{more}, which the model was "
            "fitted on"
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
