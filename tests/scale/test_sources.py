"""Every model from every kind of source: that of all rows at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from rows_in_parts import EVERY, LABELS, assert_same_model, frame, part_for, split, target_of
from sklearn.base import clone

import jointbayes as jb
from jointbayes.errors import DataError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
WHOLE = frame(120)
PLAIN = WHOLE.assign(grade=lambda w: w["grade"].astype(object))
"""Without declared categories, which SQL does not know."""

MODELS = [jb.TAN(), jb.MultilabelNB(), jb.NaiBX()]


def arrow_of(whole: pd.DataFrame):
    return pa.Table.from_pandas(whole, preserve_index=False)


def files(whole, folder, name="part"):
    for i, start in enumerate(range(0, len(whole), 80)):
        table = arrow_of(whole.iloc[start : start + 80])
        pq.write_table(table, folder / f"{name}{i}.parquet", row_group_size=45)
    return folder


def as_parquet(whole, folder):
    return str(files(whole, folder) / "part*.parquet")


def as_folder(whole, folder):
    return files(whole, folder)


def as_paths(whole, folder):
    return sorted(files(whole, folder).iterdir())


def as_file(whole, folder):
    pq.write_table(arrow_of(whole), folder / "all.parquet", row_group_size=64)
    return folder / "all.parquet"


def as_ipc(whole, folder):
    with pa.OSFile(str(folder / "all.arrow"), "wb") as sink:
        table = arrow_of(whole)
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=50)
    return folder / "all.arrow"


def as_ipc_stream(whole, folder):
    with pa.OSFile(str(folder / "all.arrows"), "wb") as sink:
        table = arrow_of(whole)
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=50)
    return folder / "all.arrows"


def as_table(whole, _folder):
    return arrow_of(whole)


def as_data_set(whole, folder):
    import pyarrow.dataset

    return pyarrow.dataset.dataset(files(whole, folder))


def as_batches(whole, _folder):
    return arrow_of(whole).to_batches(max_chunksize=47)


def as_function(whole, _folder):
    return lambda: (whole.iloc[i : i + 53] for i in range(0, len(whole), 53))


def as_pandas(whole, _folder):
    return whole


def as_polars(whole, _folder):
    return polars_of(whole)


def as_lazy(whole, _folder):
    return polars_of(whole).lazy()


def as_polars_parts(whole, _folder):
    return list(polars_of(whole).iter_slices(57))


def polars_of(whole):
    polars = pytest.importorskip("polars")
    grades = polars.Enum(whole["grade"].cat.categories.tolist())
    return polars.from_pandas(whole).with_columns(polars.col("grade").cast(grades))


def as_stream_only(whole, _folder):
    """Something of which nothing is known but that it streams Arrow."""

    class Streams:
        def __arrow_c_stream__(self, requested_schema=None):
            return arrow_of(whole).__arrow_c_stream__(requested_schema)

    return Streams()


def as_relation(whole, _folder):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect(config={"threads": 1})
    connection.register("given", whole)
    return connection.sql("select * from given")


def as_dask(whole, _folder):
    frames = pytest.importorskip("dask.dataframe")
    return frames.from_pandas(whole, npartitions=3)


SOURCES = [
    as_parquet,
    as_folder,
    as_paths,
    as_file,
    as_ipc,
    as_ipc_stream,
    as_table,
    as_data_set,
    as_batches,
    as_function,
    as_pandas,
    as_polars,
    as_lazy,
    as_polars_parts,
    as_stream_only,
    as_relation,
    as_dask,
]


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """What each source and each model is made of, made once."""
    made = {}

    def make(key, how):
        if key not in made:
            made[key] = how(tmp_path_factory.mktemp("rows"))
        return made[key]

    return make


@pytest.mark.parametrize("source", SOURCES, ids=lambda f: f.__name__[3:])
@pytest.mark.parametrize("model", EVERY, ids=str)
def test_every_model_from_every_source(model, source, known):
    whole = PLAIN if source is as_relation else WHOLE
    X, y = split(whole, model)
    several = model._targets != "one"
    rows = known((source, several), lambda folder: source(part_for(whole, model), folder))
    expected = known((str(model), whole is PLAIN), lambda _: clone(model).fit(X, y))
    found = jb.scale.fit(clone(model), rows, target_of(model), progress="none")
    assert_same_model(found, expected, X[::4])


@pytest.mark.parametrize("block", [1 << 9, 1 << 22])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_csv_is_typed_by_all_its_rows(model, block, tmp_path, monkeypatch):
    import pyarrow.csv

    monkeypatch.setattr("jointbayes.scale.files.CSV_BYTES", block)
    whole = part_for(WHOLE, model).assign(late_text=lambda w: np.arange(len(w)).astype(object))
    whole.loc[len(whole) - 1, "late_text"] = "seven"  # a number everywhere but in the last row
    whole.to_csv(tmp_path / "rows.csv", index=False)
    options = pyarrow.csv.ConvertOptions(strings_can_be_null=True)
    table = pyarrow.csv.read_csv(tmp_path / "rows.csv", convert_options=options)
    target = np.atleast_1d(target_of(model)).tolist()
    X = table.drop_columns(target)
    y = table.select(target).to_pandas()
    expected = clone(model).fit(X, y["kind"] if target == ["kind"] else y)
    found = jb.scale.fit(clone(model), tmp_path / "rows.csv", target_of(model))
    assert_same_model(found, expected, X)


@pytest.fixture
def stored(tmp_path):
    """A file of rows without declared categories, and their model."""
    whole = part_for(PLAIN, jb.TAN())
    pq.write_table(arrow_of(whole), tmp_path / "all.parquet")
    X = whole.drop(columns="kind")
    return tmp_path / "all.parquet", X, jb.TAN().fit(X, whole["kind"])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of DuckDB, about what Ibis calls
def test_tables_of_ibis_stream(stored):
    pytest.importorskip("pyarrow_hotfix")  # which Ibis needs and does not bring
    ibis = pytest.importorskip("ibis")
    path, X, expected = stored
    for engine in (ibis.duckdb, ibis.polars):
        table = engine.connect().read_parquet(path)
        assert_same_model(jb.scale.fit(jb.TAN(), table, "kind"), expected, X)


def one_pass(whole):
    return (whole.iloc[i : i + 90] for i in range(0, len(whole), 90))


def test_what_can_be_read_once_is_refused_or_spooled():
    whole = part_for(WHOLE, jb.TAN())
    X, y = whole.drop(columns="kind"), whole["kind"]
    reader = arrow_of(whole).to_reader(max_chunksize=100)
    for source in (one_pass(whole), reader):
        with pytest.raises(DataError, match=r"read only once.*once='spool'"):
            jb.scale.fit(jb.TAN(), source, "kind")
        found = jb.scale.fit(jb.TAN(), source, "kind", once="spool")
        assert_same_model(found, jb.TAN().fit(X, y), X)


def test_threads_or_none_make_no_difference(tmp_path):
    model = jb.MultilabelNB(n_jobs=1)
    found = jb.scale.fit(model, as_parquet(part_for(WHOLE, model), tmp_path), LABELS)
    X, Y = split(WHOLE, model)
    assert_same_model(found, jb.MultilabelNB().fit(X, Y), X)
