"""Explanations as people read them: signs, values, probabilities, and what adds up."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import jointbayes as jb
from jointbayes.learners.logistic.estimator import BatchedLogistic
from jointbayes.plots import Bar, bars
from jointbayes.report import as_text
from jointbayes.report.explaining import page_of_explanation, reasons
from jointbayes.report.page import Picture


@pytest.fixture(scope="module")
def why():
    rng = np.random.default_rng(0)
    tempo, key = rng.normal(100, 20, 120).round(1), rng.choice(["minor", "major"], 120)
    sad = ((key == "minor") ^ (rng.random(120) < 0.1)).astype(int)
    calm = np.where(rng.random(120) < 0.8, sad, tempo < 100).astype(int)
    X = pd.DataFrame({"tempo": tempo, "key": key})
    X.loc[3, "tempo"] = np.nan
    labels = pd.DataFrame({"sad": sad, "calm": calm})
    return jb.CTBN(BatchedLogistic(penalty=1.0), random_state=0).fit(X, labels).explain(X)


def test_a_row_is_told_with_its_values_names_and_probabilities(why):
    told = reasons(why, 5)
    assert told["probability"] == why.probability[5]
    assert [part["label"] for part in told["labels"]] == ["sad", "calm"]
    for j, part in enumerate(told["labels"]):
        assert part["marginal"] == why.marginal[5, j]
        assert part["others"] == why.others[5, j]
        held = {one["feature"]: one["value"] for one in part["contributions"]}
        assert held == dict(zip(why.feature_names, why.values[5].tolist(), strict=True))
    assert {"feature": "tempo", "value": None}.items() <= max(
        reasons(why, 3)["labels"][0]["contributions"], key=lambda one: one["feature"]
    ).items()


def test_for_and_against_are_told_apart_on_a_terminal(why):
    assert (why.contributions < 0).any(axis=(1, 2)).any()
    row = int(np.argmax((why.contributions < -0.3).any(axis=(1, 2))))
    text = as_text(page_of_explanation(reasons(why, row)))
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"P\(sad = \d\) = 0\.\d{3}\. Against \d by log-odds of", text)
    assert "by the other labels" in text
    told = [line for line in text.splitlines() if re.match("(tempo|key) ", line)]
    assert told
    for line in told:
        assert ("−" in line) == ("-" in line)
        assert ("█" not in line) if "−" in line else ("░" not in line)


def test_all_labels_are_drawn_to_one_scale_and_the_bars_add_up(why):
    page = page_of_explanation(reasons(why, 5))
    pictures = [b for s in page.sections for b in s.blocks if isinstance(b, Picture)]
    ticks = [
        [mark.text for mark in one.drawing.marks if getattr(mark, "anchor", "") == "middle"]
        for one in pictures
    ]
    assert ticks[0] == ticks[1]
    for j, one in enumerate(pictures):
        said = one.drawing.description.removeprefix("log-odds: ").removesuffix(".")
        total = sum(float(part.rsplit(" ", 1)[1]) for part in said.split(", "))
        assert total == pytest.approx(why.log_odds[5, j], abs=3e-3)


def test_a_flip_that_is_impossible_has_a_page_too(tmp_path):
    X = pd.DataFrame({"a": np.arange(20.0)})
    one = jb.NaiBX().fit(X, [[1, 0], [0, 1]] * 10).explain(X[:1])
    told = reasons(one)["labels"][0]
    assert told["log_odds"] is told["remainder"] is None
    assert "is impossible" in as_text(page_of_explanation(reasons(one)))
    one.to_html(tmp_path / "why.html")
    assert "is impossible" in (tmp_path / "why.html").read_text(encoding="utf-8")


def test_an_axis_reaches_what_it_is_told_to():
    short, long = (bars([Bar("a", 1.0)], "x", span=span) for span in ((), (10.0,)))
    assert short.description == long.description
    assert short.marks != long.marks
