"""Rows of index-value pairs by definition: sparse ARFF and svmlight, as parts of a CSR matrix."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import array, takes
from jointbayes._kernels.parsing import (
    BLANKS,
    INDEX,
    LINE,
    NONE,
    NUMBER,
    SPARSE,
    Distinct,
    Trouble,
    end_of,
    to_number,
    to_spans,
)
from jointbayes.arrays import Ints

__all__ = ["parse_sparse", "parse_svmlight"]

_MAX_INDEX = 2**31 - 1
_VALUE = rb"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|[^ \t\r,}\n'"][^ \t\r,}\n]*"""
_ENTRY = re.compile(rb"(\d+)[ \t\r]+(" + _VALUE + rb")[ \t\r]*(?:,|(?=\}))")
_DIGITS = re.compile(rb"\d+")
_TOKEN = re.compile(rb"[^ \t\r\n#]*")


@dataclass
class _Pairs:
    """Rows of (index, value) pairs as they are read."""

    indptr: list[int] = field(default_factory=lambda: [0])
    indices: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    trouble: Trouble = (NONE, 0, 0)

    def stop(self, why: int, at: int, found: int = 0) -> None:
        self.trouble = (why, at, found)

    def close_row(self, begin: int) -> None:
        self.starts.append(begin)
        self.indptr.append(len(self.indices))

    def arrays(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
        return (
            np.array(self.indptr, dtype=np.int64),
            np.array(self.indices, dtype=np.int32),
            np.array(self.values, dtype=np.float64),
            np.array(self.starts, dtype=np.int64),
        )


@takes(
    kinds=array("uint8"),
)
def parse_sparse(
    text: bytes, start: int, kinds: NDArray[np.uint8]
) -> tuple[
    NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], NDArray[np.int64],
    Ints, Ints, Trouble,
]:  # fmt: skip
    """Read the rows ``{index value, …}`` of a sparse ARFF file from ``start`` on.

    Returns the indptr, indices and values of a CSR matrix, the byte where each row begins, the
    spans of distinct text (a TEXT column's values are codes into it, shared by all columns), the
    spans of what stood in number columns and is no number (stored as NaN), and the trouble.
    """
    pairs, distinct, odd = _Pairs(), Distinct(), Distinct()
    at = start
    while at < len(text) and pairs.trouble[0] == NONE:
        at = end_of(BLANKS, text, at, len(text))
        if text[at : at + 1] not in (b"", b"\n", b"%"):
            _sparse_row(text, at, kinds, pairs, distinct, odd)
        at = end_of(LINE, text, at, len(text)) + 1
    return *pairs.arrays(), to_spans(distinct.spans), to_spans(odd.spans), pairs.trouble


def _sparse_row(
    text: bytes, begin: int, kinds: NDArray[np.uint8],
    pairs: _Pairs, distinct: Distinct, odd: Distinct,
) -> None:  # fmt: skip
    if text[begin : begin + 1] != b"{":
        return pairs.stop(SPARSE, begin)
    at = end_of(BLANKS, text, begin + 1, len(text))
    while text[at : at + 1] != b"}":
        index = _DIGITS.match(text, at)
        if index and _whole(index[0]) >= len(kinds):
            return pairs.stop(INDEX, at, _whole(index[0]))
        entry = _ENTRY.match(text, at)
        if entry is None:
            return pairs.stop(SPARSE, at)
        column, (left, right) = _whole(entry[1]), entry.span(2)
        if kinds[column] == NUMBER:
            quoted = text[left : left + 1] in (b"'", b'"')
            left, right = left + quoted, right - quoted
            number = to_number(text[left:right], b"")
            pairs.values.append(odd.odd(text, left, right) if number is None else number)
        else:
            pairs.values.append(distinct.code(text, left, right))
        pairs.indices.append(column)
        at = end_of(BLANKS, text, entry.end(), len(text))
    at = end_of(BLANKS, text, at + 1, len(text))
    if text[at : at + 1] not in (b"", b"\n"):
        return pairs.stop(SPARSE, at)
    return pairs.close_row(begin)


def parse_svmlight(
    text: bytes, start: int
) -> tuple[
    NDArray[np.int32], Ints,
    NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], NDArray[np.int64], Trouble,
]:  # fmt: skip
    """Read rows ``labels index:value …`` from ``start`` on; ``#`` begins a comment.

    Returns one code per row for the whole label list (empty where the row begins with a pair), the
    spans of the distinct lists, the indptr, indices and values of a CSR matrix, the byte where each
    row begins, and the trouble.
    """
    pairs, distinct = _Pairs(), Distinct()
    labels: list[int] = []
    at = start
    while at < len(text) and pairs.trouble[0] == NONE:
        begin = at
        at = end_of(BLANKS, text, at, len(text))
        if text[at : at + 1] not in (b"", b"\n", b"#"):
            token = end_of(_TOKEN, text, at, len(text))
            after = at if b":" in text[at:token] else token
            labels.append(distinct.code(text, at, after))
            _svmlight_pairs(text, begin, after, pairs)
        at = end_of(LINE, text, at, len(text)) + 1
    return (
        np.array(labels, dtype=np.int32),
        to_spans(distinct.spans),
        *pairs.arrays(),
        pairs.trouble,
    )


def _svmlight_pairs(text: bytes, begin: int, at: int, pairs: _Pairs) -> None:
    at = end_of(BLANKS, text, at, len(text))
    while text[at : at + 1] not in (b"", b"\n", b"#"):
        token = end_of(_TOKEN, text, at, len(text))
        index, _, value = text[at:token].partition(b":")
        if index != b"qid":
            number = to_number(value, b"")
            digits = _DIGITS.match(index)
            if digits and _whole(digits[0]) == _MAX_INDEX:
                return pairs.stop(INDEX, at, _MAX_INDEX)
            if not index.isdigit() or number is None:
                return pairs.stop(SPARSE, at)
            pairs.indices.append(_whole(index))
            pairs.values.append(number)
        at = end_of(BLANKS, text, token, len(text))
    return pairs.close_row(begin)


def _whole(digits: bytes) -> int:
    """Return the number, or the largest index: ten digits say enough, and Python reads so many."""
    return min(int(digits.lstrip(b"0")[:11] or b"0"), _MAX_INDEX)
