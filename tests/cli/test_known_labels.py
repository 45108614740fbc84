"""Unknown labels, rules, sets and audits on the command line."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

import jointbayes as jb

RNG = np.random.default_rng(0)
SIZE = RNG.normal(size=90).round(3)
FRAME = pd.DataFrame({"size": SIZE, "weight": RNG.normal(size=90).round(3)})
FRAME["big"] = (SIZE + RNG.normal(0, 0.4, 90) > 0).astype(int)
FRAME["heavy"] = FRAME["big"] | (FRAME["weight"] > 1).astype(int)
GAPS = FRAME.astype({"big": "Int64", "heavy": "Int64"})
GAPS.loc[::4, "big"] = pd.NA
TARGET = ("--target", "big,heavy")


@pytest.fixture
def run(run, monkeypatch, tmp_path):
    """Run the program in a directory with two files."""
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("whole.csv", index=False)
    GAPS.to_csv("gaps.csv", index=False)
    (tmp_path / "rules.txt").write_text("exactly 1:\n")
    return run


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_labels_that_are_not_known_are_refused_or_learned_from(run):
    status, _, said = run("fit", "CTBN", "gaps.csv", *TARGET, "-o", "m.model")
    assert status == 1
    assert "--unknown learn" in said
    assert run("fit", "CTBN", "gaps.csv", *TARGET, "--unknown", "learn", "-o", "m.model")[0] == 0
    model = jb.load("m.model")
    same = jb.CTBN(unknown="learn").fit(GAPS[["size", "weight"]], GAPS[["big", "heavy"]])
    X = FRAME[["size", "weight"]]
    assert np.allclose(model.predict_proba(X), same.predict_proba(X))


def test_a_refusal_names_no_option_that_the_verb_does_not_have(run):
    status, _, said = run("try", "gaps.csv", *TARGET)
    assert status == 1
    assert "--missing-labels drop" in said
    assert "--unknown" not in said
    status, _, said = run("audit", "BinaryRelevance", "gaps.csv", *TARGET)
    assert status == 1
    assert "--unknown learn" in said
    assert run("audit", "BinaryRelevance", "gaps.csv", *TARGET, "--unknown", "learn")[0] == 0


def test_a_question_mark_is_a_label_that_is_not_known(tmp_path):
    GAPS.to_csv(tmp_path / "marks.csv", index=False, na_rep="?")
    GAPS.to_csv(tmp_path / "gaps.csv", index=False)
    files = [
        jb.load_dataset(tmp_path / name, target=["big", "heavy"])
        for name in ("marks.csv", "gaps.csv")
    ]
    assert np.isnan(files[0].Y[0, 0])
    assert np.array_equal(*(np.asarray(d.Y, dtype=float) for d in files), equal_nan=True)


def test_evaluate_and_compare_learn_from_what_is_known(run):
    learn = ("--unknown", "learn", "--cv", "2", "--json", "-q")
    status, out, _ = run("evaluate", "BinaryRelevance", "gaps.csv", *TARGET, *learn)
    assert status == 0
    assert json.loads(out)["metrics"]["hamming_accuracy"]["mean"] > 0.7
    status, out, _ = run("compare", "BinaryRelevance", "MLkNN", "-d", "gaps.csv", *TARGET, *learn)
    assert status == 0
    assert "MLkNN" in out


def test_answers_obey_rules(run):
    assert run("fit", "BinaryRelevance", "whole.csv", *TARGET, "-o", "m.model")[0] == 0
    status, out, _ = run("predict", "m.model", "whole.csv", "--rules", "rules.txt", "-q")
    assert status == 0
    assert all(int(row["big"]) + int(row["heavy"]) == 1 for row in rows(out))
    status, out, _ = run(
        "evaluate",
        "BinaryRelevance",
        "whole.csv",
        *TARGET,
        "--rules",
        "rules.txt",
        "--cv",
        "2",
        "--json",
        "-q",
    )
    assert status == 0
    assert all(0 < fold["broken"] <= 1 for fold in json.loads(out)["folds"])


def test_sets_are_rows(run):
    assert run("fit", "Conformal(CTBN)", "whole.csv", *TARGET, "-o", "c.model")[0] == 0
    status, out, _ = run("predict", "c.model", "whole.csv", "--alpha", "0.2", "--precise", "-q")
    assert status == 0
    model = jb.load("c.model").set_params(alpha=0.2)
    sets = model.predict_sets(FRAME[["size", "weight"]])
    found = rows(out)
    assert len(found) == sets.size().sum()
    third = [[int(r["big"]), int(r["heavy"])] for r in found if r["row"] == "3"]
    assert third == sets.vectors(3).tolist()
    log_p = [np.log(float(r["probability"])) for r in found if r["row"] == "3"]
    assert np.allclose(log_p, sets.posterior[[3] * len(third)].log_prob(third))


def test_sets_are_asked_of_a_model_that_makes_them(run):
    assert run("fit", "CTBN", "whole.csv", *TARGET, "-o", "m.model")[0] == 0
    status, _, said = run("predict", "m.model", "whole.csv", "--alpha", "0.1")
    assert status == 1
    assert "fit 'Conformal(CTBN)' instead" in said
    status, _, said = run("predict", "m.model", "whole.csv", "--alpha", "0.1", "--top", "2")
    assert status == 1
    assert "--alpha lists sets" in said


def test_audit_finds_what_was_flipped(run, tmp_path):
    wrong = FRAME.copy()
    odd = int(np.argmax(SIZE))
    wrong.loc[odd, ["big", "heavy"]] = 1 - wrong.loc[odd, ["big", "heavy"]]
    wrong.to_csv("wrong.csv", index=False)
    status, out, _ = run("audit", "CTBN", "wrong.csv", *TARGET, "--most", "3", "--json")
    assert status == 0
    assert json.loads(out)["rows"][0]["row"] == odd
    status, out, _ = run("audit", "CTBN", "wrong.csv", *TARGET, "--html", "audit.html")
    assert status == 0
    assert "less probable than another value" in out
    assert "Audit" in (tmp_path / "audit.html").read_text()


def test_describe_proposes_rules(run):
    status, out, _ = run("describe", "whole.csv", *TARGET)
    assert status == 0
    assert "implies('big', 'heavy')" in out
