"""What cannot be learned from is refused in one sentence, and the model stays as it was."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from rows_in_parts import LABELS, frame, part_for

import jointbayes as jb
from jointbayes.errors import CostError, DataError, ParameterError
from jointbayes.scale import column_digest, learning

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
WHOLE = part_for(frame(300), jb.TAN())


@pytest.fixture
def parts(tmp_path):
    for i in range(3):
        table = pa.Table.from_pandas(WHOLE.iloc[100 * i : 100 * i + 100], preserve_index=False)
        pq.write_table(table, tmp_path / f"{i}.parquet", row_group_size=50)
    return tmp_path


@pytest.fixture
def model():
    """A model that knows something else."""
    return jb.TAN(smoothing=0.5).fit([["a"], ["b"]], [0, 1])


def refused(model, source, match, error=DataError, target="kind", **options):
    before = dict(vars(model))
    with pytest.raises(error, match=match):
        jb.scale.fit(model, source, target, **options)
    after = vars(model)
    assert before.keys() == after.keys()
    assert all(before[name] is after[name] for name in before)


def test_a_damaged_row_group_in_the_middle_is_named(parts, model):
    path = parts / "1.parquet"
    data = bytearray(path.read_bytes())
    place = pq.ParquetFile(path).metadata.row_group(1).column(0)
    start = place.dictionary_page_offset or place.data_page_offset
    data[start : start + place.total_compressed_size] = b"\xff" * place.total_compressed_size
    path.write_bytes(bytes(data))
    refused(model, str(parts / "*.parquet"), r"1\.parquet, row group 1 cannot be read \(")


def test_a_file_that_is_cut_short_is_named(parts, model):
    path = parts / "2.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    refused(model, parts, r"2\.parquet cannot be read \(.*give a whole file, or leave it out")


def test_another_type_is_named_with_both_places(parts, model):
    odd = WHOLE.iloc[:50].assign(wind="strong")
    pq.write_table(pa.Table.from_pandas(odd, preserve_index=False), parts / "3.parquet")
    refused(
        model,
        parts,
        r"3\.parquet, row group 0: column 'wind' holds categories, and numbers in "
        r".*0\.parquet, row group 0; give it one type",
    )


def test_another_column_is_named(parts, model):
    odd = WHOLE.iloc[:50].assign(extra=1)
    pq.write_table(pa.Table.from_pandas(odd, preserve_index=False), parts / "3.parquet")
    refused(model, parts, r"3\.parquet, row group 0: the columns .* 'extra' is only in .*3\.parq")


@pytest.mark.parametrize(
    "change, match",
    [
        ({"day": 3}, "column 'day' holds numbers, and dates in batch 0"),
        ({"open": 3}, "column 'open' holds numbers, and categories in batch 0"),
        ({"grade": "low"}, "column 'grade' holds categories, and declared categories in batch 0"),
        ({"kind": 7}, "label 'kind' holds numbers, and text before"),
        ({"kind": None}, "batch 1: label 'kind' is missing in row 0 of these"),
        ({"size": [[1]] * 150}, "batch 1: column 'size' holds a list in row 0"),
    ],
)
def test_another_type_in_a_batch(model, change, match):
    first, second = WHOLE.iloc[:150], WHOLE.iloc[150:].reset_index(drop=True)
    refused(model, [first, second.assign(**change)], match)


def test_columns_in_another_order_are_the_same_rows(model):
    parts = [WHOLE.iloc[:150], WHOLE.iloc[150:, ::-1]]
    jb.scale.fit(model, parts, "kind")
    X = WHOLE.drop(columns="kind")
    expected = jb.TAN(smoothing=0.5).fit(X, WHOLE["kind"])
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


def test_a_batch_of_nothing_but_missing_cells_has_any_kind():
    X = pd.DataFrame({"a": ["x", "y", "x", "z"] * 5, "b": [1.0, 2.0, 3.0, 4.0] * 5})
    gone = pd.DataFrame({"a": [np.nan] * 4, "b": [None] * 4})
    for order in ([X, gone], [gone, X]):
        whole = pd.concat([o.astype(object) for o in order], ignore_index=True)
        whole["b"] = whole["b"].astype(float)
        parts = [order[0].assign(y=0), order[1].assign(y=1)]
        found = jb.scale.fit(jb.NaiveBayes(), parts, "y")
        labels = np.repeat([0, 1], [len(order[0]), len(order[1])])
        expected = jb.NaiveBayes().fit(whole, labels)
        np.testing.assert_allclose(
            found.predict_proba(whole), expected.predict_proba(whole), atol=1e-12
        )


def test_rows_that_change_between_the_passes_are_refused(model):
    sizes = iter([300, 200])

    def shrinking():
        yield WHOLE.iloc[: next(sizes)]

    refused(model, shrinking, r"300 rows when it was read first and 200 then")


def test_models_that_do_not_count_name_those_that_do():
    for model in (jb.MLkNN(), jb.CTBN(), jb.BinaryRelevance(), jb.JointForest()):
        refused(model, [frame(50)], "cannot learn .* take NaiveBayes, TAN", ParameterError, LABELS)
    refused(jb.LTAN(delta="auto"), [WHOLE], "give delta a number", ParameterError)
    refused(jb.NaiBX(size="forest"), [WHOLE], "size='bayes'", ParameterError)
    refused(jb.MultilabelNB(discretizer="mdl"), [WHOLE], "quantile", ParameterError)
    for model in (jb.MultilabelNB(sharpness="cross_fitted"), jb.NaiBX(sharpness="cross_fitted")):
        refused(model, [frame(50)], "holds rows out.* use fit, or", ParameterError, LABELS)


def test_targets_are_columns(model):
    refused(model, [WHOLE], "no column 'klass' to learn; the columns are", target="klass")
    refused(model, [WHOLE], "TAN learns one class variable", target=["kind", "town"])
    refused(model, [WHOLE[["kind"]]], "no column beside the target")
    refused(model, [WHOLE], "target is 3", ParameterError, target=3)


@pytest.mark.parametrize("named", ["TAN", jb.TAN])
def test_a_model_is_an_estimator(named):
    with pytest.raises(ParameterError, match=r"give an estimator, such as jb\.TAN\(\)"):
        jb.scale.fit(named, [WHOLE], "kind")


@pytest.mark.parametrize(
    "source, match",
    [
        ("no/such/*.parquet", "names no file of rows"),
        ([], "the source has no rows"),
        ([3], "batch 0 is of type int, which is not a frame"),
        (7, "source is of type int, which holds no rows"),
        ({"a": [1]}, "source is of type dict, which holds no rows"),
        ([WHOLE.iloc[:0]], "the source has no rows"),
    ],
)
def test_what_holds_no_rows_is_refused(model, source, match):
    refused(model, source, match)


def test_an_identifier_is_refused_before_it_fills_the_memory(model, monkeypatch):
    monkeypatch.setattr(column_digest, "MOST_CATEGORIES", 100)
    parts = [WHOLE.iloc[i : i + 60].assign(id=lambda w: w.index.astype(str)) for i in (0, 60)]
    refused(model, parts, "'id' has more than 100 distinct values", CostError)


def test_ctrl_c_leaves_the_model_as_it_was(model):
    def stopped():
        yield WHOLE
        raise KeyboardInterrupt("stopped")

    refused(model, stopped, "stopped", KeyboardInterrupt)


@contextmanager
def full_disk(size: int):
    """No file may grow beyond so many bytes, as on a disk that is full."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_fills_while_rows_are_kept(model, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rows = (WHOLE for _ in range(50))
    with full_disk(20_000):
        refused(
            model, rows, r"rows cannot be kept in .* \(.*\); name a larger folder", once="spool"
        )
    assert list(tmp_path.iterdir()) == []
    assert next(rows, None) is not None  # it stopped where the disk was full


def test_a_disk_that_fills_while_answers_are_written(tmp_path):
    X = WHOLE.drop(columns="kind")
    known = jb.NaiveBayes().fit(X, WHOLE["kind"])
    path = tmp_path / "answers.parquet"
    path.write_bytes(b"what was there before")
    rows = [WHOLE.assign(row=np.arange(300) + 300 * i) for i in range(20)]
    with (
        full_disk(10_000),
        pytest.raises(DataError, match=r"answers\.parquet cannot be written \("),
    ):
        jb.scale.predict(known, rows, "marginals", keep=["row"], path=path)
    assert [file.name for file in tmp_path.iterdir()] == ["answers.parquet"]
    assert path.read_bytes() == b"what was there before"


@pytest.mark.parametrize("learner", [jb.TAN(), jb.NaiveBayes(), jb.NaiBX(features="auto")], ids=str)
def test_a_file_damaged_in_the_middle_is_named_by_every_way_of_reading(parts, learner):
    path = parts / "1.parquet"
    data = bytearray(path.read_bytes())
    middle = pq.ParquetFile(path).metadata.row_group(1).column(2)
    start = middle.dictionary_page_offset or middle.data_page_offset
    data[start : start + middle.total_compressed_size] = b"\x00" * middle.total_compressed_size
    path.write_bytes(bytes(data))
    refused(learner, parts, r"1\.parquet, row group 1 cannot be read \(.*leave it out")


def test_a_file_that_goes_away_between_the_passes_is_named(parts, model, monkeypatch):
    learn = learning.learn_reading

    def learn_and_lose(*arguments):
        (parts / "1.parquet").unlink()
        return learn(*arguments)

    monkeypatch.setattr(learning, "learn_reading", learn_and_lose)
    refused(model, str(parts / "*.parquet"), r"1\.parquet cannot be read \(")


def test_a_batch_with_another_type_is_refused_by_one_pass_too():
    first, second = WHOLE.iloc[:150], WHOLE.iloc[150:]
    for learner in (jb.NaiveBayes(), jb.NaiBX()):
        odd = second.assign(wind="strong")
        refused(learner, [first, odd], "batch 1: column 'wind' holds categories, and numbers in")
        refused(learner, [first, second.drop(columns="wind")], "'wind' is only in batch 0")
