"""describe in parts says what describe says of all rows."""

from __future__ import annotations

import pytest
from rows_in_parts import LABELS, frame

import jointbayes as jb

WHOLE = frame().assign(flag=lambda w: (w["size"] > 3).astype(int))


@pytest.mark.parametrize("rows", [90, 10_000])
@pytest.mark.parametrize("target", ["kind", LABELS, ["kind", "wet"]], ids=str)
def test_parts_are_described_as_the_whole(target, rows):
    drop = [target] if isinstance(target, str) else target
    X, y = WHOLE.drop(columns=drop), WHOLE[target]
    parts = [WHOLE.iloc[i : i + rows] for i in range(0, len(WHOLE), rows)]
    found = jb.scale.describe(iter(parts), target).as_dict()
    expected = jb.describe(X, y).as_dict()
    assert sorted(map(str, found.pop("counts"))) == sorted(map(str, expected.pop("counts")))
    assert found == expected


def test_missing_labels_are_counted():
    gaps = WHOLE.astype({"wet": object})
    gaps.loc[gaps.index[::7], "wet"] = None
    parts = [gaps.iloc[:130], gaps.iloc[130:]]
    found = jb.scale.describe(parts, LABELS)
    expected = jb.describe(gaps.drop(columns=LABELS), gaps[LABELS])
    assert found.missing_labels == expected.missing_labels == len(gaps.index[::7])
    assert found.rows_with_missing_labels == expected.rows_with_missing_labels
    assert found.cardinality == pytest.approx(expected.cardinality)
