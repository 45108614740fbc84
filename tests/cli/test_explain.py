"""``jointbayes explain`` for models of several labels that consist of regressions."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import jointbayes as jb


@pytest.fixture
def songs(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    tempo, key = rng.normal(100, 20, 60).round(2), rng.choice(["minor", "major"], 60)
    sad = ((key == "minor") ^ (rng.random(60) < 0.1)).astype(int)
    calm = np.where(rng.random(60) < 0.8, sad, tempo < 100).astype(int)
    frame = pd.DataFrame({"tempo": tempo, "key": key, "sad": sad, "calm": calm})
    frame.to_csv("songs.csv", index=False)
    return jb.load_dataset("songs.csv", ["sad", "calm"])


def test_a_tree_of_labels_is_explained_with_the_rows_own_values(run, songs):
    labels = ("--target", "sad,calm")
    assert run("fit", "ctbn", "songs.csv", *labels, "-o", "songs.model")[0] == 0
    code, out, _ = run("explain", "songs.model", "songs.csv", "--row", 5, "--json")
    assert code == 0
    told = json.loads(out)
    model = jb.load("songs.model")
    why = model.explain(songs.X[[5]])
    assert told["probability"] == pytest.approx(why.probability[0])
    for j, part in enumerate(told["labels"]):
        total = part["base"] + sum(one["log_odds"] for one in part["contributions"])
        assert total + part["remainder"] == pytest.approx(part["log_odds"])
        assert part["marginal"] == pytest.approx(why.marginal[0, j])
        held = {one["feature"]: one["value"] for one in part["contributions"]}
        assert held == dict(zip(why.feature_names, why.values[0].tolist(), strict=True))
    assert "by the other labels" in run("explain", "songs.model", "songs.csv", "--row", 5)[1]


def test_a_model_that_does_not_add_up_is_refused_with_a_sentence(run, songs):
    numbers = songs.X.select(["tempo"])
    jb.save(jb.BinaryRelevance(GaussianNB()).fit(numbers, songs.Y), "other.model")
    code, _, err = run("explain", "other.model", "songs.csv")
    assert code == 1
    assert "BinaryRelevance: explain adds up what our logistic regressions say" in err
    jb.save(jb.MLkNN().fit(numbers, songs.Y), "near.model")
    code, _, err = run("explain", "near.model", "songs.csv")
    assert code == 1
    assert "MLkNN has no explanation by features" in err
