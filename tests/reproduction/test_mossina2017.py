"""The reproduction of Mossina 2017: its own models and readings, on small data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import jointbayes as jb
from jointbayes.datasets import Dataset
from jointbayes.errors import DataError
from jointbayes.report.comparing import page_of_comparison
from jointbayes.report.markdown import as_markdown
from jointbayes.reproduction import (
    PAPERS,
    find_paper,
    plan_questions,
    printed_figures,
    reproduce,
)
from jointbayes.reproduction.mossina2017_models import TrueSizes, YesNoSVM, with_sizes
from jointbayes.table import Table

PAPER = find_paper("mossina2017")


def rows(n=60):
    rng = np.random.default_rng(0)
    Y = (rng.random((n, 4)) < [0.2, 0.5, 0.3, 0.6]).astype(int)
    return np.maximum(rng.normal(Y @ rng.normal(size=(4, 3)), 1.0), 0), Y


@pytest.mark.parametrize("kind", [Table.of, sparse.csr_array])
def test_the_told_size_is_the_true_one_and_nothing_else_is_told(kind):
    X, Y = rows()
    data = with_sizes(Dataset("d", kind(X), Y, tuple("abcd"), tuple("xyz")))
    assert data.X.shape == (60, 4)
    train, test = np.arange(40), np.arange(40, 60)
    told = TrueSizes(features="gaussian").fit(data.X[train], Y[train]).predict(data.X[test])
    model = jb.NaiBX(features="gaussian").fit(kind(X)[train], Y[train])
    np.testing.assert_array_equal(told, model.predict(kind(X)[test], size=Y[test].sum(axis=1)))
    np.testing.assert_array_equal(told.sum(axis=1), Y[test].sum(axis=1))


@pytest.mark.parametrize("matrix", ["dense", "sparse"])
def test_a_machine_answers_yes_or_no(matrix):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [30, 20, 5])
    X = rng.random((len(y), 4)) + 2 * (y[:, None] == np.arange(4))
    X = sparse.csr_array(X) if matrix == "sparse" else X
    model = YesNoSVM(matrix=matrix).fit(X, y)
    p = model.predict_proba(X)
    assert set(p.ravel().tolist()) == {0.0, 1.0}
    assert (p.argmax(axis=1) == model.predict(X)).all()
    assert (p.sum(axis=1) == 1).all()
    assert (model.predict(X) == y).mean() > 0.9


def test_every_figure_with_data_is_asked_for_in_its_own_average():
    names = {source.name for source in PAPER.sources}
    scores = set("hamming_score zero_one_score accuracy precision recall LCard_hat".split())
    scores |= {"T_train_s", "T_pred_s", "LCard", "unlabelled_instances"}
    wanted = {
        (f.table, f.dataset, f.algorithm, f.metric)
        for f in printed_figures("mossina2017")
        if f.table in PAPER.tables and f.dataset in names and f.metric in scores
    }
    asked = plan_questions(PAPER)
    figures = [q.figure for q in asked]
    assert {(f.table, f.dataset, f.algorithm, f.metric) for f in figures} == wanted
    honest = [q for q in asked if q.column.splitter is None]
    assert len(honest) == len(wanted)  # one answer on rows that were not learned
    for q in honest:
        micro = q.figure.algorithm.startswith(("ECC", "RAkEL")) or (
            q.figure.algorithm.startswith("CC") and q.figure.table != "Table 6"
        )
        if q.figure.metric in ("precision", "recall"):
            assert q.column.metric.endswith("_micro") == micro


@pytest.mark.usefixtures("shared")
def test_honest_folds_and_learned_rows_stand_side_by_side(monkeypatch):
    own = {name: PAPER.models[name] for name in ("NaiBX", "NBX_TrueM")}
    monkeypatch.setitem(PAPERS, PAPER.key, replace(PAPER, models=own))
    found = reproduce("mossina2017", datasets=["Emotions"], progress="none")
    cells = {(c.algorithm, c.title): c for c in found.cells}
    for name, learned, honest in (("NaiBX", 0.285, 0.260), ("NBX_TrueM", 0.516, 0.481)):
        cell = cells[name, "Z_s, mean over rows; rows that were learned"]
        assert cell.verdict == "not judged"
        assert cell.measured == pytest.approx(learned, abs=1e-3)
        assert abs(cell.difference) < 0.013  # what the paper prints
        assert cells[name, "Z_s, mean over rows"].measured == pytest.approx(honest, abs=1e-3)


def test_what_only_describes_is_shown_and_ranks_nobody():
    X, Y = rows()
    found = jb.compare(
        {"a": jb.NaiBX(), "b": jb.NaiBX(beam=4)},
        {"one": (X, Y), "two": (X[::-1], Y[::-1])},
        cv=2,
        metrics="predicted_cardinality",
        progress="none",
    )
    assert 0 < found.table("predicted_cardinality")["one"]["a"] < 4
    with pytest.raises(DataError, match="only describes"):
        found.ranks("predicted_cardinality")
    page = as_markdown(page_of_comparison(found))
    assert "★" not in page
    assert "ranks best" not in page
