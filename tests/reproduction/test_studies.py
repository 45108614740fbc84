"""Studies of the field: figures as they are published, ours beside the best, rows one at a time."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.errors import DataError
from jointbayes.metrics import METRICS
from jointbayes.report.markdown import as_markdown
from jointbayes.report.reproducing import page_of_reproduction
from jointbayes.reproduction import (
    PAPERS,
    noise,
    plan_questions,
    printed_figures,
    printed_remarks,
    reproduce,
)
from jointbayes.reproduction.bogatinovski2022 import AutoOnce
from jointbayes.reproduction.paper import made_of
from jointbayes.reproduction.recorded import read_cells, tally_pages
from jointbayes.reproduction.streams import (
    HALF_LIVES,
    ONLINE,
    answer_stream,
    leaders,
    score_stream,
    stream_naibx,
)
from jointbayes.table import Table

STUDIES = ("bogatinovski2022", "mlhat2024")
GOALS = ("scene", "yeast", "wq", "foodtruck")


@pytest.mark.parametrize("study", STUDIES)
def test_the_figures_in_the_package_are_those_published(study, shared):
    with (shared / "published" / f"{study}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    ours = printed_figures(study)
    assert [(f.dataset, f.algorithm, f.metric) for f in ours] == [
        (r["dataset"].rstrip("?"), r["method"], r["metric"]) for r in rows
    ]
    for figure, row in zip(ours, rows, strict=True):
        assert abs(figure.value - float(row["value"])) <= 0.500001e-4


def test_sets_without_a_row_too_many_are_the_goals():
    found = {(f.table, f.dataset) for f in printed_figures("bogatinovski2022")}
    assert {d for table, d in found if table == "Goals"} == set(GOALS)
    assert len({d for table, d in found if table == "Upper bounds"}) == 9


@pytest.mark.parametrize("study", STUDIES)
def test_remarks_name_what_the_study_prints(study):
    figures = printed_figures(study)
    remarks = printed_remarks(study)
    assert {remark.kind for remark in remarks} >= {"protocol", "not asked"}
    for remark in remarks:
        assert remark.table in {f.table for f in figures}
        assert remark.dataset in {"*"} | {f.dataset for f in figures}


@pytest.mark.parametrize("study", STUDIES)
def test_ours_are_asked_beside_the_best_of_each_metric_and_set(study):
    printed: dict = {}
    for f in printed_figures(study):
        printed.setdefault((f.table, f.dataset, f.metric), []).append(f.value)
    asked = [q for q in plan_questions(PAPERS[study]) if q.model]
    assert asked
    for q in asked:
        best = max if METRICS[q.column.metric].better == "higher" else min
        place = q.figure.table, q.figure.dataset, q.figure.metric
        assert q.figure.value == best(printed[place])
        assert q.algorithm == q.model != q.figure.algorithm


def test_large_sets_are_asked_if_they_are_named():
    for study in STUDIES:
        paper = PAPERS[study]
        assert paper.large
        asked = {q.source.name for q in plan_questions(paper)}
        assert asked == {source.name for source in paper.sources} - set(paper.large)
        (name, *_) = paper.large
        assert {q.source.name for q in plan_questions(paper, (), [name])} == {name}


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6), st.floats(0, 0.01))
@settings(max_examples=30, deadline=None)
def test_one_published_split_is_one_sample_among_ours(splits, rounding):
    """The interval of prediction for one more draw, as textbooks have it."""
    from scipy import stats

    m = len(splits)
    t = stats.t(m - 1).ppf(0.975)
    expected = t * np.std(splits, ddof=1) * np.sqrt(1 + 1 / m) + rounding
    assert noise(splits, rounding, repeats=m) == pytest.approx(expected, abs=1e-12)


def test_five_in_a_hundred_equal_splits_are_outside():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(2000, 4))
    outside = [abs(d[0] - d[1:].mean()) > noise(d[1:].tolist(), repeats=3) for d in draws]
    assert 0.04 < np.mean(outside) < 0.06


def test_the_study_runs_through_and_its_page_is_read_back(monkeypatch):
    """Two splits of forty rows; Auto has two models to try, which is quick."""
    paper = PAPERS["bogatinovski2022"]
    few = made_of(AutoOnce, models=["CTBN", "BinaryRelevance"], cv=2, random_state=0, n_jobs=1)
    sources = tuple(replace(source, repeats=2) for source in paper.sources)
    models = {**paper.models, "Auto": few}
    monkeypatch.setitem(PAPERS, paper.key, replace(paper, models=models, sources=sources))
    monkeypatch.setattr("jointbayes.reproduction.running.load_dataset", _forty_rows)
    found = reproduce("bogatinovski2022", datasets=["foodtruck"])
    ours = {"JointForest", "CTBN", "Auto"}
    assert {cell.algorithm for cell in found.cells if cell.rival} == ours
    assert {cell.metric for cell in found.cells if not cell.rival} == {
        f.metric for f in printed_figures("bogatinovski2022")
    }
    assert all(cell.measured is not None for cell in found.cells), found.cells
    text = as_markdown(page_of_reproduction(found))
    assert "Goals, beside the best printed figure of each metric and set: JointForest is" in text
    assert "medical, birds" in text  # sets that are not to be had
    assert "large, run if named by --datasets: CAL500" in text
    again = read_cells(PAPERS["bogatinovski2022"], text)
    kept = ("table", "title", "source", "algorithm", "metric", "printed", "rival", "verdict")
    assert [[getattr(c, k) for k in kept] for c in again] == [
        [getattr(c, k) for k in kept] for c in found.cells
    ]


def _forty_rows(name, **_):
    if name not in ("foodtruck", "flags"):
        raise DataError(f"there is no file or data set {name!r}")
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (40, 2))
    Y = np.column_stack([x[:, 0], x[:, 1], 1 - x[:, 0]])
    return jb.Dataset.of(Table.of(x + rng.normal(0, 0.1, x.shape)), Y, name=name)


def test_a_stream_runs_through_and_absent_ones_are_named(monkeypatch):
    monkeypatch.setattr("jointbayes.reproduction.running.load_dataset", _forty_rows)
    found = reproduce("mlhat2024", datasets=["flags", "emotions"])
    cells = {(c.source, c.metric, c.algorithm): c for c in found.cells}
    assert len(cells) == 2 * 5 * (len(HALF_LIVES) + 1)
    assert cells["flags", "subset_acc", ONLINE].verdict == "better"
    assert {c.verdict for c in found.cells if c.source == "emotions"} == {"no data"}
    text = as_markdown(page_of_reproduction(found))
    assert "emotions: not at hand" in text
    assert "SynHPRec" in text
    assert "one row at a time" in text


def test_who_answers_online_has_the_least_loss_so_far():
    rng = np.random.default_rng(1)
    losses = rng.random((3, 50))
    losses[:, 0] = 0.5
    chosen = leaders(losses)
    for i in range(50):
        sums = [sum(losses[k, :i]) for k in range(3)]
        assert sums[chosen[i]] == pytest.approx(min(sums))
    assert chosen[0] == 0


def test_a_stream_is_answered_before_it_is_learned():
    rng = np.random.default_rng(2)
    X, Y = Table.of(rng.normal(size=(12, 2))), rng.integers(0, 2, (12, 3))
    said = answer_stream([jb.NaiBX(features="gaussian")], X, Y)
    for i in range(1, 12):
        fresh = jb.NaiBX(features="gaussian")
        fresh.partial_fit(X[:i], Y[:i], classes=[np.array([0, 1])] * 3)
        assert (fresh.predict(X[i : i + 1])[0] == said[0, i - 1]).all(), i


@given(st.integers(2, 60), st.integers(1, 4), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_pieces_of_a_stream_have_the_figure_of_the_whole_as_their_mean(n, q, seed):
    rng = np.random.default_rng(seed)
    Y, said = rng.random((n, q)) < 0.4, rng.random((n, q)) < 0.5
    found = score_stream(Y, said)
    from sklearn.metrics import f1_score

    plain = {
        "subset_accuracy": (said == Y).all(axis=1).mean(),
        "hamming_loss": (said != Y).mean(),
        "f1_zero": np.mean([2 * (a & b).sum() / max(a.sum() + b.sum(), 1)
                            for a, b in zip(Y, said, strict=True)]),
        "f1_micro": f1_score(Y.ravel(), said.ravel(), zero_division=0),
        "f1_macro": np.mean([f1_score(Y[:, j], said[:, j], zero_division=0) for j in range(q)]),
    }  # fmt: skip
    for name, value in plain.items():
        assert np.mean(found[name]) == pytest.approx(value, abs=1e-9), name


def test_pseudo_values_scatter_as_the_figure_does():
    """Micro F1 of many streams scatters as the pieces of one stream foretell."""
    rng = np.random.default_rng(3)

    def draw():
        Y = rng.random((400, 3)) < 0.4
        return Y, np.where(rng.random(Y.shape) < 0.8, Y, ~Y)

    streams = [score_stream(*draw()) for _ in range(200)]
    for name in ("f1_micro", "f1_macro"):
        seen = np.std([np.mean(s[name]) for s in streams])
        told = np.mean([np.std(s[name], ddof=1) / np.sqrt(20) for s in streams])
        assert told == pytest.approx(seen, rel=0.2)


def test_a_half_life_chosen_online_follows_a_stream_that_changes():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(160, 1))
    y = (x[:, 0] > 0).astype(int)
    y[80:] = 1 - y[80:]
    data = jb.Dataset.of(Table.of(x), np.column_stack([y, 1 - y]))
    exact = {
        name: np.mean(stream_naibx(data, None, name)["subset_accuracy"])
        for name in (*HALF_LIVES, ONLINE)
    }
    assert exact[ONLINE] > exact["NaiBX"] + 0.1
    assert exact[ONLINE] > max(exact.values()) - 0.1


def test_auto_keeps_the_same_whatever_it_is_asked_for():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    Y = (X + rng.normal(0, 0.5, X.shape) > 0).astype(int)
    one, other = (
        AutoOnce(loss=loss, models=["CTBN", "BinaryRelevance"], random_state=0).fit(X, Y)
        for loss in ("subset", "f1")
    )
    np.testing.assert_array_equal(one.posterior(X).log_prob(Y), other.posterior(X).log_prob(Y))
    assert (one.loss, other.loss) == ("subset", "f1")


def test_all_are_the_papers_and_a_study_is_counted_by_its_name(tmp_path):
    with pytest.raises(DataError, match=r"such as sun2017\.md"):
        tally_pages(tmp_path)
    with pytest.raises(DataError, match=r"such as mlhat2024\.md"):
        tally_pages(tmp_path, "mlhat2024")
    assert [key for key, paper in PAPERS.items() if paper.kind == "study"] == list(STUDIES)
