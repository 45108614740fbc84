"""What the tests of classifiers with one class variable share: the models, and data to learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from jointbayes import AODE, ATAN, KDB, TAN, WATAN, ChowLiuMultinet, NaiveBayes

MODELS = [NaiveBayes(), TAN(), KDB(1), KDB(2), AODE(), ATAN(), WATAN(), ChowLiuMultinet()]
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def mixed(n=240, seed=0):
    """Nominal, numeric and missing columns that depend on the label and on each other."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "perhaps", "yes"], n, p=[0.5, 0.3, 0.2])
    size = rng.normal(size=n) + (y == "yes")
    weight = size + rng.normal(scale=0.5, size=n)
    colour = np.where(rng.random(n) < 0.7, np.where(size > 0, "red", "blue"), "green")
    shape = np.where(rng.random(n) < 0.2, None, np.where(y == "no", "round", "square"))
    weight[rng.random(n) < 0.1] = np.nan
    frame = pd.DataFrame({"size": size, "weight": weight, "colour": colour, "shape": shape})
    return frame, y
