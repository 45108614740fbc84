"""Information in bits against the definitions, written as plain sums over values."""

from __future__ import annotations

from itertools import product
from math import lgamma, log, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import information as info
from jointbayes.codes import Codes
from jointbayes.counts import count_pairs
from jointbayes.errors import DataError, ParameterError
from jointbayes.information.scores import bdeu_batch, log_rising


def probability(columns, weights, **values):
    """P(values) among the rows: columns by name, values by the same names."""
    rows = range(len(weights))
    return sum(weights[r] for r in rows if all(columns[k][r] == v for k, v in values.items()))


def cpmi(columns, weights, x, y, z):
    joint = probability(columns, weights, x=x, y=y, z=z)
    if joint == 0:
        return 0.0
    given_z = probability(columns, weights, z=z)
    left = probability(columns, weights, x=x, z=z) / given_z
    right = probability(columns, weights, y=y, z=z) / given_z
    return log2(joint / given_z / (left * right))


@st.composite
def tables(draw):
    n = draw(st.integers(1, 25))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    kx, ky, kz = (draw(st.integers(1, 4)) for _ in range(3))
    columns = {
        "x": rng.integers(0, kx, n),
        "y": rng.integers(0, ky, n),
        "z": rng.integers(0, kz, n),
    }
    weights = rng.integers(0, 3, n) / 2 if draw(st.booleans()) else np.ones(n)
    weights[0] = 1.5
    return columns, weights


@settings(max_examples=40, deadline=None)
@given(tables())
def test_every_form_is_its_definition(table):
    columns, w = table
    kx, ky, kz = (range(int(columns[k][w > 0].max()) + 1) for k in "xyz")
    x, y, z = columns["x"], columns["y"], columns["z"]
    share = w / w.sum()
    joint = {
        (a, b, c): probability(columns, share, x=a, y=b, z=c) for a, b, c in product(kx, ky, kz)
    }
    point = np.array([[[cpmi(columns, share, a, b, c) for b in ky] for a in kx] for c in kz])

    def close(left, right):
        np.testing.assert_allclose(left, right, rtol=0, atol=1e-12)

    close(info.conditional_pointwise_mutual_information(x, y, z, w), point)
    local = [[sum(joint[a, b, c] * point[c, a, b] for c in kz) for b in ky] for a in kx]
    close(info.conditional_local_mutual_information(x, y, z, w), local)
    close(info.conditional_mutual_information(x, y, z, w), np.sum(local))
    for c in kz:
        term = sum(joint[a, b, c] * point[c, a, b] for a in kx for b in ky)
        close(info.reduced_conditional_mutual_information(x, y, z, [c], w), term)
        p_c = probability(columns, share, z=c)
        within = info.label_conditional_mutual_information(x, y, z, w)[c]
        close(within * p_c, term)
    lmi = []
    for a in kx:
        p_a = probability(columns, share, x=a)
        met = [(probability(columns, share, x=a, z=c), c) for c in kz]
        lmi.append(
            sum(p * log2(p / (p_a * probability(columns, share, z=c))) for p, c in met if p > 0)
        )
    close(info.local_mutual_information(x, z, w), lmi)
    close(info.mutual_information(x, z, w), sum(lmi))
    p_x = [probability(columns, share, x=a) for a in kx]
    close(info.entropy(x, w), -sum(p * log2(p) for p in p_x if p > 0))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_matrices_are_the_columns_pair_by_pair(seed, hidden):
    rng = np.random.default_rng(seed)
    n, cards = 40, (2, 3, 1, 4)
    x = np.stack([rng.integers(0, k, n) for k in cards], axis=1)
    y = rng.integers(0, 3, n)
    if hidden:
        x = np.where(rng.random(x.shape) < 0.2, cards, x)
    counts = count_pairs(Codes.of(x, cards, y, (3,)))
    cmi, terms = info.conditional_information(counts), info.label_terms(counts)
    lcmi = info.label_information(counts)
    start = np.concatenate([[0], np.cumsum(cards)])
    point, local = info.pointwise_information(counts), info.local_information(counts)
    assert np.array_equal(cmi, cmi.T)
    assert not cmi.diagonal().any()
    for i, j in product(range(4), range(4)):
        seen = (x[:, i] < cards[i]) & (x[:, j] < cards[j])
        if i == j or not seen.any():
            continue
        a, b, c = x[seen, i], x[seen, j], y[seen]
        assert cmi[i, j] == pytest.approx(info.conditional_mutual_information(a, b, c), abs=1e-12)
        for label in range(int(c.max()) + 1):
            reduced = info.reduced_conditional_mutual_information(a, b, c, [label])
            assert terms[label, i, j] == pytest.approx(reduced, abs=1e-12)
            within = info.label_conditional_mutual_information(a, b, c)[label]
            assert lcmi[label, i, j] == pytest.approx(within, abs=1e-12)
        block = np.s_[start[i] : start[i] + a.max() + 1, start[j] : start[j] + b.max() + 1]
        expected = info.conditional_local_mutual_information(a, b, c)
        np.testing.assert_allclose(local[block], expected, atol=1e-12)
        expected = info.conditional_pointwise_mutual_information(a, b, c)
        np.testing.assert_allclose(point[: c.max() + 1, *block], expected, atol=1e-12)
        own = x[:, i] < cards[i]
        mi = info.mutual_information(x[own, i], y[own])
        assert info.class_information(counts.singles)[i] == pytest.approx(mi, abs=1e-12)


def test_values_are_names_and_rows_have_no_order():
    rng = np.random.default_rng(0)
    x, y, z = rng.integers(0, 5, (3, 200))
    turn = rng.permutation(200)
    names = rng.permutation(5) * 10**12
    whole = info.conditional_mutual_information(x, y, z)
    assert info.conditional_mutual_information(x[turn], names[y[turn]], z[turn]) == pytest.approx(
        whole, rel=1e-12
    )
    assert info.conditional_mutual_information(y, x, z) == pytest.approx(whole, rel=1e-12)


def test_chain_rule():
    rng = np.random.default_rng(0)
    x, y, z = rng.integers(0, 3, (3, 300))
    both = 3 * y + z
    chained = info.mutual_information(x, z) + info.conditional_mutual_information(x, y, z)
    assert info.mutual_information(x, both) == pytest.approx(chained, abs=1e-12)


def test_a_column_may_have_as_many_values_as_rows():
    n = 50_000
    assert info.mutual_information(np.arange(n), np.arange(n)) == pytest.approx(log2(n))


def test_exact_independence_is_exactly_zero():
    grid = np.array(list(product(range(7), range(7), range(7), range(3))))
    counts = count_pairs(Codes.of(grid[:, :3], targets=grid[:, 3]))
    assert not info.conditional_information(counts).any()


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([3, 2], -3.781589),
        ([5, 5], -7.513805),
        ([[4, 1], [1, 4]], -6.733780),
        ([[3, 2], [2, 3]], -8.005758),
        ([1, 1, 1, 1], -6.533975),
    ],
)
def test_bdeu_of_the_worked_examples(counts, expected):
    assert info.bdeu(counts, ess=5.0) == pytest.approx(expected, abs=5e-7)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=4),
    st.floats(0.1, 20),
    st.sampled_from([1.0, 0.37]),
)
def test_bdeu_is_equation_5(rows, ess, scale):
    table = scale * np.array(rows, dtype=float)
    q, r = table.shape
    expected = 0.0
    for n in table:
        expected += lgamma(ess / q) - lgamma(ess / q + sum(n))
        expected += sum(lgamma(ess / (q * r) + k) - lgamma(ess / (q * r)) for k in n)
    assert info.bdeu(table, ess) == pytest.approx(expected, rel=1e-10, abs=1e-10)
    likelihood = sum(k * log(k / sum(n)) for n in table for k in n if k > 0)
    assert info.log_likelihood(table) == pytest.approx(likelihood, abs=1e-10)
    assert info.bdeu(table, ess) <= info.log_likelihood(table) + 1e-9


def test_bdeu_of_a_batch_is_that_of_each():
    rng = np.random.default_rng(0)
    tables_ = rng.integers(0, 6, (50, 4, 3)).astype(float)
    assert bdeu_batch(tables_).tolist() == pytest.approx([info.bdeu(t) for t in tables_])


def test_looked_up_and_called_gamma_agree():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 40, 100).astype(float)
    each = [log_rising(0.3, np.array([n])).item() for n in counts]
    np.testing.assert_allclose(log_rising(0.3, counts), each, rtol=1e-13)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: info.entropy([0.5, 1.0]), DataError, "1-D array of integers"),
        (lambda: info.entropy([[0, 1]]), DataError, "shape"),
        (lambda: info.mutual_information([0, 1], [0]), DataError, "rows"),
        (lambda: info.entropy([0, 1], [1.0, -1.0]), DataError, "weights"),
        (lambda: info.entropy([0, 1], [np.nan, 1.0]), DataError, "weights"),
        (lambda: info.entropy([], None), DataError, "1-D"),
        (lambda: info.entropy(np.zeros(0, int)), DataError, "weights"),
        (
            lambda: info.reduced_conditional_mutual_information([0], [0], [0], [3]),
            DataError,
            "labels holds 3",
        ),
        (lambda: info.local_mutual_information([-1, 0], [0, 1]), DataError, "-1"),
        (lambda: info.bdeu([1, 2], ess=0.0), ParameterError, "ess is 0"),
        (lambda: info.bdeu([1, 2], ess=float("nan")), ParameterError, "ess is nan"),
    ],
)
def test_bad_input_is_told_in_a_sentence(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_columns_of_one_value_share_nothing_and_change_nothing():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 3, (200, 4)), rng.integers(0, 3, 200)
    places = [1, 3, 4, 6]
    wide = np.zeros((200, 8), dtype=int)
    wide[:, places] = x
    plain, more = (count_pairs(Codes.of(part, targets=y)) for part in (x, wide))
    for ask in (info.conditional_information, info.label_terms, info.label_information):
        expected = np.zeros(ask(more).shape)
        expected[..., np.ix_(places, places)[0], np.ix_(places, places)[1]] = ask(plain)
        np.testing.assert_array_equal(ask(more), expected)
    nothing = count_pairs(Codes.of(np.zeros((9, 2), dtype=int), targets=np.zeros(9, dtype=int)))
    assert not info.conditional_information(nothing).any()
