r"""mNB: the classes form a naive Bayes network (Corani et al. 2014, Sec. 3).

(7)  C_i ← root  if  BDeu(C_i, {root}) > BDeu(C_i, ∅)

for every class C_i but the root; of the d roots the one whose graph scores best is taken. Class
tables have at most four cells, the bridge and the inference are those of every model here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from jointbayes.estimator.ranges import Range, named
from jointbayes.models.networks.classifier import ClassNetworks
from jointbayes.models.networks.vector_counts import VectorCounts
from jointbayes.structure import ClassGraph, naive_classes
from jointbayes.structure.class_graphs import Compared

__all__ = ["MultilabelNB"]


class MultilabelNB(ClassNetworks):
    """Multi-label naive Bayes: one root class, the others depend on it or on nothing.

    Parameters
    ----------
    ess
        Equivalent sample size of scores and parameters.
    max_parents
        Class parents of a feature: "auto" (all subsets up to a size that is affordable, then
        greedily more), or a hard limit.
    discretizer, categorical_features, missing, loss, empty
        See `jointbayes.estimator.parameters`.
    unknown
        "refuse": every label of every row has to be known; "learn": NaN, None and NA are labels
        that are not known. The arcs are learned from the rows that tell all labels if these are
        half of all or more, else from rows that a first model completes with what is most probable
        (CTBN; BinaryRelevance of more than 32 labels). The tables are those that make what is known
        likeliest, by expectation-maximisation, unless rows held out (of 200 or more) say that the
        network may not be trusted: that its features should count less than a third of what they
        do (``sharpness``). Features that say the same many times over would lead the likelihood
        astray; then, and where exact inference does not fit ``max_bytes``, the tables are those of
        completed rows.
    max_bytes
        Memory that exact inference may use for one row; beyond it the best label vectors are still
        proven, marginals are approximate, and ``posterior(X).exactness`` says which.
    time_limit
        Seconds that proving the best label vector of a row may take; None for no limit. A row that
        is not proven in time carries a bound, ``posterior(X).gap()``.
    engine
        What finds and proves the best label vector where tables would be too large: "search", the
        one built in, or "toulbar2" (the extra of that name).
    sharpness
        "paper": features are independent given their parents, and the joint is far too sure where
        they are not; "cross_fitted": their evidence counts less, as rows held out advise
        (`jointbayes.models.trust.sharpness`), at the cost of three further fits.
    n_jobs
        See `jointbayes.estimator.parameters`.
    root
        By what the root is chosen: the score of the "whole" class graph, or that of the "others"
        alone, without the root's own term; see `jointbayes.structure.naive_classes`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    edges_
        The arcs of the network, (parent, child) by name.
    bridge_proof_
        What the search for the features' parents has proven.
    sharpness_
        The exponent of the evidence; 1 if nobody asked for another.
    average_rows_
        How many rows like the average one joined each context of a feature; 0 as in the paper.

    See Also
    --------
    jointbayes.structure.naive_classes : The class graph alone.

    Examples
    --------
    The second label is the negation of the first, and only one feature knows it:

    >>> X = [["sun"], ["rain"], ["sun"], ["rain"]] * 5
    >>> Y = [[1, 0], [0, 1], [1, 0], [0, 1]] * 5
    >>> model = MultilabelNB().fit(X, Y)
    >>> model.predict([["rain"]]).tolist(), model.score(X, Y)
    ([[0, 1]], 1.0)
    >>> model.posterior([["rain"]]).given({"y0": 1}).map().tolist()
    [[1, 0]]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        **ClassNetworks._ranges,
        "root": named("whole", "others"),
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
        root: Compared = "whole",
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
        self.root = root

    def _class_graphs(self, known: VectorCounts) -> tuple[ClassGraph, ...]:
        classes, weights = known.class_codes(), known.counts.n_c
        return (naive_classes(classes, self.ess, weights, self.n_jobs, compared=self.root),)
