"""Labels that are not known, in every form in which they may come."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import jointbayes as jb
from jointbayes.models import BatchedLogistic

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
Y = (X @ rng.normal(size=(2, 3)) + rng.normal(size=(60, 3)) > 0).astype(int)
GONE = rng.random(Y.shape) < 0.3
NAN = np.where(GONE, np.nan, Y)
LISTS = [
    [None if gone else int(v) for v, gone in zip(*row, strict=True)]
    for row in zip(Y, GONE, strict=True)
]
NAMES = ["a", "b", "c"]
FORMS = {
    "NaN": NAN,
    "lists of None": LISTS,
    "objects and None": np.array(LISTS, dtype=object),
    "objects and NaN": np.where(GONE, np.nan, Y.astype(object)),
    "objects and NA": np.where(GONE, pd.NA, Y.astype(object)),
    "words and None": np.where(GONE, None, np.where(Y == 1, "yes", "no").astype(object)),
    "masked": np.ma.masked_array(Y, mask=GONE),
    "pandas floats": pd.DataFrame(NAN, columns=NAMES),
    "pandas Int64": pd.DataFrame(NAN, columns=NAMES).astype("Int64"),
    "pandas boolean": pd.DataFrame(LISTS, columns=NAMES).astype("boolean"),
    "pandas objects": pd.DataFrame(LISTS, columns=NAMES, dtype=object),
    "pandas categories": pd.DataFrame(LISTS, columns=NAMES, dtype="Int64").astype("category"),
    "polars integers": pl.DataFrame(LISTS, schema=NAMES, orient="row"),
    "polars floats": pl.DataFrame(NAN, schema=NAMES),
    "polars booleans": pl.DataFrame(LISTS, schema=NAMES, orient="row").cast(pl.Boolean),
}
MODELS = {
    "BinaryRelevance": jb.BinaryRelevance(BatchedLogistic(penalty=1.0), unknown="learn"),
    "MultilabelNB": jb.MultilabelNB(unknown="learn"),
}
every_form = pytest.mark.parametrize("form", sorted(FORMS))


@every_form
@pytest.mark.parametrize("model", sorted(MODELS))
def test_the_form_makes_no_difference(model, form):
    expected = MODELS[model].fit(X, NAN).posterior(X).marginals()
    found = MODELS[model].fit(X, FORMS[form]).posterior(X).marginals()
    np.testing.assert_array_equal(found, expected)


@every_form
def test_it_is_refused_in_every_form_unless_told(form):
    with pytest.raises(ValueError, match='unknown="learn"'):
        jb.MultilabelNB().fit(X, FORMS[form])
