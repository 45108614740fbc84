"""A report as data: a title, facts, sections of paragraphs, tables and pictures.

The terminal, HTML and Markdown each render the same page; what is in it is decided once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from jointbayes.plots import Drawing

__all__ = [
    "Audience",
    "Block",
    "Code",
    "Entry",
    "Grid",
    "Headline",
    "Page",
    "Paragraph",
    "Picture",
    "Section",
    "bar",
    "in_digits",
]

Tone = Literal["plain", "good", "bad", "muted"]
Audience = Literal["all", "screen", "terminal"]
"""Who is shown a part: "screen" parts are too wide or too many for a terminal, "terminal" parts
stand in for pictures."""


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
    """A table whose rows are headed by their first field; an empty title is not shown."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    audience: Audience = "all"

    def upright(self) -> Grid:
        """Return it with no more columns than rows: turned over if need be, for a narrow page.

        >>> wide = Grid("Means", ("model", "f1", "loss"), ((Entry("A"), Entry("1"), Entry("2")),))
        >>> wide.upright().columns, [row[0].text for row in wide.upright().rows]
        (('model', 'A'), ['f1', 'loss'])
        """
        if len(self.columns) - 1 <= len(self.rows):
            return self
        head, *names = self.columns
        turned = zip(map(Entry, names), *(row[1:] for row in self.rows), strict=True)
        columns = (head, *(row[0].text for row in self.rows))
        return replace(self, columns=columns, rows=tuple(turned))


@dataclass(frozen=True)
class Paragraph:
    """A sentence or several; ``kind`` names the sort of remark it is, if any."""

    text: str
    kind: str = ""
    audience: Audience = "all"

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


@dataclass(frozen=True)
class Code:
    """Lines to be typed elsewhere."""

    text: str


Block = Grid | Paragraph | Picture | Code


@dataclass(frozen=True)
class Headline:
    """A number that the page is about, and what it is."""

    value: str
    caption: str


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    title: str
    blocks: tuple[Block, ...]
    audience: Audience = "all"


@dataclass(frozen=True)
class Page:
    """A whole report: the summary first.

    ``lead`` is the answer in a sentence, ``facts`` are names with their values. A screen begins
    with the ``figures``, large, and one ``picture``.
    """

    title: str
    lead: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    figures: tuple[Headline, ...] = ()
    picture: Picture | None = None

    def parts_for(self, reader: Audience) -> tuple[Section, ...]:
        """Return the sections, and in them the blocks, that are for a kind of reader.

        >>> narrow = Section("Bars", (Grid("Bars", ("name",), (), "terminal"),))
        >>> page = Page("Iris", "It works.", (), (narrow, Section("Folds", (), "screen")))
        >>> [section.title for section in page.parts_for("terminal")], page.parts_for("screen")
        (['Bars'], (Section(title='Folds', blocks=(), audience='screen'),))
        """
        kept = []
        for section in self.sections:
            blocks = [b for b in section.blocks if getattr(b, "audience", "all") in ("all", reader)]
            emptied = section.blocks and not blocks
            if section.audience in ("all", reader) and not emptied:
                kept.append(replace(section, blocks=tuple(blocks)))
        return tuple(kept)


BLOCKS = 20
"""Characters of a whole bar."""


def bar(share: float, tone: Tone = "plain") -> Entry:
    """Return a bar of a table on a terminal, as long as its share of a whole one.

    >>> bar(0.1).text
    '██'
    """
    return Entry("█" * round(BLOCKS * share), share, tone)


def in_digits(value: float | None, digits: int = 4, tone: Tone = "plain", under: str = "") -> Entry:
    """Return an entry of a number, or a dash where there is none.

    >>> in_digits(0.25, 2), in_digits(None).text
    (Entry(text='0.25', order=0.25, tone='plain', under=''), '–')
    >>> in_digits(float("inf")).text
    '∞'
    """
    if value is None:
        return Entry("–", None, "muted", under)
    text = f"{value:,.{digits}f}".replace("inf", "∞")
    return Entry(text, value, tone, under)
