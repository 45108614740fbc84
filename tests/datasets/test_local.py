"""Numbers and dates of other lands: what is read back is what was written, and rules are rules."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.datasets.local import comma_numbers, local_dates
from jointbayes.errors import ParameterError

numbers = st.lists(
    st.one_of(st.none(), st.integers(-(10**12), 10**12).map(lambda k: k / 100)), min_size=1
)


def german(number: float | None, groups: str) -> str | None:
    if number is None:
        return None
    return f"{number:,.2f}".translate(str.maketrans({",": groups, ".": ","}))


@given(numbers, st.sampled_from([".", "", " ", "\u00a0", "\u202f", "'", "’"]))
def test_numbers_with_commas_are_read_back(values, groups):
    found = comma_numbers([german(value, groups) for value in values])
    if all(value is None for value in values):
        assert found is None
    else:
        want = [np.nan if value is None else value for value in values]
        np.testing.assert_array_equal(found, want)


days = st.lists(st.dates(dt.date(1970, 1, 1), dt.date(2060, 12, 31)), min_size=1, max_size=20)


@given(days, st.sampled_from("./-"), st.sampled_from(["dmy", "mdy", "ymd"]))
@settings(max_examples=200)
def test_dates_are_read_back_or_not_guessed(values, mark, order):
    forms = {
        "dmy": "{d:02}{m}{o:02}{m}{y}",
        "mdy": "{o:02}{m}{d:02}{m}{y}",
        "ymd": "{y}{m}{o}{m}{d}",
    }
    texts = [forms[order].format(d=v.day, o=v.month, y=v.year, m=mark) for v in values]
    want = [dt.datetime(v.year, v.month, v.day, tzinfo=dt.UTC).timestamp() for v in values]
    assert local_dates(texts, order).moments.tolist() == want
    found = local_dates(texts)
    if found is not None and found.moments is not None and found.order == order:
        assert found.moments.tolist() == want
    elif found is not None and found.moments is not None:
        assert mark == "."  # with dots the day comes first, whoever wrote it
        assert order == "mdy"
    elif order == "ymd" or mark == ".":
        assert order == "mdy"  # 1.31.2020 is not a date with dots
    else:
        assert found.order == "dmy or mdy"
        assert all(v.day <= 12 for v in values)


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["31.12.99", "01.01.00"], "dmy"),
        (["31.12.1999 23:59", "1.1.2000 0:00:01"], "dmy"),
        (["2020/01/31"], "ymd"),
        (["12/31/1999"], "mdy"),
        (["31.12.1999", "1999.12.31"], None),
        (["1.2.3"], None),
        (["1.2.10"], None),
        (["31.02.2020"], None),
        (["13/13/2020"], None),
        (["1.1.2020 25:00"], None),
        (["10.0.0.1"], None),
        (["1/2/2020"], "dmy or mdy"),
    ],
)
def test_which_order(texts, order):
    found = local_dates(texts)
    assert (None if found is None else found.order) == order


def read(folder, text, **options):
    path = folder / "t.csv"
    path.write_text(text, encoding="utf-8")
    return jb.load_dataset(path, identifiers="keep", **options)


@pytest.mark.parametrize(
    ("text", "options", "want"),
    [
        ("a;class\n1,5;x\n2;y\n", {}, [1.5, 2.0]),
        ("a;class\n1,234;x\n2,345;y\n", {}, [1.234, 2.345]),
        ('a,class\n"1,5",x\n"2,25",y\n', {}, [1.5, 2.25]),
        (
            'a,class\n"1,234",x\n"2,345",y\n',
            {},
            ["1,234", "2,345"],
        ),  # thousands, or not: not guessed
        ('a,class\n"1,234",x\n"2,345",y\n', {"decimal": ","}, [1.234, 2.345]),
        ("a;class\n1,5;x\n2;y\n", {"decimal": "."}, ["1,5", "2"]),
        ("a;b;class\n1.234;0,5;x\n987;1,5;y\n", {}, [1234.0, 987.0]),
        ("a;b;class\n0.234;0,5;x\n987;1,5;y\n", {}, [0.234, 987.0]),  # no group begins with a zero
        ("a;class\n1.234;x\n987;y\n", {}, [1.234, 987.0]),
        ("a;class\n1.234;x\n987;y\n", {"decimal": ","}, [1234.0, 987.0]),
        ("a;class\n1.5;x\n2;y\n", {"decimal": ","}, ["1.5", "2"]),
        ("a;class\n1,5,6;x\n2;y\n", {}, ["1,5,6", "2"]),
        ("a\tclass\n-1.234,5e3\tx\n?\ty\n", {}, [-1234500.0, None]),
    ],
)
def test_decimal_commas_by_the_rule(tmp_path, text, options, want):
    column = read(tmp_path, text, **options).X.columns[0]
    found = [None if gone else v for v, gone in zip(column.decoded(), column.missing, strict=True)]
    assert found == want


def test_dates_that_may_be_two_things_are_said(tmp_path):
    data = read(tmp_path, "d,class\n1/2/2020,x\n3/4/2020,y\n")
    assert data.X.column("d").kind == "nominal"
    assert str(data.notes[0]) == "read as categories: d (may be dates: --dates dmy or mdy)"
    assert (
        read(tmp_path, "d,class\n1/2/2020,x\n3/4/2020,y\n", dates="mdy").X.columns[0].kind == "date"
    )


@pytest.mark.parametrize("option", [{"decimal": "·"}, {"dates": "myd"}, {"encoding": "utf-9"}])
def test_words_that_are_not_known(tmp_path, option):
    with pytest.raises(ParameterError, match="is not known; "):
        read(tmp_path, "a,class\n1,x\n", **option)
