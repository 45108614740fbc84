r"""Network: a directed acyclic graph and one conditional distribution per variable.

A network over the variables :math:`V_1 \dots V_n` is the joint distribution

.. math:: P(v_1, \dots, v_n) = \prod_i P(v_i \mid \mathrm{pa}(v_i))                    (1)

Its tables hold logarithms. Axes stand in one order everywhere: features before targets, and in each
of the two groups the parents, in the graph's order, before the variable itself. So the evidence of
a row picks an entry of the leading axes, and what is left is a factor over class variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.checks import check_cards, check_log_probabilities, check_that
from jointbayes.codes import Cards
from jointbayes.counts import Family
from jointbayes.errors import StructureError
from jointbayes.graph import Dag

__all__ = ["Network", "families_of"]


def families_of(dag: Dag, n_targets: int = 1) -> tuple[Family, ...]:
    """Return the variables of every table, axis by axis: features first, targets last.

    The class (variable 0), a feature that hangs on it, and one that hangs on both:

    >>> families_of(Dag(((), (0,), (0, 1))))
    ((0,), (1, 0), (1, 2, 0))
    """
    members = ((*parents, v) for v, parents in enumerate(dag.parents))
    return tuple(tuple(sorted(family, key=lambda v: v < n_targets)) for family in members)


@dataclass(frozen=True, eq=False)
class Network:
    """A graph with the logarithms of its conditional probabilities.

    Parameters
    ----------
    dag
        The parents of every variable, targets first.
    cards
        How many values every variable has.
    log_tables
        log P(variable | parents), one array per variable, axes as `families` says.
    n_targets
        How many of the variables are targets.

    Examples
    --------
    A fair class and a feature that copies it nine times out of ten:

    >>> prior, copy = np.log([0.5, 0.5]), np.log([[0.9, 0.1], [0.1, 0.9]])
    >>> network = Network(Dag(((), (0,))), (2, 2), (prior, copy))
    >>> network.families
    ((0,), (1, 0))
    >>> bool(np.isclose(np.exp(network.log_tables[1]).sum(axis=0), 1).all())
    True
    """

    dag: Dag
    cards: Cards
    log_tables: tuple[Floats, ...]
    n_targets: int = 1

    def __post_init__(self) -> None:
        for v, (family, table) in enumerate(zip(self.families, self.log_tables, strict=True)):
            shape = tuple(self.cards[u] for u in family)
            if table.shape != shape:
                raise StructureError(
                    f"the table of variable {v} has the shape {table.shape}; its family {family} "
                    f"needs {shape}"
                )

    def _check_stored(self) -> None:
        check_cards("cards", self.cards)
        counted = len(self.cards) == len(self.dag) and 0 < self.n_targets <= len(self.dag)
        check_that(counted, "cards, graph and targets do not agree")
        for v, table in enumerate(self.log_tables):
            check_log_probabilities(f"the table of variable {v}", table, table.shape)

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """The axes of every table."""
        return families_of(self.dag, self.n_targets)

    def by_class(self, variable: int) -> Floats:
        """Return a table whose last axis is the one class variable, whether it matters or not."""
        table = self.log_tables[variable]
        depends = 0 in self.families[variable]
        return table if depends else np.repeat(table[..., None], self.cards[0], axis=-1)
