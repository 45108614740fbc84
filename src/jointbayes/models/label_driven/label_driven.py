"""LabelDriven: any model with one class variable, and a second look at its doubtful rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from jointbayes.counts import PairCounts
from jointbayes.errors import ParameterError
from jointbayes.estimator.ranges import Range, check_parameters, named
from jointbayes.models.label_driven.dependent_experts import (
    DependentExperts,
    learn_dependent_experts,
)
from jointbayes.models.label_driven.experts import Experts
from jointbayes.models.label_driven.reconsidering import RANGES, Reconsidering
from jointbayes.models.one_class.akdb import AKDB
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.kdb import KDB
from jointbayes.models.one_class.knowledge import Rows
from jointbayes.models.one_class.lkdb import LKDB
from jointbayes.models.one_class.tan import TAN

__all__ = ["LabelDriven"]


class LabelDriven(Reconsidering, NetworkClassifier):
    """A generalist whose doubtful rows are reconsidered, label by label.

    Parameters
    ----------
    estimator
        The generalist, one of our models with one class variable; None for `TAN`. How rows are
        encoded and smoothed is its business. Around `TAN` and `KDB` the refined generalist has a
        structure of its own for every set of surviving labels; around the others their posterior
        is renormalised (a Chow-Liu multinet has one structure per label already).
    delta
        A label survives if it is at least this many times as probable as the best one; "auto"
        chooses by rows held out; with "all" every label of every row survives.
    combine
        "average" of refined generalist and experts (LTAN), "refined" (the paper's TAN-IE),
        "experts" (its IBMC-CL, which with ``delta="all"`` is a classifier of its own), or "auto":
        shares by which rows held out are likeliest.
    support
        How far an expert trusts pairs of values that are rare: "any", "smoothed" or "discounted";
        see `experts`.
    experts
        "trees", one parent for each feature as in the paper, or "k_parents" around `KDB`, `LKDB` or
        `AKDB`: as many as their k, so that generalist and experts are of one kind (the paper's
        future work); see `dependent_experts`. With k = 1 they are not the heaviest trees, but what
        KDB's ranking makes of the same weights.
    rest
        What labels that did not survive have in a row that is reconsidered: "zero", as in the
        paper, or "keep", what the generalist gave them; the others share what is left. With
        "zero" a label that was wrongly removed is called impossible.
    random_state
        Which rows are held out for ``delta="auto"`` and ``combine="auto"``.
    n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    delta_
        The threshold in use.
    edges_
        The arcs of the generalist.

    See Also
    --------
    LTAN : The same around `TAN`.

    Examples
    --------
    >>> X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]] * 5
    >>> y = ["even", "odd", "odd", "even"] * 5
    >>> model = LabelDriven(KDB(k=1), delta=0.1).fit(X, y)
    >>> model.score(X, y)
    1.0
    >>> model.diagnose(X, y).llp
    0.0

    The parity of three bits, and experts that see two of them beside the third:
    >>> X = [[a, b, c] for a in "01" for b in "01" for c in "01"] * 5
    >>> y = [sum(map(int, row)) % 2 for row in X]
    >>> for experts in ("trees", "k_parents"):
    ...     model = LabelDriven(KDB(2), "all", combine="experts", experts=experts).fit(X, y)
    ...     print(experts, model.score(X, y))
    trees 0.5
    k_parents 1.0
    """

    _ranges: ClassVar[Mapping[str, Range]] = {**RANGES, "experts": named("trees", "k_parents")}

    def __init__(
        self,
        estimator: NetworkClassifier | None = None,
        delta: float | str = 0.1,
        *,
        combine: str = "average",
        support: str = "any",
        experts: str = "trees",
        rest: str = "zero",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.delta = delta
        self.combine = combine
        self.support = support
        self.experts = experts
        self.rest = rest
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _generalist(self) -> NetworkClassifier:
        model = TAN() if self.estimator is None else self.estimator
        if not isinstance(model, NetworkClassifier):
            raise ParameterError(
                f"{type(self).__name__}: estimator={model!r} cannot be the generalist; give one of "
                "this library's models with one class variable"
            )
        if self.experts == "k_parents" and not isinstance(model, KDB | LKDB | AKDB):
            raise ParameterError(
                f"{type(self).__name__}: experts='k_parents' takes its k from the generalist, and "
                f"estimator={model!r} has none; give KDB(k), LKDB(k), AKDB(k) or experts='trees'"
            )
        check_parameters(model)
        return model

    def _learn_experts(
        self, known: PairCounts | Rows, counts: PairCounts, smoothing: float
    ) -> Experts | DependentExperts:
        if self.experts == "trees":
            return super()._learn_experts(known, counts, smoothing)
        model = self._generalist()
        assert isinstance(model, KDB | LKDB | AKDB)  # others were refused
        return learn_dependent_experts(known, counts, model.k, smoothing, self.support)
