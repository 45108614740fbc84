"""Sets of label vectors against all vectors, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from dependent_rows import dependent_rows, every_vector

import jointbayes as jb
from jointbayes import rules
from jointbayes.errors import CostError, DataError
from jointbayes.labels import LabelSpace
from jointbayes.models import LabelSets
from jointbayes.models.wrappers import label_sets
from jointbayes.posterior import Independent

MODELS = [jb.CTBN(), jb.MultilabelFAN(), jb.BinaryRelevance(), jb.LabelPowerset(), jb.NaiBX()]
N = 12


def posterior_of(model, d=5):
    X, Y = dependent_rows(80, d=d)
    return model.fit(X, Y).posterior(X[:N])


def slow_set(post, row, threshold):
    """The vectors inside, the most probable first, by asking for each."""
    every = every_vector(len(post.space))
    log_p = post[[row] * len(every)].log_prob(every)
    order = np.argsort(-log_p, kind="stable")
    return every[order[-log_p[order] <= threshold]]


@pytest.fixture(params=["all", "search"])
def way(request, monkeypatch):
    """Look at all vectors, or search as if they were too many."""
    if request.param == "search":
        monkeypatch.setattr(label_sets, "LISTED_VECTORS", 0)
    return request.param


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("threshold", [0.3, 2.0, 3.7, np.inf])
def test_every_answer_is_that_of_the_definition(model, threshold, way):
    post = posterior_of(model)
    sets = LabelSets(post, np.full(N, threshold))
    inside = [slow_set(post, i, threshold) for i in range(N)]
    assert sets.size().tolist() == [len(found) for found in inside]
    assert sets.exact.all()
    for i, found in enumerate(inside):
        if way == "all" or threshold < np.inf:
            listed = sets.vectors(i)
            assert sorted(listed.tolist()) == sorted(found.tolist())
            log_p = post[[i] * len(found)].log_prob(listed)
            assert (np.diff(log_p[log_p > -np.inf]) <= 1e-12).all()
        some = len(found) > 0
        assert sets.inner()[i].tolist() == (found.all(axis=0) & some).astype(int).tolist()
        assert sets.outer()[i].tolist() == found.any(axis=0).astype(int).tolist()
    for y in every_vector(5)[::7]:
        covered = sets.covers(np.tile(y, (N, 1)))
        assert covered.tolist() == [y.tolist() in found.tolist() for found in inside]


@pytest.mark.usefixtures("way")
def test_a_vector_of_equal_score_is_inside():
    post = posterior_of(jb.CTBN())
    Y = post.sample(1, 0)[0]
    sets = LabelSets(post, -post.log_prob(Y))
    assert sets.covers(Y).all()
    assert all(Y[i].tolist() in sets.vectors(i).tolist() for i in range(N))
    below = LabelSets(post, -post.log_prob(Y) - 1e-6)
    assert not below.covers(Y).any()


@pytest.mark.usefixtures("way")
def test_what_is_known_shrinks_the_sets():
    post = posterior_of(jb.CTBN())
    sets = LabelSets(post, np.full(N, 3.0))
    known = sets.given({"y1": 1})
    ruled = sets.subject_to(rules.at_most(2))
    for i in range(N):
        before = sets.vectors(i)
        for after, kept in (
            (known, before[before[:, 1] == 1]),
            (ruled, before[before.sum(axis=1) <= 2]),
        ):
            assert sorted(after.vectors(i).tolist()) == sorted(kept.tolist())
            assert after.size()[i] == len(kept)


@pytest.mark.parametrize("model", [jb.CTBN(), jb.MultilabelFAN()], ids=str)
def test_past_the_limit_there_is_a_bound_and_it_is_marked(model, monkeypatch):
    monkeypatch.setattr(label_sets, "LISTED_VECTORS", 0)
    post = posterior_of(model)
    exact = LabelSets(post, np.full(N, 4.0)).size()
    monkeypatch.setattr(label_sets, "GROWN", 3)
    monkeypatch.setattr(label_sets, "LEVELS", 2)
    sets = LabelSets(post, np.full(N, 4.0), limit=4)
    least, most = sets.bounds()
    assert (sets.size() == most).all()
    assert ((least <= exact) & (exact <= most) & (most <= 32)).all()
    assert sets.exact[exact < 4].all()
    assert (sets.size()[sets.exact] == exact[sets.exact]).all()
    row = int(exact.argmax())
    assert exact[row] > 4
    assert not sets.exact[row]
    assert "at most" in repr(sets)
    with pytest.raises(CostError, match=f"the set of row {row} has more than 4 vectors"):
        sets.vectors(row)


def test_many_labels_need_no_list():
    """100 labels of which three are in doubt: 8 vectors; and none is ruled out by probability 0."""
    d = 100
    p = np.full(d, 0.0001)
    p[:3], p[3] = 0.5, 0.9999
    space = LabelSpace(tuple(f"l{j}" for j in range(d)), (np.array([0, 1]),) * d)
    post = Independent([np.log([[1 - q, q]]) for q in p], space)
    sets = LabelSets(post, np.array([3.0]))
    assert sets.size().tolist() == [8]
    assert sets.exact.tolist() == [True]
    assert len(sets.vectors(0)) == 8
    assert np.flatnonzero(sets.inner()[0]).tolist() == [3]
    assert np.flatnonzero(sets.outer()[0]).tolist() == [0, 1, 2, 3]
    every = LabelSets(post, np.array([np.inf]))
    assert every.size().tolist() == [2.0**d]
    with pytest.raises(CostError, match="more than 1000 vectors"):
        every.vectors(0)


def test_values_that_are_not_relevant_or_not_have_no_inner_set():
    X, Y = dependent_rows(60)
    colours = np.array(["red", "blue", "green"])[Y[:, :2] + Y[:, 2:]]
    sets = jb.Conformal(jb.CTBN()).fit(X, colours).predict_sets(X)
    assert sets.size().max() <= 9
    assert set(sets.vectors(0).ravel()) <= {"red", "blue", "green"}
    for ask in (sets.inner, sets.outer):
        with pytest.raises(DataError, match="'y0' is not one"):
            ask()


def test_no_rows_at_all():
    post = posterior_of(jb.CTBN())[:0]
    sets = LabelSets(post, np.zeros(0))
    assert len(sets) == 0
    assert "0 rows" in repr(sets)


def test_covers_wants_a_vector_for_each_row():
    sets = LabelSets(posterior_of(jb.CTBN()), np.full(N, 1.0))
    with pytest.raises(DataError, match="Y has 3 rows, and there are 12 sets"):
        sets.covers(np.zeros((3, 5), dtype=int))
