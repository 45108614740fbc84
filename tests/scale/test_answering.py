"""Answers in parts are the answers to the whole."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from rows_in_parts import LABELS, frame, split

import jointbayes as jb
from jointbayes.errors import DataError, ParameterError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
WHOLE = frame(200)
X, Y = split(WHOLE, jb.MultilabelNB())
MODEL = jb.MultilabelNB().fit(X, Y)
ONE = jb.TAN().fit(X, WHOLE["kind"])


def columns_of(frames) -> pd.DataFrame:
    def as_pandas(one):
        return one if isinstance(one, pd.DataFrame) else one.to_pandas()

    return pd.concat([as_pandas(one) for one in frames], ignore_index=True)


def arrow_parts():
    return pa.Table.from_pandas(WHOLE, preserve_index=False).to_batches(max_chunksize=70)


def pandas_parts():
    return [WHOLE.iloc[i : i + 70] for i in range(0, 200, 70)]


def polars_parts():
    polars = pytest.importorskip("polars")
    grades = polars.Enum(WHOLE["grade"].cat.categories.tolist())
    whole = polars.from_pandas(WHOLE).with_columns(polars.col("grade").cast(grades))
    return list(whole.iter_slices(70))


SOURCES = [arrow_parts, pandas_parts, polars_parts]


@pytest.mark.parametrize("parts", SOURCES, ids=lambda f: f.__name__)
def test_labels_are_what_predict_says(parts):
    frames = list(jb.scale.predict(MODEL, parts()))
    assert type(frames[0]).__module__.split(".")[0] in parts.__name__.replace("arrow", "pyarrow")
    found = columns_of(frames)
    assert found.columns.tolist() == LABELS
    assert (found.to_numpy() == MODEL.predict(X)).all()
    found = columns_of(jb.scale.predict(ONE, parts(), keep=["size", "town"]))
    assert found.columns.tolist() == ["size", "town", "kind"]
    assert found["kind"].tolist() == ONE.predict(X).tolist()
    assert found["size"].tolist() == WHOLE["size"].tolist()


@pytest.mark.parametrize("parts", SOURCES, ids=lambda f: f.__name__)
def test_marginals_and_the_k_best(parts):
    found = columns_of(jb.scale.predict(ONE, parts(), "marginals"))
    assert found.columns.tolist() == ["kind=blue", "kind=green", "kind=red"]
    np.testing.assert_allclose(found.to_numpy(), ONE.predict_proba(X), atol=1e-12)
    found = columns_of(jb.scale.predict(MODEL, parts(), "top_k", k=2))
    vectors, log_p = MODEL.posterior(X).top_k(2)
    for r in (1, 2):
        assert (found[[f"{name}_{r}" for name in LABELS]].to_numpy() == vectors[:, r - 1]).all()
        np.testing.assert_allclose(found[f"probability_{r}"], np.exp(log_p[:, r - 1]), atol=1e-12)


def test_no_more_vectors_are_ranked_than_there_are():
    answer = next(jb.scale.predict(ONE, [WHOLE], "top_k", k=9))
    assert answer.columns.tolist()[-2:] == ["kind_3", "probability_3"]


def test_nothing_is_read_before_it_is_asked_for():
    read = []

    def parts():
        for part in pandas_parts():
            read.append(len(part))
            yield part

    model = jb.TAN(n_jobs=1).fit(X, WHOLE["kind"])
    answers = jb.scale.predict(model, parts())
    assert not read
    next(answers)
    assert read == [70]


def test_a_file_is_there_as_a_whole_or_not_at_all(tmp_path):
    path = tmp_path / "answers.parquet"
    assert jb.scale.predict(MODEL, pandas_parts(), path=path) == path
    assert (pq.read_table(path).to_pandas().to_numpy() == MODEL.predict(X)).all()
    before = path.read_bytes()

    def stopped():
        yield from pandas_parts()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jb.scale.predict(MODEL, stopped, "marginals", path=path)
    assert path.read_bytes() == before
    with pytest.raises(DataError, match="no rows"):
        jb.scale.predict(MODEL, [], path=path)
    assert [p.name for p in tmp_path.iterdir()] == ["answers.parquet"]


def test_faults_name_the_batch():
    parts = [WHOLE, WHOLE.drop(columns="wind")]
    with pytest.raises(
        DataError, match="batch 1: the model was fitted on wind, which the rows do not"
    ):
        list(jb.scale.predict(MODEL, parts))
    parts = [WHOLE, WHOLE.assign(wind="strong")]
    with pytest.raises(DataError, match="batch 1: column 'wind' held numbers in fit and now"):
        list(jb.scale.predict(MODEL, parts))
    with pytest.raises(DataError, match="keep names 'nothing'"):
        list(jb.scale.predict(MODEL, [WHOLE], keep=["nothing"]))
    with pytest.raises(ParameterError, match="what is 'all'"):
        jb.scale.predict(MODEL, [WHOLE], "all")
    with pytest.raises(ParameterError, match="k is 0"):
        jb.scale.predict(MODEL, [WHOLE], "top_k", k=0)
