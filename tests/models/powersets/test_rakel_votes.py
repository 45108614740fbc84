"""RAkEL by votes: a share of them, or any one, against plain counting."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    return X, (X @ rng.normal(size=(4, 5)) + rng.normal(size=(80, 5)) > 0).astype(int)


def votes_by_hand(model, X):
    """How many groups hold each label, and how many say that it is relevant."""
    said, held = np.zeros((len(X), 5)), np.zeros(5)
    for group, powerset in zip(model.groups_, model.powersets_, strict=True):
        space = model.space_.take(group)
        matrix = model.design_.matrix(jb.Table.of(X))
        said[:, list(group)] += powerset.posterior(matrix, space).map()
        held[list(group)] += 1
    return said, held


def test_votes_are_counted(rows):
    X, Y = rows
    model = jb.RAkEL(k=2, m=6, random_state=0, n_jobs=1).fit(X, Y)
    said, held = votes_by_hand(model, X)
    assert (model.set_params(voting="share").predict(X) == (2 * said >= held)).all()
    assert (model.set_params(voting="any").predict(X) == (said > 0)).all()


def test_any_says_no_less_than_a_share(rows):
    X, Y = rows
    model = jb.RAkEL(k=3, random_state=0, n_jobs=1).fit(X, Y)
    any_, share = (model.set_params(voting=how).predict(X) for how in ("any", "share"))
    assert (any_ >= share).all()
    assert (any_ > share).any()


def test_a_label_in_no_group_has_its_most_frequent_value(rows):
    X, Y = rows
    Y = np.column_stack([Y, np.ones(80, dtype=int)])
    model = jb.RAkEL(k=2, m=1, random_state=0, voting="any", n_jobs=1).fit(X, Y)
    outside = sorted(set(range(6)) - {j for group in model.groups_ for j in group})
    answer = model.predict(X)
    for j in outside:
        assert (answer[:, j] == round(Y[:, j].mean())).all()


def test_many_valued_labels_go_by_the_most_votes(rows):
    X, Y = rows
    many = np.array(["a", "b", "c"])[np.stack([Y[:, 0] + Y[:, 1], Y[:, 2]], axis=1)]
    model = jb.RAkEL(k=1, voting="any", random_state=0, n_jobs=1).fit(X, many)
    share = model.predict(X)
    assert (model.set_params(voting="share").predict(X)[:, 0] == share[:, 0]).all()


def test_a_way_to_vote_that_there_is_not_is_refused(rows):
    with pytest.raises(ValueError, match="voting='sum' is outside its range"):
        jb.RAkEL(voting="sum").fit(*rows)
