"""Tests and rules that may be chosen: each finds what is there, and does what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.errors import CostError, ParameterError
from jointbayes.independence import (
    LabelFactors,
    Procedure,
    chi2_test,
    g2_test,
    iamb,
    label_factors,
    shrinkage,
    shrinkage_test,
)
from jointbayes.independence.procedure import METHODS
from jointbayes.select import MarkovBoundary


def chain_of_columns(seed=0, n=1500):
    """A cause, what it causes with noise, and a coin."""
    rng = np.random.default_rng(seed)
    cause, coin = rng.integers(0, 2, (2, n))
    flip = [cause ^ (rng.random(n) < share) for share in (0.1, 0.2)]
    return np.stack([flip[1], cause, coin], axis=1), flip[0].astype(int)


@pytest.mark.parametrize("test", METHODS)
def test_every_test_finds_the_boundary(test):
    X, y = chain_of_columns()
    n_permutations = 2000 if test == "permutation" else 100
    assert iamb(X, y, 0.005, n_permutations, 0, test=test) == (1,)
    selector = MarkovBoundary(alpha=0.005, n_permutations=n_permutations, test=test, random_state=0)
    assert selector.fit(X, y).get_support().tolist() == [False, True, False]


@pytest.mark.parametrize("test", ["g2", "chi2", "shrinkage"])
def test_factors_go_by_the_chosen_test(test):
    a, b = np.random.default_rng(0).integers(0, 2, (2, 400))
    Y = np.stack([a, b, a], axis=1)
    found = LabelFactors.of(None, Y, test=test)
    assert found.tests.method == test
    assert found.factors == label_factors(None, Y, test=test) == ((0, 2), (1,))
    one = {"g2": g2_test, "chi2": chi2_test, "shrinkage": shrinkage_test}[test](Y[:, 0], Y[:, 1])
    assert found.tests[0, 1].statistic == pytest.approx(one.statistic)
    assert found.tests[0, 1].p_value == pytest.approx(one.p_value)


def test_both_joins_no_more_than_either():
    """A label whose boundary explains the other is joined by one test alone."""
    rng = np.random.default_rng(1)
    joined = {"either": 0, "both": 0}
    for _ in range(10):
        X = rng.integers(0, 2, (120, 4))
        Y = (X[:, :3] ^ (rng.random((120, 3)) < 0.3)) | (X[:, [3]] & (rng.random((120, 1)) < 0.6))
        found = {rule: LabelFactors.of(X, Y, 0.05, test="g2", rule=rule) for rule in joined}
        p = found["either"].tests.p_value <= 0.05
        np.fill_diagonal(p, val=False)
        assert (found["either"].dependent == (p | p.T)).all()
        assert (found["both"].dependent == (p & p.T)).all()
        for rule in joined:
            joined[rule] += len(found[rule].edges)
    assert joined["both"] < joined["either"]


def test_a_model_takes_both(tmp_path):
    rng = np.random.default_rng(0)
    x, coin = rng.integers(0, 2, (2, 300))
    Y = np.stack([coin, 1 - coin, x], axis=1)
    both = Procedure(method="chi2", rule="both", n_jobs=1)
    model = jb.ILFCompo(jb.NaiveBayes(), test=both, n_jobs=1).fit(x[:, None], Y)
    assert model.factors_ == ((0, 1), (2,))
    by_name = jb.ILFCompo(jb.NaiveBayes(), test="chi2", n_jobs=1).fit(x[:, None], Y)
    assert (by_name.label_factors_.tests.method, by_name.label_factors_.rule) == ("chi2", "either")
    path = tmp_path / "model.jb"
    jb.save(model, path)
    assert jb.load(path).test == both
    assert (model.label_factors_.tests.method, model.label_factors_.rule) == ("chi2", "both")


@pytest.mark.parametrize(
    ("name", "message"),
    [("method", "'none' is not a test of independence"), ("rule", "rule is 'none'")],
)
def test_others_are_refused(name, message):
    with pytest.raises(ParameterError, match=message):
        Procedure(**{name: "none"})


def shrunk_by_definition(x, y, z):
    """The information of shrunk shares, cell by cell."""
    cells = [(s, a, b) for s in sorted(set(z)) for a in sorted(set(x)) for b in sorted(set(y))]
    rows = list(zip(z, x, y, strict=True))
    raw = np.array([rows.count(c) / len(x) for c in cells])
    spread = (len(x) - 1) * ((1 / len(cells) - raw) ** 2).sum()
    weight = 1.0 if spread == 0 else min(1.0, (1 - (raw**2).sum()) / spread)
    p = dict(zip(cells, weight / len(cells) + (1 - weight) * raw, strict=True))

    def total(s=None, a=None, b=None):
        return sum(
            v for (r, c, d), v in p.items() if s in (None, r) and a in (None, c) and b in (None, d)
        )

    terms = [
        v * np.log(v * total(s) / (total(s, a) * total(s, None, b)))
        for (s, a, b), v in p.items()
        if v > 0
    ]
    return 2 * len(x) * sum(terms)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_shrinkage_is_that_of_its_definition(seed):
    rng = np.random.default_rng(seed)
    x, y, z = rng.integers(0, 3, 15), rng.integers(0, 2, 15), rng.integers(0, 2, 15)
    expected = shrunk_by_definition(x.tolist(), y.tolist(), z.tolist())
    assert shrinkage_test(x, y, z).statistic == pytest.approx(max(expected, 0.0), abs=1e-9)


def test_shrinkage_holds_its_level_where_rows_are_few():
    rng = np.random.default_rng(0)
    drawn = [rng.integers(0, 4, (2, 20)) for _ in range(300)]
    rejected = np.mean([shrinkage_test(x, y).p_value <= 0.05 for x, y in drawn])
    assert rejected <= 0.05


def test_a_table_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(shrinkage, "MOST_CELLS", 3)
    with pytest.raises(CostError, match="has 4 cells"):
        shrinkage_test([0, 1], [0, 1])
