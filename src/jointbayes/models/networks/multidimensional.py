r"""Networks of several class variables: a class graph, a bridge, independent features.

Corani, Antonucci, Mauá & Gabaglio (2014): features are independent given the classes,

(1)  P(c, f) = ∏_i P(c_i | pa(c_i)) ∏_j P(f_j | pa(f_j)),   all parents among the classes,

the bridge pa(f_j) is the best subset of classes for each feature by itself (Eq. 6), and models
differ in the class graph alone. Parameters are those of the BDeu score,

(2)  P(v | ctx) = (n(v, ctx) + s / q k) / (n(ctx) + s / q),

with s the equivalent sample size, q contexts and k values. Given the features of a row, (1) is a
factor graph over the classes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from jointbayes.arrays import Labels, Weights
from jointbayes.codes import Codes
from jointbayes.encoding import Encoder, learn_encoder
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.joint import DECIDING, JointClassifier, check_labels
from jointbayes.estimator.ranges import Range, check_parameters, integer, named, number
from jointbayes.estimator.reading import read_columns, read_weights
from jointbayes.graph import Dag
from jointbayes.inference.graphs.evidence import Factors, class_factors, feature_factors
from jointbayes.inference.graphs.plan import Plan, merge_factors, plan_factors
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.models.networks.flips import explain_flips
from jointbayes.models.networks.vector_counts import VectorCounts, count_by_vector
from jointbayes.network import Network, families_of
from jointbayes.network.parameters import log_m_estimate
from jointbayes.posterior import Blocks, FactorGraph, Posterior
from jointbayes.structure import Bridge, ClassGraph, learn_bridge

__all__ = ["Multidimensional", "MultidimensionalClassifier", "learn_multidimensional"]


BLOCK = 1 << 28
"""Bytes of the factors of the rows that are asked at a time."""


@dataclass(frozen=True, eq=False)
class Multidimensional:
    """One network, or several that share a bridge and are pooled.

    Parameters
    ----------
    networks
        Differ in the class graph alone.
    graphs
        The class graph of each.
    bridge
        The class parents of every feature.
    """

    networks: tuple[Network, ...]
    graphs: tuple[ClassGraph, ...]
    bridge: Bridge

    @property
    def arcs(self) -> list[tuple[int, int]]:
        """The arcs of all networks, each once."""
        return list(dict.fromkeys(arc for network in self.networks for arc in network.dag.arcs))

    @cached_property
    def class_factors(self) -> Factors:
        """The logarithmic pool of the class graphs: equal weights make it their mean."""
        pooled: Factors = {}
        for network in self.networks:
            for scope, table in class_factors(network).items():
                pooled[scope] = pooled.get(scope, 0.0) + table / len(self.networks)
        return pooled

    @cached_property
    def plan(self) -> Plan:
        """How the classes are eliminated, the same way for every row."""
        bridged = dict.fromkeys(parents for parents in self.bridge.parents if parents)
        cards = self.networks[0].cards[: self.networks[0].n_targets]
        return plan_factors([*self.class_factors, *bridged], cards)

    def condition(
        self,
        codes: Codes,
        space: LabelSpace,
        max_bytes: int,
        time_limit: float | None,
        engine: str = "search",
    ) -> FactorGraph:
        """Return the pooled joint (1) of the classes given each row; the bridge is shared."""
        shared = [table[None] for table in self.class_factors.values()]
        rows = feature_factors(self.networks[0], codes).values()
        tables = merge_factors(self.plan, [*shared, *rows], len(codes))
        return FactorGraph(self.plan, tables, space, max_bytes, time_limit, engine)


def learn_multidimensional(
    known: VectorCounts, graphs: tuple[ClassGraph, ...], bridge: Bridge, ess: float
) -> Multidimensional:
    """Estimate the parameters (2) of networks with given class graphs and one bridge."""
    features = tuple(
        _log_table(known.feature_table(j, parents), 0, ess)
        for j, parents in enumerate(bridge.parents)
    )
    cards = (*known.class_cards, *known.counts.cards)
    networks = []
    for graph in graphs:
        dag = Dag((*graph.parents, *bridge.parents))
        families = families_of(dag, len(known.class_cards))[: len(known.class_cards)]
        classes = (_log_table(known.class_table(family), -1, ess) for family in families)
        networks.append(Network(dag, cards, (*classes, *features), len(known.class_cards)))
    return Multidimensional(tuple(networks), graphs, bridge)


def _log_table(n: NDArray[np.float64], axis: int, ess: float) -> NDArray[np.float64]:
    contexts = prod(n.shape) // n.shape[axis]
    return log_m_estimate(n, axis, smoothing=ess / contexts)  # (2)


class MultidimensionalClassifier(JointClassifier):
    """What mNB, mFAN and the ensemble share: everything but the class graph."""

    _ranges: ClassVar[Mapping[str, Range]] = {
        **DECIDING,
        "ess": number(0, ends="()"),
        "max_parents": named("auto") | integer(0),
        "missing": named("value", "ignore"),
        "max_bytes": integer(1),
        "time_limit": named(None) | number(0, ends="()"),
        "engine": named("search", "toulbar2"),
    }
    _asked: ClassVar[tuple[str, ...]] = (*DECIDING, "max_bytes", "time_limit", "engine")

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        *,
        ess: float = 5.0,
        max_parents: int | str = "auto",
        discretizer: Any = "quantile",
        categorical_features: Any = "from_dtype",
        missing: str = "value",
        loss: str = "subset",
        empty: str = "forbid",
        max_bytes: int = 1 << 27,
        time_limit: float | None = 10.0,
        engine: str = "search",
        n_jobs: int | None = None,
    ):
        self.ess = ess
        self.max_parents = max_parents
        self.discretizer = discretizer
        self.categorical_features = categorical_features
        self.missing = missing
        self.loss = loss
        self.empty = empty
        self.max_bytes = max_bytes
        self.time_limit = time_limit
        self.engine = engine
        self.n_jobs = n_jobs

    @abstractmethod
    def _class_graphs(self, known: VectorCounts) -> tuple[ClassGraph, ...]:
        """Return the class graph, or those of all members."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from labelled rows; what was learned before is forgotten."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a further batch; any split into batches gives the model of one `fit`.

        Labels, cuts and categories are those of the first batch, or of `fit`; ``classes`` (one
        array per label) declares labels that the first batch lacks. A batch that is refused leaves
        no trace.
        """
        check_parameters(self, self._ranges)
        first = not hasattr(self, "known_")
        X = read_columns(self, X, reset=first)
        check_labels(self, X, y)
        weights = read_weights(sample_weight, X)
        space = learn_labels(y, classes) if first else self.space_
        space.check_classes(classes)
        targets = space.encode(y)
        encoder = self._encoder(X, weights) if first else self.encoder_
        new = count_by_vector(encoder.codes(X, targets, space.cards), weights)
        self._know(encoder, new if first else self.known_ + new, space)
        return self

    def _learn(self, X: Any, targets: Labels, space: LabelSpace, weights: Weights) -> None:
        encoder = self._encoder(X, weights)
        self._know(encoder, count_by_vector(encoder.codes(X, targets, space.cards), weights), space)

    def _know(self, encoder: Encoder, known: VectorCounts, space: LabelSpace) -> None:
        bridge = learn_bridge(
            known.vectors,
            known.class_cards,
            known.counts,
            self.ess,
            self.max_parents,
            self.n_jobs,
        )
        learned = learn_multidimensional(known, self._class_graphs(known), bridge, self.ess)
        self.encoder_, self.known_, self.learned_ = encoder, known, learned
        names = (*space.names, *encoder.names)
        self.edges_ = [(names[parent], names[child]) for parent, child in learned.arcs]
        self.bridge_proof_ = bridge.proof
        self._adopt(space)

    def _encoder(self, X: Any, weights: Weights) -> Encoder:
        return learn_encoder(
            X,
            categorical_features=self.categorical_features,
            discretizer=self.discretizer,
            missing=self.missing,
            sample_weight=weights,
        )

    def posterior(self, X: Any) -> Posterior:
        """Return the joint distribution of the labels given each row.

        Its factors are held for all rows, or made again for each question where they would take
        more than 256 MiB.
        """
        check_is_fitted(self)
        X, step = read_columns(self, X, reset=False), self._step()
        if X.shape[0] <= step:
            return self._condition(X)
        as_it_is = copy(self)  # what is learned later is not asked
        return Blocks(
            lambda rows: as_it_is._condition(X[rows]), np.arange(X.shape[0]), self.space_, step
        )

    def _step(self) -> int:
        """Return how many rows have factors that fit a block."""
        plan = self.learned_.plan
        return max(1, BLOCK // (8 * sum(map(plan.size, plan.scopes))))

    def _posteriors(self, X: Any) -> Iterator[Posterior]:
        check_is_fitted(self)
        X, step = read_columns(self, X, reset=False), self._step()
        for start in range(0, max(X.shape[0], 1), step):
            yield self._condition(X[start : start + step])

    def _condition(self, X: Any) -> Posterior:
        codes = self.encoder_.codes(X)
        return self.learned_.condition(
            codes, self.space_, self.max_bytes, self.time_limit, self.engine
        )

    def explain(self, X: Any) -> Explanation:
        """Say what each feature contributed to each label of each answer; see `explain_flips`."""
        answer = self.space_.encode(self.predict(X))
        codes = self.encoder_.codes(read_columns(self, X, reset=False))
        return explain_flips(
            type(self).__name__,
            self.encoder_.names,
            answer,
            codes,
            self.learned_.networks[0],
            self.learned_.class_factors,
            self.space_,
        )
