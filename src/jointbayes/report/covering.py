"""The page of label sets: how large they are, and what they hold, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from jointbayes.models.wrappers.label_sets import LabelSets
from jointbayes.report.page import Entry, Grid, Page, Paragraph, Section, in_digits

__all__ = ["page_of_sets"]

SHOWN, ON_TERMINAL = 200, 20


def page_of_sets(sets: LabelSets) -> Page:
    """Lay out how large sets are, and of the first rows what they hold.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> space = learn_labels([[0, 0], [1, 1]])
    >>> post = Independent([np.log([[0.1, 0.9]]), np.log([[0.4, 0.6]])], space)
    >>> page = page_of_sets(LabelSets(post, np.array([1.2])))
    >>> page.lead
    'A set holds 2.00 label vectors in the mean; 0 % hold one alone.'
    >>> [entry.text for entry in page.sections[0].blocks[1].rows[0]]
    ['0', '2', '1 1', 'y0', 'y1']
    """
    n, space = len(sets), sets.posterior.space
    first = replace(sets, posterior=sets.posterior[:SHOWN], threshold=sets.threshold[:SHOWN])
    sizes = tuple(_sizes(first))
    columns: tuple[str, ...] = ("row", "vectors", "the best")
    said = "The vectors that a set holds, and the likeliest of them."
    if space.binary:
        columns += ("in all", "in some")
        said += " A label in all vectors is certain at the level of the sets, one in some is open."
        sizes = tuple((*a, *b) for a, b in zip(sizes, _labels(first), strict=True))
    grids = (
        Grid("", columns, sizes, "screen"),
        Grid("", columns, sizes[:ON_TERMINAL], "terminal"),
    )
    lead = "There are no rows."
    if n:
        size = sets.size()
        most = "" if sets.exact.all() else "at most "
        lead = (
            f"A set holds {most}{in_digits(float(size.mean()), 2).text} label vectors in the "
            f"mean; {np.mean(size == 1):.0%} hold one alone.".replace("%", " %")
        )
    facts = (("rows", f"{n:,}"), ("labels", f"{len(space):,}"))
    return Page("Label sets", lead, facts, (Section("Sets", (Paragraph(said), *grids)),))


def _sizes(sets: LabelSets) -> Iterator[tuple[Entry, ...]]:
    """Yield the row, how many vectors its set holds, and the best of them."""
    told = zip(sets.size().tolist(), sets.exact, sets.posterior.map().tolist(), strict=True)
    for row, (size, exact, best) in enumerate(told):
        about = f"{size:,.0f}" if exact else f"at most {size:,.4g}"
        vector = " ".join(map(str, best)) if size else "none"
        yield Entry(str(row), float(row)), Entry(about, float(size)), Entry(vector)


def _labels(sets: LabelSets) -> Iterator[tuple[Entry, Entry]]:
    """Yield the labels in all vectors of a set, and those in some."""
    space = sets.posterior.space
    names = np.array(space.names, dtype=object)
    inside, around = (space.encode(labels) == 1 for labels in (sets.inner(), sets.outer()))
    for certain, possible in zip(inside, around, strict=True):
        yield Entry(", ".join(names[certain])), Entry(", ".join(names[possible & ~certain]))
