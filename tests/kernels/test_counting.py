"""The compiled kernels against their numpy definitions, on every path and any number of threads."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import _kernels
from jointbayes._kernels import counting, information
from jointbayes._kernels.families import count_families
from jointbayes.codes import SparseCodes, narrowest, offsets

compiled = pytest.mark.skipif(not _kernels.COMPILED, reason="the extension is not built")
few = settings(max_examples=25, deadline=None)
DESIGNS = ("auto", "bits", "groups", "plain")


@st.composite
def tables(draw):
    """Columns of mixed arities, some not always observed; up to a few hundred rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.sampled_from([0, 1, 7, 63, 64, 65, 300]))
    n_classes = draw(st.integers(1, 5))
    most = draw(st.sampled_from([2, 3, 9, 70, 300]))
    cards = rng.integers(1, most + 1, draw(st.integers(1, 9)))
    hidden = rng.random(len(cards)) < draw(st.sampled_from([0.0, 0.4]))
    x = np.empty((n, len(cards)), dtype=narrowest(int(cards.max())), order="F")
    for i, (k, more) in enumerate(zip(cards, hidden, strict=True)):
        x[:, i] = rng.integers(0, k + more, n)
    y = rng.integers(0, n_classes, n).astype(rng.choice(["u1", "u2", "u4"]))
    return x, y, offsets(tuple(cards.tolist())), n_classes, rng


def sparsely(x, start, rng):
    """The same matrix kept sparse, some defaults stored in spite of being defaults."""
    default = np.array([rng.integers(0, k + 1) for k in np.diff(start)], dtype=x.dtype)
    stored = (x != default) | (rng.random(x.shape) < 0.1)
    column, row = np.nonzero(stored.T)
    indptr = np.concatenate([[0], np.cumsum(stored.sum(axis=0))]).astype(np.int64)
    return SparseCodes(x[row, column], row.astype(np.int32), indptr, default, x.shape)


def same(found, expected, which=""):
    """Counts of classes and of features in them, to the last bit."""
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs, err_msg=which)


def weightings(n, rng):
    return None, rng.integers(0, 4, n).astype(float)


@compiled
@few
@given(tables(), st.integers(1, 4))
def test_singles_are_counted_as_defined(table, threads):
    x, y, start, n_classes, rng = table
    for w in weightings(len(y), rng):
        expected = counting.count_singles(x, y, start, n_classes, w, 1)
        for features in (x, sparsely(x, start, rng)):
            found = _kernels.count_singles(features, y, start, n_classes, w, threads)
            same(found, expected)


@compiled
@few
@given(tables(), st.integers(1, 4))
def test_pairs_are_counted_as_defined_by_every_design(table, threads):
    x, y, start, n_classes, rng = table
    for w in weightings(len(y), rng):
        expected = counting.count_pairs(x, y, start, n_classes, w, 1, "auto")
        for features in (x, sparsely(x, start, rng)):
            for design in DESIGNS:
                found = _kernels.count_pairs(features, y, start, n_classes, w, threads, design)
                same(found, expected, design)


@compiled
@few
@given(tables(), st.integers(1, 4))
def test_information_is_as_defined(table, threads):
    x, y, start, n_classes, rng = table
    for w in (*weightings(len(y), rng), rng.random(len(y))):
        expected = information.pair_information(x, y, start, n_classes, w, 1)
        for features in (x, sparsely(x, start, rng)):
            found = _kernels.pair_information(features, y, start, n_classes, w, threads)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
            again = _kernels.pair_information(features, y, start, n_classes, w, 1)
            np.testing.assert_array_equal(found, again)


@compiled
@few
@given(tables(), st.integers(1, 4))
def test_families_are_counted_as_defined(table, threads):
    x, y, start, n_classes, rng = table
    columns = [y, *x.T]
    cards = np.concatenate([[n_classes], np.diff(start)])
    families = [rng.integers(0, len(columns), size).tolist() for size in (0, 1, 2, 3)]
    for w in (*weightings(len(y), rng), rng.random(len(y))):
        expected = count_families(columns, cards, families, w, 1)
        found = _kernels.count_families(columns, cards, families, w, threads)
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs)


@compiled
@pytest.mark.parametrize(("name", "design"), [("count_singles", ()), ("count_pairs", ("auto",))])
def test_fractional_weights_are_added_in_the_order_of_rows(name, design):
    rng = np.random.default_rng(0)
    x = np.asfortranarray(rng.integers(0, 4, (500, 6)).astype(np.uint8))
    y, w = rng.integers(0, 3, 500).astype(np.uint32), rng.random(500)
    expected = getattr(counting, name)(x, y, offsets((4,) * 6), 3, w, 1, *design)
    for threads in (1, 3):
        found = getattr(_kernels, name)(x, y, offsets((4,) * 6), 3, w, threads, *design)
        same(found, expected)


@compiled
def test_more_rows_than_a_16_bit_cell_holds():
    n = 200_000
    x = np.zeros((n, 3), dtype=np.uint8, order="F")
    x[-1] = 1
    y = np.zeros(n, dtype=np.uint32)
    for design in DESIGNS:
        _, found = _kernels.count_pairs(x, y, offsets((2, 2, 2)), 1, None, 2, design)
        assert found[0, 0, 2] == n - 1
        assert found[0, 1, 3] == 1


@compiled
@pytest.mark.parametrize("design", DESIGNS)
def test_codes_beyond_their_column_are_refused_not_written_out_of_bounds(design):
    x = np.full((10, 2), 3, dtype=np.uint8, order="F")
    y = np.zeros(10, dtype=np.uint32)
    with pytest.raises(ValueError, match="beyond its values"):
        _kernels.count_pairs(x, y, offsets((2, 2)), 1, None, 1, design)
    with pytest.raises(ValueError, match="beyond the number of classes"):
        _kernels.count_pairs(x, y + 1, offsets((3, 3)), 1, None, 1, design)


@compiled
@few
@given(st.integers(0, 5000), st.integers(1, 40), st.integers(1, 3))
def test_rows_become_columns(n, p, threads):
    rows = np.random.default_rng(n).integers(0, 1 + n % 256, (n, p)).astype(np.uint8)
    columns = np.empty_like(rows, order="F")
    largest = _kernels.to_columns(rows, columns, threads)
    np.testing.assert_array_equal(columns, rows)
    np.testing.assert_array_equal(largest, rows.max(axis=0, initial=0))


SCRIPT = """
import numpy as np
from jointbayes import _kernels
from jointbayes.codes import offsets
rng = np.random.default_rng(0)
cards = (2, 5, 9, 17, 2, 40)
x = np.asfortranarray(np.stack([rng.integers(0, k + 1, 2000) for k in cards], 1).astype(np.uint8))
y, start = rng.integers(0, 3, 2000).astype(np.uint32), offsets(cards)
args = (x, y, start, 3, None, 2)
for design in ("bits", "groups"):
    print(float(_kernels.count_pairs(*args, design)[1].ravel() @ np.arange(3 * 75**2)))
print(_kernels.pair_information(*args).sum().hex())
"""


@compiled
def test_every_instruction_set_gives_the_same_answer():
    answers = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "JOINTBAYES_INSTRUCTIONS": level},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for level in ("portable", "popcnt", "avx512")
    }
    assert len(answers) == 1


def test_the_definitions_serve_when_asked_for():
    script = "from jointbayes import _kernels as k; print(k.COMPILED, k.count_pairs.__module__)"
    environment = {**os.environ, "JOINTBAYES_KERNELS": "reference"}
    answer = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == ["False", "jointbayes._kernels.counting"]


@compiled
@few
@given(tables(), st.integers(1, 4))
def test_columns_of_one_value_are_counted_as_all_others(table, threads):
    x, y, start, n_classes, rng = table
    constant = np.zeros((len(y), 5), dtype=x.dtype)
    order = rng.permutation(x.shape[1] + 5)
    x = np.asfortranarray(np.hstack([x, constant])[:, order])
    start = offsets(tuple(np.append(np.diff(start), [1] * 5)[order].tolist()))
    for w in (*weightings(len(y), rng), rng.random(len(y))):
        expected = counting.count_pairs(x, y, start, n_classes, w, 1, "auto")
        told = information.pair_information(x, y, start, n_classes, w, 1)
        for design in DESIGNS:
            same(_kernels.count_pairs(x, y, start, n_classes, w, threads, design), expected)
        found = _kernels.pair_information(x, y, start, n_classes, w, threads)
        np.testing.assert_allclose(found, told, atol=1e-12)
        assert not found[np.diff(start) == 1][:, order >= len(order) - 5].any()
