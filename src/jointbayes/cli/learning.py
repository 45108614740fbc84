"""From words of the command line to a model and the labels it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jointbayes.datasets import Dataset
from jointbayes.datasets.roles import is_missing_label
from jointbayes.errors import DataError
from jointbayes.models.catalog import make_model, set_parameters
from jointbayes.table import Column, Table
from jointbayes.validation.evaluate import check_target

__all__ = ["check_classes", "check_known", "described_model", "labels_for", "model_notes"]

MOST_FRACTIONS = 20  # distinct values of a label that is not whole numbers


def described_model(text: str, settings: Sequence[str], unknown: str | None = None) -> Any:
    """Return the model of that name with the parameters set.

    >>> described_model("kdb", ["k=2"]), described_model("ctbn", [], unknown="learn")
    (KDB(k=2), CTBN(unknown='learn'))
    """
    told = [] if unknown is None else [f"unknown={unknown}"]
    return set_parameters(make_model(text), [*settings, *told])


def labels_for(model: Any, dataset: Dataset) -> Any:
    """Return the labels with their names; refuse several for a model of one class variable.

    Labels that are not known, and numbers that are measured and not told apart, are refused here
    in the words of the command line.
    """
    if getattr(model, "unknown", "refuse") == "refuse":
        check_known(dataset, ", or learn from what is known with --unknown learn")
    check_classes(dataset)
    if dataset.Y.ndim == 1:
        return dataset.Y
    check_target(model, dataset.label_names)
    columns = zip(dataset.label_names, dataset.Y.T, strict=True)
    return Table(tuple(Column.of(name, values) for name, values in columns))


def model_notes(dataset: Dataset, ids: Sequence[str]) -> dict[str, Any]:
    """Return what a model file says of the rows that the model was learned from.

    >>> model_notes(Dataset.of([[1.0], [2.0]], ["a", "b"]), [])["label_names"]
    ['class']
    """
    return {
        "dataset": dataset.name,
        "rows": len(dataset),
        "feature_names": list(dataset.feature_names),
        "label_names": list(dataset.label_names),
        "layout": "sparse" if dataset.is_sparse else "table",
        "words": [words.as_dict() for words in dataset.words],
        "ids": list(ids),
    }


def check_known(dataset: Dataset, way_out: str = "") -> None:
    """Refuse rows that lack a label, and say how to leave them out, or what else there is."""
    missing = is_missing_label(dataset.Y.reshape(len(dataset), -1))
    if missing.any():
        rows, first = int(missing.any(axis=1).sum()), int(missing.any(axis=0).argmax())
        raise DataError(
            f"{rows:,} of {len(dataset):,} rows of {dataset.name} lack a label, as row "
            f"{int(missing[:, first].argmax())} lacks {dataset.label_names[first]!r}; leave them "
            f"out with --missing-labels drop{way_out}"
        )


def check_classes(dataset: Dataset) -> None:
    """Refuse labels that are measured: numbers with fractions, of which there are many."""
    table = dataset.Y.reshape(len(dataset), -1)
    for name, column in zip(dataset.label_names, table.T, strict=True):
        if column.dtype.kind != "f" or (column == np.round(column)).all():
            continue
        values = len(np.unique(column))
        if values > MOST_FRACTIONS:
            raise DataError(
                f"label {name!r} of {dataset.name} holds {values:,} numbers such as {column[0]:g}, "
                "which are measured and not classes; name another with --target, or cut it into "
                "a few ranges first"
            )
