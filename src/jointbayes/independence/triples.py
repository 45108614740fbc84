r"""Labels that hang together by threes though any two are independent, such as Y_1 = Y_2 xor Y_3.

Pairs of labels find all factors only where the Composition property holds. One step beyond it, a
label is tested against two others together:

(1)  join Y_i, Y_j and Y_k if Y_i is dependent on the pair (Y_j, Y_k) given M_i, its boundary,

for labels of three different components of the graph of pairs, or of two if Y_j and Y_k share one.
If Y_i and one of the others were in different factors, and pairs were rightly decided, Y_i would be
independent of the pair: so all three belong together. There are many more triples than pairs, so
(1) is tested at the level over their number (Bonferroni): all false joins together are as rare as
one test's. Ties of four labels or more, of which any three are independent, are still missed.

Cost: d (d − 1)(d − 2) / 2 tests of d labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jointbayes.codes import Codes
from jointbayes.errors import CostError
from jointbayes.independence.boundary import Boundary
from jointbayes.independence.evidence import given_features
from jointbayes.independence.procedure import Procedure
from jointbayes.independence.screening import Hypotheses, confirmed, screen

__all__ = ["Triple", "find_triples"]

Triple = tuple[int, int, int]
MOST = 200_000  # tests; 74 labels that are all apart make as many


def find_triples(
    codes: Codes,
    boundaries: Sequence[Boundary],
    factors: Sequence[tuple[int, ...]],
    how: Procedure,
) -> tuple[Triple, ...]:
    """Return the triples of labels, not all of one factor, that hang together (1), i < j < k.

    Parameters
    ----------
    codes, boundaries
        Features and labels, and the Markov boundary of each label.
    factors
        The components that pairs of labels make.
    how
        The procedure: of the tests of a triple (three, or one where two of its labels share a
        component) one has to reject, or all of them by the rule ``"both"``.

    Examples
    --------
    >>> a, b = np.tile([[0, 0, 1, 1], [0, 1, 0, 1]], 50)
    >>> codes = Codes.of(np.empty((200, 0), dtype=int), targets=np.stack([a ^ b, a, b], axis=1))
    >>> find_triples(codes, [Boundary((), ())] * 3, [(0,), (1,), (2,)], Procedure())
    ((0, 1, 2),)
    """
    home = np.empty(codes.n_targets, dtype=np.intp)
    for k, factor in enumerate(factors):
        home[list(factor)] = k
    asked = [_partners(home, i) for i in range(codes.n_targets)]
    n_tests = sum(len(first) for first, _ in asked)
    if n_tests > MOST:
        raise CostError(
            f"ties of three among {codes.n_targets} labels would take {n_tests:,} tests (limit "
            f"{MOST:,}); look for ties of fewer labels, or by pairs"
        )
    rejected: dict[Triple, int] = {}
    for i, (first, second) in enumerate(asked):
        for pair in _dependent_pairs(codes, i, boundaries[i], (first, second), how, n_tests):
            low, middle, high = sorted((i, *pair))
            rejected[low, middle, high] = rejected.get((low, middle, high), 0) + 1
    if how.rule == "either":
        return tuple(sorted(rejected))
    made = {triple: 3 if len({*home[list(triple)]}) == 3 else 1 for triple in rejected}
    return tuple(sorted(triple for triple, count in rejected.items() if count == made[triple]))


def _partners(home: np.ndarray, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of labels that label i is tested against: both of other components."""
    first, second = np.triu_indices(len(home), 1)
    apart = (home[first] != home[i]) & (home[second] != home[i])
    return first[apart], second[apart]


def _dependent_pairs(
    codes: Codes,
    i: int,
    boundary: Boundary,
    pairs: tuple[np.ndarray, np.ndarray],
    how: Procedure,
    n_tests: int,
) -> list[tuple[int, int]]:
    """Return the pairs that label i depends on, given its boundary."""
    first, second = pairs
    if not len(first):
        return []
    targets = np.asarray(codes.targets, dtype=np.uint32)
    width = targets.max(axis=0, initial=0) + 1
    columns = np.asfortranarray(targets[:, first] * width[second] + targets[:, second])
    label = np.ascontiguousarray(targets[:, i])
    hypotheses = Hypotheses(columns, label, given_features(codes, boundary.features))
    level, tests = how.alpha / n_tests, screen(how, hypotheses)
    tests = confirmed(how, hypotheses, tests, np.flatnonzero(tests.p_value <= level))
    found = np.flatnonzero(tests.p_value <= level)
    return [(int(first[k]), int(second[k])) for k in found]
