"""Bad input: one sentence that names file, line and column, for every reader."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import time

import pandas as pd
import pytest

import jointbayes as jb
from jointbayes.errors import DataError, JointBayesError, ParameterError

HEAD = """@relation r
@attribute colour {red,blue}
@attribute size numeric
@attribute class {a,b}
@data
"""
GOOD = {
    "dense.arff": HEAD + "red,1,a\nblue,2,b\n",
    "sparse.arff": HEAD + "{0 blue,1 2,2 b}\n{1 3}\n",
    "plain.csv": "colour,size,class\nred,1,a\nblue,2,b\n",
    "plain.tsv": "colour\tsize\tclass\nred\t1\ta\nblue\t2\tb\n",
    "pairs.svm": "1 0:1 3:2\n2 1:5\n",
}
SUFFIXES = [*GOOD, "table.parquet"]


def content(name, folder):
    if name != "table.parquet":
        return GOOD[name].encode()
    pd.DataFrame({"size": [1.0, 2.0], "class": ["a", "b"]}).to_parquet(folder / "good.parquet")
    return (folder / "good.parquet").read_bytes()


def refusal(path, **options):
    """The sentence with which a file is refused, checked for its form."""
    with pytest.raises(JointBayesError) as caught:
        jb.load_dataset(path, **options)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 500
    assert path.name in sentence or isinstance(caught.value, ParameterError)
    return sentence.split(path.name, 1)[-1]


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize("name", SUFFIXES)
def test_good_files_are_read(tmp_path, name):
    assert len(jb.load_dataset(write(tmp_path, name, content(name, tmp_path)))) == 2


@pytest.mark.parametrize("name", SUFFIXES)
@pytest.mark.parametrize("data", [b"", b"  \n\n", b"\xef\xbb\xbf"])
def test_empty_files(tmp_path, name, data):
    assert "empty" in refusal(write(tmp_path, name, data)) or name.endswith("parquet")


@pytest.mark.parametrize("name", SUFFIXES)
def test_binary_junk(tmp_path, name):
    junk = bytes(range(256)) * 40
    assert "byte 0" in refusal(write(tmp_path, name, junk)) or name.endswith("parquet")
    late = content(name, tmp_path) + b"x" * 100_000 + b"\x00\x01"
    refusal(write(tmp_path, name, late))


def test_utf16_cut_within_a_letter_is_named(tmp_path):
    data = GOOD["plain.csv"].encode("utf-16")[:-1]
    assert "is not text in utf-16" in refusal(write(tmp_path, "u.csv", data))


@pytest.mark.parametrize("name", SUFFIXES)
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_truncated_packed_files(tmp_path, name, pack):
    packed = pack(content(name, tmp_path) + os.urandom(3_000).hex().encode())
    for length in (len(packed) // 2, len(packed) - 3):
        sentence = refusal(write(tmp_path, name + ".z", packed[:length]))
        assert "truncated" in sentence or "damaged" in sentence
    broken = bytearray(packed)
    broken[len(broken) // 2] ^= 0xFF
    refusal(write(tmp_path, name + ".z", bytes(broken)))


@pytest.mark.parametrize("name", ["dense.arff", "sparse.arff", "table.parquet"])
def test_truncated_files(tmp_path, name):
    """ARFF and Parquet say themselves that something is missing, wherever they are cut."""
    whole = content(name, tmp_path)
    end = len(HEAD) + 1 if name.endswith("arff") else len(whole)
    for length in range(1, end, 7):
        refusal(write(tmp_path, name, whole[:length]))


@pytest.mark.parametrize(
    ("name", "data", "line", "words"),
    [
        ("d.arff", HEAD + "red,1,a\nblue,2\n", 7, "2 fields where 3"),
        ("d.arff", HEAD + "red,1,a,7\n", 6, "4 fields where 3"),
        ("d.arff", HEAD + "red,1,a\n\n% c\nmauve,2,b\n", 9, "'colour' holds 'mauve'"),
        ("d.arff", HEAD + "red,many,b\n", 6, "'size' holds 'many'"),
        ("d.arff", HEAD + "'red,1,a\n", 6, "quote is not closed"),
        ("d.arff", HEAD + "'red'x,1,a\n", 6, "follows a quoted field"),
        ("s.arff", HEAD + "{0 red}\n{0 mauve}\n", 7, "'colour' holds 'mauve'"),
        ("s.arff", HEAD + "{1 many}\n", 6, "'many'"),
        ("s.arff", HEAD + "{1 1}\n{3 1}\n", 7, "index 3"),
        ("s.arff", HEAD + "{1 1,1 2}\n", 6, "'size' stands twice"),
        ("s.arff", HEAD + "{1 1\n", 6, "sparse row"),
        ("s.arff", HEAD + "{1 1}\nred,1,a\n", 7, "sparse row"),
        ("s.arff", HEAD + "{-1 1}\n", 6, "sparse row"),
        ("s.arff", HEAD.replace("{red,blue}", "{0,1}") + "{0 2}\n", 6, "'colour' holds 2"),
        ("h.arff", HEAD.replace("size", "colour") + "red,1,a\n", 3, "'colour' is declared again"),
        ("h.arff", HEAD.replace("{a,b}", "{a,b") + "red,1,a\n", 4, "not closed"),
        ("h.arff", HEAD.replace("numeric", "relational") + "red,1,a\n", 3, "'size' has the type"),
        ("h.arff", HEAD.replace("numeric", "") + "red,1,a\n", 3, "lacks a name or a type"),
        ("h.arff", "hello\n" + HEAD + "red,1,a\n", 1, "neither @relation"),
        ("c.csv", "a,b,class\n1,2,x\n3,y\n", 3, "2 fields where 3"),
        ("c.csv", "a,b,a\n1,2,x\n", 1, "columns 0 and 2 are both called 'a'"),
        ("c.csv", 'a,class\n"1,x\n', 2, "quote is not closed"),
        ("c.csv", 'a,"class\n1,x\n', 1, "quote"),
        ("c.tsv", "a\tclass\n1\tx\n2\n", 3, "1 fields where 2"),
        ("p.svm", "1 1:2\n1 2:x\n", 2, "'2:x'"),
        ("p.svm", "1 2\n", 1, "'2'"),
        ("p.svm", "1 1:1 1:2\n", 1, "index 1 stands twice"),
        ("p.svm", "1 99999999999:2\n", 1, "too large an index"),
    ],
)
def test_file_line_and_column(tmp_path, name, data, line, words):
    sentence = refusal(write(tmp_path, name, data))
    assert sentence.startswith(f", line {line}: ")
    assert words in sentence


@pytest.mark.parametrize("name", SUFFIXES)
def test_a_single_line_of_ten_megabytes(tmp_path, name):
    start = time.perf_counter()
    refusal(write(tmp_path, name, b"x" * 10_000_000))
    refusal(write(tmp_path, name, b"1,2,{3 " * 1_400_000))
    assert time.perf_counter() - start < 20


def test_a_header_of_ten_megabytes_is_read(tmp_path):
    values = ",".join(f"value{k}" for k in range(1_000_000))
    text = f"@relation r\n@attribute a {{{values}}}\n@attribute class {{0,1}}\n@data\nvalue7,1\n"
    column = jb.load_dataset(write(tmp_path, "long.arff", text)).X.column("a")
    assert column.decoded().tolist() == ["value7"]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_bombs(tmp_path, pack):
    bomb = pack(b"1,2\n" * 1_000_000)
    path = write(tmp_path, "bomb.csv.z", bomb)
    assert "max_bytes" in refusal(path, max_bytes=1_000_000)
    nested = write(tmp_path, "nested.csv.z", pack(bomb))
    assert "more than once" in refusal(nested)


def test_a_small_file_cannot_fill_the_memory(tmp_path):
    path = write(tmp_path, "zeros.csv.xz", lzma.compress(b"0,0\n" * 1_000_000) * 80)
    assert "unpacks to more than" in refusal(path)


def test_unreadable_paths(tmp_path):
    assert "is a directory" in refusal(tmp_path)
    assert "No such file" in refusal(tmp_path / "absent.csv")
    for name in ("absent", "no/such/thing.csv", "nul\0byte", ""):
        with pytest.raises(DataError):
            jb.load_dataset(name)
    with pytest.raises(DataError, match="data_dir"):
        jb.load_dataset("iris", data_dir=tmp_path / "absent")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_forbidden_files(tmp_path):
    path = write(tmp_path, "secret.csv", GOOD["plain.csv"])
    path.chmod(0)
    assert "Permission denied" in refusal(path)


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        ("<labels><label name='class'/>", "is not xml"),
        ("<labels></labels>", "lists no <label"),
        ("<labels><label name='shape'/></labels>", "the label 'shape'"),
        ('<!DOCTYPE l [<!ENTITY a "b">]><labels><label name="&a;"/></labels>', "entities"),
    ],
)
def test_label_lists(tmp_path, xml, words):
    path = write(tmp_path, "m.arff", GOOD["dense.arff"])
    write(tmp_path, "m.xml", xml)
    with pytest.raises(DataError, match=r"m\.xml") as caught:
        jb.load_dataset(path)
    assert words in str(caught.value)


def test_a_count_of_labels_beyond_the_attributes(tmp_path):
    text = GOOD["dense.arff"].replace("@relation r", "@relation 'r: -C 4'")
    assert "-C 4" in refusal(write(tmp_path, "m.arff", text))


@pytest.mark.parametrize(
    "options",
    [
        {"target": "klass"},
        {"target": 3},
        {"target": []},
        {"target": [None]},
        {"nominal": "shape"},
        {"identifiers": "shape"},
        {"header": "second"},
        {"header": ["a", "b"]},
        {"delimiter": "||"},
        {"missing_labels": "ignore"},
        {"sequences": "size"},
        {"target": ["colour", "size", "class"]},
    ],
)
def test_parameters_are_checked(tmp_path, options):
    path = write(tmp_path, "plain.csv", GOOD["plain.csv"])
    refusal(path, **options)


def test_a_misspelt_column_gets_a_suggestion(tmp_path):
    path = write(tmp_path, "plain.csv", GOOD["plain.csv"])
    with pytest.raises(ParameterError, match=r"'klass'.*did you mean 'class'"):
        jb.load_dataset(path, "klass")
