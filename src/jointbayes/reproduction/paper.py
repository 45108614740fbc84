"""A paper as data: which models on which files, split how, and what answers which printed table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jointbayes.validation import Folds, HoldOut

__all__ = ["Column", "Paper", "Source"]


@dataclass(frozen=True)
class Source:
    """A data set: its name in the paper, its file, and what the file does not say of itself.

    ``options`` are those of ``load_dataset``.
    """

    name: str
    file: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Column:
    """What is measured in answer to one printed metric of one table.

    Parameters
    ----------
    table, printed
        The table, and the metric as the published figures name it.
    metric
        Its name among `jointbayes.metrics.METRICS`.
    title
        What readers call it.
    settings
        Parameters of the models that this column asks for; the models differ in nothing else.
    """

    table: str
    printed: str
    metric: str
    title: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Paper:
    """All that is needed to run a paper's protocol.

    Parameters
    ----------
    key, title
        Its short name and its long one.
    models
        For each algorithm, by its name in the tables, a function of a column's settings that makes
        the model.
    sources
        Data sets in the order of the paper.
    splitter
        The protocol.
    columns
        Printed metrics that are measured.
    quick
        Data sets of a run in minutes.
    """

    key: str
    title: str
    models: Mapping[str, Callable[[Mapping[str, Any]], Any]]
    sources: tuple[Source, ...]
    splitter: Folds | HoldOut
    columns: tuple[Column, ...]
    quick: tuple[str, ...]

    @property
    def tables(self) -> tuple[str, ...]:
        """Tables that are measured, each once."""
        return tuple(dict.fromkeys(column.table for column in self.columns))
