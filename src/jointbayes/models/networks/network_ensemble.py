r"""An ensemble of networks: every class is the root of one (Corani et al. 2014, Sec. 3).

Member r is mNB with the root C_r and all arcs C_r → C_i; all members share the bridge. They are
combined by a logarithmic opinion pool with equal weights,

(1)  log P(c | f) = 1/d Σ_r log P_r(c | f) + constant,

which is again a factor graph, but with every pair of classes in it: its treewidth is the number of
classes less one. Marginals are those of (1), so that all answers come from one distribution; with
``pooling="marginals"`` they are pooled one by one from the members' own, as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from jointbayes.estimator.ranges import Range, named
from jointbayes.models.networks.classifier import ClassNetworks
from jointbayes.models.networks.vector_counts import VectorCounts
from jointbayes.posterior import PooledMarginals, Posterior
from jointbayes.structure import ClassGraph

__all__ = ["NetworkEnsemble"]


class NetworkEnsemble(ClassNetworks):
    """All naive class graphs at once, pooled.

    Parameters and attributes are those of `MultilabelNB`, and

    pooling
        "joint": everything is asked of the pooled joint (1); "marginals": the members' marginals
        are pooled label by label, which `predict_proba` and ``loss="hamming"`` then use.

    Examples
    --------
    >>> X = [["sun"], ["rain"], ["sun"], ["rain"]] * 5
    >>> Y = [[1, 0], [0, 1], [1, 0], [0, 1]] * 5
    >>> model = NetworkEnsemble().fit(X, Y)
    >>> model.predict([["rain"]]).tolist()
    [[0, 1]]
    >>> [arc for arc in model.edges_ if arc[1].startswith("y")]
    [('y0', 'y1'), ('y1', 'y0')]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        **ClassNetworks._ranges,
        "pooling": named("joint", "marginals"),
    }

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        *,
        ess: float = 5.0,
        max_parents: int | str = "auto",
        discretizer: Any = "quantile",
        categorical_features: Any = "from_dtype",
        missing: str = "value",
        loss: Any = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        max_bytes: int = 1 << 27,
        time_limit: float | None = 10.0,
        engine: str = "search",
        sharpness: str = "paper",
        n_jobs: int | None = None,
        pooling: str = "joint",
    ):
        super().__init__(
            ess=ess,
            max_parents=max_parents,
            discretizer=discretizer,
            categorical_features=categorical_features,
            missing=missing,
            loss=loss,
            empty=empty,
            unknown=unknown,
            max_bytes=max_bytes,
            time_limit=time_limit,
            engine=engine,
            sharpness=sharpness,
            n_jobs=n_jobs,
        )
        self.pooling = pooling

    def _class_graphs(self, known: VectorCounts) -> tuple[ClassGraph, ...]:
        d = len(known.class_cards)
        return tuple(
            ClassGraph(root, tuple(() if i == root else (root,) for i in range(d)), float("nan"))
            for root in range(d)
        )

    def _condition(self, X: Any) -> Posterior:
        pooled = super()._condition(X)
        if self.pooling == "joint":
            return pooled
        codes = self.encoder_.codes(X, n_jobs=self.n_jobs)
        members = [
            replace(self.learned_, networks=(network,), graphs=(graph,)).condition(
                codes, self.space_, self.max_bytes, self.time_limit
            )
            for network, graph in zip(self.learned_.networks, self.learned_.graphs, strict=True)
        ]
        return PooledMarginals(pooled, members)
