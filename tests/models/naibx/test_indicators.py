"""Indicators of all nominal columns at once are those of each column, side by side."""

from __future__ import annotations

import numpy as np
import pytest

from jointbayes.models.naibx.columns import _indicate


def one_by_one(codes, cards):
    """Return the indicators as an array, cell by cell."""
    rows = []
    for row in codes.tolist():
        cells = []
        for code, card in zip(row, cards.tolist(), strict=True):
            values = [1.0 if v == code else 0.0 for v in range(card)]
            values = [np.nan] * card if code == card else values
            cells += values[1:] if card == 2 else values
        rows.append(cells)
    return np.array(rows)


@pytest.mark.parametrize("seed", range(20))
def test_indicators_are_those_of_each_cell(seed):
    rng = np.random.default_rng(seed)
    cards = rng.integers(1, 6, rng.integers(1, 6))
    codes = rng.integers(0, cards + 1, (rng.integers(1, 9), len(cards))).astype(np.uint8)
    found = _indicate(np.asfortranarray(codes), cards, np.where(cards == 2, 1, cards))
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), one_by_one(codes, cards))
