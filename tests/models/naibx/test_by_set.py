"""Rows counted column by column, once for each label set, give the tables of rows one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import jointbayes as jb
from jointbayes.errors import DataError
from jointbayes.models.naibx import counting
from jointbayes.models.naibx.by_set import label_sets, tabulate_sets
from jointbayes.models.naibx.counting import count_rows
from jointbayes.models.naibx.kinds import learn_columns
from jointbayes.models.naibx.restating import restated
from jointbayes.models.naibx.tables import tabulate


def rows_and_labels(n, q, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "far": 1e9 + rng.normal(size=n),
            "gaps": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
            "bit": rng.integers(0, 2, n),
            "bits": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 2, n)),
            "two": rng.choice(["a", "b"], n),
            "many": rng.choice(["a", "b", None, "c"], n),
        }
    )
    return jb.Table.of(frame), rng.random((n, q)) < 0.3, rng.random(n)


def assert_same_tables(found, expected):
    for name in ("n_y", "n_m", "n_yy", "n_ym"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)
    for side in ("by_label", "by_size"):
        for a, b in zip(getattr(found, side), getattr(expected, side), strict=True):
            assert type(a) is type(b)
            for name, value in vars(b).items():
                np.testing.assert_allclose(getattr(a, name), value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("q", [1, 3, 20])
def test_sets_give_the_tables_of_rows(q, weighted):
    X, members, weights = rows_and_labels(300, q)
    columns, w = learn_columns(X), weights if weighted else None
    expected = tabulate(next(columns.blocks(X)), members, w)
    assert_same_tables(tabulate_sets(columns, X, label_sets(members), w), expected)


@pytest.mark.parametrize("q", [2, 40])
def test_rows_are_counted_in_tiles(q, monkeypatch):
    monkeypatch.setattr(counting, "MANY_ROWS", 10)
    monkeypatch.setattr(counting, "TILE", 64)
    X, members, weights = rows_and_labels(300, q)
    columns = learn_columns(X)
    expected = tabulate(next(columns.blocks(X)), members, weights)
    assert_same_tables(count_rows(columns, X, members, weights), expected)


def test_infinity_is_refused_with_its_row(monkeypatch):
    monkeypatch.setattr(counting, "MANY_ROWS", 10)
    monkeypatch.setattr(counting, "TILE", 64)
    X, members, _ = rows_and_labels(300, 2)
    columns = learn_columns(X)
    wild = X.columns[0].values.copy()
    wild[200] = np.inf
    other = jb.Table((jb.Table.of(pd.DataFrame({"far": wild})).columns[0], *X.columns[1:]))
    with pytest.raises(DataError, match=r"'far'.*row 200"):
        count_rows(columns, other, members, None)


def test_tables_of_some_rows_are_restated_for_all():
    X, members, _ = rows_and_labels(300, 3)
    bit = np.where(np.arange(300) < 200, X.column("bit").values, 7.5)
    whole = jb.Table((jb.Table.of(pd.DataFrame({"bit": bit})).columns[0], *X.columns[3:]))
    some = jb.Table.of(
        pd.DataFrame({"bit": bit, "bits": X.column("bits").values})
        .assign(two="b", many=np.where(X.column("many").values > 0, "c", "b"))
        .iloc[:200]
    )
    before, now = learn_columns(some), learn_columns(whole)
    assert before.kinds != now.kinds
    tables = count_rows(before, some, members[:200], None)
    assert_same_tables(restated(tables, before, now), count_rows(now, some, members[:200], None))
    assert restated(tables, now, before) is None
