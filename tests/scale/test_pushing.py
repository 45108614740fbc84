"""Counted in a database, a model is that of all rows; no row leaves it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from rows_in_parts import LABELS, assert_same_model, frame, part_for, split, target_of
from sklearn.base import clone

import jointbayes as jb
from jointbayes.errors import CostError, DataError, ParameterError
from jointbayes.scale.database import Database

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
# SQL does not know declared categories.
WHOLE = frame().assign(grade=lambda w: w["grade"].astype(object))
MODELS = {
    "NaiveBayes": jb.NaiveBayes(),
    "quantile": jb.NaiveBayes(discretizer="quantile", missing="ignore"),
    "named": jb.NaiveBayes(categorical_features=["size"]),
    "MultilabelNB": jb.MultilabelNB(),
    "named, several": jb.MultilabelNB(categorical_features=["size"]),
    "MultilabelFAN": jb.MultilabelFAN(),
    "NetworkEnsemble": jb.NetworkEnsemble(),
    "NaiBX": jb.NaiBX(),
    "NaiBX, named": jb.NaiBX(categorical_features=["size"]),
}


def relation(rows: pd.DataFrame):
    connection = duckdb.connect()
    connection.register("given", rows)
    return connection.sql("select * from given")


@pytest.mark.parametrize("name", MODELS)
def test_the_model_is_that_of_all_rows(name):
    model = MODELS[name]
    X, y = split(WHOLE, model)
    rows = relation(part_for(WHOLE, model))
    found = jb.scale.fit(clone(model), rows, target_of(model), count="in_database")
    assert_same_model(found, clone(model).fit(X, y), X)


def test_naibx_of_one_class():
    X, y = WHOLE.drop(columns="kind"), WHOLE["kind"]
    found = jb.scale.fit(jb.NaiBX(), relation(WHOLE), "kind", count="in_database")
    assert_same_model(found, jb.NaiBX().fit(X, y), X)


def test_small_deviations_from_large_numbers_keep_their_digits():
    rng = np.random.default_rng(0)
    Y = pd.DataFrame(rng.integers(0, 2, (400, 2)), columns=["a", "b"])
    X = pd.DataFrame({"x": 1e9 + 1e-3 * rng.normal(size=400) + 1e-3 * Y["a"], "z": 1e-200 * Y["b"]})
    found = jb.scale.fit(jb.NaiBX(), relation(X.join(Y)), ["a", "b"], count="in_database")
    expected = jb.NaiBX().fit(X, Y)
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-9)


def test_counts_of_words():
    rng = np.random.default_rng(0)
    words = rng.poisson(0.1, (100, 60))
    X = pd.DataFrame(words, columns=[f"w{j}" for j in range(60)])
    Y = pd.DataFrame({"a": (words[:, :5].sum(axis=1) > 0) * 1, "b": rng.integers(0, 2, 100)})
    found = jb.scale.fit(jb.NaiBX(), relation(X.join(Y)), ["a", "b"], count="in_database")
    assert set(found.learned_.columns.kinds) == {"multinomial"}
    assert_same_model(found, jb.NaiBX().fit(X, Y), X)


@pytest.mark.parametrize("model", [jb.NaiveBayes(), jb.MultilabelNB(), jb.NaiBX()])
def test_groups_alone_are_asked_for(model, monkeypatch):
    asked, answer = [], Database._relation
    monkeypatch.setattr(
        Database, "_relation", lambda self, sql: asked.append(sql) or answer(self, sql)
    )
    rows = relation(part_for(WHOLE, model))
    jb.scale.fit(clone(model), rows, target_of(model), count="in_database")
    assert len(asked) > 5
    for sql in asked:
        assert "GROUP BY" in sql or sql.endswith("LIMIT 0") or "avg(" in sql


def test_names_are_quoted():
    rows = WHOLE[["wind", "kind"]].rename(columns={"wind": 'a "b" c', "kind": "group"})
    found = jb.scale.fit(jb.NaiveBayes(), relation(rows), "group", count="in_database")
    X = rows.drop(columns="group")
    assert_same_model(found, jb.NaiveBayes().fit(X, rows["group"]), X)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of DuckDB, about what Ibis calls
def test_tables_of_ibis(tmp_path):
    pytest.importorskip("pyarrow_hotfix")  # which Ibis needs and does not bring
    ibis = pytest.importorskip("ibis")
    for model in (jb.NaiveBayes(), jb.MultilabelNB(), jb.NaiBX()):
        X, y = split(WHOLE, model)
        part_for(WHOLE, model).to_parquet(tmp_path / "rows.parquet")
        table = ibis.duckdb.connect().read_parquet(tmp_path / "rows.parquet")
        rows = table.filter(table["size"] < 100)
        found = jb.scale.fit(clone(model), rows, target_of(model), count="in_database")
        assert_same_model(found, clone(model).fit(X, y), X)


def refused(model, rows, match, error=DataError, target="kind", **options):
    before = dict(vars(model))
    with pytest.raises(error, match=match):
        jb.scale.fit(model, rows, target, count="in_database", **options)
    assert vars(model) == before


def test_what_a_database_cannot_do_is_refused():
    rows = part_for(WHOLE, jb.TAN())
    refused(jb.TAN(), relation(rows), "counts pairs of columns.*take NaiveBayes", ParameterError)
    refused(jb.NaiveBayes(), rows, "DuckDB and tables of Ibis; source is of", ParameterError)
    refused(jb.NaiveBayes(), relation(rows), "no column 'klass' to learn", target="klass")
    refused(jb.NaiveBayes(), relation(rows[["kind"]]), "no column beside the target")
    gone = rows.assign(kind=rows["kind"].where(rows.index > 3, None))
    refused(jb.NaiveBayes(), relation(gone), "label 'kind' is missing in some rows of the database")
    many = rows.assign(wind=np.arange(len(rows)) * 1.0)
    many = pd.concat([many.assign(wind=many["wind"] + 1000 * i) for i in range(4)])
    refused(jb.NaiveBayes(), relation(many), "'wind' has more than 1,024", CostError, max_cells=1)
    wild = part_for(WHOLE, jb.NaiBX()).assign(wind=np.inf)
    refused(jb.NaiBX(), relation(wild), "'wind' holds infinity", target=LABELS)
    with pytest.raises(ParameterError, match="count is 'there'"):
        jb.scale.fit(jb.NaiveBayes(), relation(rows), "kind", count="there")
