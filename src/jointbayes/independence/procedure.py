"""Procedure: how to test and when to reject, as one value that all searches pass along."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

from jointbayes.errors import ParameterError

__all__ = [
    "METHODS",
    "RULES",
    "SEARCHES",
    "TIES",
    "Method",
    "Procedure",
    "Rule",
    "Search",
    "Ties",
]

Method = Literal["semiparametric", "permutation", "g2", "chi2", "shrinkage", "fisher_z"]
METHODS = ("semiparametric", "permutation", "g2", "chi2", "shrinkage", "fisher_z")

Rule = Literal["either", "both"]
RULES = ("either", "both")

Ties = Literal["pairs", "triples"]
TIES = ("pairs", "triples")

Search = Literal["iamb", "inter_iamb"]
SEARCHES = ("iamb", "inter_iamb")


@dataclass(frozen=True)
class Procedure:
    """How to test: the level, the method, its permutations and its random numbers.

    Parameters
    ----------
    alpha
        The p-value up to which variables count as dependent, between 0 and 1.
    method
        ``"semiparametric"``, ``"permutation"``, or one that draws none: ``"g2"``, ``"chi2"``
        (Pearson's), ``"shrinkage"`` (information of frequencies that are shrunk), or
        ``"fisher_z"``: partial correlations of numbers as they are, which sees linear dependence
        only and needs far fewer rows for it (`jointbayes.independence.correlations`).
    n_permutations
        How many to draw; None, semi-parametric alone, for the mean over all there are.
    confirm
        How many to draw at most where the semi-parametric tail is in doubt; 0 to trust it.
    seed
        A test is a function of its columns and this number alone.
    n_jobs
        Threads, as in scikit-learn; the answer does not depend on them.
    rule
        Two labels are joined if ``"either"`` of their two tests rejects, or only if ``"both"`` do.
    ties
        ``"pairs"`` of labels are tested, as the paper has it; ``"triples"`` as well, which find
        that a label is the parity of two others (`jointbayes.independence.triples`).
    search
        ``"iamb"`` grows a boundary and then shrinks it, as the paper has it; ``"inter_iamb"``
        shrinks it after every feature that is added (`jointbayes.independence.boundary`).

    Examples
    --------
    >>> Procedure(n_permutations=0)
    Traceback (most recent call last):
    ...
    jointbayes.errors.ParameterError: n_permutations is 0; give an integer from 1 on
    """

    alpha: float = 1e-3
    method: Method = "semiparametric"
    n_permutations: int | None = 100
    confirm: int = 10_000
    seed: int = 0
    n_jobs: int | None = None
    rule: Rule = "either"
    ties: Ties = "pairs"
    search: Search = "iamb"

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ParameterError(f"alpha is {self.alpha!r}; give a level between 0 and 1")
        if self.method not in METHODS:
            raise ParameterError(
                f"{self.method!r} is not a test of independence; give one of {METHODS}"
            )
        if self.rule not in RULES:
            raise ParameterError(f"rule is {self.rule!r}; it has to be one of {RULES}")
        if self.ties not in TIES:
            raise ParameterError(f"ties is {self.ties!r}; it has to be one of {TIES}")
        if self.search not in SEARCHES:
            raise ParameterError(f"search is {self.search!r}; it has to be one of {SEARCHES}")
        if self.ties == "triples" and self.method == "fisher_z":
            raise ParameterError(
                "ties is 'triples', but method='fisher_z' sees correlations, and of labels tied by "
                "threes no two are correlated; give another method"
            )
        _at_least(0, "confirm", self.confirm)
        if self.n_permutations is not None or self.method == "permutation":
            _at_least(1, "n_permutations", self.n_permutations)


def _at_least(least: int, name: str, value: Any) -> None:
    if type(value) is bool or not isinstance(value, Integral) or int(value) < least:
        raise ParameterError(f"{name} is {value!r}; give an integer from {least} on")
