"""What the papers print: figures and remarks, read from the tables in ``jointbayes/published``.

A figure is one printed number. A remark says what has to be known of some of them: a misprint, data
that differ, a protocol that is not stated, a number that is not reproduced by anybody known, the
cause of a difference, if it was tested, or why a figure is not asked for.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["Figure", "Remark", "best_figure", "printed_figures", "printed_remarks"]

ANY = "*"


@dataclass(frozen=True)
class Figure:
    """One printed number; ``text`` is how it is printed, and so with how many digits.

    >>> Figure("Table 3", "Emotions", "mNB", "global_accuracy", "0.22").rounding
    0.005
    """

    table: str
    dataset: str
    algorithm: str
    metric: str
    text: str
    note: str = ""

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    @property
    def rounding(self) -> float:
        """The most that rounding to the printed digits can have changed it by."""
        return float(5 * 10.0 ** -(len(self.text.partition(".")[2]) + 1))


@dataclass(frozen=True)
class Remark:
    """What is known of a table, or of the data set or algorithm in it that is named."""

    table: str
    dataset: str
    algorithm: str
    kind: str
    text: str

    def concerns(self, figure: Figure) -> bool:
        """Whether it is about this figure.

        >>> about = Remark("Table 4", "Zoo", "*", "protocol", "legs are nominal")
        >>> about.concerns(Figure("Table 4", "Zoo", "TAN", "zero_one_loss", "0.0099"))
        True
        """
        return (
            self.table == figure.table
            and self.dataset in (ANY, figure.dataset)
            and self.algorithm in (ANY, figure.algorithm)
        )

    @property
    def names_a_dataset(self) -> bool:
        """Whether it is about one row of the table, not about all."""
        return self.dataset != ANY


@cache
def printed_figures(paper: str) -> tuple[Figure, ...]:
    """Return all numbers a paper prints, in its order.

    >>> figures = printed_figures("sun2017")
    >>> [f.text for f in figures if (f.table, f.dataset, f.algorithm) == ("Table 4", "Vowel", "NB")]
    ['0.4242']
    """
    return tuple(
        Figure(r["table"], r["dataset"], r["algorithm"], r["metric"], r["value"], r["note"])
        for r in _rows(f"{paper}.csv")
        if r["value"]
    )


def best_figure(figures: Iterable[Figure], better: str) -> Figure | None:
    """Return the best of several numbers, the first one of equals; None if there are none.

    >>> printed = [Figure("Goals", "scene", who, "F1", text) for who, text in
    ...            (("BR", "0.710"), ("CLR", "0.806"))]
    >>> best_figure(printed, "higher").algorithm
    'CLR'
    """
    sign = -1.0 if better == "lower" else 1.0
    return max(figures, key=lambda figure: sign * figure.value, default=None)


@cache
def printed_remarks(paper: str) -> tuple[Remark, ...]:
    """Return all remarks on a paper.

    >>> sorted({remark.kind for remark in printed_remarks("gasse2015")})
    ['cause', 'not reproduced', 'protocol']
    """
    return tuple(
        Remark(r["table"], r["dataset"], r["algorithm"], r["kind"], r["text"])
        for r in _rows("remarks.csv")
        if r["paper"] == paper
    )


def _rows(name: str) -> Iterator[dict[str, str]]:
    path = files("jointbayes").joinpath("published", name)
    yield from csv.DictReader(path.read_text(encoding="utf-8").splitlines())
