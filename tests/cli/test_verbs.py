"""fit, predict, evaluate, compare and explain as their users meet them."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import jointbayes as jb

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "size": RNG.normal(size=60).round(3),
        "colour": RNG.choice(["red", "blue"], 60),
        "grade": RNG.integers(1, 4, 60),
    }
)
FRAME["class"] = np.where(FRAME["size"] > 0, "big", np.where(FRAME["colour"] == "red", "r", "s"))
LABELS = FRAME.drop(columns="class").assign(
    happy=(FRAME["size"] > 0).astype(int), sad=(FRAME["colour"] == "blue").astype(int)
)


@pytest.fixture
def run(run, monkeypatch, tmp_path):
    """Run the program in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return run


@pytest.fixture
def one(run, tmp_path):
    """A file with one class variable, and a model of it."""
    FRAME.to_csv(tmp_path / "one.csv", index=False)
    assert run("fit", "tan", "one.csv", "-o", "one.model")[0] == 0


@pytest.fixture
def two(run, tmp_path):
    """A file with two labels, and a model of it."""
    LABELS.to_csv(tmp_path / "two.csv", index=False)
    assert run("fit", "MultilabelNB", "two.csv", "--target", "happy,sad", "-o", "two.model")[0] == 0


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.usefixtures("one")
def test_fit_writes_the_model_that_the_library_learns(run):
    dataset = jb.load_dataset("one.csv")
    want = jb.TAN().fit(dataset.X, dataset.Y)
    loaded = jb.load("one.model")
    assert np.array_equal(loaded.predict_proba(dataset.X), want.predict_proba(dataset.X))
    code, out, err = run("fit", "kdb", "one.csv", "--set", "k=2", "-o", "kdb.model")
    assert (code, out) == (0, "")
    assert err == "jointbayes: KDB(k=2), learned from 60 rows of one, is in kdb.model\n"
    assert jb.load("kdb.model").k == 2
    code, out, err = run("fit", "kdb", "one.csv", "--json", "-o", "kdb.model")
    assert (json.loads(out)["rows"], err) == (60, "")


@pytest.mark.usefixtures("one")
def test_predict_as_csv_json_and_parquet(run):
    model, dataset = jb.load("one.model"), jb.load_dataset("one.csv")
    code, out, err = run("predict", "one.model", "one.csv")
    assert (code, err) == (0, "")
    assert [row["class"] for row in rows(out)] == model.predict(dataset.X).tolist()
    _, out, _ = run("predict", "one.model", "one.csv", "--proba", "--json")
    found = json.loads(out)
    want = model.predict_proba(dataset.X)
    assert [[row[f"class={c}"] for c in model.classes_] for row in found] == want.tolist()
    for name in ("a.parquet", "a.json", "a.csv"):
        assert run("predict", "one.model", "one.csv", "-o", name)[:2] == (0, "")
    assert pd.read_parquet("a.parquet")["class"].tolist() == model.predict(dataset.X).tolist()
    assert json.loads(Path("a.json").read_text()) == rows(Path("a.csv").read_text())


@pytest.mark.usefixtures("one")
def test_rows_without_labels_in_another_order_are_the_same_rows(run):
    _, want, _ = run("predict", "one.model", "one.csv", "--proba")
    FRAME[["grade", "size", "colour"]].to_csv("new.csv", index=False)
    assert run("predict", "one.model", "new.csv", "--proba")[1] == want
    FRAME[["grade", "size"]].to_csv("new.csv", index=False)
    code, out, err = run("predict", "one.model", "new.csv")
    assert (code, out) == (1, "")
    assert "new.csv lacks the column 'colour', which the model was fitted on" in err


@pytest.mark.usefixtures("two")
def test_the_best_label_sets_and_every_loss(run):
    model, dataset = jb.load("two.model"), jb.load_dataset("two.csv", ["happy", "sad"])
    posterior = model.posterior(dataset.X)
    _, out, _ = run("predict", "two.model", "two.csv", "--top", 2, "--precise")
    found = rows(out)
    vectors, log_p = posterior.top_k(2)
    assert [[int(r["happy"]), int(r["sad"])] for r in found] == vectors.reshape(-1, 2).tolist()
    assert [float(r["probability"]) for r in found] == np.exp(log_p).ravel().tolist()
    assert [(int(r["row"]), int(r["rank"])) for r in found[:3]] == [(0, 1), (0, 2), (1, 1)]
    for loss in ("subset", "hamming", "f1", "jaccard"):
        _, out, _ = run("predict", "two.model", "two.csv", "--loss", loss, "--empty", "allow")
        want = posterior.decide(loss)
        assert [[int(r["happy"]), int(r["sad"])] for r in rows(out)] == want.tolist()
    _, out, _ = run("predict", "two.model", "two.csv", "--proba")
    assert list(rows(out)[0]) == ["happy", "sad", "happy=1", "sad=1"]


@pytest.mark.usefixtures("one")
def test_a_loss_for_a_model_of_one_class_variable(run):
    _, want, _ = run("predict", "one.model", "one.csv")
    assert run("predict", "one.model", "one.csv", "--loss", "hamming")[1] == want
    assert run("predict", "one.model", "one.csv", "--loss", "f1")[0] == 1


def test_sparse_files(run, tmp_path):
    (tmp_path / "train.svm").write_text("a 1:1 3:2\nb 2:1\na 1:2 3:1\nb 2:3\n" * 5)
    (tmp_path / "new.svm").write_text("a 1:1\nb 2:1\n")  # feature 3 does not occur
    assert run("fit", "naivebayes", "train.svm", "-o", "s.model")[0] == 0
    code, out, _ = run("predict", "s.model", "new.svm")
    assert (code, out) == (0, "class\na\nb\n")
    (tmp_path / "dense.csv").write_text("x1,x2,x0\n0,0,1\n1,0,0\n")
    names = jb.load_dataset(tmp_path / "train.svm").feature_names
    assert names == ("x0", "x1", "x2")
    assert run("predict", "s.model", "dense.csv")[1] == out


@pytest.mark.usefixtures("one")
def test_evaluate_is_the_library_s(run):
    dataset = jb.load_dataset("one.csv")
    want = jb.evaluate("tan", dataset.X, dataset.Y, cv=3, random_state=1)
    arguments = ["evaluate", "tan", "one.csv", "--cv", 3, "--seed", 1]
    code, out, err = run(*arguments, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["model"], found["dataset"]) == ("TAN", "one")
    assert {k: tuple(v["folds"]) for k, v in found["metrics"].items()} == {
        name: score.folds for name, score in want.items()
    }
    _, out, _ = run(*arguments)
    assert out.startswith("TAN on one\n")
    assert "over 3 folds" in out
    assert f"{want['log_loss'].mean:.4f}" in out
    assert "KDB(k=3)" in run("evaluate", "kdb", "one.csv", "--set", "k=3", "--cv", 2)[1]


@pytest.mark.usefixtures("one", "two")
def test_compare_lists_failures_and_says_so_by_its_exit_code(run):
    arguments = ["compare", "tan", "KDB(k=2)", "-d", "one.csv", "--cv", 2]
    code, out, err = run(*arguments, "--store", "run.jsonl")
    assert (code, err) == (0, "")
    assert "KDB(k=2)" in out
    _, _, err = run(*arguments, "-d", "one.csv")
    assert "datasets holds 'one' twice" in err
    code, out, err = run("compare", "multilabelnb", "tan", "-d", "two.csv", "--target", "happy,sad",
                         "--cv", 2)  # fmt: skip
    assert code == 1
    said = " ".join(out.partition("What failed")[2].split())
    assert "two TAN 2 TAN has one class variable, and there are 2 labels" in said
    assert err == "jointbayes: 2 of 4 cells failed\n"


@pytest.mark.usefixtures("one")
def test_compare_on_several_data_sets(run):
    FRAME[::-1].to_csv("other.csv", index=False)
    data = ["-d", "one.csv", "-d", "other.csv", "--cv", 2]
    _, out, _ = run("compare", "tan", "naivebayes", *data)
    assert "Average ranks: " in out
    assert "Wilcoxon's signed ranks over 2 data sets" in " ".join(out.split())
    _, out, _ = run("compare", "tan", "naivebayes", "aode", *data, "--metric", "log_loss")
    assert "\nlog_loss ↓\n" in out
    assert "Friedman's test over 2 data sets" in " ".join(out.split())
    _, out, _ = run("compare", "tan", *data, "--json")
    assert {record["dataset"] for record in json.loads(out)["records"]} == {"one", "other"}


@pytest.mark.usefixtures("one")
def test_explain_adds_up(run):
    model, dataset = jb.load("one.model"), jb.load_dataset("one.csv")
    code, out, err = run("explain", "one.model", "one.csv", "--row", 5, "--json")
    assert (code, err) == (0, "")
    (why,) = json.loads(out)["labels"]
    parts = sum(part["log_odds"] for part in why["contributions"])
    assert why["base"] + parts + why["remainder"] == pytest.approx(why["log_odds"])
    assert why["answer"] == model.predict(dataset.X[[5]])[0]
    sizes = [abs(part["log_odds"]) for part in why["contributions"]]
    assert sizes == sorted(sizes, reverse=True)
    _, out, _ = run("explain", "one.model", "one.csv", "--row", -1, "--most", 1)
    answer = model.predict(dataset.X[[59]])[0]
    assert out.startswith(f"Why row 59 is answered so\nclass = {answer}.\n")
    assert "2 that say less are left out" in out


@pytest.mark.usefixtures("two")
def test_explain_label_by_label(run):
    _, out, _ = run("explain", "two.model", "two.csv", "--row", 5, "--json")
    model, dataset = jb.load("two.model"), jb.load_dataset("two.csv", ["happy", "sad"])
    labels = json.loads(out)["labels"]
    assert [part["label"] for part in labels] == ["happy", "sad"]
    assert [part["answer"] for part in labels] == model.predict(dataset.X[[5]])[0].tolist()
    for part in labels:
        total = part["base"] + sum(one["log_odds"] for one in part["contributions"])
        assert total == pytest.approx(part["log_odds"])
    _, out, _ = run("explain", "two.model", "two.csv", "--label", "sad")
    assert out.startswith("Why row 0 is answered so\nsad = ")
    assert "happy" not in out
    _, _, err = run("explain", "two.model", "two.csv", "--html", "why.html")
    assert err == "Wrote why.html\n"
    drawn = Path("why.html").read_text(encoding="utf-8").count("<svg")
    assert drawn == 3  # the whole answer, then each label
    assert "it has happy, sad" in run("explain", "two.model", "two.csv", "--label", "glad")[2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "nb", "one.csv", "-o", "x"], "no model is called 'nb'; did you mean NaiveBayes?"),
        (["fit", "kdb", "one.csv", "--set", "k", "-o", "x"], "write name=value"),
        (["fit", "kdb", "one.csv", "--set", "k=-1", "-o", "x"], "KDB: k=-1 is outside its range"),
        (["fit", "tan", "one.csv", "--target", "1,2", "-o", "x"], "there are 2 labels"),
        (["fit", "tan", "one.csv", "-o", "no/such/place"], "no/such/place cannot be written"),
        (["predict", "one.csv", "one.csv"], "one.csv is not a model file"),
        (["predict", "one.model", "absent.csv"], "there is no file or data set 'absent.csv'"),
        (
            ["predict", "one.model", "one.csv", "--format", "xml"],
            "choose one of csv, json, parquet",
        ),
        (["predict", "one.model", "one.csv", "--format", "parquet"], "name a file with -o"),
        (["predict", "one.model", "one.csv", "--top", "2", "--proba"], "--top ranks whole label"),
        (["predict", "one.model", "one.csv", "--top", "0"], "k must be an integer of at least 1"),
        (["evaluate", "tan", "one.csv", "--metric", "f2"], "no metric is called 'f2'"),
        (["evaluate", "tan", "one.csv", "--cv", "0"], "n_splits must be a whole number from 2"),
        (["explain", "one.model", "one.csv", "--row", "60"], "has rows 0 to 59"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.usefixtures("one")
def test_every_fault_is_one_sentence(run, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert err.startswith("jointbayes: ")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("verb", ["fit", "predict", "evaluate", "compare", "explain", "describe"])
def test_help_has_examples(run, verb):
    code, out, _ = run(verb, "--help")
    assert code == 0
    assert f"jointbayes {verb} " in out.partition("Examples:")[2]
    assert "--data-dir" in out


def program(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "jointbayes.cli", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **options
    )


def test_a_reader_that_has_seen_enough_is_no_error(run, tmp_path):
    pd.concat([FRAME] * 300).to_csv(tmp_path / "long.csv", index=False)
    assert run("fit", "tan", "long.csv", "-o", "one.model")[0] == 0
    process = program("predict", "one.model", "long.csv", "--proba", cwd=tmp_path)
    assert process.stdout.readline().startswith(b"class,")
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


@pytest.mark.usefixtures("one", "ctrl_c")
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_is_one_sentence_and_the_run_resumes(tmp_path, jobs):
    arguments = ["compare", "tan", "-d", "one.csv", "--cv", "60x2", "--store", "run.jsonl"]
    process = program(*arguments, "--jobs", jobs, cwd=tmp_path, start_new_session=True)
    store = tmp_path / "run.jsonl"
    while not store.exists() or store.read_bytes().count(b"\n") < 5:
        assert process.poll() is None
        time.sleep(0.01)  # and not in the way of what it waits for
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    _, err = process.communicate()
    assert process.returncode == 130
    assert err.decode() == (
        "jointbayes: finished cells are in run.jsonl; the same command resumes\n"
    )
    assert store.read_bytes().endswith(b"\n")
