"""Tally: what a model remembers of some rows. Those of two batches add.

It is the second pass: a batch is encoded as the first pass found, its labels as the label space
says, and the model counts. Nothing of the rows is kept, except by models that need the distinct
coded rows (KDB with k ≥ 2, pairs of values beyond a gibibyte): those grow with what is distinct.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes.arrays import Labels, Values
from jointbayes.datasets.label_matrix import LabelMatrix
from jointbayes.errors import DataError
from jointbayes.estimator.reading import Labelled
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.models.one_class.knowledge import Rows
from jointbayes.scale.batch import Batch, faults_of
from jointbayes.scale.digest import Digest

__all__ = ["Tally", "code_of", "space_of", "space_of_labels", "tally_batch", "weight_of"]


@dataclass(frozen=True, eq=False)
class Tally:
    """What is remembered, of how many rows, and whether one of them carries no label."""

    knowledge: Any
    rows: int
    some_empty: bool

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.knowledge + other.knowledge,
            self.rows + other.rows,
            self.some_empty or other.some_empty,
        )


def space_of(digest: Digest, *, single: bool) -> LabelSpace:
    """Return the label space of all rows."""
    return space_of_labels(digest.wanted.targets, digest.labels, single=single)


def space_of_labels(
    names: tuple[str, ...], classes: Sequence[Values], *, single: bool
) -> LabelSpace:
    """Return the space of labels with these distinct values."""
    shape = (1,) if single else (1, len(classes))
    named = LabelMatrix.of(np.zeros(shape, dtype=np.int64), names)
    return learn_labels(named, classes[0] if single else list(classes))


def tally_batch(
    batch: Batch, model: Any, reading: Any, space: LabelSpace, names: tuple[str, ...]
) -> Tally:
    """Let a model count a batch; the columns are taken by name."""
    with faults_of(batch.where):
        codes = np.stack(
            [code_of(space, j, label.values)[label.codes] for j, label in enumerate(batch.labels)],
            axis=1,
        )
        X = batch.X if batch.X.names == names else batch.X.select(names)
        knowledge = model._tally(reading, Labelled(X, codes, space))
    some_empty = not space.binary or bool((~codes.any(axis=1)).any())
    return Tally(knowledge, len(batch), some_empty)


def weight_of(tally: Tally) -> int:
    """Return how dear it is to add this: rows that are kept are sorted, tables are not."""
    return len(tally.knowledge.codes) if type(tally.knowledge) is Rows else 1


def code_of(space: LabelSpace, j: int, values: Values) -> Labels:
    """Return the codes of values of a label; refuse one that is not in the space."""
    index = {value: code for code, value in enumerate(space.classes[j].tolist())}
    unknown = [value for value in values.tolist() if value not in index]
    if unknown:
        raise DataError(
            f"label {space.names[j]!r} holds {unknown[0]!r}, which was not there in the first "
            "pass; the rows must not change while they are read"
        )
    return np.array([index[value] for value in values.tolist()], dtype=np.intp)
