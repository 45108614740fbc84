"""Small files that once took all the memory, the time of a day, or ended in a foreign error."""

from __future__ import annotations

import pytest

import jointbayes as jb
from jointbayes.errors import DataError

HEAD = "@relation r\n@attribute a numeric\n@attribute c {%s}\n@data\n"


def load(folder, name, text, xml=None, **options):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    if xml is not None:
        path.with_suffix(".xml").write_bytes(xml)
    return jb.load_dataset(path, **options)


@pytest.mark.parametrize(
    "labels",
    [("²", "³"), ("--1", "2"), ("1" * 25, "2"), ("-0", "1"), ("1_0", "2"), ("٣", "٤")],
)
def test_labels_that_only_look_like_numbers_stay_text(tmp_path, labels):
    rows = HEAD % ",".join(labels) + f"1,{labels[0]}\n2,{labels[1]}\n"
    assert load(tmp_path, "f.arff", rows).Y.tolist() == list(labels)


def test_labels_of_eighteen_digits_are_whole_numbers(tmp_path):
    rows = HEAD % f"{10**17},-5" + f"1,{10**17}\n2,-5\n"
    assert load(tmp_path, "f.arff", rows).Y.tolist() == [10**17, -5]


def test_labels_of_pairs_that_only_look_like_numbers(tmp_path):
    assert load(tmp_path, "f.svmlight", "--1 1:1\n2 2:1\n").Y.tolist() == ["--1", "2"]
    assert load(tmp_path, "g.svmlight", "1_0 1:1\n2 2:1\n").Y.tolist() == ["1_0", "2"]


def test_a_date_format_that_says_one_thing_twice(tmp_path):
    text = "@relation r\n@attribute d date 'MM-MM'\n@attribute c {x,y}\n@data\n'01-01',x\n"
    with pytest.raises(DataError, match=r"line 5: column 'd'.*'MM-MM' says one thing twice"):
        load(tmp_path, "f.arff", text)


def test_a_long_date_is_not_repeated(tmp_path):
    text = HEAD.replace("numeric", "date") % "x,y" + "9" * 3000 + ",x\n"
    with pytest.raises(DataError, match="does not follow ISO 8601") as caught:
        load(tmp_path, "f.arff", text)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_count_of_labels_of_five_thousand_digits(tmp_path, sign):
    text = (HEAD % "x,y").replace("@relation r", f"@relation 'r: -C {sign}{'9' * 5000}'") + "1,x\n"
    with pytest.raises(DataError, match=f"-C {sign}9999999999, but the file has 2") as caught:
        load(tmp_path, "f.arff", text)
    assert len(str(caught.value)) < 300


def test_the_encoding_of_a_list_of_labels(tmp_path):
    rows, xml = (
        HEAD % "x,y" + "1,x\n2,y\n",
        "<?xml version='1.0' encoding='%s'?><l><label name='%s'/></l>",
    )
    with pytest.raises(DataError, match="declares the encoding 'upf-8', which is not known"):
        load(tmp_path, "f.arff", rows, (xml % ("upf-8", "c")).encode())
    rows = rows.replace("attribute c", "attribute größe")
    for encoding in ("ISO-8859-1", "utf-8", "utf-16"):
        listed = (xml % (encoding, "größe")).encode(encoding)
        assert load(tmp_path, "f.arff", rows, listed).label_names == ("größe",)


def test_infinity_among_declared_values_of_a_sparse_row(tmp_path):
    text = "@relation r\n@attribute a {0,1}\n@attribute c {0,1}\n@data\n{0 inf}\n{1 1}\n"
    with pytest.raises(DataError, match="line 5: column 'a' holds inf"):
        load(tmp_path, "f.arff", text)


@pytest.mark.parametrize("blank", ["\n", " \n", " ", "\t\r\n"])
def test_blank_lines_before_the_header(tmp_path, blank):
    assert load(tmp_path, "f.csv", blank * 70_000 + "\na,b\n1,2\n").Y.tolist() == [2]


def test_a_line_of_seventy_thousand_bytes(tmp_path):
    wide = ",".join(f"c{j}" for j in range(12_000))
    row = ",".join("1" for _ in range(12_000))
    assert load(tmp_path, "f.csv", f"{wide}\n{row}\n{row}\n").X.shape == (2, 11_999)
    with pytest.raises(DataError):
        load(tmp_path, "f.csv", '"' + "x" * 70_000)


def test_blanks_within_a_value_take_no_time(tmp_path):
    values = f"'y', b{' ' * 70_000}c"
    dataset = load(tmp_path, "f.arff", HEAD % values + "1,y\n2,y\n")
    assert dataset.Y.tolist() == ["y", "y"]


def test_an_index_that_would_make_billions_of_columns(tmp_path):
    with pytest.raises(DataError, match="line 1: the index 2000000000 makes 2,000,000,000 columns"):
        load(tmp_path, "f.svmlight", "1 2000000000:1\n0 1:1\n")
    assert load(tmp_path, "f.svmlight", "1 1000000:1\n0 1:1\n").X.shape == (2, 1_000_000)


def test_sparse_rows_that_would_make_a_dense_table_of_gigabytes(tmp_path):
    head = "@relation r\n" + "".join(f"@attribute c{j} string\n" for j in range(30_000))
    with pytest.raises(jb.errors.CostError, match="30,000 columns of 20,000 rows"):
        load(tmp_path, "f.arff", head + "@attribute class {0,1}\n@data\n" + "{}\n" * 20_000)


@pytest.mark.parametrize(
    "text",
    [
        HEAD % ",".join(f"{'v' * 500}{j}" for j in range(20)) + "1,x\n",
        "@relation r\n@attribute a {0,1,2}\n@attribute c {0,1}\n@data\n{0 7}\n",
    ],
)
def test_messages_stay_short(tmp_path, text):
    with pytest.raises(DataError) as caught:
        load(tmp_path, "f.arff", text)
    assert len(str(caught.value)) < 600


def test_long_names_of_columns_stay_out_of_messages(tmp_path):
    names = ",".join(f"{'n' * 700}{j}" for j in range(8))
    with pytest.raises(jb.errors.ParameterError) as caught:
        load(tmp_path, "f.csv", f"{names}\n1,2,3,4,5,6,7,8\n", target="nnnn")
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("digits", ["9" * 5000, "0" * 5000 + "1"])
def test_indices_of_five_thousand_digits(tmp_path, digits):
    head = "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute c {x,y}\n@data\n"
    for name, text in (("p.svm", f"1 {digits}:1\n0 2:1\n"), ("s.arff", f"{head}{{{digits} 1}}\n")):
        if digits[0] == "0":
            assert load(tmp_path, name, text).X.shape[1] == 2
        else:
            with pytest.raises(DataError, match=r"index|too large"):
                load(tmp_path, name, text)
