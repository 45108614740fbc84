"""The compiled text kernels do what their definitions say, on sense and on nonsense."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import _kernels
from jointbayes._kernels import parsing, sparse_rows

pytestmark = pytest.mark.skipif(not _kernels.COMPILED, reason="the extension is not built")

DIALECTS = [b",\0\0\0\1", b",%\\\1\0", b"\t\0\0\0\1", b" \0\0\0\1", b" %\\\1\0", b";\0\0\0\0"]
PIECES = [
    *(b", \n \t \r\n \" ' ? \\ % - + . # { } : ; a 1 2.5 e5 inf nan 1e400".split(b" ")),
    b" ", b"\n", b",", b"123456789012345678901", b"x y", b"3 1,", b"0 1", b"1:2", b'""', b"qid:7",
]  # fmt: skip
FIELDS = [
    b"1", b"-2.5e-3", b"?", b" a ", b"'a,b'", b'"1"', b'"x\ny"', b"'it\\'s'", b"", b"7\r",
    b'"a""b"', b"0.1234567890123456789", b"+4", b".5", b"5.", b"1_0", b"0x1", b"1e-320",
]  # fmt: skip

junk = st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join)
dialects = st.sampled_from(DIALECTS)
kinds = st.lists(st.integers(0, 2), min_size=1, max_size=3).map(lambda k: np.array(k, np.uint8))


@st.composite
def table_and_kinds(draw):
    width = draw(st.integers(1, 3))
    row = st.lists(st.sampled_from(FIELDS), min_size=width, max_size=width).map(b",".join)
    text = b"\n".join(draw(st.lists(row, max_size=5)))
    return text, np.array(draw(st.lists(st.integers(0, 2), min_size=width, max_size=width)), "u1")


def assert_same(fast, slow):
    assert tuple(fast[-1]) == tuple(slow[-1])
    if fast[-1][0] == parsing.NONE:
        for left, right in zip(fast[:-1], slow[:-1], strict=True):
            assert left.dtype == right.dtype
            np.testing.assert_array_equal(left, right)


@given(junk, dialects, kinds)
@settings(max_examples=50, deadline=None)
def test_dense_rows_of_nonsense(text, dialect, columns):
    arguments = (text, 0, len(text), dialect, columns)
    assert_same(_kernels.parse_dense(*arguments), parsing.parse_dense(*arguments))


@given(table_and_kinds(), dialects)
@settings(max_examples=50, deadline=None)
def test_dense_rows(table, dialect):
    text, columns = table
    arguments = (text, 0, len(text), dialect, columns)
    assert_same(_kernels.parse_dense(*arguments), parsing.parse_dense(*arguments))


@given(st.lists(st.floats(), min_size=1, max_size=20), st.sampled_from(["r", ".3f", ".25e", "g"]))
@settings(max_examples=50, deadline=None)
def test_numbers_are_read_as_python_reads_them(values, form):
    texts = [repr(v) if form == "r" else format(v, form) for v in values]
    text = "\n".join(texts).encode()
    numbers, *_ = _kernels.parse_dense(text, 0, len(text), DIALECTS[0], np.zeros(1, np.uint8))
    expected = [float(t) for t in texts]
    np.testing.assert_array_equal(numbers[:, 0], expected)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(numbers[known, 0]), np.signbit(expected)[known])


ENTRIES = [b"0 1", b"1 a", b" 2 'x y' ", b"3 1", b"2 ?", b"1 '1'", b"99999999999 1", b"1", b"0 1.5"]


@given(
    st.one_of(
        junk,
        st.lists(st.lists(st.sampled_from(ENTRIES), max_size=3).map(b",".join), max_size=3).map(
            lambda rows: b"\n".join(b"{" + row + b"}" for row in rows)
        ),
    ),
    st.integers(0, 1),
)
@settings(max_examples=50, deadline=None)
def test_sparse_rows(text, last):
    columns = np.array([0, 1, last], np.uint8)
    assert_same(_kernels.parse_sparse(text, 0, columns), sparse_rows.parse_sparse(text, 0, columns))


TOKENS = [b"1", b"a,b", b"", b"0:1", b"1:2.5", b"qid:3", b"7:x", b"3:1 # c", b"99999999999:1"]


@given(
    st.one_of(
        junk,
        st.lists(st.lists(st.sampled_from(TOKENS), max_size=4).map(b" ".join), max_size=3).map(
            b"\n".join
        ),
    )
)
@settings(max_examples=50, deadline=None)
def test_svmlight_rows(text):
    assert_same(_kernels.parse_svmlight(text, 0), sparse_rows.parse_svmlight(text, 0))
