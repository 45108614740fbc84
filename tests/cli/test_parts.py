"""fit and predict of files that are read part by part."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

import jointbayes as jb
from jointbayes.cli import parts

pytest.importorskip("pyarrow")
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "id": [f"row {i}" for i in range(90)],
        "size": RNG.normal(size=90).round(3),
        "colour": RNG.choice(["red", "blue"], 90),
        "happy": RNG.integers(0, 2, 90),
        "sad": RNG.integers(0, 2, 90),
    }
)


@pytest.fixture
def logs(monkeypatch, tmp_path):
    """Three files in a folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    for i in range(3):
        FRAME[30 * i : 30 * i + 30].to_parquet(tmp_path / "logs" / f"{i}.parquet", index=False)
    return tmp_path


def learn(run, source, *more):
    out = run("fit", "MultilabelNB", source, "--target", "happy,sad", "--id", "id", *more)
    assert out[0] == 0, out
    return out


def expected():
    return jb.MultilabelNB().fit(FRAME[["size", "colour"]], FRAME[["happy", "sad"]])


@pytest.mark.parametrize("source", ["logs/*.parquet", "logs"])
def test_a_pattern_and_a_folder_are_all_their_rows(run, logs, source):
    learn(run, source, "-o", "m.model")
    model = jb.load(logs / "m.model")
    X = FRAME[["size", "colour"]]
    np.testing.assert_allclose(model.predict_proba(X), expected().predict_proba(X), atol=1e-12)


def test_answers_are_those_of_files_read_at_once(run, logs):
    learn(run, "logs/*.parquet", "-o", "m.model", "--quiet")
    FRAME.to_csv(logs / "all.csv", index=False)
    for options in ([], ["--proba"], ["--top", "2"], ["--loss", "hamming", "--proba"]):
        whole = run("predict", "m.model", "all.csv", *options, "--quiet")
        in_parts = run("predict", "m.model", "logs/*.parquet", *options, "--quiet")
        assert whole[0] == in_parts[0] == 0
        assert in_parts[1] == whole[1]
    assert len(list(csv.DictReader(io.StringIO(in_parts[1])))) == 90
    code = run("predict", "m.model", "logs", "--proba", "-o", "answers.parquet", "--quiet")[0]
    found = pd.read_parquet(logs / "answers.parquet")
    assert code == 0
    np.testing.assert_allclose(
        found[["happy=1", "sad=1"]],
        expected().predict_proba(FRAME[["size", "colour"]]),
        atol=1e-12,
    )
    assert found["id"].tolist() == FRAME["id"].tolist()


def test_a_large_file_is_read_part_by_part(run, logs, monkeypatch):
    FRAME.to_csv(logs / "all.csv", index=False)
    assert not parts.comes_in_parts("all.csv")
    monkeypatch.setattr(parts, "LARGE", 100)
    assert parts.comes_in_parts("all.csv")
    _, out, _ = learn(run, "all.csv", "-o", "m.model", "--json")
    assert json.loads(out)["feature_names"] == ["size", "colour"]


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["fit", "TAN", "logs/*.parquet", "-o", "m"], "give them with --target"),
        (["fit", "CTBN", "logs", "--target", "sad", "-o", "m"], "take NaiveBayes, TAN"),
        (["fit", "TAN", "no/*.parquet", "--target", "sad", "-o", "m"], "names no file of rows"),
        (
            ["fit", "TAN", "logs", "--target", "sad", "--delimiter", ";", "-o", "m"],
            "--delimiter is for files that are read at once",
        ),
    ],
)
def test_faults_are_one_sentence(run, logs, arguments, sentence):
    code, _, err = run(*arguments)
    assert code != 0
    assert sentence in " ".join(err.split())
    assert not (logs / "m").exists()


def test_a_damaged_file_leaves_no_model_and_no_answers(run, logs):
    learn(run, "logs", "-o", "m.model")
    path = logs / "logs" / "2.parquet"
    path.write_bytes(path.read_bytes()[:-50])
    code, _, err = run("fit", "TAN", "logs", "--target", "sad", "-o", "new.model")
    assert code != 0
    assert "2.parquet cannot be read" in " ".join(err.split())
    code, _, err = run("predict", "m.model", "logs", "-o", "answers.csv")
    assert code != 0
    assert "2.parquet cannot be read" in " ".join(err.split())
    assert sorted(p.name for p in logs.iterdir()) == ["logs", "m.model"]
