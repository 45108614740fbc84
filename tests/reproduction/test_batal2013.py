"""The chains and the labels of Batal 2013, as its reproduction has them."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.reproduction import PAPERS, plan_questions
from jointbayes.reproduction.batal2013 import GreedyChain, common_words, most_frequent_labels


def test_a_greedy_chain_answers_and_scores_along_its_own_predictions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    Y = (X + rng.normal(size=(30, 3)) > 0).astype(int)
    Y[:, 2] = Y[:, 0] ^ (rng.random(30) < 0.1)
    order = (2, 0, 1)
    greedy = GreedyChain(order=order).fit(X, Y)
    chain = jb.ClassifierChain(order=order, inference="greedy").fit(X, Y)
    answer = chain.predict(X)
    np.testing.assert_array_equal(greedy.predict(X), answer)
    along = np.zeros(30)
    for place, label in enumerate(order):
        for row in range(30):
            post = chain.posterior(X[[row]])
            known = {f"y{j}": answer[row, j] for j in order[:place]}
            post = post.given(known) if known else post
            along[row] += np.log(post.marginals()[label][0, Y[row, label]])
    np.testing.assert_allclose(greedy.posterior(X).log_prob(Y), along, atol=1e-9)


@pytest.mark.usefixtures("shared")
def test_rcv1_keeps_its_ten_most_frequent_labels():
    data = most_frequent_labels(jb.load_dataset("rcv1sub1"))
    assert data.Y.shape == (6000, 10)
    assert round(float(data.Y.sum() / 6000), 2) == 1.31  # as Table 2 prints
    assert len(np.unique(data.Y, axis=0)) == 69


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(("subset", "printed"), [(1, 8394), (2, 8304), (3, 8328)])
def test_rcv1_keeps_about_as_many_words_as_printed(subset, printed):
    data = common_words(jb.load_dataset(f"rcv1sub{subset}"))
    assert abs(len(data.feature_names) - printed) <= 7
    assert data.X.shape[1] == len(data.feature_names)


def test_one_fit_answers_for_four_tables_and_mmoc_comes_in_two_readings():
    plan = plan_questions(PAPERS["batal2013"], (), ["emotions"])
    assert len(plan) == 8 + 6 + 8 + 7
    assert len({q.variant for q in plan}) == 8
    assert not any(q.left_out for q in plan)
    assert {q.figure.algorithm for q in plan if q.column.settings} == {"MMOC"}
