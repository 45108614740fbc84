"""Whether a design, classifiers and labels that came from a file belong together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jointbayes.checks import check_attributes, check_finite, check_indices, check_that
from jointbayes.design.as_given import AsGiven
from jointbayes.design.design import Design
from jointbayes.learners.logistic.batch import Logistics
from jointbayes.learners.wrapped import Wrapped

__all__ = ["check_classifiers", "check_design", "number_columns"]


def check_design(model: Any, design: Any) -> int:
    """Refuse a design that is not of a model's columns; return how many columns it makes of them.

    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> check_design(SimpleNamespace(n_features_in_=1), Design(("size",), (0,), np.zeros(1), (0,)))
    2
    """
    check_attributes(model, n_features_in_=int)
    if isinstance(design, AsGiven):
        p = len(design.names)
        check_that(p == model.n_features_in_, f"a design is of {p} columns")
        return p
    check_that(isinstance(design, Design), "there is no design")
    p, cards = len(design.names), () if design.encoder is None else design.encoder.cards
    check_that(p == model.n_features_in_, f"a design is of {p} columns")
    check_indices("bools", design.bools, p)
    check_indices("flagged", design.flagged, len(design.numeric))
    check_finite("means", design.means, (len(design.numeric),))
    every = sorted((*design.numeric, *design.nominal)) == list(range(p))
    check_that(every and len(cards) == len(design.nominal), "the design leaves columns out")
    width = len(design.numeric) + len(design.flagged) + sum(cards)
    if design.direction is None:
        return width
    check_finite("factor", design.direction.factor, (width,))
    legal = 0 < design.direction.shortest <= design.direction.longest < float("inf")
    check_that(legal and (design.direction.factor >= 0).all(), "the lengths of texts are wrong")
    return width + 1


def number_columns(model: Any, design: Any) -> int:
    """Return how many numbers a design makes of a row, directions of texts apart."""
    inner = design.inner if isinstance(design, AsGiven) else design
    width = check_design(model, inner)
    return width - (getattr(inner, "direction", None) is not None)


def check_classifiers(found: Any, cards: Sequence[int], width: int) -> None:
    """Refuse classifiers unless they are of targets with so many values, on so many columns."""
    check_that(isinstance(found, Logistics | Wrapped), "there are no classifiers")
    same = [outcome.card for outcome in found.outcomes] == list(cards)
    check_that(same, "the classifiers are of other labels")
    if isinstance(found, Logistics):
        check_that(len(found.W) == width + 1, f"the classifiers do not take {width} columns")
