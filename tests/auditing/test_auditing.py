"""Audits against their definition, and on labels that were flipped on purpose."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score

import jointbayes as jb
from jointbayes.auditing import Audit
from jointbayes.errors import ParameterError
from jointbayes.seeds import generator_of


def rows_with_values(n=60):
    """A binary label and one of three values, which depend on each other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    a = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    b = np.clip(a + rng.integers(0, 2, n), 0, 2)
    return X, np.stack([a, b], axis=1)


def slow_audit(model, X, Y, cv):
    """(row, label, log odds, expected) by their definition, entry by entry."""
    fold = generator_of(None).permutation(len(Y)) % cv
    found = {}
    for i in range(len(Y)):
        post = model.fit(X[fold != fold[i]], Y[fold != fold[i]]).posterior(X[[i]])
        for j, name in enumerate(model.label_names_):
            values, p = model.classes_[j], {}
            for value in values:
                other = Y[i].copy()
                other[j] = value
                p[value] = float(np.exp(post.log_prob([other])[0]))
            total, alone = sum(p.values()), dict(zip(values, post.marginals()[j][0], strict=True))
            pooled = {value: 0.5 * alone[value] + 0.5 * p[value] / total for value in values}
            odds = {value: np.log(pooled[value] / pooled[Y[i, j]]) for value in values}
            best = max((v for v in odds if v != Y[i, j]), key=odds.get)
            expected = best if odds[best] > 0 else Y[i, j]
            found[i, name] = odds[best], expected
    return found


def test_entries_are_those_of_the_definition():
    X, Y = rows_with_values()
    found = jb.audit(jb.CTBN(), X, Y, cv=3)
    slow = slow_audit(jb.CTBN(), X, Y, 3)
    assert isinstance(found, Audit)
    assert len(found.entries) == len(slow) == 120
    for entry in found.entries:
        odds, expected = slow[entry.row, entry.label]
        assert entry.log_odds == pytest.approx(odds, abs=1e-9)
        assert entry.expected == expected
        assert entry.found == Y[entry.row, ["y0", "y1"].index(entry.label)]
    assert (np.diff(found.entries["log_odds"]) <= 0).all()


def test_rows_are_held_against_the_mode():
    X, Y = rows_with_values()
    found = jb.audit(jb.CTBN(), X, Y).rows
    assert sorted(found["row"]) == list(range(60))
    assert (np.diff(found["log_odds"]) <= 0).all()
    assert (found["log_odds"] >= -1e-12).all()
    for record in found:
        assert record.found == tuple(Y[record.row])
        assert (record.log_odds > 1e-9) == (record.expected != record.found)


def test_records_are_not_to_be_changed():
    X, Y = rows_with_values()
    with pytest.raises(ValueError, match="read-only"):
        jb.audit(jb.BinaryRelevance(), X, Y).entries["row"][0] = 3


def test_one_class_variable_and_words():
    X, Y = rows_with_values()
    found = jb.audit("tan", X, np.array(["low", "mid", "high"])[Y[:, 1]])
    assert set(found.entries["found"]) == {"low", "mid", "high"}
    assert len(found.entries) == len(found.rows) == 60


def test_vectors_that_the_model_holds_impossible_are_the_most_suspicious():
    X, Y = np.zeros((40, 1)), np.array([[0, 1], [1, 0]] * 20)
    Y[5] = [1, 1]
    found = jb.audit(jb.LabelPowerset(), X, Y)
    assert found.rows[0].row == 5
    assert found.rows[0].log_odds == np.inf
    assert found.entries["row"][:2].tolist() == [5, 5]
    assert not np.isnan(found.entries["log_odds"]).any()


def test_what_cannot_judge_is_refused():
    X, Y = rows_with_values()
    with pytest.raises(ParameterError, match="RandomForestClassifier has no joint posterior"):
        jb.audit(RandomForestClassifier(), X, Y)
    with pytest.raises(ParameterError, match="MMOC has no joint posterior"):
        jb.audit(jb.MMOC(), X, Y)
    with pytest.raises(ParameterError, match=r"cv=1 .* at least 2"):
        jb.audit(jb.CTBN(), X, Y, cv=1)


@pytest.mark.parametrize("model", [jb.CTBN(), jb.MultilabelNB()], ids=str)
def test_flipped_labels_are_found(model, shared):
    if not (shared / "data").is_dir():
        pytest.skip("no shared data sets")
    data = jb.load_dataset("emotions")
    Y = np.asarray(data.Y).astype(int)
    flipped = np.random.default_rng(0).random(Y.shape) < 0.1
    found = jb.audit(model, data.X, np.where(flipped, 1 - Y, Y))
    entries = found.entries
    columns = [int(name[1:]) for name in entries["label"]]
    truth = flipped[entries["row"], columns]
    precision = average_precision_score(truth, -np.arange(len(truth)))
    assert precision > 3 * flipped.mean()
    corrected = entries["expected"].astype(int) == Y[entries["row"], columns]
    assert corrected[truth].mean() > 0.6


def test_what_is_known_is_judged_given_what_else_is_known():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X, Y = (y + rng.normal(0, 0.3, 120))[:, None], np.stack([y, y, y], axis=1).astype(float)
    Y[7, 1] = 1 - Y[7, 1]
    Y[rng.random(Y.shape) < 0.2] = np.nan
    Y[7] = [y[7], 1 - y[7], np.nan]
    model = jb.CTBN(jb.models.BatchedLogistic(penalty=1.0), unknown="learn")
    found = jb.audit(model, X, Y)
    assert (found.entries[0].row, found.entries[0].label) == (7, "y1")
    assert len(found.entries) == (~np.isnan(Y)).sum()
    assert set(found.rows["row"]) == set(np.flatnonzero(~np.isnan(Y).any(axis=1)))
