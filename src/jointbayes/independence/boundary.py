r"""Markov boundaries: the fewest features that, once known, leave nothing more to learn of a label.

IAMB as Peña et al. (2007) prove it right wherever the Composition property holds:

(1)  grow    while some feature is dependent on the label given M, add the most dependent one to M;
(2)  shrink  while some member is independent of the label given the others, drop the least
             dependent one. A test that could not have rejected whatever the labels, because
             the others split the rows too finely, does not count as independence.

Inter-IAMB (Tsamardinos et al. 2003) shrinks after every feature that is added, so that what is
conditioned on stays small: fewer rows are needed for a test, and more tests are made.

*Most dependent* is the smallest p-value; of equal ones the larger statistic, then the lower index.
The boundary of several labels together is the union of theirs, shrunk (Gasse 2015, Theorem 3.6).

A boundary need not be unique: of two features that copy each other one will do. Features whose
statistic equalled that of the chosen one are its *substitutes*, and are said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import DataError
from jointbayes.independence.correlations import LinearHypotheses
from jointbayes.independence.evidence import Evidence, LabelEvidence, evidence_of
from jointbayes.independence.procedure import Method, Procedure
from jointbayes.independence.reading import read_rows
from jointbayes.independence.result import Tests
from jointbayes.independence.screening import Hypotheses, confirmed, screen
from jointbayes.seeds import seed_of

__all__ = ["Boundary", "Round", "find_boundary", "iamb", "joint_boundary"]

TIE = 1e-9  # relative: equal information up to the order of sums


@dataclass(frozen=True, eq=False)
class Round:
    """The tests after which one feature was added or dropped, or none.

    Parameters
    ----------
    phase
        ``"grow"`` or ``"shrink"``.
    given
        The features conditioned on.
    candidates
        The features tested against the label.
    tests
        One for each candidate.
    choice
        The feature that was added or dropped; None for none.

    Examples
    --------
    >>> from jointbayes.codes import Codes
    >>> x = np.tile([0, 1], 50)
    >>> first = find_boundary(Codes.of(x[:, None], targets=x), 0, Procedure()).rounds[0]
    >>> first.phase, first.given, first.candidates.tolist(), first.choice
    ('grow', (), [0], 0)
    """

    phase: Literal["grow", "shrink"]
    given: tuple[int, ...]
    candidates: NDArray[np.int64]
    tests: Tests
    choice: int | None

    @property
    def substitutes(self) -> tuple[int, ...]:
        """Candidates that told as much of the label as the choice."""
        if self.choice is None:
            return ()
        g2 = self.tests.statistic
        best = g2[np.flatnonzero(self.candidates == self.choice)[0]]
        equal = np.abs(g2 - best) <= TIE * max(1.0, best)
        return tuple(int(j) for j in self.candidates[equal] if j != self.choice)


@dataclass(frozen=True, eq=False)
class Boundary:
    """A Markov boundary and how it was found.

    Parameters
    ----------
    features
        Its members, in increasing order.
    rounds
        Every test that was made, in order.

    >>> Boundary((0, 2), ()).n_tests
    0
    """

    features: tuple[int, ...]
    rounds: tuple[Round, ...]

    @property
    def n_tests(self) -> int:
        """How many tests were made."""
        return sum(len(r.candidates) for r in self.rounds)

    @property
    def substitutes(self) -> dict[int, tuple[int, ...]]:
        """For each member that is not the only choice, the features that would do as well."""
        grown = {r.choice: r.substitutes for r in self.rounds if r.phase == "grow"}
        return {j: grown[j] for j in self.features if grown.get(j)}


def iamb(
    X: Any,
    y: Any,
    alpha: float = 1e-3,
    n_permutations: int | None = 100,
    random_state: Any = None,
    *,
    test: Method = "semiparametric",
) -> tuple[int, ...]:
    """Return the Markov boundary of a label among the features: sorted feature indices.

    Parameters
    ----------
    X
        (n, p) array, frame, Table or sparse matrix: nominal columns as they are, numbers cut at
        their medians, or uncut for ``test="fisher_z"``.
    y
        (n,) labels.
    alpha
        The p-value up to which features count as dependent.
    n_permutations
        Of the semi-parametric test; None for the mean over all there are.
    random_state, test
        Seed or numpy generator, and the method of `Procedure`.

    See Also
    --------
    find_boundary : The same with the log of all tests, for codes and any procedure.

    Examples
    --------
    A cause, a copy of what it causes with noise, and a coin; the noisy copy adds nothing:

    >>> rng = np.random.default_rng(0)
    >>> flip = lambda column, share: column ^ (rng.random(len(column)) < share)
    >>> cause, coin = rng.integers(0, 2, (2, 2000))
    >>> y = flip(cause, 0.1)
    >>> iamb(np.stack([flip(cause, 0.2), cause, coin], axis=1), y, random_state=0)
    (1,)
    """
    rows, space = read_rows(X, y, test)
    if len(space) > 1:
        raise DataError(
            f"y has {len(space)} columns; iamb takes one label, label_factors and "
            "jb.select.MarkovBoundary take several"
        )
    how = Procedure(alpha, test, n_permutations, seed=seed_of(random_state))
    return find_boundary(rows, 0, how).features


def find_boundary(rows: Evidence, target: int, how: Procedure) -> Boundary:
    """Return the Markov boundary of one label among the features, with the log of all tests.

    Parameters
    ----------
    rows
        Features and labels in codes, a value that was not observed being a value of its own; or in
        numbers, for Fisher's z.
    target
        Which label.
    how
        The procedure and its level.

    Examples
    --------
    Of two copies one is chosen and the other is said to be as good:

    >>> from jointbayes.codes import Codes
    >>> x = np.random.default_rng(0).integers(0, 2, 200)
    >>> found = find_boundary(Codes.of(np.stack([x, x], axis=1), targets=x), 0, Procedure())
    >>> found.features, found.substitutes
    ((0,), {0: (1,)})
    >>> [(r.phase, r.given, r.choice) for r in found.rounds]
    [('grow', (), 0), ('grow', (0,), None), ('shrink', (), None)]
    """
    label = evidence_of(rows, [target], how)
    if how.search == "inter_iamb":
        return _interleave(label, rows.n_features, how)
    rounds = _grow(label, rows.n_features, how)
    members = tuple(r.choice for r in rounds if r.choice is not None)
    return _shrink(label, members, rounds, how)


def joint_boundary(
    rows: Evidence, labels: Sequence[int], boundaries: Sequence[Boundary], how: Procedure
) -> Boundary:
    """Return the Markov boundary of several labels together (Theorem 3.6).

    Parameters
    ----------
    rows
        Features and labels.
    labels
        Which labels.
    boundaries
        The boundary of each of them.
    how
        The procedure and its level.
    """
    union = tuple(sorted({f for boundary in boundaries for f in boundary.features}))
    return _shrink(evidence_of(rows, labels, how), union, (), how)


def _grow(label: LabelEvidence, n_features: int, how: Procedure) -> tuple[Round, ...]:
    rounds: list[Round] = []
    members: tuple[int, ...] = ()
    while len(members) < n_features:
        rounds.append(_add(label, n_features, members, how))
        choice = rounds[-1].choice
        if choice is None:
            break
        members = (*members, choice)
    return tuple(rounds)


def _interleave(label: LabelEvidence, n_features: int, how: Procedure) -> Boundary:
    found, tried = Boundary((), ()), set[tuple[int, ...]]()
    while found.features not in tried and len(found.features) < n_features:
        tried.add(found.features)  # what is dropped may be added again, but not for ever
        added = _add(label, n_features, found.features, how)
        rounds = (*found.rounds, added)
        if added.choice is None:
            return replace(found, rounds=rounds)
        found = _shrink(label, (*found.features, added.choice), rounds, how)
    return found


def _add(label: LabelEvidence, n_features: int, members: tuple[int, ...], how: Procedure) -> Round:
    """Test every feature outside given the members; the most dependent one is the choice."""
    outside = np.delete(np.arange(n_features), members)
    tests, best = _most_dependent(how, label.features(outside.tolist(), members))
    return Round("grow", members, outside, tests, None if best is None else int(outside[best]))


def _most_dependent(
    how: Procedure, hypotheses: Hypotheses | LinearHypotheses
) -> tuple[Tests, int | None]:
    """Return the tests and the column of smallest p-value, confirmed; None if none is dependent."""
    tests = screen(how, hypotheses)
    settled = np.zeros(len(tests), dtype=bool)
    while True:
        best = int(np.lexsort((-tests.statistic, tests.p_value))[0])
        if tests.p_value[best] > how.alpha:
            return tests, None
        if settled[best]:
            return tests, best
        tests, settled[best] = confirmed(how, hypotheses, tests, np.array([best])), True


def _shrink(
    label: LabelEvidence, members: tuple[int, ...], before: Sequence[Round], how: Procedure
) -> Boundary:
    rounds = list(before)
    while members:
        tried = [_without(label, members, j, how) for j in members]
        droppable = [j for j, r in zip(members, tried, strict=True) if r.choice == j]
        if not droppable:
            rounds += tried
            break
        p = {j: float(r.tests.p_value[0]) for j, r in zip(members, tried, strict=True)}
        weakest = max(droppable, key=lambda j: p[j])
        rounds += [r if r.choice == weakest else replace(r, choice=None) for r in tried]
        members = tuple(j for j in members if j != weakest)
    return Boundary(tuple(sorted(members)), tuple(rounds))


def _without(label: LabelEvidence, members: tuple[int, ...], j: int, how: Procedure) -> Round:
    """Test one member given the others; it is the choice if it is found independent."""
    others = tuple(k for k in members if k != j)
    hypotheses = label.features([j], others)
    tests = confirmed(how, hypotheses, screen(how, hypotheses), np.array([0]))
    independent = tests.p_value[0] > how.alpha and hypotheses.could_reject(how, tests)
    return Round("shrink", others, np.array([j]), tests, j if independent else None)
