"""``jointbayes explore``: a model file and rows to one page."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest


@pytest.fixture
def weather(monkeypatch, tmp_path, run):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(
        {"day": [f"d{i}" for i in range(40)], "sky": ["clear", "grey"] * 20}
        | {"sun": [1, 0] * 20, "rain": [0, 1] * 20}
    )
    frame.to_csv("weather.csv", index=False)
    labels = ("--target", "sun,rain", "--id", "day")
    assert run("fit", "CTBN", "weather.csv", *labels, "-o", "weather.jb")[0] == 0
    return frame


def tables(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="tables">(.*?)</script>', text, re.S)[1])


@pytest.mark.usefixtures("weather")
def test_a_page_with_rows_under_their_names(run, tmp_path):
    code, _, err = run("explore", "weather.jb", "--data", "weather.csv", "-o", "page.html")
    assert code == 0
    assert "CTBN is in page.html" in err
    held = tables(tmp_path / "page.html")
    assert held["rows"]["names"][:2] == ["d0", "d1"]
    assert [label["name"] for label in held["labels"]] == ["sun", "rain"]
    assert held["file"] == "weather.jb"
    assert "<title>weather</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("weather")
def test_a_page_without_rows(run, tmp_path):
    assert run("explore", "weather.jb", "-q", "--title", "Sky", "-o", "page.html") == (0, "", "")
    assert tables(tmp_path / "page.html")["rows"]["shown"] == 0


@pytest.mark.usefixtures("weather")
def test_a_model_that_a_page_cannot_show_is_refused_in_one_sentence(run, tmp_path):
    labels = ("--target", "sun,rain", "--id", "day")
    assert run("fit", "NaiBX", "weather.csv", *labels, "-o", "naibx.jb")[0] == 0
    code, out, err = run("explore", "naibx.jb", "-o", "page.html")
    assert (code, out) == (1, "")
    assert err.startswith("jointbayes: explore: NaiBX cannot be recomputed exactly in a page")
    assert not (tmp_path / "page.html").exists()
