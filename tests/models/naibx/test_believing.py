"""How far NaiBX believes its tables: against its definition, and what rows held out make of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from believing_oracle import BelievingNaiBX

import jointbayes as jb
from jointbayes.models.naibx.scores import Belief
from jointbayes.storage.upgrades import upgraded

KINDS = ("gaussian", "bernoulli", "multinomial", "multinomial", "poisson", "categorical")
BELIEFS = (Belief(0.3, 0.7, 0.5, 3.0), Belief(1.5, 0.1, 0.0, 0.5), Belief(0.2, 0.2))


def rows(n=40, q=4, seed=0):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, q)) < [0.5, 0.4, 0.3, 0.1]).astype(int)
    X = pd.DataFrame(
        {
            "number": Y[:, 0] + rng.normal(0, 1, n),
            "flag": (rng.random(n) < 0.3 + 0.4 * Y[:, 1]).astype(float),
            "word": rng.poisson(1 + Y[:, 2]).astype(float),
            "other": rng.poisson(2, n).astype(float),
            "count": rng.poisson(1 + 2 * Y[:, 3]).astype(float),
            "colour": rng.choice(["red", "blue", "green"], n),
        }
    )
    X.loc[3, "number"] = X.loc[5, "flag"] = np.nan
    return X, Y


@pytest.mark.parametrize("belief", BELIEFS)
def test_a_belief_is_what_its_definition_says(belief):
    X, Y = rows()
    model = jb.NaiBX(features=[*KINDS[:5], "categorical"]).fit(X, Y)
    model.learned_ = replace(model.learned_, belief=belief)
    plain = BelievingNaiBX(4, KINDS, belief)
    for (_, x), y in zip(X.iterrows(), Y, strict=True):
        plain.add_example(as_numbers(x), np.flatnonzero(y).tolist())
    every = np.array(list(np.ndindex(2, 2, 2, 2)))
    for i in range(6):
        found = plain.joint(as_numbers(X.iloc[i]))
        expected = [found[tuple(np.flatnonzero(v).tolist())] for v in every]
        here = X.iloc[[i] * len(every)]
        np.testing.assert_allclose(
            np.exp(model.posterior(here).log_prob(every)), expected, rtol=1e-6, atol=1e-12
        )


def as_numbers(row):
    codes = {"red": 0.0, "blue": 1.0, "green": 2.0}
    return [float(codes.get(value, value)) for value in row]


def with_a_rare_label(n, seed):
    """One label of three on each row, told by one word in 300; the last on one row in forty."""
    rng = np.random.default_rng(seed)
    label = rng.choice(3, n, p=[0.5, 0.475, 0.025])
    X = (rng.random((n, 300)) < 0.02).astype(float)
    X[:, :3] = np.eye(3)[label]
    Y = np.eye(3, dtype=int)[label]
    Y[:, 0] |= (label == 1) & (rng.random(n) < 0.1)
    return X, Y


def test_a_label_of_few_rows_is_found_among_many_absent_words():
    (X, Y), (X_test, truth) = with_a_rare_label(200, 0), with_a_rare_label(800, 1)
    paper, fitted = (jb.NaiBX(sharpness=s).fit(X, Y) for s in ("paper", "cross_fitted"))
    belief, rare = fitted.learned_.belief, truth[:, 2] == 1
    assert belief.average_rows > 0
    assert (fitted.predict(X_test)[rare] == truth[rare]).all(axis=1).mean() > 0.7
    assert (paper.predict(X_test)[rare] == truth[rare]).all(axis=1).mean() < 0.5
    losses = [-m.posterior(X_test).log_prob(truth).mean() for m in (paper, fitted)]
    assert losses[1] < 0.7 * losses[0]


def test_a_belief_is_saved_and_that_of_older_files_is_one_exponent(tmp_path):
    X, Y = with_a_rare_label(120, 2)
    model = jb.NaiBX(sharpness="cross_fitted").fit(X, Y)
    jb.save(model, tmp_path / "model.jb")
    again = jb.load(tmp_path / "model.jb")
    assert again.learned_.belief == model.learned_.belief
    np.testing.assert_array_equal(again.posterior(X).log_prob(Y), model.posterior(X).log_prob(Y))
    assert upgraded("NaiBXScores", {"sharpness": None, "n_sizes": 3}) == {
        "belief": None,
        "n_sizes": 3,
    }
    assert upgraded("NaiBXScores", {"sharpness": 0.2})["belief"] == Belief(0.2, 0.2)
