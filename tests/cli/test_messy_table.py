"""A table as people keep it: the command line, which reads it by itself, against careful hands.

The rival is given the rows as they are meant: a scikit-learn Pipeline that somebody wrote for this
table, with words, dates, categories and penalties chosen by cross-validation. Both learn from the
same two thirds of the rows, three times. ``pytest -s`` prints the scores side by side.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import sklearn
from messy_table import LABELS, Messy, as_csv, messy_rows
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer, OneHotEncoder, StandardScaler
from sklearn.utils.fixes import parse_version

# What scikit-learn 1.8 and later want to hear so as not to warn of changes to come.
PLAIN = {"l1_ratios": (0,), "use_legacy_attributes": True}
PLAIN = {} if parse_version(sklearn.__version__) < parse_version("1.8") else PLAIN

COLUMNS = ("ids", "amounts", "weights", "days", "cities", "texts", "tags", "labels")


def take(rows: Messy, index) -> Messy:
    kept = {}
    for name in COLUMNS:
        column = getattr(rows, name)
        array = isinstance(column, np.ndarray)
        kept[name] = column[index] if array else tuple(column[i] for i in index)
    return replace(rows, **kept)


def as_meant(rows: Messy) -> pd.DataFrame:
    tags = MultiLabelBinarizer(classes=["neu", "alt", "vip"]).fit_transform(rows.tags)
    return pd.DataFrame(
        {
            "amount": np.log(rows.amounts),
            "weight": rows.weights,
            "day": [day.toordinal() for day in rows.days],
            "city": rows.cities,
            "text": rows.texts,
            **dict(zip(["neu", "alt", "vip"], tags.T, strict=True)),
        }
    )


def careful_pipeline():
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    columns = make_column_transformer(
        (numbers, ["amount", "weight", "day", "neu", "alt", "vip"]),
        (OneHotEncoder(handle_unknown="ignore"), ["city"]),
        (TfidfVectorizer(min_df=2), "text"),
    )
    regression = LogisticRegressionCV(Cs=5, cv=3, scoring="neg_log_loss", max_iter=2000, **PLAIN)
    return make_pipeline(columns, MultiOutputClassifier(regression))


def test_the_command_line_is_no_worse_than_a_careful_pipeline(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = messy_rows(900)
    order = np.random.default_rng(0).permutation(len(rows.ids))
    ours, theirs = [], []
    for part in np.array_split(order, 3):
        train, test = take(rows, np.setdiff1d(order, part)), take(rows, part)
        (tmp_path / "train.csv").write_bytes(as_csv(train))
        (tmp_path / "test.csv").write_bytes(as_csv(test))
        target = ["--target", f"{LABELS[0]}:{LABELS[-1]}", "--text", "Text", "-o", "model.jb"]
        assert run("fit", "ClassifierChain", "train.csv", *target)[0] == 0
        code, out, _ = run("predict", "model.jb", "test.csv")
        assert code == 0
        said = [[row[name] == "ja" for name in LABELS] for row in csv.DictReader(io.StringIO(out))]
        ours.append((np.array(said) == test.labels).all(axis=1).mean())
        rival = careful_pipeline().fit(as_meant(train), train.labels)
        theirs.append((rival.predict(as_meant(test)) == test.labels).all(axis=1).mean())
    print(f"\nexact match: jointbayes {np.mean(ours):.3f}, scikit-learn {np.mean(theirs):.3f}")  # noqa: T201
    assert np.mean(ours) >= np.mean(theirs)
