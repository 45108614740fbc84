"""Who is ahead on one data set and on many, and that ties are called ties."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.errors import DataError
from jointbayes.report.comparing import page_of_comparison
from jointbayes.statistics import corrected_t, wilcoxon_pairs
from jointbayes.validation import Comparison, compare


def made(values, metric="f1_macro"):
    """A comparison of models on data sets, from {data set: {model: scores of the folds}}."""
    records = [
        {"dataset": d, "model": m, "fold": k, "error": None if v is not None else "it broke",
         "train_rows": 90, "test_rows": 10, "fit_seconds": 0.1, "predict_seconds": 0.1,
         "peak_bytes": None, metric: v}
        for d, row in values.items() for m, folds in row.items() for k, v in enumerate(folds)
    ]  # fmt: skip
    models = tuple(dict.fromkeys(r["model"] for r in records))
    return Comparison(models, tuple(values), (metric,), tuple(records))


NOISE = np.random.default_rng(0).normal(0, 0.01, 10)
HIGH, LOW = (0.9 + NOISE).tolist(), (0.5 - NOISE).tolist()
NEAR = (0.9 + NOISE[::-1] - 0.001).tolist()


def test_models_that_answer_alike_tie():
    found = made({"d": {"a": HIGH, "b": HIGH, "c": LOW}})
    standing = found.standing("f1_macro")
    assert (standing.best, standing.level, standing.tested) == (("a", "b"), (), True)
    assert page_of_comparison(found).lead == "By f1_macro, a and b tie."
    (pair,) = [p for p in found.tests("f1_macro") if {p.first, p.second} == {"a", "b"}]
    assert pair.p_value == 1.0


def test_what_the_folds_do_not_tell_apart_is_said():
    found = made({"d": {"a": HIGH, "b": NEAR, "c": LOW}})
    standing = found.standing("f1_macro")
    assert (standing.best, standing.level) == (("a",), ("b",))
    page = page_of_comparison(found)
    assert page.lead == "By f1_macro, a scores best; b is not told apart from it."
    grid = page.sections[0].blocks[0]
    assert [row[1].text.split()[-1] for row in grid.rows[:2]] == ["★", "≈"]
    assert grid.rows[2][1].text == f"{np.mean(LOW):.4f}"
    tests = page.sections[1].blocks[0]
    assert [row[-1].text for row in tests.rows] == ["not told apart", "they differ", "they differ"]


def test_a_clear_winner_is_best_and_losses_are_better_low():
    assert page_of_comparison(made({"d": {"a": LOW, "b": HIGH}})).lead == "By f1_macro, b is best."
    found = made({"d": {"a": LOW, "b": HIGH}}, "log_loss")
    assert found.standing("log_loss").best == ("a",)


def test_the_tests_of_one_data_set_are_over_its_folds_and_of_many_over_their_means():
    (pair,) = made({"d": {"a": HIGH, "b": NEAR}}).tests("f1_macro")
    assert pair.p_value == corrected_t(HIGH, NEAR, test_share=1 / 9).p_value
    many = {f"d{i}": {"a": [0.9 + i / 100], "b": [0.8]} for i in range(6)}
    means = {"a": [0.9 + i / 100 for i in range(6)], "b": [0.8] * 6}
    assert made(many).tests("f1_macro") == wilcoxon_pairs(means)


def test_what_failed_or_is_infinite_is_not_tested():
    found = made({"d": {"a": [0.1, 0.2], "b": [None, 0.2], "c": [0.3, math.inf]}}, "log_loss")
    assert found.tests("log_loss") == ()
    standing = found.standing("log_loss")
    assert (standing.best, standing.tested) == (("a",), False)
    assert page_of_comparison(found).lead == "By log_loss, a scores best, which is not tested."
    with pytest.raises(DataError, match="no model finished"):
        made({"d": {"a": [None], "b": [None]}}).standing("f1_macro")


def test_equal_ranks_share_the_first_place():
    both = {"d0": {"a": [0.9], "b": [0.8]}, "d1": {"a": [0.8], "b": [0.9]}}
    page = page_of_comparison(made(both))
    assert page.lead == "2 models on 2 data sets. By f1_macro, a and b share the best rank."


def test_one_model_under_two_names_ties_with_itself_by_every_metric():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 2)).astype(str), rng.integers(0, 2, 60)
    found = compare({"one": "tan", "other": jb.TAN(n_jobs=1)}, [(X, y)], cv=3)
    assert {found.standing(metric).best for metric in found.metrics} == {("one", "other")}
    page = page_of_comparison(found)
    assert page.lead == "By subset_accuracy, one and other tie."
    assert {row[-1].text for row in page.sections[1].blocks[0].rows} == {"a tie"}
