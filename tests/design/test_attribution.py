"""What the columns of a design say is added up to what the user's columns say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from jointbayes.design.attribution import add_up_by_column, owners
from jointbayes.design.design import learn_matrix
from jointbayes.table import Table

FRAME = pd.DataFrame(
    {
        "hue": ["red", "blue", None, "red"],
        "age": [1.0, np.nan, 3.0, 4.0],
        "wet": [True, False, True, True],
        "size": [1.5, 2.5, 0.5, 9.5],
    }
)


def test_a_column_of_the_design_belongs_to_the_column_it_is_named_for():
    design, matrix = learn_matrix(Table.of(FRAME))
    mine = owners(design)
    for name, owner in zip(design.columns, mine, strict=True):
        assert name.split("=")[0].removesuffix(" missing") == design.names[owner]
    parts = np.random.default_rng(0).normal(size=(4, 2, matrix.shape[1]))
    found = add_up_by_column(design, matrix, parts)
    for j in range(4):
        np.testing.assert_allclose(found[:, :, j], parts[:, :, mine == j].sum(axis=2))


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_the_length_of_a_text_is_shared_by_its_words(layout):
    rows = layout([[3.0, 4.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    table = rows if layout is sparse.csr_array else Table.of(rows)
    design, matrix = learn_matrix(table, words="unit")
    assert design.columns[-1] == "length"
    parts = np.zeros((3, 1, 4))
    parts[:, 0, -1] = 25.0
    found = add_up_by_column(design, matrix, parts)[:, 0]
    np.testing.assert_allclose(found, [[9, 16, 0], [0, 0, 25], [25 / 3] * 3])
