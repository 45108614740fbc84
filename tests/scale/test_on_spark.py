"""Partitions of Spark give the model of all rows."""

from __future__ import annotations

import os
import shutil
import sys

import numpy as np
import pandas as pd
import pytest
from rows_in_parts import EVERY, LABELS, assert_same_model, frame, split, target_of
from sklearn.base import clone

import jointbayes as jb
from jointbayes.errors import DataError

pyspark = pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs a Java runtime, and there is none", allow_module_level=True)

# Of Spark, about a pandas that is newer than it.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

# Spark knows neither declared categories nor columns without a type.
WHOLE = frame().drop(columns=["empty"]).assign(grade=lambda w: w["grade"].astype(object))


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    before = os.environ.get("PYSPARK_PYTHON")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "512m")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )
    yield session
    session.stop()
    if before is None:
        del os.environ["PYSPARK_PYTHON"]
    else:
        os.environ["PYSPARK_PYTHON"] = before


@pytest.fixture(scope="module")
def rows(spark, tmp_path_factory):
    """The rows of all labels in three files, one partition each."""
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("spark")
    for i, start in enumerate(range(0, len(WHOLE), 200)):
        part = WHOLE.iloc[start : start + 200]
        part = part.assign(day=part["day"].astype("datetime64[us]"))
        part.to_parquet(folder / f"{i}.parquet", index=False)
    return spark.read.parquet(str(folder))


def test_partitions_give_the_model_of_all_rows(rows):
    for model in EVERY:
        X, y = split(WHOLE, model)
        unused = LABELS if target_of(model) == "kind" else ["kind"]
        found = jb.scale.fit(clone(model), rows.drop(*unused), target_of(model))
        assert_same_model(found, clone(model).fit(X, y), X)


def test_predict_gives_a_frame_of_spark(rows):
    X, Y = split(WHOLE, jb.MultilabelNB())
    model = jb.MultilabelNB().fit(X, Y)
    answers = jb.scale.predict(model, rows, "marginals", keep=["size"])
    assert answers.columns == ["size", *LABELS]
    found = pd.DataFrame([row.asDict() for row in answers.collect()])
    p = np.sort(found[LABELS].to_numpy(), axis=0)
    np.testing.assert_allclose(p, np.sort(model.predict_proba(X), axis=0), atol=1e-12, rtol=0)


def test_a_fault_is_told_in_its_own_words(rows):
    model = jb.TAN()
    with pytest.raises(DataError, match=r"partition \d+: there is no column 'klass' to learn"):
        jb.scale.fit(model, rows, "klass")
    assert not hasattr(model, "space_")
