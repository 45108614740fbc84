"""Reproduction: the papers' figures as printed, what noise is, and runs that stop for nothing."""

from __future__ import annotations

import json
import math
import statistics as plain
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.errors import ParameterError
from jointbayes.metrics import METRICS
from jointbayes.report import as_text
from jointbayes.report.markdown import as_markdown
from jointbayes.report.reproducing import page_of_reproduction
from jointbayes.reproduction import (
    PAPERS,
    Experiment,
    Figure,
    Judgement,
    PaperColumn,
    Question,
    Source,
    judge,
    noise,
    plan_questions,
    printed_figures,
    printed_remarks,
    reproduce,
)
from jointbayes.reproduction.paper import TIMES
from jointbayes.reproduction.verdicts import SAME_ROWS, usual_noise
from jointbayes.validation import Folds, HoldOut

ALL_PAPERS = ("sun2017", "corani2014", "batal2013", "mossina2017", "gasse2015")
T_9 = 2.2621571628  # 97.5% quantile of Student's t with 9 degrees of freedom


@pytest.mark.parametrize("paper", ALL_PAPERS)
def test_the_figures_in_the_package_are_those_published(paper, shared):
    import csv

    with (shared / "published" / f"{paper}.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["value"]]
    ours = printed_figures(paper)
    assert [(f.table, f.dataset, f.algorithm, f.metric, f.text) for f in ours] == [
        (r["table"], r["dataset"], r["algorithm"], r["metric"], r["value"]) for r in rows
    ]


@pytest.mark.parametrize("paper", ALL_PAPERS)
def test_remarks_name_what_the_paper_prints(paper):
    figures = printed_figures(paper)
    assert printed_remarks(paper)
    for remark in printed_remarks(paper):
        assert remark.dataset in {"*"} | {f.dataset for f in figures}, remark
        assert remark.algorithm in {"*"} | {f.algorithm for f in figures}, remark
        kinds = {"not reproduced", "protocol", "misprint", "other data", "cause", "not asked"}
        assert remark.kind in kinds


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_a_paper_s_columns_and_data_sets_are_printed_ones(paper):
    figures = printed_figures(paper.key)
    for column in paper.columns:
        assert column.look or column.metric in (*METRICS, *TIMES)
        assert any((f.table, f.metric) == (column.table, column.printed) for f in figures)
    names = [source.name for source in paper.sources]
    assert len(set(names)) == len(names)
    assert set(names) <= {f.dataset for f in figures}
    assert set(paper.quick) <= set(names)
    beside = {name for c in paper.columns if c.against == "best" for name in c.algorithms}
    assert set(paper.models) - beside <= {f.algorithm for f in figures}


def test_every_cell_of_table_4_with_data_is_asked_for():
    questions = plan_questions(PAPERS["sun2017"], ["Table 4"])
    assert len(questions) == len(PAPERS["sun2017"].sources) * 7
    assert len({(q.figure.dataset, q.variant) for q in questions}) == len(questions)


def test_one_fit_answers_for_all_its_columns():
    questions = plan_questions(PAPERS["corani2014"], (), ["genbase"])
    scored = [q for q in questions if q.column.look is None]
    assert len(scored) == 5 + 5 + 4
    assert {q.variant for q in scored} == {
        *("mNB", "mNB loss=hamming", "mNB empty=allow"),
        *("ensemble", "ensemble loss=hamming", "ensemble empty=allow"),
        *("mFAN", "mFAN loss=hamming", "BR", "ECC"),
    }


SMALL = {
    "Zoo": (101, 16),
    "Lung Cancer": (32, 56),
    "Promoters": (106, 57),
    "Labor-negotiations": (57, 16),
    "Heart": (270, 13),
    "Musk1": (476, 166),
    "Hypothyroid": (3163, 25),
}


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("name", SMALL)
def test_data_sets_are_read_as_the_paper_has_them(name):
    (source,) = [s for s in PAPERS["sun2017"].sources if s.name == name]
    assert jb.load_dataset(source.file, **source.options).X.shape == SMALL[name]


@given(st.lists(st.floats(0, 1), min_size=10, max_size=10), st.floats(0, 0.01), st.integers(1, 4))
@settings(max_examples=50, deadline=None)
def test_noise_is_what_its_formula_says(folds, rounding, repeats):
    """Ten published folds, and ten of ours so many times."""
    drawn = folds * repeats
    usual = T_9 * plain.stdev(drawn) * math.sqrt(1 / 10 + 1 / len(drawn))
    assert usual_noise(drawn, repeats) == pytest.approx(usual, rel=1e-6, abs=1e-12)
    expected = SAME_ROWS * usual + rounding
    assert noise(drawn, rounding, repeats) == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_the_share_of_the_usual_noise_is_the_one_that_was_measured():
    path = Path(__file__).parents[2] / "benchmarks" / "results" / "noise_rule.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["share"] == SAME_ROWS
    assert found["outside"] <= 0.05 < 2 * found["outside"]
    assert found["usual_outside"] < 0.02


def test_small_data_are_cut_more_often_than_the_paper_did():
    paper = PAPERS["batal2013"]
    cuts = {q.source.name: q.splitter(paper.splitter).get_n_splits() for q in plan_questions(paper)}
    assert cuts["Emotions"] == 100
    assert cuts["Scene"] == 10


@given(
    st.sampled_from(["zero_one_loss", "subset_accuracy"]),
    st.lists(st.floats(0, 1), min_size=2, max_size=10),
    st.integers(0, 100),
)
@settings(max_examples=50, deadline=None)
def test_a_verdict_is_about_the_difference_and_the_metric_s_way(metric, folds, printed):
    text = f"{printed / 100:.2f}"
    asked = Question(
        Figure("Table 4", "Iris", "TAN", metric, text),
        PaperColumn("Table 4", metric, metric, metric),
        Source("Iris", "iris"),
    )  # fmt: skip
    cell = judge(asked, Judgement({metric: tuple(folds)}))
    gain = cell.difference if metric == "subset_accuracy" else -cell.difference
    if abs(gain) <= cell.noise:
        assert cell.verdict == "within noise"
    else:
        assert cell.verdict == ("better" if gain > 0 else "worse")


def test_a_single_split_cannot_tell():
    assert noise([0.4]) is None
    asked = plan_questions(PAPERS["sun2017"], (), ["iris"])[0]
    assert judge(asked, Judgement({"zero_one_loss": (0.4,)})).verdict == "not judged"


def test_other_data_are_not_judged():
    asked = plan_questions(PAPERS["sun2017"], (), ["Waveform"])[0]
    known = [r for r in printed_remarks("sun2017") if r.concerns(asked.figure)]
    cell = judge(asked, Judgement({"zero_one_loss": (0.1, 0.2)}), known)
    assert cell.verdict == "not judged"
    assert "5,000 rows" in cell.note


@pytest.fixture
def flowers(tmp_path):
    """A data set that goes by the name of iris, whose class is written on it."""
    (tmp_path / "iris.csv").write_text("name,class\n" + "a,a\nb,b\n" * 20)
    return tmp_path


def without_time(found):
    return [(c.dataset, c.algorithm, c.measured, c.noise, c.verdict) for c in found.cells]


def test_a_run_goes_on_from_its_store(flowers, monkeypatch):
    whole = reproduce("sun2017", datasets=["iris"], data_dir=flowers)
    store = flowers / "run.jsonl"
    reproduce("sun2017", datasets=["Iris"], data_dir=flowers, store=store)
    lines = store.read_text().splitlines(keepends=True)
    store.write_text("".join(lines[:15]))  # killed: a head and 14 folds
    fits = []
    fit = jb.TAN.fit
    monkeypatch.setattr(jb.TAN, "fit", lambda *a, **k: fits.append(1) or fit(*a, **k))
    again = reproduce("sun2017", datasets=["Iris"], data_dir=flowers, store=store)
    assert without_time(again) == without_time(whole)
    reproduce("sun2017", datasets=["Iris"], data_dir=flowers, store=store)
    assert len(fits) == 6  # those of TAN's folds that were lost, and none of them twice


def test_data_that_are_not_there_are_a_note_in_their_cells(flowers, monkeypatch):
    monkeypatch.chdir(flowers)
    monkeypatch.setattr("jointbayes.datasets.names._places", lambda _: [flowers])
    found = reproduce("sun2017", tables=["4"], datasets=["Iris", "Sonar"], data_dir=flowers)
    verdicts = {c.dataset: c.verdict for c in found.cells}
    assert verdicts == {"Iris": "better", "Sonar": "no data"}
    sonar = next(c for c in found.cells if c.dataset == "Sonar")
    assert "there is no file or data set 'sonar'" in sonar.note
    assert str(flowers) in sonar.note
    page = page_of_reproduction(found)
    assert page.lead == "Of 14 printed figures, 7 are bettered, 7 are without data here."
    assert "Sonar: not at hand" in as_markdown(page)
    assert str(flowers) not in as_markdown(page)  # pages are for others' machines too


def test_a_model_that_fails_stops_no_other(flowers, monkeypatch):
    def refuse(*_):
        raise MemoryError("no room")

    monkeypatch.setattr(jb.TAN, "fit", refuse)
    found = reproduce("sun2017", datasets=["Iris"], data_dir=flowers)
    verdicts = {c.algorithm: c.verdict for c in found.cells}
    assert verdicts["TAN"] == "failed"
    assert verdicts["NB"] == verdicts["KDB"] == "better"
    assert "no room" in next(c.note for c in found.cells if c.algorithm == "TAN")


def test_the_tables_are_the_same_on_the_terminal_and_in_markdown(flowers):
    page = page_of_reproduction(reproduce("sun2017", datasets=["Iris"], data_dir=flowers))
    text, markdown = as_text(page, 120), as_markdown(page)
    for piece in ("Iris", "0.0867", "▲ better", "machine", "Table 4: zero-one loss"):
        assert piece in text
        assert piece in markdown
    assert "| data set | NB | TAN | KDB | AODE | WATAN | AKDB | LTAN |" in markdown


def swapped(dataset):
    """The second half of the rows under the other class."""
    half = len(dataset.Y) // 2
    return replace(dataset, Y=np.concatenate([dataset.Y[:half], dataset.Y[half:][::-1]]))


@pytest.fixture
def a_paper(monkeypatch):
    """Iris by one split and in percent, as said and on changed data; the zoo simulated."""
    printed = ("Table 4", "zero_one_loss", "zero_one_loss")
    paper = replace(
        PAPERS["sun2017"],
        sources=(
            Source("Iris", "iris", splitter=Folds(4, 2, random_state=0)),
            Experiment("Zoo", lambda algorithm, _: [0.25, 0.5 if algorithm == "NB" else 0.25]),
        ),
        columns=(
            PaperColumn(*printed, "loss", scale=100),
            PaperColumn(
                *printed, "changed", algorithms=("NB",), splitter=HoldOut(0.5), change=swapped
            ),
        ),
        left_out=lambda _, algorithm: "too dear" if algorithm == "AODE" else "",
    )
    monkeypatch.setitem(PAPERS, "sun2017", paper)
    return paper


@pytest.mark.usefixtures("a_paper")
def test_a_data_set_and_a_column_may_have_a_protocol_of_their_own(flowers):
    found = reproduce("sun2017", data_dir=flowers)
    cells = {(c.dataset, c.title, c.algorithm): c for c in found.cells}
    assert len(cells) == len(found.cells) == 2 * (7 + 1)
    assert found.protocol == (
        "10 folds, not stratified, seed 0; 2 times 4 folds, stratified, seed 0: Iris"
    )
    assert cells["Iris", "loss", "NB"].measured == 0
    assert cells["Iris", "changed", "NB"].measured > 0.1
    assert cells["Iris", "changed", "NB"].verdict == "not judged"  # a single split


@pytest.mark.usefixtures("a_paper")
def test_a_simulation_answers_in_the_unit_of_print(flowers):
    found = reproduce("sun2017", datasets=["zoo"], data_dir=flowers)
    measured = {c.algorithm: c.measured for c in found.cells if c.title == "loss"}
    assert measured["NB"] == 37.5
    assert measured["TAN"] == 25
    assert measured["AODE"] is None


@pytest.mark.usefixtures("a_paper")
def test_what_is_left_out_says_why(flowers):
    found = reproduce("sun2017", datasets=["Iris"], data_dir=flowers)
    left = [c for c in found.cells if c.algorithm == "AODE"]
    assert {(c.verdict, c.note, c.seconds) for c in left} == {("left out", "too dear", 0.0)}
    page = as_markdown(page_of_reproduction(found))
    assert "1 is left out" in page
    assert "too dear" in page


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"paper": "sun2018"}, "there is no paper 'sun2018' here; near: sun2017"),
        ({"paper": "sun2017", "tables": ["7"]}, "sun2017 has no table '7' here; near: Table 4"),
        ({"paper": "sun2017", "datasets": ["Wovel"]}, "near: Vowel"),
    ],
)
def test_names_that_are_not_known(options, said):
    with pytest.raises(ParameterError, match=said):
        reproduce(**options)


def test_the_command_writes_json_html_and_markdown(run, flowers):
    page, tables = flowers / "page.html", flowers / "tables.md"
    code, out, err = run(
        "reproduce", "Sun2017", "--tables", "4", "--datasets", "Iris", "--data-dir", flowers,
        "--html", page, "--markdown", tables, "--json", "--quiet",
    )  # fmt: skip
    assert code == 0
    assert err.splitlines() == [f"Wrote {page}", f"Wrote {tables}"]
    found = json.loads(out)
    assert found["paper"] == "sun2017"
    assert {cell["verdict"] for cell in found["cells"]} == {"better"}
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert tables.read_text(encoding="utf-8").startswith("# Reproduction of Sun")


def test_the_help_names_every_paper(run):
    code, out, _ = run("reproduce", "--help")
    assert code == 0
    assert all(paper in out for paper in PAPERS)


def test_the_command_refuses_in_one_sentence(run):
    code, out, err = run("reproduce", "sun2018")
    assert (code, out) == (1, "")
    assert err.startswith("jointbayes: there is no paper 'sun2018' here; near: sun2017")
    assert err.count("\n") == 1


def test_the_command_says_what_is_missing_and_where_it_looked(run, flowers, monkeypatch):
    monkeypatch.setattr("jointbayes.datasets.names._places", lambda _: [flowers])
    code, out, err = run("reproduce", "sun2017", "--datasets", "Sonar", "--quiet")
    assert code == 1
    assert "without data here" in out
    assert err.count("\n") == 1
    assert "there is no file or data set 'sonar'" in err
    assert str(flowers) in err


@pytest.mark.usefixtures("shared")
def test_iris_comes_out_as_published():
    found = reproduce("sun2017", datasets=["Iris"])
    losses = [cell for cell in found.cells if cell.table == "Table 4"]
    assert {cell.verdict for cell in losses} <= {"within noise", "better"}
    seen = {c.metric: c.measured for c in found.cells if c.table == "Table 6"}  # of LTAN
    assert seen.keys() == {"CP_pct", "LP_pct"}
    assert all(0 <= share <= 100 for share in seen.values())
    assert max(abs(cell.difference) for cell in losses) < 0.06


def test_the_wilcoxon_tests_of_gasse_2015_on_its_own_figures():
    questions = plan_questions(PAPERS["gasse2015"], ["2"])
    cells = [
        judge(q, Judgement({"subset_accuracy": (q.figure.value / 100,) * 2})) for q in questions
    ]
    found = replace(reproduce("gasse2015", datasets=["medical"]), cells=tuple(cells))
    text = as_markdown(page_of_reproduction(found))
    lines = [line for line in text.splitlines() if line.startswith("| Sec. 4.2")]
    assert [line.split(" | ")[2:] for line in lines] == [
        ["10", "3", "0.2227", "3", "0.2227 |"],
        ["10", "8", "0.0078", "8", "0.0078 |"],
    ]


def test_the_toy_problem_of_gasse_2015_is_decomposed_in_both_readings(monkeypatch):
    monkeypatch.setattr("jointbayes.reproduction.gasse2015.DISTRIBUTIONS", 4)
    found = reproduce("gasse2015", datasets=["toy DAG 1"], tables=["1"])
    assert len(found.cells) == 14
    assert all(cell.measured is not None and cell.measured > 90 for cell in found.cells)


def test_duplicated_data_have_two_independent_copies():
    (source,) = [s for s in PAPERS["gasse2015"].sources if s.name == "emotions2"]
    X = np.arange(12.0).reshape(6, 2)
    once = jb.datasets.Dataset(
        "d", jb.Table.of(X), np.eye(6, dtype=int)[:, :2], ("a", "b"), ("f", "g")
    )
    twice = source.change(once)
    assert twice.X.shape == (6, 4)
    assert twice.label_names == ("a", "b", "a.1", "b.1")
    np.testing.assert_array_equal(twice.Y[:, :2], once.Y)
    assert sorted(twice.Y[:, 2]) == sorted(once.Y[:, 0])
