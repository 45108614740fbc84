r"""Irreducible label factors (Gasse, Aussem & Elghazel, ICML 2015).

The labels fall apart into factors if P(Y | x) = ∏_F P(Y_F | x); the finest such partition is unique
(Theorem 3.1). Where the Composition property holds it can be read off pairs of labels:

(1)  join Y_i and Y_j if they are dependent given M_i, or given M_j, where M_i is a Markov boundary
     of Y_i among the features (Theorem 3.5; both tests are right, and either may miss it);
(2)  the factors are the connected components of that graph (Theorem 3.4).

Without the Composition property pairs are not enough: of three labels with Y_1 = Y_2 xor Y_3 any
two are independent, so they come out as three factors although they are one; ``ties="triples"``
finds them (`jointbayes.independence.triples`). Y_1 = Y_2 or Y_3 is found by pairs: Y_2 and Y_3 are
independent, but both are joined to Y_1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.codes import Codes
from jointbayes.independence.boundary import Boundary, find_boundary, joint_boundary
from jointbayes.independence.evidence import Evidence, evidence_of
from jointbayes.independence.procedure import Method, Procedure, Rule, Ties
from jointbayes.independence.reading import read_rows
from jointbayes.independence.result import Tests
from jointbayes.independence.screening import confirmed, screen
from jointbayes.independence.triples import Triple, find_triples
from jointbayes.seeds import seed_of

__all__ = [
    "LabelFactors",
    "components",
    "factor_boundaries",
    "find_label_factors",
    "label_factors",
]


@dataclass(frozen=True, eq=False)
class LabelFactors:
    """The label graph, its components, and every test behind its edges.

    Parameters
    ----------
    names
        Of the labels.
    boundaries
        The Markov boundary of each label among the features.
    tests
        (d, d) entry i, j tests labels i and j given the boundary of i; the diagonal is not used.
    alpha
        The p-value up to which two labels are joined.
    rule
        Whether ``"either"`` or ``"both"`` of their tests have to be.
    triples
        Labels that are joined by threes, if that was asked for.

    Examples
    --------
    >>> a, b = np.tile([[0, 0, 1, 1], [0, 1, 0, 1]], 50)
    >>> found = LabelFactors.of(None, np.stack([a, b, a], axis=1), random_state=0)
    >>> found.factors, found.edges
    (((0, 2), (1,)), ((0, 2),))
    """

    names: tuple[str, ...]
    boundaries: tuple[Boundary, ...]
    tests: Tests
    alpha: float
    rule: Rule = "either"
    triples: tuple[Triple, ...] = ()

    @classmethod
    def of(
        cls,
        X: Any,
        Y: Any,
        alpha: float = 1e-3,
        n_permutations: int | None = 100,
        random_state: Any = None,
        *,
        test: Method = "semiparametric",
        rule: Rule = "either",
        ties: Ties = "pairs",
    ) -> LabelFactors:
        """Learn the label graph, its factors and every test; arguments as in `label_factors`.

        >>> a, b = np.tile([[0, 0, 1, 1], [0, 1, 0, 1]], 50)
        >>> found = LabelFactors.of(None, np.stack([a | b, a, b], axis=1), random_state=0)
        >>> found.edges, found.tests[1, 2].p_value
        (((0, 1), (0, 2)), 1.0)
        """
        rows, space = read_rows(X, Y, test)
        seed = seed_of(random_state)
        how = Procedure(alpha, test, n_permutations, seed=seed, rule=rule, ties=ties)
        return find_label_factors(rows, space.names, how)

    @property
    def dependent(self) -> NDArray[np.bool_]:
        """(d, d) which labels are joined (1)."""
        found = self.tests.p_value <= self.alpha
        np.fill_diagonal(found, val=False)
        return np.asarray(found | found.T if self.rule == "either" else found & found.T)

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The pairs i < j of labels that are joined."""
        return tuple((int(i), int(j)) for i, j in np.argwhere(np.triu(self.dependent)))

    @property
    def factors(self) -> tuple[tuple[int, ...], ...]:
        """The connected components (2), each in increasing order, by their first label."""
        joined = self.dependent
        for i, j, k in self.triples:
            joined[[i, j, k], [j, k, i]] = joined[[j, k, i], [i, j, k]] = True
        return components(joined)


def label_factors(
    X: Any,
    Y: Any,
    alpha: float = 1e-3,
    n_permutations: int | None = 100,
    random_state: Any = None,
    *,
    test: Method = "semiparametric",
    rule: Rule = "either",
    ties: Ties = "pairs",
) -> tuple[tuple[int, ...], ...]:
    """Return the irreducible factors of the labels given the features, as tuples of label indices.

    Parameters
    ----------
    X
        (n, p) array, frame, Table or sparse matrix: nominal columns as they are, numbers cut at
        their medians, or uncut for ``test="fisher_z"``; None for no features.
    Y
        (n, d) labels.
    alpha
        The p-value up to which features, and labels, count as dependent.
    n_permutations
        Of the semi-parametric test; None for the mean over all there are.
    random_state
        Seed or numpy generator.
    test
        ``"semiparametric"``, as the paper has it, ``"permutation"``, ``"g2"``, ``"chi2"``,
        ``"shrinkage"`` or ``"fisher_z"``; see `Procedure`.
    rule
        Two labels are joined if ``"either"`` of the tests (1) rejects, or only if ``"both"`` do:
        fewer are joined by chance, and more that hang together are missed.
    ties
        ``"pairs"`` of labels are tested; or ``"triples"`` as well: a label against two others
        together, at the level over the number of such tests.

    See Also
    --------
    LabelFactors.of : The same with the graph and every test behind it.

    Examples
    --------
    An *or* holds its labels together, though its inputs are independent; an *xor* is not seen by
    pairs, but by threes:

    >>> a, b = np.tile([[0, 0, 1, 1], [0, 1, 0, 1]], 50)
    >>> label_factors(None, np.stack([a | b, a, b], axis=1), random_state=0)
    ((0, 1, 2),)
    >>> label_factors(None, np.stack([a ^ b, a, b], axis=1), random_state=0)
    ((0,), (1,), (2,))
    >>> label_factors(None, np.stack([a ^ b, a, b], axis=1), random_state=0, ties="triples")
    ((0, 1, 2),)

    Known to the features, the common cause joins the labels no more:

    >>> label_factors(np.stack([a, b], axis=1), np.stack([a | b, a, b], axis=1), random_state=0)
    ((0,), (1,), (2,))
    """
    found = LabelFactors.of(
        X, Y, alpha, n_permutations, random_state, test=test, rule=rule, ties=ties
    )
    return found.factors


def find_label_factors(rows: Evidence, names: tuple[str, ...], how: Procedure) -> LabelFactors:
    """Return the factors of the labels of rows by any procedure."""
    boundaries = tuple(find_boundary(rows, j, how) for j in range(rows.n_targets))
    tests = [_pairs(rows, j, boundary, how) for j, boundary in enumerate(boundaries)]
    found = LabelFactors(names, boundaries, _stack(tests), how.alpha, how.rule)
    if how.ties == "pairs":
        return found
    assert isinstance(rows, Codes)  # a procedure has no ties of three for numbers
    return replace(found, triples=find_triples(rows, boundaries, found.factors, how))


def factor_boundaries(
    rows: Evidence, found: LabelFactors, how: Procedure
) -> tuple[tuple[int, ...], ...]:
    """Return the features of each factor: the joint Markov boundary of its labels."""
    return tuple(
        found.boundaries[factor[0]].features
        if len(factor) == 1
        else joint_boundary(rows, factor, [found.boundaries[j] for j in factor], how).features
        for factor in found.factors
    )


def components(joined: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Return the connected components of a symmetric graph.

    >>> components(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ((0, 2), (1,))
    """
    home = np.arange(len(joined))
    for i, j in np.argwhere(joined):
        home[home == max(home[i], home[j])] = min(home[i], home[j])
    return tuple(tuple(np.flatnonzero(home == k).tolist()) for k in np.unique(home))


def _pairs(rows: Evidence, j: int, boundary: Boundary, how: Procedure) -> Tests:
    """Test all labels against label j given its boundary (1)."""
    hypotheses = evidence_of(rows, [j], how).labels(boundary.features)
    tests = screen(how, hypotheses)
    joined = np.flatnonzero(tests.p_value <= how.alpha)
    return confirmed(how, hypotheses, tests, joined[joined != j])


def _stack(rows: list[Tests]) -> Tests:
    return Tests(
        rows[0].method,
        np.stack([r.statistic for r in rows]),
        np.stack([r.dof for r in rows]),
        np.stack([r.p_value for r in rows]),
        np.stack([r.basis for r in rows]),
        np.stack([r.n_permutations for r in rows]),
    )
