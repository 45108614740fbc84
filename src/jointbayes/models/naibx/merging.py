"""Two models of NaiBX as one: tables of counts add, once they are in the same units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from jointbayes.errors import DataError, ParameterError
from jointbayes.labels import LabelSpace
from jointbayes.models.naibx.tables import Tables
from jointbayes.models.trust.sharpness import needs_all_rows

__all__ = ["merged"]


def merged(model: Any, other: Any) -> tuple[Tables, LabelSpace]:
    """Return the tables and the labels of two models, or say why they cannot be one."""
    needs_all_rows(model, "merge")
    check_is_fitted(model)
    check_is_fitted(other)
    mine, theirs = model.learned_.columns, other.learned_.columns
    if not model.space_.like(other.space_):
        raise DataError("merge: the models have different labels; declare all through classes=")
    mine.check_like(theirs)
    if model.sizes_ is not None or other.sizes_ is not None:
        raise ParameterError("merge: a classifier of sizes cannot be merged; use size='bayes'")
    tables = model.learned_.tables + other.learned_.tables.moved(*mine.from_units_of(theirs))
    allowed = model.space_.allows_empty or other.space_.allows_empty
    return tables, replace(model.space_, allows_empty=allowed)
