"""Rows of every kind of column, and models equal to those of all rows at once."""

from __future__ import annotations

import numpy as np
import pandas as pd

import jointbayes as jb
from jointbayes.models.naibx.columns import Columns

N = 500

EVERY = [
    jb.NaiveBayes(),
    jb.TAN(),
    jb.KDB(k=1),
    jb.KDB(k=2),
    jb.AODE(),
    jb.ATAN(),
    jb.WATAN(),
    jb.LKDB(),
    jb.AKDB(),
    jb.ChowLiuMultinet(),
    jb.LTAN(delta=0.1),
    jb.LabelDriven(jb.KDB(k=1), delta=0.2),
    jb.MultilabelNB(),
    jb.MultilabelFAN(),
    jb.NetworkEnsemble(),
    jb.NaiBX(),
]
"""Every model that learns from rows in parts."""

LABELS = ["wet", "cold", "late"]


def frame(n: int = N, seed: int = 0) -> pd.DataFrame:
    """Numbers, text whose values differ from part to part, bool, dates, categories, missing."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    wind = np.round(rng.normal(size=n) + kind, 2)
    wind[rng.random(n) < 0.05] = np.nan
    size = rng.integers(0, 9, n) - (kind == 2) * 3
    town = np.array(["Aix", "Bonn", "Cork", "Delft", "Évora"], dtype=object)[
        (np.arange(n) // 100 + rng.integers(0, 2, n)) % 5
    ]
    town[rng.random(n) < 0.04] = None
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n) + 40 * kind, "D")
    days = pd.Series(days)
    days[rng.random(n) < 0.03] = pd.NaT
    grade = pd.Categorical.from_codes(rng.integers(0, 3, n), ["low", "mid", "high", "never"])
    wet = (wind > 0.5) | (rng.random(n) < 0.2)
    cold = wet ^ (rng.random(n) < 0.3)
    return pd.DataFrame(
        {
            "wind": wind,
            "size": size,
            "town": town,
            "open": rng.random(n) < 0.3 + 0.2 * kind,
            "day": days,
            "grade": grade,
            "empty": np.full(n, np.nan),
            "kind": np.array(["red", "green", "blue"], dtype=object)[kind],
            "wet": wet.astype(int),
            "cold": cold.astype(int),
            "late": (rng.random(n) < 0.4).astype(int),
        }
    )


def target_of(model) -> str | list[str]:
    return "kind" if model._targets == "one" else LABELS


def split(whole: pd.DataFrame, model) -> tuple[pd.DataFrame, object]:
    """Features and labels, as fit takes them."""
    target = target_of(model)
    unused = LABELS if isinstance(target, str) else ["kind"]
    return whole.drop(columns=[*unused, *np.atleast_1d(target)]), whole[target]


def part_for(whole: pd.DataFrame, model) -> pd.DataFrame:
    """The frame without the labels that the model does not learn."""
    return whole.drop(columns=LABELS if target_of(model) == "kind" else ["kind"])


def assert_same_model(found, expected, X) -> None:
    """Cuts, categories, structure, labels and probabilities to 1e-12."""
    assert_same_reading(reading_of(found), reading_of(expected))
    assert getattr(found, "edges_", None) == getattr(expected, "edges_", None)
    assert found.space_.names == expected.space_.names
    assert found.space_.single == expected.space_.single
    assert found.space_.binary_labels == expected.space_.binary_labels
    assert found.space_.allows_empty == expected.space_.allows_empty
    for mine, theirs in zip(found.space_.classes, expected.space_.classes, strict=True):
        assert mine.tolist() == theirs.tolist()
    assert found.n_features_in_ == expected.n_features_in_
    assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    mine, theirs = found.posterior(X), expected.posterior(X)
    for p, q in zip(mine.marginals(), theirs.marginals(), strict=True):
        np.testing.assert_allclose(p, q, atol=1e-12, rtol=0)
    best = theirs.map()
    np.testing.assert_allclose(
        np.exp(mine.log_prob(best)), np.exp(theirs.log_prob(best)), atol=1e-12, rtol=0
    )


def reading_of(model):
    return model.learned_.columns if type(model).__name__ == "NaiBX" else model.encoder_


def assert_same_reading(found, expected) -> None:
    if isinstance(expected, Columns):
        assert found.kinds == expected.kinds
        assert found.dates == expected.dates
        np.testing.assert_array_equal(found.scale, expected.scale)
        found, expected = found.encoder, expected.encoder
        if expected is None:
            assert found is None
            return
    for mine, theirs in zip(found.variables, expected.variables, strict=True):
        assert (mine.name, mine.kind, mine.with_missing) == (
            theirs.name,
            theirs.kind,
            theirs.with_missing,
        )
        for name in ("cuts", "categories"):
            a, b = getattr(mine, name), getattr(theirs, name)
            assert (a is None) == (b is None)
            assert a is None or a.tolist() == b.tolist()
