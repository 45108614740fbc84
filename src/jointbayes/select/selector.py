"""What every feature selector does, except selecting: it takes any table and keeps its columns."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from jointbayes.errors import DataError
from jointbayes.table import Table

__all__ = ["ColumnSelector"]


class ColumnSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """A selector of columns of arrays, frames, Tables and sparse matrices, for any labels."""

    @abstractmethod
    def _selected(self) -> NDArray[np.intp]:
        """Return the positions of the columns to keep."""

    def _meet(self, X: Any, y: Any) -> Any:
        """Remember the columns of ``X``, refuse to select without labels, and return a table."""
        if y is None:
            raise DataError(
                f"This {type(self).__name__} estimator requires y to be passed, "
                "but the target y is None"
            )
        table = X.tocsr() if hasattr(X, "tocsr") else Table.of(X)
        if isinstance(X, Table):
            self.n_features_in_ = X.shape[1]
            self.feature_names_in_ = np.array(X.names, dtype=object)
        else:
            validate_data(self, X, skip_check_array=True)
        return table

    def transform(self, X: Any) -> Any:
        """Return the selected columns, in the container that came in where it has names."""
        check_is_fitted(self)
        if isinstance(X, Table):
            return X.select(self.feature_names_in_[self._get_support_mask()])
        return super().transform(X)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.isin(np.arange(self.n_features_in_), self._selected())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags
