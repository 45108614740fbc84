"""Every model against its definition, on random small data with missing values and weights."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from jointbayes import AODE, ATAN, KDB, TAN, WATAN, ChowLiuMultinet, NaiveBayes
from jointbayes.codes import Codes

MODELS = {
    "NaiveBayes": (NaiveBayes(), oracle.naive_bayes),
    "TAN": (TAN(), oracle.tan),
    "KDB(0)": (KDB(0), oracle.naive_bayes),
    "KDB(1)": (KDB(1), oracle.kdb),
    "KDB(2)": (KDB(2), lambda d, x: oracle.kdb(d, x, 2)),
    "KDB(9)": (KDB(9), lambda d, x: oracle.kdb(d, x, 9)),
    "AODE": (AODE(), oracle.aode),
    "AODE(3)": (AODE(min_frequency=3), lambda d, x: oracle.aode(d, x, 3)),
    "ATAN": (ATAN(), oracle.atan),
    "WATAN": (WATAN(), oracle.watan),
    "ChowLiuMultinet": (ChowLiuMultinet(), oracle.multinet),
}


@st.composite
def data_sets(draw, missing="some"):
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    p, n, n_classes = (int(rng.integers(low, high)) for low, high in ((1, 6), (1, 25), (1, 4)))
    cards = tuple(int(k) for k in rng.integers(1, 4, p))
    y = rng.integers(0, n_classes, n)
    x = rng.integers(0, cards, (n, p))
    follow = rng.random((n, p)) < 0.6  # so that there is something to find
    x = np.where(follow, (y[:, None] + x[:, :1]) % np.array(cards), x)
    if missing == "some":
        x = np.where(rng.random((n, p)) < 0.25, cards, x)
    weights = rng.choice([1.0, 2.0, 0.5], n) if draw(st.booleans()) else None
    return Codes.of(x, cards, y, (n_classes,)), weights


def plain(codes, weights, smoothing=1.0):
    rows = [
        [None if v == k else v for v, k in zip(row, codes.feature_cards, strict=True)]
        for row in codes.features.tolist()
    ]
    labels = codes.targets[:, 0].tolist()
    w = None if weights is None else weights.tolist()
    return oracle.Data(rows, labels, codes.feature_cards, codes.target_cards[0], w, smoothing)


def answers(model, codes, weights):
    learned = model._deduce(model._remember(codes, weights))
    return softmax(learned.log_scores(codes), axis=1)


@pytest.mark.parametrize("name", MODELS)
@given(case=data_sets())
@settings(max_examples=15, deadline=None)
def test_probabilities_are_those_of_the_definition(name, case):
    model, define = MODELS[name]
    data = plain(*case)
    expected = [define(data, x) for x in data.rows[:4]]
    np.testing.assert_allclose(answers(model, *case)[:4], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
@given(case=data_sets(missing="none"))
@settings(max_examples=5, deadline=None)
def test_without_smoothing_frequencies_decide_where_they_can(name, case):
    model, define = MODELS[name]
    codes, weights = case
    data = plain(codes, weights, smoothing=0.0)
    model = type(model)(**{**model.get_params(), "smoothing": 0.0})
    got = answers(model, codes, weights)
    np.testing.assert_allclose(got.sum(axis=1), 1)
    for row, answer in list(zip(data.rows, got, strict=True))[:4]:
        try:
            expected = define(data, row)
        except ZeroDivisionError:  # every label is impossible: any finite answer will do
            continue
        np.testing.assert_allclose(answer, expected, rtol=0, atol=1e-9)
