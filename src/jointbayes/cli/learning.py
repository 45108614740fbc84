"""From words of the command line to a model and the labels it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jointbayes.datasets import Dataset
from jointbayes.models.catalog import make_model, set_parameters
from jointbayes.table import Column, Table
from jointbayes.validation.evaluate import check_target

__all__ = ["described_model", "labels_for"]


def described_model(text: str, settings: Sequence[str]) -> Any:
    """Return the model of that name with the parameters set.

    >>> described_model("kdb", ["k=2"])
    KDB(k=2)
    """
    return set_parameters(make_model(text), settings)


def labels_for(model: Any, dataset: Dataset) -> Any:
    """Return the labels with their names; refuse several for a model of one class variable."""
    if dataset.Y.ndim == 1:
        return dataset.Y
    check_target(model, dataset.label_names)
    columns = zip(dataset.label_names, dataset.Y.T, strict=True)
    return Table(tuple(Column.of(name, values) for name, values in columns))
