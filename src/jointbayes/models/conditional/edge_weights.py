"""What arcs between labels are worth on rows held out, by which trees and orders are chosen.

(4)  W[j → i] = Σ_(x, y) held out  log P(y_i | x, y_j)      (Batal et al. 2013)

All labels that are conditioned on the same value of the same label share their rows, so the d²
classifiers are fitted as 2d batches. Where labels are many, most of them tell nothing of each
other, and it is enough to weigh a few arcs to each: those from the labels whose residuals, beside
what the row alone says, go most with its own,

(a)  S[i, j] = Σ_vw (Σ_x r_iv r_jw)² / (Σ_xv r_iv² Σ_xw r_jw²),
     r_iv(x) = 1[y_i = v] − P(y_i = v | x),

over the rows x that train, which for binary labels is their squared correlation, as in the score
test of one label as a further column of the other's regression.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Mask
from jointbayes.learners.known import TargetWeights, of_targets
from jointbayes.learners.wrapped import Classifiers, Learner

__all__ = ["Split", "edge_weights", "hold_out", "likely_parents"]

Split = tuple[Labels, Labels]
"""Rows that train, and rows held out."""

LEAST = -700.0
"""What a held-out label counts that a classifier calls impossible: arcs are compared by sums."""


def edge_weights(
    learner: Learner,
    view: Any,
    codes: Labels,
    cards: Sequence[int],
    splits: Sequence[Split],
    candidates: int | None = None,
) -> tuple[Floats, Floats]:
    """Return the weights of (4): (d, d) with ``[parent, child]``, and (d,) without a parent.

    Parameters
    ----------
    learner
        Makes the classifiers.
    view
        What the learner sees of the rows.
    codes
        (n, d) labels, −1 where one is not known.
    cards
        How many values each label has.
    splits
        Pairs of training and held-out rows; weights add up over them.
    candidates
        How many arcs to each label are weighed, by (a); None for all. The others are worth what
        their child is without a parent.
    """
    d = len(cards)
    weighed: Mask | None = None
    learner, view = learner.rough(view)
    alone, paired = np.zeros(d), np.zeros((d, d))
    for train, held in splits:
        settings = learner.settings(view.rows(train), codes[train], cards)
        roots = learner.fit(view.rows(train), codes[train], cards, settings)
        if weighed is None:
            weighed = likely_parents(roots, view.rows(train), codes[train], candidates)
        by_root = _likelihood(roots, view, codes, held)
        alone += by_root
        paired += np.where(weighed, 0.0, by_root)
        for j, card in enumerate(cards):
            others = np.flatnonzero(weighed[j])
            if not len(others):
                continue
            k, y, own = (
                [cards[i] for i in others.tolist()],
                codes[:, others],
                of_targets(view, others),
            )
            for v in range(card):
                rows, seen = train[codes[train, j] == v], held[codes[held, j] == v]
                if not len(seen):
                    continue
                # Most rows have this value: then the regressions without it are a good start.
                near = roots.only(others) if 2 * len(rows) > len(train) else None
                given = learner.fit(own.rows(rows), y[rows], k, settings[others], start=near)
                paired[j, others] += _likelihood(given, own, y, seen)
            unseen = held[codes[held, j] < 0]
            if len(unseen):
                paired[j, others] += _likelihood(roots.only(others), own, y, unseen)
    return paired, alone


def likely_parents(roots: Classifiers, view: Any, codes: Labels, candidates: int | None) -> Mask:
    """Return (d, d) whether an arc ``[parent, child]`` is weighed: the best by (a), or all.

    Parameters
    ----------
    roots
        What the row alone says of each label.
    view, codes
        Rows, and their labels, −1 where one is not known.
    candidates
        How many parents of each label; None for all.
    """
    d = codes.shape[1]
    if candidates is None or candidates >= d - 1:
        return ~np.eye(d, dtype=bool)
    residuals, starts = [], [0]
    for y, v, log_p in zip(codes.T, *_answers(roots, view), strict=True):
        told = y[:, None] == np.arange(log_p.shape[1])
        residuals.append(np.where(y[:, None] < 0, 0.0, told - np.exp(log_p)) * np.sqrt(v)[:, None])
        starts.append(starts[-1] + log_p.shape[1])
    R = np.hstack(residuals)
    together = np.add.reduceat(np.add.reduceat((R.T @ R) ** 2, starts[:-1], 0), starts[:-1], 1)
    size = np.add.reduceat((R**2).sum(axis=0), starts[:-1])
    score = together / np.maximum(np.outer(size, size), np.finfo(float).tiny)
    np.fill_diagonal(score, -1.0)
    best = np.argsort(-score.round(10), axis=0, kind="stable")[:candidates]
    weighed = np.zeros((d, d), dtype=bool)
    np.put_along_axis(weighed, best, values=True, axis=0)
    return weighed


def hold_out(n: int, share: float, seed: int) -> Split:
    """Return the rows that train and those held out, at least one of each.

    >>> [len(part) for part in hold_out(10, 0.3, seed=0)]
    [7, 3]
    """
    order = np.random.default_rng(seed).permutation(n)
    held = min(max(round(share * n), 1), n - 1)
    return np.sort(order[held:]), np.sort(order[:held])


def _likelihood(classifiers: Classifiers, view: Any, codes: Labels, held: Labels) -> Floats:
    truth, rows = codes[held].T, np.arange(len(held))
    pairs = zip(truth, *_answers(classifiers, view.rows(held)), strict=True)
    return np.array(
        [v @ np.maximum(np.where(c < 0, 0.0, log_p[rows, c]), LEAST) for c, v, log_p in pairs]
    )


def _answers(classifiers: Classifiers, view: Any) -> tuple[Floats, list[Floats]]:
    """Return (d, n) how often rows count for each label, and what is said of each."""
    seen = view.view if isinstance(view, TargetWeights) else view
    log_p = classifiers.on(seen)
    n = len(log_p[0])
    v = np.ones((n, 1)) if view.weights is None else view.weights.reshape(n, -1)
    return np.broadcast_to(v, (n, len(log_p))).T, log_p
