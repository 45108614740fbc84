"""Readers against other readers, and each file format against the others."""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import lzma
import math

import arff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

import jointbayes as jb
from jointbayes.errors import DataError, MissingExtraError, ParameterError

ARFF = """% weather
@RELATION 'two days' %50

@attribute 'how warm' real
@ATTRIBUTE sky {clear, 'half clear', "it's dark"}   % of the morning
@attribute note string
@attribute day date "dd.MM.yyyy HH:mm"
@attribute Class {0,1}
@data
% a comment
 21.5 , 'half clear' , 'said: ''no''\\, twice', "01.02.2020 12:30", 1

?,"it's dark",plain,?,0
-1e3,clear,?,31.12.1999 00:00,0
"""


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def decoded(X):
    return {column.name: column.decoded().tolist() for column in X.columns}


def same(left, right):
    def key(value):
        return "nan" if isinstance(value, float) and math.isnan(value) else value

    return list(map(key, left)) == list(map(key, right))


def test_arff_kinds_quotes_comments_dates_and_missing(tmp_path):
    dataset = jb.load_dataset(write(tmp_path, "w.arff", ARFF), identifiers="keep")
    assert [c.kind for c in dataset.X.columns] == ["numeric", "nominal", "string", "date"]
    columns = decoded(dataset.X)
    assert same(columns["how warm"], [21.5, math.nan, -1000.0])
    assert columns["sky"] == ["half clear", "it's dark", "clear"]
    assert columns["note"] == ["said: 'no', twice", "plain", None]
    noon = dt.datetime(2020, 2, 1, 12, 30, tzinfo=dt.UTC).timestamp()
    assert same(columns["day"][:2], [noon, math.nan])
    assert dataset.X.column("sky").declared
    assert dataset.Y.tolist() == [1, 0, 0]
    assert (dataset.name, dataset.label_names) == ("w", ("Class",))


@pytest.mark.parametrize("name", ["iris", "labor", "vowel", "cylinder-bands", "heart-disease-c"])
def test_dense_arff_as_liac_reads_it(shared, name):
    path = shared / "data" / "uci" / f"{name}.arff.xz"
    dataset = jb.load_dataset(path, identifiers="keep")
    other = arff.loads(lzma.decompress(path.read_bytes()).decode())
    columns = decoded(dataset.X)
    for j, (attribute, _) in enumerate(other["attributes"][:-1]):
        theirs = [math.nan if row[j] is None else row[j] for row in other["data"]]
        ours = [math.nan if value is None else value for value in columns[attribute]]
        assert same(ours, theirs), attribute
    assert dataset.Y.tolist() == [row[-1] for row in other["data"]]


def test_sparse_arff_as_liac_reads_it(shared):
    path = shared / "data" / "multilabel" / "enron.arff.xz"
    dataset = jb.load_dataset(path)
    other = arff.loads(lzma.decompress(path.read_bytes()).decode(), return_type=arff.COO)
    rows, columns = np.array(other["data"][1]), np.array(other["data"][2])
    dense = np.zeros((1702, 1054))
    dense[rows, columns] = np.array(other["data"][0], dtype=float)
    np.testing.assert_array_equal(dataset.X.toarray(), dense[:, :1001])
    np.testing.assert_array_equal(dataset.Y, dense[:, 1001:])


def test_svmlight_as_scikit_learn_reads_it(tmp_path):
    path = write(tmp_path, "a.svm", "# head\n1 1:0.5 3:-2e3 # note\n-1 qid:4 2:1\n1\n+2 3:.25\n")
    dataset = jb.load_dataset(path)
    X, y = load_svmlight_file(str(path))
    np.testing.assert_array_equal(dataset.X.toarray(), X.toarray())
    assert dataset.Y.tolist() == y.tolist() == [1, -1, 1, 2]


def test_svmlight_with_several_labels(tmp_path):
    path = write(tmp_path, "m.libsvm", "2,10 0:1\n 1:1\n10 0:2 1:3\n")
    dataset = jb.load_dataset(path)
    assert dataset.label_names == ("2", "10")
    assert dataset.Y.tolist() == [[1, 1], [0, 0], [0, 1]]
    assert dataset.X.toarray().tolist() == [[1, 0], [0, 1], [2, 3]]
    with pytest.raises(ParameterError, match="target"):
        jb.load_dataset(path, target="2")


names = st.text(st.sampled_from("abc ,'\"\\%{}é\t"), min_size=1, max_size=4).map(lambda s: f"v{s}v")
cells = st.one_of(st.none(), names)
numbers = st.one_of(st.none(), st.floats(allow_nan=False))


@given(st.lists(st.tuples(cells, numbers), min_size=1, max_size=8))
@settings(max_examples=30, deadline=None)
def test_csv_gives_back_what_pandas_wrote(tmp_path_factory, rows):
    frame = pd.DataFrame({"a, 'b'": [r[0] for r in rows], "n": [r[1] for r in rows], "class": "k"})
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    frame.to_csv(path, index=False)
    X = jb.load_dataset(path, identifiers="keep").X
    columns = decoded(X)
    texts = [None if r[0] is None else r[0].strip() for r in rows]
    if any(t is not None for t in texts):
        assert columns["a, 'b'"] == texts
    assert same(columns["n"], [math.nan if r[1] is None else r[1] for r in rows])


@given(st.lists(st.lists(st.sampled_from([0, 1, 2.5, -3]), min_size=4, max_size=4), min_size=1))
@settings(max_examples=30, deadline=None)
def test_every_format_holds_the_same_numbers(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("formats")
    labels = [k % 3 for k in range(len(rows))]
    header = "@relation r\n" + "".join(f"@attribute x{j} numeric\n" for j in range(4))
    header += "@attribute class {0,1,2}\n@data\n"
    full = [[*row, y] for row, y in zip(rows, labels, strict=True)]
    dense = "".join(",".join(map(str, row)) + "\n" for row in full)
    sparse = "".join(
        "{" + ", ".join(f"{j} {v}" for j, v in enumerate(row) if v) + "}\n" for row in full
    )
    pairs = "".join(
        f"{y} " + " ".join(f"{j}:{v}" for j, v in enumerate(row)) + "\n"
        for row, y in zip(rows, labels, strict=True)
    )
    frame = pd.DataFrame(full, columns=["x0", "x1", "x2", "x3", "class"])
    frame.to_parquet(folder / "f.parquet")
    files = [
        write(folder, "a.arff", header + dense),
        write(folder, "b.arff", header + sparse),
        write(folder, "c.csv", "x0,x1,x2,x3,class\n" + dense),
        write(folder, "d.tsv", "x0\tx1\tx2\tx3\tclass\n" + dense.replace(",", "\t")),
        write(folder, "e.svmlight", pairs),
        write(folder, "g.arff", header + dense.replace(",", "  ")),
        folder / "f.parquet",
    ]
    for path in files:
        dataset = jb.load_dataset(path)
        X = dataset.X
        found = X.toarray() if dataset.is_sparse else np.stack([c.values for c in X.columns], 1)
        np.testing.assert_array_equal(found, np.array(rows, dtype=float), err_msg=path.name)
        assert dataset.Y.tolist() == labels, path.name


def test_sparse_rows_of_more_than_numbers_become_a_table(tmp_path):
    text = "@relation r\n@attribute sky {clear,'half clear'}\n@attribute n numeric\n"
    text += "@attribute t string\n@attribute class {1,0}\n@data\n{}\n{0 'half clear',1 ?,2 x,3 0}\n"
    dataset = jb.load_dataset(write(tmp_path, "s.arff", text), identifiers="keep")
    columns = decoded(dataset.X)
    assert columns["sky"] == ["clear", "half clear"]
    assert same(columns["n"], [0, math.nan])
    assert columns["t"] == ["", "x"]
    assert dataset.Y.tolist() == [1, 0]


def test_a_sparse_file_takes_memory_for_what_is_not_zero(tmp_path):
    wide = 20_000
    head = "@relation w\n" + "".join(f"@attribute a{j} numeric\n" for j in range(wide))
    rows = "".join(f"{{{j} 1, {wide - 1} {j % 2}}}\n" for j in range(2_000))
    X = jb.load_dataset(write(tmp_path, "wide.arff", head + "@data\n" + rows)).X
    assert X.shape == (2_000, wide - 1)
    assert X.data.nbytes + X.indices.nbytes + X.indptr.nbytes < 40_000
    assert X.format == "csr"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, bytes])
def test_packing_is_told_by_content_not_by_name(tmp_path, pack):
    path = write(tmp_path, "birds.csv", pack(b"wings,class\n2,a\n0,b\n"))
    assert jb.load_dataset(path).Y.tolist() == ["a", "b"]


def test_joined_packed_files_are_read_to_the_end(tmp_path):
    path = write(tmp_path, "b.csv.gz", gzip.compress(b"n,class\n1,a\n") + gzip.compress(b"2,b\n"))
    assert len(jb.load_dataset(path)) == 2


def mulan(folder, xml, relation="r"):
    head = f"@relation '{relation}'\n" + "".join(f"@attribute {n} {{0,1}}\n" for n in "abcd")
    if xml:
        labels = "".join(f'<label name="{name}"/>' for name in xml)
        write(
            folder,
            "m.xml",
            f'<labels xmlns="http://mulan.sourceforge.net/labels">{labels}</labels>',
        )
    return write(folder, "m.arff", head + "@data\n0,1,0,1\n1,1,0,0\n")


@pytest.mark.parametrize(
    ("xml", "relation", "target", "labels"),
    [
        ("bd", "r", None, ("b", "d")),
        ("bd", "r: -C 1", None, ("b", "d")),
        ("", "r: -C 2 -split 3", None, ("a", "b")),
        ("", "r: -C -2", None, ("c", "d")),
        ("bd", "r", ["c", 0], ("c", "a")),
        ("", "r", None, ("d",)),
        ("", "r", "0:3", ("a", "b", "c")),
        ("", "r", -2, ("c",)),
    ],
)
def test_where_the_labels_stand(tmp_path, xml, relation, target, labels):
    dataset = jb.load_dataset(mulan(tmp_path, xml, relation), target)
    assert dataset.label_names == labels
    assert dataset.Y.ndim == (1 if len(labels) == 1 else 2)
    assert set(dataset.feature_names) == set("abcd") - set(labels)


def test_headers_delimiters_and_missing_marks(tmp_path):
    path = write(tmp_path, "h.data", "\n1;a;-\n2;b;?\n")
    with pytest.raises(DataError, match=r"line 2: the first row holds '1'.*header='none'"):
        jb.load_dataset(path)
    plain = jb.load_dataset(path, header="none", target=1, missing=["-", "?"])
    assert plain.feature_names == ("x0", "x2")
    assert plain.X.column("x2").missing.tolist() == [True, True]
    named = jb.load_dataset(path, header=["n", "k", "sign"], target="k")
    assert named.X.column("sign").decoded().tolist() == ["-", None]
    assert jb.load_dataset(path, header="first").feature_names == ("1", "a")


def test_a_late_string_makes_a_column_nominal(tmp_path):
    rows = "".join(f"{k % 7},x\n" for k in range(40_000))
    X = jb.load_dataset(write(tmp_path, "late.csv", "n,class\n" + rows + "none,y\n")).X
    assert X.column("n").kind == "nominal"
    assert X.column("n").decoded()[[0, 8, -1]].tolist() == ["0", "1", "none"]


def test_dates_are_dates_only_if_all_are(tmp_path):
    path = write(tmp_path, "d.csv", "a,b,class\n2020-02-28,2020-02-28,x\n?,2020-02-31,y\n")
    X = jb.load_dataset(path).X
    assert [column.kind for column in X.columns] == ["date", "nominal"]


def test_pairs_are_recognised_in_a_file_of_any_name(tmp_path):
    assert jb.load_dataset(write(tmp_path, "train.txt", "1 1:2 3:4\n2 2:1\n")).is_sparse
    assert not jb.load_dataset(write(tmp_path, "words.txt", "a b class\n1 2 x\n")).is_sparse


def test_nominal_overrides_and_sequences(tmp_path):
    path = write(tmp_path, "dna.csv", "code,dna,class\n7,acg,a\n9,aat,b\n7,aat,b\n")
    X = jb.load_dataset(path, nominal="code", sequences="dna").X
    assert X.column("code").categories.tolist() == [7, 9]
    assert X.names == ("code", "dna_1", "dna_2", "dna_3")
    assert X.column("dna_3").decoded().tolist() == ["g", "t", "t"]


def test_missing_labels_are_kept_or_dropped_never_lost(tmp_path):
    path = write(tmp_path, "m.csv", "n,a,b\n1,x,1\n2,?,2\n3,y,NA\n")
    kept = jb.load_dataset(path, target=["a", "b"])
    assert kept.Y.tolist()[:2] == [["x", 1.0], [None, 2.0]]
    assert math.isnan(kept.Y[2, 1])
    dropped = jb.load_dataset(path, target=["a", "b"], missing_labels="drop")
    assert (len(dropped), dropped.rows_dropped, dropped.Y.tolist()) == (1, 2, [["x", 1.0]])


def test_identifiers_may_be_named(tmp_path):
    path = write(tmp_path, "i.csv", "id,n,class\n1,5,a\n2,6,b\n")
    assert jb.load_dataset(path, identifiers="id").identifiers == ("id",)
    assert jb.load_dataset(path).feature_names == ("id", "n")


def test_parquet_kinds(tmp_path):
    frame = pd.DataFrame(
        {
            "flag": [True, None, False],
            "size": pd.Categorical(["s", "l", None], categories=["s", "m", "l"]),
            "town": ["Rome", None, "Bonn"],
            "when": pd.to_datetime(["2020-01-01", None, "2020-01-02"]),
            "n": [1, 2, 3],
            "class": ["a", "b", "a"],
        }
    )
    frame.to_parquet(tmp_path / "k.parquet")
    X = jb.load_dataset(tmp_path / "k.parquet").X
    assert [c.kind for c in X.columns] == ["nominal", "nominal", "nominal", "date", "numeric"]
    assert X.column("size").categories.tolist() == ["s", "m", "l"]
    assert X.column("flag").decoded().tolist() == [True, None, False]
    assert X.column("town").decoded().tolist() == ["Rome", None, "Bonn"]
    assert X.column("when").values[2] - X.column("when").values[0] == 86_400


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    path = write(tmp_path, "x.parquet", b"PAR1 and more")
    with pytest.raises(MissingExtraError, match=r"jointbayes\[parquet\]"):
        jb.load_dataset(path)


def test_a_file_of_rows_without_labels(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("petal,colour\n1.4,white\n4.7,red\n")
    rows = jb.load_dataset(path, "none")
    assert (rows.X.names, rows.Y.shape, rows.label_names) == (("petal", "colour"), (2, 0), ())
    path.write_text("petal,none\n1.4,white\n4.7,red\n")
    assert jb.load_dataset(path, "none").label_names == ("none",)
