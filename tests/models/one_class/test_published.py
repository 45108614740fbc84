"""The published losses of Sun 2017, Table 4, on a set large enough to hold still."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

from jointbayes import AODE, KDB, TAN, WATAN, NaiveBayes, load_dataset


@pytest.mark.parametrize(
    ("name", "model"),
    [("NB", NaiveBayes()), ("TAN", TAN()), ("KDB", KDB()), ("AODE", AODE()), ("WATAN", WATAN())],
)
def test_ten_folds_of_nursery_lose_what_the_paper_lost(shared, name, model):
    with (shared / "published" / "sun2017.csv").open(encoding="utf-8") as file:
        table = [row for row in csv.DictReader(file) if row["table"] == "Table 4"]
    published = {
        row["algorithm"]: float(row["value"]) for row in table if row["dataset"] == "Nursery"
    }
    data = load_dataset(shared / "data" / "uci" / "nursery.arff.xz")
    wrong = 0
    for train, test in KFold(10, shuffle=True, random_state=0).split(np.arange(len(data))):
        fitted = clone(model).fit(data.X[train], data.Y[train])
        wrong += int((fitted.predict(data.X[test]) != data.Y[test]).sum())
    assert wrong / len(data) == pytest.approx(published[name], abs=0.004)
