"""Posteriors as frames, as one line, and as a table in a notebook."""

from __future__ import annotations

import numpy as np
import pytest
from posterior_kinds import KINDS, make

import jointbayes as jb
from jointbayes.errors import ParameterError
from jointbayes.labels import LabelSpace
from jointbayes.posterior import FactorGraph, Independent, frame_of

pd = pytest.importorskip("pandas")
every_kind = pytest.mark.parametrize("kind", sorted(KINDS))
MIXED = LabelSpace(("<mood>", "pace"), (np.array([0, 1]), np.array(["a", "b", "c"])))


def mixed():
    p = [np.array([[0.3, 0.7], [0.9, 0.1]]), np.array([[0.2, 0.5, 0.3], [0.6, 0.2, 0.2]])]
    rows = pd.DataFrame({"x": [0, 0]}, index=["mon", "tue"])
    return Independent([np.log(q) for q in p], MIXED).in_frame(frame_of(rows))


def test_marginals_have_a_column_for_a_binary_label_and_one_for_each_value_of_others():
    frame = mixed().to_frame("marginals")
    assert list(frame.columns) == ["<mood>", "pace=a", "pace=b", "pace=c"]
    assert list(frame.index) == ["mon", "tue"]
    assert frame.loc["tue"].tolist() == pytest.approx([0.1, 0.6, 0.2, 0.2])


def test_the_map_is_in_the_users_values():
    frame = mixed().to_frame("map")
    assert frame.to_dict("index") == {
        "mon": {"<mood>": 1, "pace": "b"},
        "tue": {"<mood>": 0, "pace": "a"},
    }


def test_the_k_best_are_below_each_other():
    post = mixed()
    frame = post.to_frame("top_k", k=2)
    assert list(frame.columns) == ["<mood>", "pace", "probability", "row", "rank"]
    assert frame["row"].tolist() == [0, 0, 1, 1]
    assert frame["rank"].tolist() == [1, 2, 1, 2]
    assert list(frame.index) == ["mon", "mon", "tue", "tue"]
    np.testing.assert_allclose(frame["probability"], np.exp(post.top_k(2)[1]).ravel())
    assert len(post.to_frame("top_k", k=100)) == 12
    assert len(post.to_frame("top_k")) == 6


def test_rows_keep_their_names_when_they_are_taken_conditioned_or_raised():
    post = mixed()
    assert list(post[1:].to_frame().index) == ["tue"]
    assert list(post[[1, 0]].to_frame("map").index) == ["tue", "mon"]
    assert list(post[1].to_frame("map").index) == ["tue"]
    assert list(post.given({"pace": "a"}).to_frame("map").index) == ["mon", "tue"]
    assert list(post.power(2).to_frame("map").index) == ["mon", "tue"]


def test_polars_where_the_rows_were():
    pl = pytest.importorskip("polars")
    post = mixed().in_frame(frame_of(pl.DataFrame({"x": [1, 2]})))
    assert isinstance(post.to_frame(), pl.DataFrame)
    assert post.to_frame("map")["pace"].to_list() == ["b", "a"]
    assert post.to_frame("top_k", k=2).columns == ["<mood>", "pace", "probability", "row", "rank"]


@every_kind
def test_frames_of_every_kind(kind):
    post, _ = make(kind, 1, (2, 2, 2))
    frame = post.to_frame("marginals")
    assert frame.shape == (3, 3)
    np.testing.assert_allclose(frame["y1"], post.marginals()[1][:, 1])
    assert post[:0].to_frame("top_k").shape == (0, 6)


def test_one_class_variable_has_a_column_for_each_value():
    space = LabelSpace(("class",), (np.array([0, 1]),), single=True)
    post = Independent([np.log([[0.25, 0.75]])], space)
    assert list(post.to_frame().columns) == ["class=0", "class=1"]


def test_another_question_is_refused():
    with pytest.raises(ParameterError, match=r"to_frame\('best'\): choose"):
        mixed().to_frame("best")


@every_kind
def test_one_line_of_text_and_a_small_table(kind):
    post, _ = make(kind, 1, (2, 2, 2))
    text = repr(post)
    assert text == f"{type(post).__name__}: 3 rows, 3 labels, exact"
    page = post._repr_html_()
    assert page.count("<tr>") == 4
    assert page.startswith("<table>")


def test_text_is_escaped_and_rows_beyond_the_first_are_counted():
    post = mixed()
    page = post[[0] * 9]._repr_html_()
    assert "&lt;mood&gt;=1, pace=b" in page
    assert "<mood>" not in page
    assert "4 more rows" in page
    assert ">mon<" in page


def test_what_is_not_exact_is_named_without_being_asked(monkeypatch):
    post, _ = make("graph", 2, (2, 2, 2, 2))
    frugal = FactorGraph(post.plan, post.tables, post.space, max_bytes=1)
    monkeypatch.setattr(frugal.__class__, "_search", None)
    assert "marginals (approximate)" in repr(frugal)
    assert repr(frugal[:1]).startswith("FactorGraph: 1 row, 4 labels, exact but for ")


def test_models_keep_the_names_of_rows_and_labels():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        rng.normal(size=(30, 2)), columns=["a", "b"], index=[f"r{i}" for i in range(30)]
    )
    Y = pd.DataFrame(rng.integers(0, 2, (30, 2)), columns=["sun", "sea"])
    for model in (jb.MultilabelNB(), jb.NaiBX()):
        frame = model.fit(X, Y).posterior(X[5:8]).to_frame("marginals")
        assert list(frame.columns) == ["sun", "sea"]
        assert list(frame.index) == ["r5", "r6", "r7"]
