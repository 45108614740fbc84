r"""Ensembles of classifier chains in random orders (Read, Pfahringer, Holmes & Frank 2009).

(1)  P(y | x) = 1/c Σ_c P_c(y | x)

One chain depends on the order of its labels; the mixture of many hardly does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Labels
from jointbayes.checks import check_that
from jointbayes.design.as_given import expect_labels
from jointbayes.errors import DataError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import Range, check_parameters, integer, named, number
from jointbayes.estimator.reading import Labelled
from jointbayes.learners.logistic.batch import LogisticLearner
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.stored import check_design
from jointbayes.models.conditional.chain_steps import check_chain, learn_chain, learn_chains
from jointbayes.posterior import Chain, ChainSearch, Mixture, chain_of, mix
from jointbayes.seeds import generator_of

__all__ = ["ChainEnsemble", "matching_votes"]


class ChainEnsemble(Classifier):
    """Classifier chains in random orders, averaged.

    The posterior is the mixture (1) of the chains' joint distributions, so labels stay dependent.
    It leaves out how well each chain does: all count alike, and what they disagree on makes it
    flatter than each of them. Votes are no distribution; they decide each label by itself.

    Parameters
    ----------
    estimator
        Any classifier with `predict_proba`, cloned for each label and chain; None for
        `BatchedLogistic`.
    n_chains
        How many chains.
    share
        Of the rows that each chain learns from, drawn without replacement; 0.67 in the paper
        of 2009.
    voting
        How `predict` decides: "mixture", by the posterior (1) and the loss; "votes": the value of
        each label that most chains answer, each chain going greedily along its own order;
        "matched": labels of yes or no are predicted from so many votes on that the rows asked
        have, in the mean, as many labels as the rows learned; as in the paper of 2009, where it
        is called the threshold, the answer to a row then depends on the others asked with it.
    time_limit
        Seconds that the search for the best vectors of one chain on one row may take, None for
        as many as it needs. Where the best vector of the mixture is not proven to be the best,
        `posterior(X).gap()` bounds what it may lack.
    categorical_features, loss, empty, unknown
        See `jointbayes.estimator.parameters`.
    random_state
        Seed for orders and rows.
    n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    orders_
        The labels in the order of each chain, by position.
    labels_
        The mean number of labels of a row that was learned.

    Examples
    --------
    The labels exclude each other, on rows that tell nothing; so does the mixture:

    >>> X, Y = [[0.0]] * 40, [[0, 1], [1, 0]] * 20
    >>> post = ChainEnsemble(n_chains=3).fit(X, Y).posterior(X[:1])
    >>> bool(np.exp(post.log_prob([[1, 1]])) < 0.05), post.marginals()[0].round(1).tolist()
    (True, [[0.5, 0.5]])
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "n_chains": integer(1),
        "share": number(0, 1, "(]"),
        "voting": named("mixture", "votes", "matched"),
        "time_limit": named(None) | number(0, ends="()"),
    }

    _asked: ClassVar[tuple[str, ...]] = ("loss", "empty", "voting", "time_limit")

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        estimator: Any = None,
        *,
        n_chains: int = 20,
        share: float = 1.0,
        voting: str = "mixture",
        time_limit: float | None = 10.0,
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_chains = n_chains
        self.share = share
        self.voting = voting
        self.time_limit = time_limit
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        learner, rng = learner_of(self.estimator, self.n_jobs), generator_of(self.random_state)
        self.design_, matrix = learner.read(rows.X, self.categorical_features)
        n, codes, cards = len(rows), rows.codes, rows.space.cards
        if self.voting == "matched" and set(cards) != {2}:
            raise DataError(
                'voting="matched" counts the labels of a row, so each has to be yes or no; '
                f'found class variables of {max(cards)} values, for which take "votes"'
            )
        self.labels_ = float(np.average(codes.sum(axis=1), weights=rows.weights))
        self.orders_: list[tuple[int, ...]] = []
        self.chains_: list[Any] = []
        if self.share == 1 and isinstance(learner, LogisticLearner):
            drawn = [rng.permutation(len(cards)).tolist() for _ in range(self.n_chains)]
            self.orders_ = [tuple(order) for order in drawn]
            chains = learn_chains(learner, matrix, codes, cards, drawn, rows.weights)
            for learned in chains:
                warn_unless_converged(self, learned.logistics)
            self.chains_ = list(chains)
            return
        for _ in range(self.n_chains):
            order = rng.permutation(len(cards)).tolist()
            some: Any = slice(None)
            if self.share < 1:
                some = np.sort(rng.choice(n, max(1, round(self.share * n)), replace=False))
            weights = None if rows.weights is None else rows.weights[some]
            ordered = [cards[j] for j in order]
            seen = expect_labels(matrix[some], rows.space, order)
            chain = learn_chain(learner, seen, codes[some][:, order], ordered, weights)
            warn_unless_converged(self, getattr(chain, "logistics", None))
            self.orders_.append(tuple(order))
            self.chains_.append(chain)

    def _check_learned(self) -> None:
        width = check_design(self, self.design_)
        check_that(len(self.chains_) > 0, "there are no chains")
        for chain, order in zip(self.chains_, self.orders_, strict=True):
            check_chain(chain, order, self.space_, width)

    def _members(self, X: Any, search: ChainSearch) -> list[Chain]:
        matrix = self.design_.matrix(X)
        return [
            chain_of(
                chain.conditional(expect_labels(matrix, self.space_, order), self.n_jobs),
                matrix.shape[0],
                order,
                self.space_,
                replace(search, enumerated=chain.enumerated),
            )
            for chain, order in zip(self.chains_, self.orders_, strict=True)
        ]

    def _condition(self, X: Any) -> Mixture:
        return mix(self._members(X, ChainSearch("exact", time_limit=self.time_limit)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels of least expected ``loss``, or those with the most votes."""
        if self.voting == "mixture":
            return super().predict(X)
        check_parameters(self, ["voting"])
        members = self._members(self._known_columns(X), ChainSearch("beam", width=1))
        answers = np.stack([self.space_.encode(chain.map()) for chain in members])
        if self.voting == "matched":
            votes = answers.sum(axis=0)
            relevant = votes >= matching_votes(votes, self.labels_)
            return self._shaped(self.space_.decode(relevant.astype(np.intp)))
        votes = [
            (answers[:, :, j, None] == np.arange(card)).sum(axis=0)
            for j, card in enumerate(self.space_.cards)
        ]
        # Of equally many votes the larger value wins: a label with half of them is relevant.
        codes = [v.shape[1] - 1 - v[:, ::-1].argmax(axis=1) for v in votes]
        return self._shaped(self.space_.decode(np.stack(codes, axis=1)))


def matching_votes(votes: Labels, wanted: float) -> int:
    """Return the fewest votes of a label so that rows have nearest to as many labels as wanted.

    Of two that are equally near the larger number is taken.

    >>> matching_votes(np.array([[5, 3, 0], [4, 1, 0]]), wanted=1.5)
    3
    """
    levels = np.arange(1, int(votes.max(initial=0)) + 2)
    found = [(votes >= level).sum() / max(len(votes), 1) for level in levels]
    return int(levels[::-1][np.argmin(np.abs(np.array(found[::-1]) - wanted))])
