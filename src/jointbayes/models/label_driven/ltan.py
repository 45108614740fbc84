"""LTAN: label-driven TAN (Sun 2017, Algorithm 4), which is `LabelDriven` around `TAN`.

With ``delta="all"`` no label is removed and every row is reconsidered: ``combine="experts"`` is
then IBMC-CL (Sec. 3.3) as a classifier of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from jointbayes.estimator.ranges import Range
from jointbayes.models.label_driven.reconsidering import RANGES, Reconsidering
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.tan import TAN

__all__ = ["LTAN"]


class LTAN(Reconsidering, NetworkClassifier):
    """TAN whose doubtful rows are reconsidered by a refined TAN and one expert per label.

    Parameters
    ----------
    delta, combine, support, rest, random_state
        As in `LabelDriven`.
    smoothing, discretizer, categorical_features, missing, n_jobs
        As in `TAN`.

    Examples
    --------
    Some irises could be versicolor or virginica; that they are no setosa is certain:

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LTAN().fit(X, y)
    >>> model.diagnose(X, y).n_reconsidered
    9
    >>> model.predict_proba(X[[77]]).round(2).tolist()
    [[0.0, 0.49, 0.51]]

    IBMC-CL, one expert for each label of each row:

    >>> LTAN("all", combine="experts").fit(X, y).diagnose(X, y).llp
    1.0
    """

    _ranges: ClassVar[Mapping[str, Range]] = RANGES

    def __init__(  # noqa: PLR0913  the parameters of LabelDriven and of TAN
        self,
        delta: float | str = 0.1,
        *,
        combine: str = "average",
        support: str = "any",
        rest: str = "zero",
        random_state: Any = None,
        smoothing: float = 1.0,
        discretizer: Any = "mdl",
        categorical_features: Any = "from_dtype",
        missing: str = "value",
        n_jobs: int | None = None,
    ):
        super().__init__(
            smoothing=smoothing,
            discretizer=discretizer,
            categorical_features=categorical_features,
            missing=missing,
            n_jobs=n_jobs,
        )
        self.delta = delta
        self.combine = combine
        self.support = support
        self.rest = rest
        self.random_state = random_state

    def _generalist(self) -> TAN:
        return TAN(
            smoothing=self.smoothing,
            discretizer=self.discretizer,
            categorical_features=self.categorical_features,
            missing=self.missing,
            n_jobs=self.n_jobs,
        )
