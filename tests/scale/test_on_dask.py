"""Partitions of Dask give the model of all rows, on any scheduler; a lost worker leaves nothing."""

from __future__ import annotations

import os

import numpy as np
import pytest
from rows_in_parts import EVERY, LABELS, assert_same_model, frame, part_for, split, target_of
from sklearn.base import clone

import jointbayes as jb
from jointbayes.errors import DataError

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
WHOLE = frame()
MODELS = [jb.TAN(), jb.KDB(k=2), jb.MultilabelFAN(), jb.NaiBX()]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("partitions", [1, 11])
def test_partitions_give_the_model_of_all_rows(model, partitions):
    X, y = split(WHOLE, model)
    rows = dd.from_pandas(part_for(WHOLE, model), npartitions=partitions)
    with dask.config.set(scheduler="threads"):
        found = jb.scale.fit(clone(model), rows, target_of(model))
    assert_same_model(found, clone(model).fit(X, y), X)


def test_describe_says_what_it_says_of_all_rows():
    rows = dd.from_pandas(WHOLE, npartitions=4)
    with dask.config.set(scheduler="threads"):
        found = jb.scale.describe(rows, LABELS)
    assert found == jb.scale.describe(WHOLE, LABELS)


def test_arrays_are_rows_and_labels():
    da = pytest.importorskip("dask.array")
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(200, 3)), rng.integers(0, 2, (200, 2))
    rows, labels = da.from_array(X, chunks=(50, 2)), da.from_array(Y, chunks=(50, 2))
    several = jb.scale.fit(jb.MultilabelNB(), rows, labels)
    expected = jb.MultilabelNB().fit(X, Y)
    assert several.label_names_ == ["y0", "y1"]
    np.testing.assert_allclose(
        several.predict_proba(jb.Table.of(X)), expected.predict_proba(X), atol=1e-12, rtol=0
    )
    one = jb.scale.fit(jb.TAN(), rows, labels[:, 0])
    np.testing.assert_allclose(
        one.predict_proba(jb.Table.of(X)), jb.TAN().fit(X, Y[:, 0]).predict_proba(X), atol=1e-12
    )
    assert (jb.scale.predict(one, rows).compute()["class"] == one.predict(jb.Table.of(X))).all()


@pytest.mark.parametrize("what", ["labels", "marginals", "top_k"])
def test_predict_is_lazy_and_says_its_columns(what):
    X, Y = split(WHOLE, jb.MultilabelNB())
    model = jb.MultilabelNB().fit(X, Y)
    rows = dd.from_pandas(WHOLE.rename(columns={"wet": "seen"}), npartitions=3)
    answers = jb.scale.predict(model, rows, what, k=2, keep=["town"])
    assert isinstance(answers, dd.DataFrame)
    found = answers.compute()
    assert found.columns.tolist() == answers.columns.tolist()
    assert found.index.tolist() == WHOLE.index.tolist()
    assert dict(found.dtypes) == dict(answers.dtypes)
    if what == "labels":
        assert (found[LABELS].to_numpy() == model.predict(X)).all()


@pytest.fixture(scope="module")
def cluster():
    """Two processes of `distributed`."""
    distributed = pytest.importorskip("distributed")
    settings = {"distributed.scheduler.allowed-failures": 0}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


def test_processes_give_it_too(cluster):
    assert len(cluster.scheduler_info()["workers"]) == 2
    for model in EVERY:
        X, y = split(WHOLE, model)
        rows = dd.from_pandas(part_for(WHOLE, model), npartitions=5)
        found = jb.scale.fit(clone(model), rows, target_of(model))
        assert_same_model(found, clone(model).fit(X, y), X)
        answers = jb.scale.predict(found, rows).compute()
        assert (
            answers.to_numpy().reshape(len(X), -1) == found.predict(X).reshape(len(X), -1)
        ).all()


def dying(part, partition_info=None):
    if partition_info is not None and partition_info["number"] == 2:
        os._exit(1)
    return part


@pytest.mark.filterwarnings("ignore")  # what is said of a worker that is gone
def test_a_worker_that_dies_leaves_nothing_half_learned(cluster):
    model = jb.TAN().fit([["a"], ["b"]], [0, 1])
    rows = dd.from_pandas(part_for(WHOLE, model), npartitions=4)
    broken = rows.map_partitions(dying, meta=rows._meta)
    before = dict(vars(model))
    with pytest.raises(DataError, match=r"Dask could not work .*KilledWorker.*nothing was learned"):
        jb.scale.fit(model, broken, "kind")
    assert vars(model) == before
    assert cluster.status == "running"
