"""Which class is the root of mNB: by the score of the whole class graph, or without its own."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb


@pytest.fixture
def rows():
    """Return a rare label and a frequent one that tell as much of each other, and a coin."""
    rng = np.random.default_rng(0)
    rare = rng.random(500) < 0.03
    often = rare | (rng.random(500) < 0.4)
    return rng.integers(0, 2, (500, 1)), np.column_stack([rare, often, rng.integers(0, 2, 500)])


def test_without_its_own_term_the_root_is_the_label_that_is_hard_to_foretell(rows):
    X, Y = rows
    whole = jb.MultilabelNB().fit(X, Y.astype(int)).learned_.graphs[0]
    others = jb.MultilabelNB(root="others").fit(X, Y.astype(int)).learned_.graphs[0]
    share = Y.mean(axis=0)
    doubt = np.minimum(share, 1 - share)
    assert doubt[others.root] > doubt[whole.root]
    assert others.score <= whole.score


def test_a_root_rule_that_is_not_known_is_refused(rows):
    with pytest.raises(jb.errors.ParameterError, match="root='best'"):
        jb.MultilabelNB(root="best").fit(*rows)
