"""A messy table is read as its owner means it, and says how."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from messy_table import LABELS, as_csv, messy_rows, write_messy
from sklearn.feature_extraction.text import TfidfVectorizer

import jointbayes as jb
from jointbayes.datasets.notes import brief, in_full


@pytest.fixture(scope="module")
def tickets(tmp_path_factory):
    path = tmp_path_factory.mktemp("messy") / "tickets.csv"
    return path, write_messy(path)


def seconds(day: dt.date) -> float:
    return dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC).timestamp()


def test_every_column_is_what_was_meant(tickets):
    path, meant = tickets
    data = jb.load_dataset(path, f"{LABELS[0]}:{LABELS[-1]}")
    assert data.feature_names == ("Betrag (€)", "Gewicht", "Datum", "Stadt", "Land", "Tags")
    X = data.X
    np.testing.assert_array_equal(X.column("Betrag (€)").values, meant.amounts)
    np.testing.assert_array_equal(X.column("Gewicht").values, meant.weights)
    assert X.column("Datum").kind == "date"
    assert X.column("Datum").values.tolist() == [seconds(day) for day in meant.days]
    assert X.column("Stadt").decoded().tolist() == list(meant.cities)
    assert data.label_names == LABELS
    assert (data.Y == "ja").astype(int).tolist() == meant.labels.tolist()
    assert 0.45 < (meant.labels.sum(axis=1) == 0).mean() < 0.47


def test_what_was_read_is_said(tickets):
    data = jb.load_dataset(tickets[0])
    assert brief(data.notes) == (
        "read as cp1252; decimal commas: Betrag (€); dots between thousands: Gewicht; "
        "read as dates: Datum (dmy); taken as the label: Lob (the last column); "
        "left out: Ticket-ID (only names the rows); "
        "left out: Text (free text: --text reads its words); constant: Land (tells nothing)"
    )
    lines = in_full(data.notes)
    assert len(lines) == len(data.notes)
    assert "another order, or none: dates= (--dates)" in lines[3]


def test_labels_are_labels_and_empty_rows_are_empty(tickets):
    data = jb.load_dataset(tickets[0], list(LABELS))
    model = jb.MultilabelFAN().fit(data.X, data.Y)
    assert tuple(model.label_names_) == LABELS
    assert [c.tolist() for c in model.classes_] == [["nein", "ja"]] * 5
    assert (model.predict(data.X) == "nein").all(axis=1).any()


def test_tags_become_labels(tickets):
    path, meant = tickets
    data = jb.load_dataset(path, split="Tags")
    assert data.label_names == ("alt", "neu", "vip")
    want = [[int(tag in tags) for tag in data.label_names] for tags in meant.tags]
    assert data.Y.tolist() == want
    both = jb.load_dataset(path, ["Lob"], split={"Tags": "|"}, positive={"Lob": "ja"})
    assert both.label_names == ("Lob", "alt", "neu", "vip")
    assert both.Y.tolist() == [[int(m[4]), *w] for m, w in zip(meant.labels, want, strict=True)]


def test_words_of_the_text(tickets):
    path, meant = tickets
    data = jb.load_dataset(path, list(LABELS), text="Text=40")
    (words,) = data.words
    assert len(words.vocabulary) == 40
    want = TfidfVectorizer(max_features=40, min_df=2).fit_transform(meant.texts).toarray()
    found = np.column_stack([data.X.column(f"Text: {w}").values for w in words.vocabulary])
    np.testing.assert_allclose(found, want, rtol=0, atol=1e-12)
    again = jb.load_dataset(path, "none", identifiers="keep", text=data.words)
    assert set(data.feature_names) <= set(again.feature_names)


@pytest.mark.parametrize(
    ("options", "column", "kind"),
    [
        ({"decimal": "."}, "Betrag (€)", "nominal"),
        ({"decimal": "."}, "Gewicht", "numeric"),
        ({"dates": "none"}, "Datum", "nominal"),
        ({"dates": "mdy"}, "Datum", "nominal"),
        ({"dates": "dmy"}, "Datum", "date"),
        ({"encoding": "cp1252"}, "Betrag (€)", "numeric"),
        ({"encoding": "latin-1"}, "Betrag (\x80)", "numeric"),
    ],
)
def test_every_rule_can_be_overruled(tickets, options, column, kind):
    data = jb.load_dataset(tickets[0], identifiers="keep", **options)
    assert data.X.column(column).kind == kind


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_every_encoding_gives_the_same_table(tmp_path, encoding):
    rows = messy_rows(60, seed=1)
    path = tmp_path / "t.csv"
    path.write_bytes(as_csv(rows).decode("cp1252").encode(encoding))
    data = jb.load_dataset(path)
    assert data.feature_names[0] == "Betrag (€)"
    assert data.X.column("Stadt").decoded().tolist() == list(rows.cities)


def test_positive_values_are_those_of_binarize(tickets):
    path, meant = tickets
    plain = jb.load_dataset(path, ["Stadt", "Lob"])
    found = jb.load_dataset(path, ["Stadt", "Lob"], positive={"Stadt": "Köln"})
    assert found.Y[:, 0].tolist() == [int(city == "Köln") for city in meant.cities]
    both = jb.load_dataset(path, ["Stadt", "Lob"], positive=["Stadt=Köln", "Lob=ja"])
    want = jb.labels.binarize(plain.Y, positive={"Stadt": "Köln", "Lob": "ja"})
    np.testing.assert_array_equal(both.Y, want)
