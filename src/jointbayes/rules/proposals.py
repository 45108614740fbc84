r"""Rules that never fail in the data, and how often they would have if labels were independent.

Of binary labels with frequencies p over n rows, a rule is expected to fail

(1)  implies(a, b):    n p_a (1 − p_b) times,
     exclusive(a, b):  n p_a p_b times,
     at_least(1):      n ∏_j (1 − p_j) times.

A rule that was expected to fail five times or more and never did is proposed: by chance alone that
has a probability of about e⁻⁵. Rows in which one of its labels is not known do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.rules.rule import Rule, at_least, exclusive, implies

__all__ = ["ProposedRule", "propose_rules"]

EXPECTED = 5.0
"""Failures expected of independent labels from which on a rule that never fails is proposed."""


@dataclass(frozen=True)
class ProposedRule:
    """A rule that no row breaks.

    Parameters
    ----------
    rule
        The rule, as it is written.
    rows
        In how many rows it could have failed: those that have its first label.
    expected
        How often it would have failed if labels were independent.
    """

    rule: str
    rows: int
    expected: float


def propose_rules(
    codes: NDArray[np.integer[Any]],
    names: Sequence[str],
    times: NDArray[np.integer[Any]],
    most: int = 20,
) -> tuple[ProposedRule, ...]:
    """Return rules that binary labels (n, d) never break, the most surprising first.

    Parameters
    ----------
    codes
        0 and 1, −1 where a label is not known.
    names
        What the labels are called.
    times
        (n,) how often each row is there.
    most
        How many rules at most.

    Examples
    --------
    A beach is always outdoors:

    >>> codes = np.array([[0, 0], [0, 1], [1, 1]])
    >>> propose_rules(codes, ("beach", "outdoor"), np.array([10, 10, 20]))
    (ProposedRule(rule="implies('beach', 'outdoor')", rows=20, expected=5.0),)
    """
    found = sorted(_candidates(codes, names, times), key=lambda proposed: -proposed.expected)
    return tuple(found[:most])


def _candidates(
    codes: NDArray[np.integer[Any]], names: Sequence[str], times: NDArray[np.integer[Any]]
) -> Iterator[ProposedRule]:
    on, off = (codes == 1).astype(np.float64), (codes == 0).astype(np.float64)
    known, counted = on + off, times[:, None].astype(np.float64)
    n = np.maximum(known.T @ (counted * known), 1.0)  # rows in which both of a pair are known
    both, alone = on.T @ (counted * on), on.T @ (counted * off)
    first, second = on.T @ (counted * known), known.T @ (counted * on)
    for a, b in combinations(range(len(names)), 2):
        for i, j in ((a, b), (b, a)):
            expected = first[i, j] * (1 - second[i, j] / n[i, j])
            if alone[i, j] == 0 and expected >= EXPECTED:
                yield _proposed(implies(names[i], names[j]), first[i, j], expected)
        expected = first[a, b] * second[a, b] / n[a, b]
        if both[a, b] == 0 and expected >= EXPECTED:
            yield _proposed(exclusive(names[a], names[b]), first[a, b], expected)
    whole = np.flatnonzero(known.all(axis=1))
    if len(whole) and on[whole].any(axis=1).all():
        rows = float(times[whole].sum())
        expected = rows * float(np.prod(1 - times[whole] @ on[whole] / rows))
        if expected >= EXPECTED:
            yield _proposed(at_least(1), rows, expected)


def _proposed(rule: Rule, rows: float, expected: float) -> ProposedRule:
    return ProposedRule(repr(rule), int(rows), float(expected))
