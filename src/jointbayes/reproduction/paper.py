"""A paper as data: which models on which files, split how, and what answers which printed table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from jointbayes.datasets import Dataset

__all__ = [
    "TIMES",
    "Change",
    "Contrast",
    "Experiment",
    "Look",
    "Paper",
    "PaperColumn",
    "Source",
    "Splitter",
    "Versus",
    "made_of",
]

TIMES = ("fit_seconds", "predict_seconds")
"""What a column may measure that is not a metric."""

Change = Callable[[Dataset], Dataset]
Maker = Callable[[Mapping[str, Any]], Any]
Look = Callable[[Dataset, "Splitter", str], Mapping[str, Sequence[float]]]
"""What is seen of an algorithm on a data set that is not a score: numbers by their names."""


def made_of(kind: Callable[..., Any], **always: Any) -> Maker:
    """Return what makes a model for the settings of a column, which go before those of always.

    >>> made_of(dict, k=1, loss="subset")({"loss": "hamming"})
    {'k': 1, 'loss': 'hamming'}
    """
    return lambda settings: kind(**{**always, **settings})


class Splitter(Protocol):
    """What cuts rows into training and test rows, as scikit-learn has it; ``str`` says how."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        """Yield (training rows, test rows)."""


@dataclass(frozen=True)
class Source:
    """A data set: its name in the paper, its file, and what the file does not say of itself.

    Parameters
    ----------
    name, file
        What the paper and what the data directory call it.
    options
        Those of ``load_dataset``.
    splitter
        The protocol, where it is not that of the paper's other data sets.
    change
        What the paper does to the data before anything else: fewer labels, a permuted copy.
    repeats
        How often folds are drawn for each time that the paper drew them: the fewer the rows, the
        more is chance.
    """

    name: str
    file: str
    options: Mapping[str, Any] = field(default_factory=dict)
    splitter: Splitter | None = None
    change: Change | None = None
    repeats: int = 1


@dataclass(frozen=True)
class Experiment:
    """Figures of a simulation: ``measure`` takes an algorithm and a column, returns every repeat.

    What it returns is in the unit of the column's metric.
    """

    name: str
    measure: Callable[[str, PaperColumn], Sequence[float]]


@dataclass(frozen=True)
class PaperColumn:
    """What is measured in answer to one printed metric of one table.

    Two columns may answer the same figure in two readings.

    Parameters
    ----------
    table, printed
        The table, and the metric as the published figures name it.
    metric
        Its name among `jointbayes.metrics.METRICS`, or one of `TIMES`: seconds of one fold.
    title
        What readers call it.
    settings
        Parameters of the models that this column asks for; the models differ in nothing else.
    algorithms
        The algorithms it is for; all of them unless some are named.
    splitter, change
        In place of the data set's and the paper's, and after the data set's.
    scale
        Printed units in one unit of the metric: 100 where percentages are printed.
    at
        What tells several figures of one data set apart, such as ``"50 rows"``.
    look
        What finds ``metric`` where no split does; columns of one look share it.
    sees
        Whether it is about the data "prepared" as the paper does, or as the "file" has them: such
        a figure is a fact of the data, and nothing but rounding may tell ours from the printed.
    against
        What its algorithms are compared with: their "own" printed figures, or the "best" that is
        printed for the data set, whosever it is.
    """

    table: str
    printed: str
    metric: str
    title: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    algorithms: tuple[str, ...] = ()
    splitter: Splitter | None = None
    change: Change | None = None
    scale: float = 1.0
    at: str = ""
    look: Look | None = None
    sees: Literal["prepared", "file"] = "prepared"
    against: Literal["own", "best"] = "own"

    @property
    def timed(self) -> bool:
        """Whether it is a time, which other machines answer otherwise."""
        return self.metric in TIMES


@dataclass(frozen=True)
class Contrast:
    """Two algorithms that a paper compares over some data sets of a table by Wilcoxon's test.

    ``place`` is where it says so, ``about`` what the data sets have in common.
    """

    place: str
    table: str
    first: str
    second: str
    about: str
    datasets: tuple[str, ...]


@dataclass(frozen=True)
class Versus:
    """How a paper compares algorithms over the data sets of a table.

    ``kind`` is "win draw loss" (better by more than 5 % of the larger loss), "paired t" (over the
    folds of each data set) or "wilcoxon" (over data sets, with the false discovery rate); of a
    ``champion`` against each other algorithm, or of all pairs.
    """

    table: str
    kind: Literal["win draw loss", "paired t", "wilcoxon"]
    champion: str = ""


def _everything(_dataset: str, _algorithm: str) -> str:
    return ""


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
        Data sets and simulations in the order of the paper.
    splitter
        The protocol.
    columns
        Printed metrics that are measured.
    quick
        Data sets of a run in minutes.
    large
        Data sets that a run leaves out unless they are named.
    absent
        Data sets without a file here, of which no figure is transcribed either.
    left_out
        Why an algorithm is not run on a data set, in a sentence; an empty one where it is.
    not_built
        Algorithms of the tables that there is no model of here, and why.
    contrasts, versus
        Pairs of algorithms that are tested against each other, and all of them.
    kind
        A "paper" is to be reproduced; a "study" of many methods says what is to be beaten.
    """

    key: str
    title: str
    models: Mapping[str, Maker]
    sources: tuple[Source | Experiment, ...]
    splitter: Splitter
    columns: tuple[PaperColumn, ...]
    quick: tuple[str, ...]
    left_out: Callable[[str, str], str] = _everything
    not_built: Mapping[str, str] = field(default_factory=dict)
    contrasts: tuple[Contrast, ...] = ()
    versus: tuple[Versus, ...] = ()
    large: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    kind: Literal["paper", "study"] = "paper"

    @property
    def tables(self) -> tuple[str, ...]:
        """Tables that are measured, each once."""
        return tuple(dict.fromkeys(column.table for column in self.columns))
