"""A report as data: a title, facts, sections of paragraphs, tables and pictures.

The terminal, HTML and Markdown each render the same page; what is in it is decided once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from jointbayes.plots import Drawing

__all__ = ["Block", "Entry", "Grid", "Page", "Paragraph", "Picture", "Section", "number"]

Tone = Literal["plain", "good", "bad", "muted"]


@dataclass(frozen=True)
class Entry:
    """One field of a table: its text, what it is sorted by, and how it is meant.

    ``order`` None is sorted last; ``under`` is a second line in small print. The tone is never the
    only sign: the text says the same.
    """

    text: str
    order: float | str | None = None
    tone: Tone = "plain"
    under: str = ""


@dataclass(frozen=True)
class Grid:
    """A table whose rows are headed by their first field.

    ``audience`` "screen" tables are too wide for a terminal and are left out there.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    audience: Literal["all", "screen"] = "all"


@dataclass(frozen=True)
class Paragraph:
    """A sentence or several; ``kind`` names the sort of remark it is, if any."""

    text: str
    kind: str = ""

    @property
    def heading(self) -> str:
        """The kind as it begins a sentence.

        >>> Paragraph("It is 42.", "not mNB").heading
        'Not mNB. '
        """
        return f"{self.kind[0].upper()}{self.kind[1:]}. " if self.kind else ""


@dataclass(frozen=True)
class Picture:
    """A drawing with its caption."""

    drawing: Drawing
    caption: str


Block = Grid | Paragraph | Picture


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """A whole report: the summary first.

    ``lead`` is the answer in a sentence, ``facts`` are names with their values.
    """

    title: str
    lead: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]


def number(value: float | None, digits: int = 4, tone: Tone = "plain", under: str = "") -> Entry:
    """Return an entry of a number, or a dash where there is none.

    >>> number(0.25, 2), number(None).text
    (Entry(text='0.25', order=0.25, tone='plain', under=''), '–')
    >>> number(float("inf")).text
    '∞'
    """
    if value is None:
        return Entry("–", None, "muted", under)
    text = f"{value:,.{digits}f}".replace("inf", "∞")
    return Entry(text, value, tone, under)
