"""How the command line reads files, says so, and carries what it was told to the answers."""

from __future__ import annotations

import csv
import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from messy_table import LABELS, write_messy

import jointbayes as jb

RANGE = f"{LABELS[0]}:{LABELS[-1]}"


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def tickets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_messy(tmp_path / "tickets.csv", 200)


@pytest.fixture
def model(run, tickets):  # noqa: ARG001  it writes the file
    options = ["--target", RANGE, "--text", "Text=20", "--id", "Ticket-ID", "-o", "t.model"]
    assert run("fit", "CTBN", "tickets.csv", *options)[0] == 0
    return jb.load("t.model")


def test_every_verb_says_on_one_line_how_the_file_was_read(run, tickets):  # noqa: ARG001
    said = "jointbayes: tickets: read as cp1252; decimal commas: Betrag (€); dots between thousands"
    for verb in (
        ["fit", "NaiveBayes", "tickets.csv", "-o", "x.model"],
        ["evaluate", "NaiveBayes", "tickets.csv", "--cv", "2"],
        ["compare", "NaiveBayes", "-d", "tickets.csv", "--cv", "2"],
    ):
        code, _, err = run(*verb)
        assert code == 0
        assert err.splitlines()[0].startswith(said)
        assert "left out: Ticket-ID (only names the rows)" in err
        assert run(*verb, "--quiet")[2] == ""
    for verb in (["predict"], ["explain"]):
        code, _, err = run(*verb, "x.model", "tickets.csv")
        assert code == 0
        assert "decimal commas: Betrag (€)" in err
        assert "Ticket-ID" not in err  # which the model does not look at
        assert err.count("\n") == 1


def test_describe_reports_in_full(run, tickets):  # noqa: ARG001
    code, out, err = run("describe", "tickets.csv", "--target", RANGE)
    assert (code, err) == (0, "")
    flat = " ".join(out.split())
    assert "decimal commas: Betrag (€)" in flat
    assert "another order, or none: dates= (--dates)" in flat
    found = json.loads(run("describe", "tickets.csv", "--json")[1])["notes"]
    assert {
        "what": "constant",
        "columns": ["Land"],
        "why": "tells nothing",
        "otherwise": "",
    } in found


def test_words_are_part_of_the_saved_model(run, model, tickets):
    data = jb.load_dataset("tickets.csv", list(LABELS), text="Text=20", identifiers=["drop", 0])
    want = model.predict_proba(data.X)
    code, out, _ = run("predict", "t.model", "tickets.csv", "--proba", "--json")
    assert code == 0
    found = [[row[f"{name}=ja"] for name in LABELS] for row in json.loads(out)]
    np.testing.assert_allclose(found, want, rtol=0, atol=1e-9)
    few = pd.read_csv("tickets.csv", sep=";", encoding="cp1252", dtype=str).head(3)
    few.to_csv("few.csv", sep=";", index=False)  # in UTF-8, with fewer words
    _, out, _ = run("predict", "t.model", "few.csv", "--proba", "--json")
    found = [[row[f"{name}=ja"] for name in LABELS] for row in json.loads(out)]
    np.testing.assert_allclose(found, want[:3], rtol=0, atol=1e-9)
    assert [row["Ticket-ID"] for row in json.loads(out)] == list(tickets.ids[:3])


def test_identifiers_are_carried_to_the_answers(run, model, tickets):  # noqa: ARG001
    _, out, _ = run("predict", "t.model", "tickets.csv")
    assert [row["Ticket-ID"] for row in rows(out)] == list(tickets.ids)
    _, out, _ = run("predict", "t.model", "tickets.csv", "--top", 2)
    assert [row["Ticket-ID"] for row in rows(out)][:3] == [*[tickets.ids[0]] * 2, tickets.ids[1]]
    _, out, _ = run("predict", "t.model", "tickets.csv", "--id", "Datum", "--id", "Gewicht")
    assert list(rows(out)[0])[:2] == ["Datum", "Gewicht"]
    assert rows(out)[0]["Datum"] == str(tickets.days[0])
    assert rows(out)[0]["Gewicht"] == str(tickets.weights[0])
    code, out, err = run("predict", "t.model", "tickets.csv", "--id", "Tiket")
    assert (code, out) == (1, "")
    assert "id names the column 'Tiket', which is not there; did you mean 'Ticket-ID'" in err


def test_labels_that_are_known(run, model):
    data = jb.load_dataset("tickets.csv", list(LABELS), text="Text=20", identifiers=["drop", 0])
    known = model.posterior(data.X).given({"dringend": "ja"})
    _, out, _ = run(
        "predict", "t.model", "tickets.csv", "--given", "dringend=ja", "--proba", "--precise"
    )
    found = rows(out)
    assert [[row[name] for name in LABELS] for row in found] == known.decide("subset").tolist()
    assert {row["dringend=ja"] for row in found} == {"1.0"}
    want = known.marginals()[0][:, 1]
    assert [float(row[f"{LABELS[0]}=ja"]) for row in found] == want.tolist()
    _, out, _ = run("predict", "t.model", "tickets.csv", "--given", "dringend=ja", "--top", 1)
    assert {row["dringend"] for row in rows(out)} == {"ja"}


def test_probabilities_have_six_digits_unless_asked(run, model):  # noqa: ARG001
    _, short, _ = run("predict", "t.model", "tickets.csv", "--proba")
    _, long, _ = run("predict", "t.model", "tickets.csv", "--proba", "--precise")
    name = f"{LABELS[0]}=ja"
    for few, all_digits in zip(rows(short), rows(long), strict=True):
        assert few[name] == repr(float(f"{float(all_digits[name]):.6g}"))
    assert len(long) > len(short)


@pytest.mark.parametrize(
    ("which", "names"),
    [
        ("-5:", LABELS),
        (RANGE, LABELS),
        ("Technik:", LABELS[2:]),
        ("-2:-1", LABELS[3:4]),
        ("8:10", LABELS[:2]),
        ("Technik,Lob", ("Technik", "Lob")),
        ("8,-1", (LABELS[0], "Lob")),
    ],
)
def test_ranges_and_lists_of_columns(run, tickets, which, names):  # noqa: ARG001
    code, out, _ = run("describe", "tickets.csv", "--target", which, "--json")
    assert code == 0
    assert tuple(json.loads(out)["labels"]) == names


def test_help_says_how_columns_are_named(run):
    words = " ".join(run("fit", "--help")[1].replace("│", " ").split())
    for said in ("a number from 0", "3:7 is 3 to 6", "-5: the last five", "A:B both", "commas"):
        assert said in words
    for option in ("--decimal", "--dates", "--encoding", "--text", "--split", "--positive", "--id"):
        assert option in words


def test_lists_of_labels_and_positive_values(run, tickets):
    _, out, err = run("describe", "tickets.csv", "--split", "Tags=|", "--json")
    assert list(json.loads(out)["labels"]) == ["alt", "neu", "vip"]
    _, _, err = run("evaluate", "NaiveBayes", "tickets.csv", "--target", "Tags", "--cv", 2,
                    "--missing-labels", "drop", "--metric", "subset_accuracy")  # fmt: skip
    assert "read as one value: Tags (cells seem to hold several: --split)" in err
    _, out, _ = run(
        "describe", "tickets.csv", "--target", "Stadt", "--positive", "Stadt=Köln", "--json"
    )
    counts = {c["value"]: c["rows"] for c in json.loads(out)["counts"]}
    assert counts[1] == tickets.cities.count("Köln")
    _, _, err = run("describe", "tickets.csv", "--target", "Stadt", "--positive", "Stadt=Koeln")
    assert (
        "positive names the value 'Koeln' of label 'Stadt', which holds Berlin, Düsseldorf" in err
    )


MISTAKES = [
    (["predict", "t.model", "tickets.csv", "-o", "out.xlsx"], "end it in .csv, .json or .parquet"),
    (["predict", "t.model", "tickets.csv", "--given", "dringend=doch"], "which has nein, ja"),
    (["predict", "t.model", "tickets.csv", "--given", "dringend"], "write label=value"),
    (["predict", "t.model", "tickets.csv", "--given", "eilig=ja"], "the column 'eilig'"),
    (["predict", "t.model", "half.csv"], "'Text', which is not there"),
    (["describe", "book.xlsx"], "is a workbook of Excel or LibreOffice"),
    (["describe", "old.xls"], "is a workbook of Excel; save the table as CSV or Parquet"),
    (["describe", "rows.json"], "is JSON; save the table as CSV or Parquet"),
    (["describe", "lines.txt"], "is JSON; save the table as CSV or Parquet"),
    (["describe", "page.csv"], "is a web page or XML; save the table as CSV or Parquet"),
    (["describe", "array.npy"], "is a numpy array"),
    (["fit", "NaiveBayes", "tickets.csv", "--target", "Tags", "-o", "x"], "--missing-labels drop"),
    (["fit", "NaiveBayes", "tickets.csv", "--target", "1", "--missing-labels", "drop", "-o", "x"],
     "which are measured and not classes; name another with --target"),
    (["evaluate", "NaiveBayes", "tickets.csv", "--metric", "accuracy"], "near: subset_accuracy"),
    (["describe", "tickets.csv", "--target", "Dringend"], "did you mean 'dringend'?"),
    (["describe", "tickets.csv", "--target", "A:B"], "target names the column 'A:B'"),
    (["describe", "tickets.csv", "--dates", "dym"], "choose one of auto, dmy, mdy, ymd, none"),
    (["describe", "tickets.csv", "--decimal", ";"], "decimal=';' is not known"),
    (["describe", "tickets.csv", "--encoding", "ascii"], "is not text in ascii: it fails at byte"),
    (["describe", "tickets.csv", "--encoding", "utf9"], "encoding='utf9' is not known"),
    (["describe", "tickets.csv", "--text", "Gewicht"], "column 'Gewicht' does not hold text"),
    (["describe", "tickets.csv", "--text", "Text=no"], "text names 'no' words"),
    (["describe", "tickets.csv", "--split", "Stadt"], "holds no |, ; , or /"),
    (["describe", "tickets.csv", "--positive", "Lob"], "give one of these as label=value"),
    (["describe", "absent"], "JOINTBAYES_DATA"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"), MISTAKES, ids=lambda v: " ".join(v) if isinstance(v, list) else ""
)
def test_every_mistake_is_one_helpful_sentence(run, model, tmp_path, arguments, words):  # noqa: ARG001
    (tmp_path / "book.xlsx").write_bytes(b"PK\x03\x04\x14\0\6\0")
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    (tmp_path / "rows.json").write_text('[{"a": 1}]')
    (tmp_path / "lines.txt").write_text('{"a": 1}\n{"a": 2}\n')
    (tmp_path / "page.csv").write_text("<!DOCTYPE html><html></html>")
    np.save(tmp_path / "array.npy", np.zeros(3))
    frame = pd.read_csv("tickets.csv", sep=";", encoding="cp1252", dtype=str)
    frame.drop(columns="Text").to_csv("half.csv", sep=";", index=False)
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    *notes, sentence = err.splitlines()
    assert sentence.startswith("jointbayes: ")
    assert words in sentence
    assert len(sentence) < 600
    assert len(notes) <= 1
    assert "Error" not in sentence


HOSTILE = "a\x1b[31m\x9b2J\u202eb"


def test_nothing_in_a_file_commands_the_terminal(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({HOSTILE: [1.0, 1.0] * 6, "x": range(12), "class": [HOSTILE, "b"] * 6})
    frame.to_parquet("h.parquet")
    for arguments in (
        ["describe", "h.parquet", "--json"],
        ["fit", "NaiveBayes", "h.parquet", "-o", "h.model"],
        ["predict", "h.model", "h.parquet", "--format", "json"],
        ["evaluate", "NaiveBayes", "h.parquet", "--cv", "2"],
        ["describe", "h.parquet", "--target", "klass"],
        ["describe", "h.parquet", "--target", HOSTILE + "c"],
    ):
        _, out, err = run(*arguments)
        assert not {"\x1b", "\x9b", "\u202e"} & set(out + err)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    _, out, _ = run("predict", "h.model", "h.parquet")
    assert "a�[31m�2J�b" in out


def test_into_a_pipe_labels_are_as_they_are(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"x": range(12), "class": [HOSTILE, "b"] * 6})
    frame.to_parquet("h.parquet")
    run("fit", "NaiveBayes", "h.parquet", "-o", "h.model")
    assert HOSTILE in run("predict", "h.model", "h.parquet")[1]
