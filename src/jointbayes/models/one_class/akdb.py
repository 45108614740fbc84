r"""AKDB: KDB and LKDB, averaged (Sun 2017, Sec. 2.2.3).

.. math:: P(c \mid x) = \tfrac12 P_{KDB}(c \mid x) + \tfrac12 P_{LKDB}(c \mid x)      (1)

KDB knows what holds for all rows, LKDB what holds for this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from jointbayes.arrays import Floats, Weights
from jointbayes.checks import check_that
from jointbayes.codes import Cards, CodeArray, Codes
from jointbayes.counts import PairCounts, count_pairs
from jointbayes.estimator.explanation import Member
from jointbayes.estimator.ranges import Range, integer
from jointbayes.inference import log_normalize
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.kdb import fit_kdb
from jointbayes.models.one_class.knowledge import Rows
from jointbayes.models.one_class.learned import Arc, Learned
from jointbayes.models.one_class.lkdb import LocalNetworks, learn_lkdb

__all__ = ["AKDB", "GeneralAndLocal"]


@dataclass(frozen=True, eq=False)
class GeneralAndLocal:
    """One network for all rows and one for each."""

    general: Learned
    local: LocalNetworks

    def _check_stored(self) -> None:
        same = self.general.variable_cards == self.local.variable_cards
        check_that(same, "the two networks are not of the same columns")

    @property
    def variable_cards(self) -> Cards:
        """Values of the class and of each feature."""
        return self.local.variable_cards

    @property
    def arcs(self) -> Sequence[Arc]:
        """The arcs of the network for all rows."""
        return self.general.arcs

    def log_scores(self, codes: Codes, n_jobs: int | None = None) -> Floats:
        """Return (n, C), the logarithm of Eq. 1."""
        parts = (part.log_scores(codes, n_jobs) for part in (self.general, self.local))
        return np.asarray(np.logaddexp(*map(log_normalize, parts)) - np.log(2))  # (1)

    def members(self, x: CodeArray) -> Sequence[Member]:
        """Return both, with half the weight each."""
        named = (("KDB", self.general), ("LKDB", self.local))
        return [
            replace(member, name=name, weight=member.weight / 2)
            for name, part in named
            for member in part.members(x)
        ]


class AKDB(NetworkClassifier):
    """The averaged k-dependence classifier: KDB and LKDB in equal shares.

    Parameters
    ----------
    k
        How many other features a feature may depend on.
    smoothing, discretizer, categorical_features, missing, n_jobs
        As in `TAN`.

    See Also
    --------
    KDB, LKDB : The two halves; ``edges_`` is that of KDB.

    Examples
    --------
    >>> X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]] * 5
    >>> model = AKDB().fit(X, ["even", "odd", "odd", "even"] * 5)
    >>> model.predict([["a", "b"]]).tolist()
    ['odd']
    >>> [member.name for member in model.explain([["a", "b"]]).members]
    ['KDB', 'LKDB']
    """

    _ranges: ClassVar[Mapping[str, Range]] = {"k": integer(0)}

    def __init__(
        self,
        k: int = 1,
        *,
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
        self.k = k

    def _remember(self, codes: Codes, weights: Weights) -> PairCounts | Rows:
        return Rows(codes, weights) if self.k > 1 else count_pairs(codes, weights, self.n_jobs)

    def _deduce(self, known: PairCounts | Rows) -> GeneralAndLocal:
        general = fit_kdb(known, self.k, self.smoothing)
        return GeneralAndLocal(general, learn_lkdb(known, self.k, self.smoothing))
