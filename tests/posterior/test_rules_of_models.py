"""The posterior of every model under rules of every kind, against all vectors of eight labels."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import jointbayes as jb
from jointbayes import rules
from jointbayes.errors import DataError
from jointbayes.losses import FBeta, Weighted

D, ROWS = 8, 2
EVERY = np.array(list(product(range(2), repeat=D)))
NAMES = [f"y{j}" for j in range(D)]
MODELS = {
    "BinaryRelevance": jb.BinaryRelevance(),
    "CTBN": jb.CTBN(),
    "CTBN, four trees": jb.CTBN(trees=4),
    "ChainEnsemble": jb.ChainEnsemble(n_chains=3),
    "ClassifierChain": jb.ClassifierChain(),
    "ClassifierChain of a given learner": jb.ClassifierChain(GaussianNB()),
    "IBLR": jb.IBLR(),
    "ILFCompo": jb.ILFCompo(n_permutations=20),
    "ILFCompo, backed off": jb.ILFCompo(n_permutations=20, unseen="back_off"),
    "JointForest": jb.JointForest(n_estimators=10),
    "JointLayer": jb.JointLayer(jb.BinaryRelevance(), cv=2),
    "LabelPowerset": jb.LabelPowerset(),
    "LabelPowerset, backed off": jb.LabelPowerset(unseen="back_off"),
    "MLkNN": jb.MLkNN(),
    "MultilabelFAN": jb.MultilabelFAN(),
    "MultilabelNB": jb.MultilabelNB(),
    "MultilabelNB, cross-fitted": jb.MultilabelNB(sharpness="cross_fitted"),
    "NaiBX": jb.NaiBX(),
    "ClassifierCascade": jb.ClassifierCascade(),
    "NaiBX, cross-fitted": jb.NaiBX(sharpness="cross_fitted"),
    "NetworkEnsemble": jb.NetworkEnsemble(),
    "RAkEL": jb.RAkEL(),
    "StackedRelevance": jb.StackedRelevance(),
    "Auto": jb.Auto(models=["MultilabelNB", "MLkNN"], cv=2),
    "Calibrated": jb.Calibrated(jb.CTBN(), cv=2),
    "Conformal": jb.Conformal(jb.BinaryRelevance()),
    "Constrained": jb.Constrained(jb.MultilabelFAN(), rules=[rules.implies("y5", "y0")]),
}
ABOVE = {f"y{j}": f"y{(j - 1) // 2}" for j in range(1, D)}
RULES = {
    "implies": (rules.implies("y0", "y7"),),
    "exclusive": (rules.exclusive("y1", "y3", "y6"),),
    "at most": (rules.at_most(3),),
    "at least": (rules.at_least(2, "y0", "y2", "y4", "y5"),),
    "exactly": (rules.exactly(2),),
    "hierarchy": (rules.hierarchy(ABOVE),),
    "forbid": (rules.forbid({"y0": 1, "y3": 0, "y5": 1}), rules.forbid({"y1": 0, "y2": 0})),
    "hierarchy and counts": (rules.hierarchy(ABOVE), rules.at_most(4), rules.at_least(1)),
    "counts that overlap": (
        rules.exactly(1, "y0", "y1", "y2"),
        rules.at_most(2, "y2", "y3", "y4", "y5"),
        rules.at_least(1, "y5", "y6", "y7"),
    ),
    "all kinds": (
        rules.implies("y7", "y2"),
        rules.exclusive("y0", "y4"),
        rules.at_most(5),
        rules.forbid({"y3": 1, "y6": 0}),
    ),
}
FORBIDDEN = [{0: 1, 3: 0, 5: 1}, {1: 0, 2: 0}]


def lies_in_order(y):
    return all(y[(j - 1) // 2] or not y[j] for j in range(1, D))


MEANINGS = {
    "implies": lambda y: y[7] or not y[0],
    "exclusive": lambda y: y[1] + y[3] + y[6] <= 1,
    "at most": lambda y: sum(y) <= 3,
    "at least": lambda y: y[0] + y[2] + y[4] + y[5] >= 2,
    "exactly": lambda y: sum(y) == 2,
    "hierarchy": lies_in_order,
    "forbid": lambda y: not any(all(y[j] == v for j, v in f.items()) for f in FORBIDDEN),
    "hierarchy and counts": lambda y: lies_in_order(y) and 1 <= sum(y) <= 4,
    "counts that overlap": lambda y: (
        sum(y[:3]) == 1 and sum(y[2:6]) <= 2 and y[5] + y[6] + y[7] >= 1
    ),
    "all kinds": lambda y: (
        (y[2] or not y[7]) and y[0] + y[4] <= 1 and sum(y) <= 5 and (y[6] or not y[3])
    ),
}


def table_of(loss):
    """Return loss(truth, answer) of all pairs of vectors."""
    common, size = EVERY @ EVERY.T, EVERY.sum(axis=1)
    both, union = size[:, None] + size, size[:, None] + size - common
    nothing = both == 0
    wrong, missed = (1 - EVERY) @ EVERY.T, EVERY @ (1 - EVERY).T
    below = 4 * size[:, None] + size
    return {
        "subset": 1.0 - np.eye(len(EVERY)),
        "hamming": (wrong + missed) / D,
        "f1": 1 - np.where(nothing, 1, 2 * common / np.maximum(both, 1)),
        "jaccard": 1 - np.where(nothing, 1, common / np.maximum(union, 1)),
        FBeta(2): 1 - np.where(nothing, 1, 5 * common / np.maximum(below, 1)),
        Weighted(2, 5): (2 * wrong + 5 * missed) / D,
    }[loss]


@cache
def posterior_and_joint(name):
    """Return the posterior of two rows, and the probability of every vector without a rule."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(150, 4))
    Y = X @ rng.normal(size=(4, D)) + rng.normal(size=(150, 1)) + rng.normal(size=(150, D)) > 0.3
    post = MODELS[name].fit(X[ROWS:], Y[ROWS:].astype(int)).posterior(X[:ROWS])
    return post, probabilities(post)


def probabilities(post):
    each = post[np.repeat(np.arange(ROWS), len(EVERY))]
    return np.exp(each.log_prob(np.tile(EVERY, (ROWS, 1)))).reshape(ROWS, -1)


def places(vectors):
    return np.asarray(vectors) @ (1 << np.arange(D)[::-1])


@pytest.mark.parametrize("asked", sorted(RULES))
@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_answer_is_that_of_enumeration(name, asked):
    post, joint = posterior_and_joint(name)
    obeys = np.array([bool(MEANINGS[asked](y)) for y in EVERY.tolist()])
    kept = joint * obeys
    if not kept.sum(axis=1).all():  # label sets of probability 0
        with pytest.raises(DataError, match=r"subject_to: .* in row"):
            post.subject_to(*RULES[asked])
        return
    after = post.subject_to(*RULES[asked])
    expected = kept / kept.sum(axis=1, keepdims=True)
    check(after, expected)
    told = after.map()[:, 3]
    known = expected * (EVERY[:, 3] == told[:, None])
    check(after.given({"y3": told}), known / known.sum(axis=1, keepdims=True))
    for loss in ("subset", "hamming", "f1", "jaccard", FBeta(2), Weighted(2, 5)):
        for empty in ("allow", "forbid"):
            legal = obeys & (EVERY.any(axis=1) | (empty == "allow"))
            costs = np.where(legal, expected @ table_of(loss), np.inf)
            answer = places(after.decide(loss, empty=empty))
            found = np.take_along_axis(costs, answer[:, None], axis=1)[:, 0]
            np.testing.assert_allclose(found, costs.min(axis=1), atol=1e-9)


def check(after, expected):
    np.testing.assert_allclose(probabilities(after), expected, atol=1e-9)
    relevant = np.stack([p[:, 1] for p in after.marginals()], axis=1)
    np.testing.assert_allclose(relevant, expected @ EVERY, atol=1e-9)
    best = np.take_along_axis(expected, places(after.map())[:, None], axis=1)
    np.testing.assert_allclose(best[:, 0], expected.max(axis=1), atol=1e-9)
    vectors, log_p = after.top_k(len(EVERY))
    ranked = -np.sort(-expected, axis=1)
    np.testing.assert_allclose(np.exp(log_p), ranked, atol=1e-9)
    found = np.take_along_axis(expected, places(vectors), axis=1)
    np.testing.assert_allclose(found, ranked, atol=1e-9)
    assert all(len(np.unique(row)) == len(EVERY) for row in places(vectors))
    drawn = places(after.sample(100, rng=0))
    assert (np.take_along_axis(expected, drawn.T, axis=1) > 0).all()
