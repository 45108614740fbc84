"""Results as people meet them in Python: short in a console, a screen in a notebook, a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import jointbayes as jb
from jointbayes.report import Page, as_text
from jointbayes.report.explaining import reasons
from jointbayes.report.showing import page_of
from jointbayes.reproduction import reproduce

LONG = "a very long name of a label that no table has room for, number "
VOID = {"br", "wbr", "circle", "polyline", "polygon", "line", "path", "rect"}


def wide(d, n=150):
    """Labels with long names, many of them."""
    rng = np.random.default_rng(0)
    Y = (rng.random((n, d)) < 0.3).astype(int)
    X = np.where(rng.random((n, d)) < 0.8, Y, 1 - Y).astype(str)
    return pd.DataFrame(X), pd.DataFrame(Y, columns=[f"{LONG}{j}" for j in range(d)])


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    X, Y = wide(30)
    place = tmp_path_factory.mktemp("data")
    (place / "iris.csv").write_text("name,class\n" + "a,a\nb,b\n" * 20)
    few = wide(3)
    names = [f"a model with a long name, number {i}" for i in range(15)]
    many = {name: jb.NaiveBayes(smoothing=1 + i) for i, name in enumerate(names)}
    column = few[1].iloc[:, 0].rename("rain")
    return {
        "summary": jb.describe(X, Y),
        "sets": jb.Conformal(jb.BinaryRelevance()).fit(*wide(9)).predict_sets(wide(9)[0]),
        "scores": jb.evaluate("multilabelnb", X, Y, cv=2),
        "one set": jb.compare(["multilabelnb", "multilabelfan"], [few], cv=2),
        "many models": jb.compare(many, [(few[0], column)] * 3, cv=2, metrics="log_loss"),
        "why one": jb.TAN().fit(few[0], column).explain(few[0][:1]),
        "why many": jb.MultilabelNB().fit(*few).explain(few[0]),
        "reproduction": reproduce("sun2017", datasets=["Iris"], data_dir=place),
        "tried": jb.try_models(*few, cv=2, time_limit=2.0, progress="none"),
    }


RESULTS = (
    "summary",
    "sets",
    "scores",
    "one set",
    "many models",
    "why one",
    "why many",
    "reproduction",
    "tried",
)


class Tags(HTMLParser):
    """Counts tags and holds each to be closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):  # noqa: ARG002  the parser's signature
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize("kind", RESULTS)
def test_a_console_shows_a_few_short_lines(results, kind):
    lines = repr(results[kind]).splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 120
    assert "object at 0x" not in lines[0]


@pytest.mark.parametrize("kind", RESULTS)
def test_a_notebook_shows_no_more_than_a_screen(results, kind):
    html = results[kind]._repr_html_()
    reader = Tags()
    reader.feed(html)
    assert reader.open == []
    assert "script" not in reader.seen
    assert not re.search(r"https?://|@import|url\(|\bsrc=", html)
    assert reader.seen.count("tr") <= 18
    assert reader.seen.count("svg") <= 1
    for height in re.findall(r'viewBox="0 0 [\d.]+ ([\d.]+)"', html):
        assert float(height) <= 320
    assert html == results[kind]._repr_html_()


@pytest.mark.parametrize("kind", RESULTS)
def test_the_whole_page_is_written_as_a_file(results, kind, tmp_path):
    path = tmp_path / "page.html"
    results[kind].to_html(path)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.rstrip().endswith("</html>")
    assert list(tmp_path.iterdir()) == [path]


def test_the_page_is_the_one_of_the_command_line(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, Y = wide(3)
    X.assign(rain=Y.iloc[:, 0]).set_axis([*"abc", "rain"], axis=1).to_csv("sky.csv", index=False)
    dataset = jb.load_dataset("sky.csv")
    assert run("describe", "sky.csv", "--html", "line.html")[0] == 0
    jb.describe(dataset).to_html("python.html")
    assert (tmp_path / "line.html").read_bytes() == (tmp_path / "python.html").read_bytes()
    assert run("evaluate", "tan", "sky.csv", "--cv", 2, "--html", "line.html")[0] == 0
    jb.evaluate("tan", dataset, cv=2).to_html("python.html")
    pages = [(tmp_path / f"{who}.html").read_text(encoding="utf-8") for who in ("line", "python")]
    timeless = [re.sub(r"[\d.,]+ (s a fold|MB more)", "", page) for page in pages]
    assert timeless[0] == timeless[1]
    assert "Each class" in pages[0]


def test_names_cannot_command_a_terminal():
    page = Page("a\x1b[2Jb", "c\x9bd", (("e\u202ef", "g\x07h"),), ())
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", as_text(page))


def test_the_reasons_of_a_row_are_those_of_the_explanation(results):
    why = results["why many"]
    told = reasons(why, 4, most=2)["labels"]
    assert len(told) == 3
    for j, part in enumerate(told):
        assert part["log_odds"] == why.log_odds[4, j]
        sizes = np.sort(np.abs(why.contributions[4, j]))[::-1]
        assert [abs(one["log_odds"]) for one in part["contributions"]] == sizes[:2].tolist()


def test_what_is_no_result_has_no_page():
    with pytest.raises(ValueError, match="a dict has no page; what describe, evaluate"):
        page_of({})
