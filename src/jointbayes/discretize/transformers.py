"""The ways of cutting as scikit-learn transformers from numbers to codes."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from jointbayes import _kernels
from jointbayes.arrays import Floats
from jointbayes.checks import check_contiguous, check_shape, check_that
from jointbayes.discretize.histogram import Histogram, as_weights, by_column, cut_columns
from jointbayes.discretize.methods import cut_mdl, cut_quantile, cut_width, midpoints
from jointbayes.errors import DataError, ParameterError
from jointbayes.table import Table

__all__ = ["MDL", "Discretizer", "Median", "Quantile", "Width"]


class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What every way of cutting does, except choosing the cuts of one histogram.

    Attributes
    ----------
    cuts_
        One increasing array for each column; x has the code *number of cuts below x*.
    """

    cuts_: list[Floats]
    by_class = False  # whether the cuts depend on y

    @abstractmethod
    def cut(self, histogram: Histogram) -> Floats:
        """Return the cuts of one column."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the cuts of every column; NaN is left out, weight 2 is the row twice."""
        target, n_classes = None, 1
        options: dict[str, Any] = {"accept_sparse": "csc", "dtype": np.float64}
        options["ensure_all_finite"] = False  # NaN is missing, ±inf is sorted in
        if self.by_class:
            X, y = validate_data(self, _numbers(X), y, **options)
            check_classification_targets(y)
            classes, target = np.unique(y, return_inverse=True)
            n_classes = len(classes)
        else:
            X = validate_data(self, _numbers(X), **options)
        weights = as_weights(sample_weight, X.shape[0])
        self.cuts_ = cut_columns(self.cut, by_column(X), target, n_classes, weights)
        return self

    def _check_stored(self) -> None:
        for cuts in getattr(self, "cuts_", ()):
            check_shape("cuts_", cuts, (None,))
            sound = cuts.dtype == np.float64 and not np.isnan(cuts).any()
            sound = sound and (cuts[1:] > cuts[:-1]).all()
            check_that(sound, "cuts do not increase")
            check_contiguous(cuts_=cuts)
        counted = len(getattr(self, "cuts_", ())) == getattr(self, "n_features_in_", 0)
        check_that(counted, "there are not as many cuts as columns")

    def transform(self, X: Any) -> Floats:
        """Return the codes as numbers, dense; NaN stays NaN."""
        check_is_fitted(self)
        options: dict[str, Any] = {"accept_sparse": "csc", "dtype": np.float64}
        X = validate_data(self, _numbers(X), reset=False, ensure_all_finite=False, **options)
        X = X.toarray() if hasattr(X, "toarray") else X
        out = np.empty(X.shape, order="F")
        codes = np.empty(len(X), dtype=np.uint32)
        for j, cuts in enumerate(self.cuts_):
            _kernels.digitize(np.ascontiguousarray(X[:, j]), cuts, 0, codes)
            out[:, j] = codes
        out[np.isnan(X)] = np.nan
        return out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.required = self.by_class
        return tags


class MDL(Discretizer):
    """Cut where the class changes, as long as the cut pays for its description.

    Fayyad & Irani (1993), recursive, entropy and MDL criterion as published.

    Parameters
    ----------
    keep
        A column of at most so many distinct values keeps each of them; 0 cuts as published. What
        tells nothing about the class by itself may tell much beside another column (the class is
        whether two of them agree), and may be noise: on data at hand it helped about as often as
        it harmed, so try it where numbers are names, or name the columns as nominal.

    Examples
    --------
    The class changes once, between 3 and 10, and a column of noise is not cut at all:

    >>> X = [[1, 0], [2, 1], [3, 0], [10, 1], [11, 0], [12, 1]] * 4
    >>> MDL().fit(X, [0, 0, 0, 1, 1, 1] * 4).cuts_
    [array([6.5]), array([], dtype=float64)]
    >>> MDL(keep=2).fit(X, [0, 0, 0, 1, 1, 1] * 4).cuts_
    [array([6.5]), array([0.5])]
    """

    by_class = True

    def __init__(self, keep: int = 0):
        self.keep = keep

    def cut(self, histogram: Histogram) -> Floats:
        """Return the cuts of one column."""
        if len(histogram) <= _checked("keep", self.keep, 0):
            return midpoints(histogram.values[:-1], histogram.values[1:])
        return cut_mdl(histogram)


class Quantile(Discretizer):
    """Cut into bins of about equal weight.

    Parameters
    ----------
    bins
        How many; fewer come out where values repeat.

    Examples
    --------
    >>> Quantile(bins=4).fit([[1], [2], [3], [4]]).cuts_
    [array([1., 2., 3.])]

    Weight 2 is the row twice, and a 0/1 column keeps two values:

    >>> Quantile(bins=2).fit([[1], [2], [3]], sample_weight=[1, 1, 3]).cuts_
    [array([], dtype=float64)]
    >>> Quantile().fit([[0], [1], [1], [1], [1], [1]]).transform([[0], [1]]).tolist()
    [[0.0], [1.0]]
    """

    def __init__(self, bins: int = 4):
        self.bins = bins

    def cut(self, histogram: Histogram) -> Floats:
        """Return the cuts of one column."""
        return cut_quantile(histogram, _checked("bins", self.bins, 2))


class Width(Discretizer):
    """Cut into bins of equal width between the smallest and the largest finite number.

    Parameters
    ----------
    bins
        How many.

    Examples
    --------
    >>> Width(bins=4).fit([[0], [10], [3]]).cuts_
    [array([2.5, 5. , 7.5])]
    """

    def __init__(self, bins: int = 10):
        self.bins = bins

    def cut(self, histogram: Histogram) -> Floats:
        """Return the cuts of one column."""
        return cut_width(histogram, _checked("bins", self.bins, 2))


class Median(Discretizer):
    """Cut once, at the (lower) median.

    Examples
    --------
    >>> Median().fit([[1], [2], [3], [100]]).cuts_
    [array([2.])]
    """

    def cut(self, histogram: Histogram) -> Floats:
        """Return the cut of one column."""
        return cut_quantile(histogram, 2)


def _checked(name: str, value: Any, least: int) -> int:
    if not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} is {value!r}; it has to be an integer of at least {least}")
    return int(value)


def _numbers(X: Any) -> Any:
    """Return the matrix of a Table, whose columns all have to be numbers."""
    if not isinstance(X, Table):
        return X
    for column in X.columns:
        if column.is_coded:
            raise DataError(
                f"column {column.name!r} is {column.kind}; only numbers can be cut, so drop it"
            )
    return np.column_stack([column.values for column in X.columns])
