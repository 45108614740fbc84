"""jointbayes try, as its users meet it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import jointbayes as jb


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table with two labels, the second of which hangs on the first."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2)).round(3)
    happy = (x[:, 0] > 0).astype(int)
    sad = np.where(rng.random(80) < 0.9, 1 - happy, happy)
    rows = pd.DataFrame({"tempo": x[:, 0], "key": x[:, 1], "happy": happy, "sad": sad})
    rows.to_csv("songs.csv", index=False)
    return rows


def test_it_says_what_it_read_what_to_use_and_how_to_go_on(run, table):
    code, out, err = run(
        "try", "songs.csv", "--target", "happy,sad", "--cv", "2", "--save", "best.jb"
    )
    assert code == 0, err
    assert "songs: 80 rows, 2 features, 2 labels, happy, sad" in err
    for words in ("Use ", "baseline", "RandomForestClassifier", "Leaderboard", "★ best"):
        assert words in out
    lines = out[out.index("import jointbayes") :]
    known = {}
    exec(lines, known)
    model, data = known["model"], known["data"]
    assert data.label_names == ("happy", "sad")
    np.testing.assert_array_equal(model.predict(data.X), jb.load("best.jb").predict(data.X))
    _, answered, _ = run("predict", "best.jb", "songs.csv")
    assert answered.splitlines()[0] == "happy,sad"
    assert len(answered.splitlines()) == 1 + len(table)


def test_json_and_the_page(run, table):
    _, out, _ = run(
        "try", "songs.csv", "--target", "sad", "--cv", "2", "--html", "page.html", "--json", "-q"
    )
    told = json.loads(out)
    assert told["labels"] == ["sad"] and told["rows"] == len(table)
    assert told["leaderboard"][0]["verdict"] == "best"
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Models tried on songs" in page and "data = jb.load_dataset(" in page


@pytest.mark.parametrize(
    "options, sentence",
    [
        (["--loss", "f1"], "loss='f1' is of sets of labels"),
        (["--loss", "accuracy"], "choose one of subset, hamming, f1, jaccard"),
        (["--time", "-3"], "time_limit"),
    ],
)
def test_mistakes_are_one_sentence(run, table, options, sentence):
    table.assign(kind=np.where(table["happy"], "loud", "soft")).to_csv("kinds.csv", index=False)
    code, _, err = run("try", "kinds.csv", "--target", "kind", *options)
    assert code == 1
    assert sentence in err and "Traceback" not in err
