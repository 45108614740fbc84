"""What papers say beside scores is seen here too: of data, of networks, of pairs of models."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from jointbayes.datasets import Dataset, load_dataset
from jointbayes.metrics import cohen_kappa
from jointbayes.models.networks.mnb import MultilabelNB
from jointbayes.models.one_class.tan import TAN
from jointbayes.models.one_class.watan import WATAN
from jointbayes.reproduction import reproduce
from jointbayes.reproduction.looks import (
    agreement_of_trees,
    classes_together,
    empty_answers,
    lower_loss,
    slower,
)
from jointbayes.table import Table
from jointbayes.validation import Folds

FOLDS = Folds(3, stratify="none", random_state=0)


def data_of(X, Y):
    X = Table.of(X)
    return Dataset("d", X, np.asarray(Y), ("y",) * np.ndim(Y), X.names)


@pytest.fixture
def flowers():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (90, 4)).astype(str), rng.integers(0, 3, 90)
    X[:, 0] = np.where(rng.random(90) < 0.7, y.astype(str), X[:, 0])
    return data_of(X, y)


def test_the_trees_of_watan_are_asked_one_by_one(flowers):
    answers = []
    for train, test in FOLDS.split(flowers.X):
        model = WATAN().fit(flowers.X[train], flowers.Y[train])
        codes = model.encoder_.codes(flowers.X[test]).dense()
        scores = [m.log_prior + m.terms.sum(axis=1) for m in model.learned_.members(codes)]
        answers.append(np.stack([s.argmax(axis=1) for s in scores]))
    answers = np.concatenate(answers, axis=1)
    pairs = [cohen_kappa(a, b) for a, b in combinations(answers, 2)]
    found = agreement_of_trees(flowers, FOLDS, "WATAN")["agreement of the trees"]
    assert found == pytest.approx([np.mean(pairs)])
    assert found[0] < 1


def test_one_model_against_another(flowers):
    wrong = 0
    for train, test in FOLDS.split(flowers.X):
        model = TAN().fit(flowers.X[train], flowers.Y[train])
        wrong += (model.predict(flowers.X[test]) != flowers.Y[test]).sum()
    (same,) = lower_loss(flowers, FOLDS, "TAN vs TAN")["loss lower by"]
    (other,) = lower_loss(flowers, FOLDS, "LTAN vs TAN")["loss lower by"]
    assert same == 0
    assert (other * wrong / 100) == pytest.approx(round(other * wrong / 100))
    assert len(slower(flowers, FOLDS, "AKDB vs TAN")["seconds longer"]) == 3


def test_cliques_of_classes_are_those_of_the_moral_graph():
    rng = np.random.default_rng(1)
    Y = rng.integers(0, 2, (400, 3))
    X = np.stack([Y[:, 0] ^ Y[:, 1], Y[:, 2]], axis=1).astype(str)
    seen = classes_together(data_of(X, Y), FOLDS, "mNB")
    assert seen["largest clique"] == [2.0]
    assert MultilabelNB().fit(X, Y).learned_.bridge.parents == ((0, 1), (2,))


def test_empty_answers_are_counted_over_all_folds():
    X, Y = [["a"], ["b"]] * 30, [[0, 0], [1, 1]] * 30
    assert empty_answers(data_of(X, Y), FOLDS, "mNB") == {"empty answers": [30.0]}
    assert empty_answers(data_of(X, Y), FOLDS, "ensemble") == {"empty answers": [30.0]}


def test_facts_of_the_file_are_judged_by_rounding_alone(shared):
    found = reproduce("mossina2017", tables=["Sec 5.5"], data_dir=shared / "data")
    (cell,) = found.cells
    assert (cell.source, cell.printed, cell.measured) == ("Slashdot", "0", 0.0)
    assert (cell.verdict, cell.noise) == ("within noise", 0.5)
    found = reproduce("corani2014", tables=["2"], datasets=["Emotions"], data_dir=shared / "data")
    original = [c for c in found.cells if c.metric == "features_original"]
    assert original[0].measured == len(load_dataset("emotions").feature_names)
