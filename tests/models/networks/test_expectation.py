"""Expectation-maximisation, against sums over all label vectors."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.estimator.reading import Labelled
from jointbayes.models.networks.expectation import Incomplete, maximise_likelihood

MODELS = [jb.MultilabelNB, jb.MultilabelFAN, jb.NetworkEnsemble]


def rows(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, (n, d))
    Y[:, 1] = np.where(rng.random(n) < 0.8, Y[:, 0], Y[:, 1])
    X = np.stack([Y[:, j % d] ^ (rng.random(n) < 0.2) for j in range(4)], axis=1)
    return X.astype(str).astype(object), Y, np.where(rng.random((n, d)) < 0.4, -1, Y)


def log_joint(network, x):
    """log P(labels, features) of every label vector: the product of the tables."""
    d = network.n_targets
    found = {}
    for y in product(range(2), repeat=d):
        value = (*y, *x)
        families = zip(network.families, network.log_tables, strict=True)
        found[y] = sum(table[tuple(value[v] for v in family)] for family, table in families)
    return found


def one_step(learned, codes, labels, ess):
    """Tables of expected counts, by enumeration."""
    features = np.asarray(codes.features)
    d, size = labels.shape[1], len(learned.networks)
    counts = [[np.zeros_like(t) for t in network.log_tables] for network in learned.networks]
    for x, known in zip(features, labels, strict=True):
        for r, network in enumerate(learned.networks):
            agree = {
                y: v
                for y, v in log_joint(network, x).items()
                if all(k < 0 or k == c for k, c in zip(known, y, strict=True))
            }
            total = np.logaddexp.reduce(list(agree.values()))
            for y, v in agree.items():
                value = (*y, *x)
                for i, family in enumerate(network.families):
                    counts[r][i][tuple(value[u] for u in family)] += np.exp(v - total)
    tables = []
    for own in counts:
        shared = [sum(other[i] for other in counts) / size for i in range(d, len(own))]
        tables.append(
            [
                np.log(n + ess / n.size) - np.log((n + ess / n.size).sum(axis=axis, keepdims=True))
                for n, axis in zip([*own[:d], *shared], [-1] * d + [0] * len(shared), strict=True)
            ]
        )
    return tables


@pytest.mark.parametrize("kind", MODELS)
@given(seed=st.integers(0, 2**16))
@settings(max_examples=5, deadline=None)
def test_what_it_ends_at_is_where_enumeration_stays(kind, seed):
    X, Y, known = rows(seed)
    model = kind().fit(X, Y)
    codes = model.encoder_.codes(jb.Table.of(X))
    incomplete = Incomplete(codes, known, model.space_, np.ones(len(Y)))
    done = maximise_likelihood(model.learned_, incomplete, model.ess)
    assert all(b >= a - 1e-9 * abs(a) for a, b in zip(done.scores, done.scores[1:], strict=False))
    again = one_step(done.learned, codes, known, model.ess)
    for network, tables in zip(done.learned.networks, again, strict=True):
        for ours, theirs in zip(network.log_tables, tables, strict=True):
            assert np.abs(np.exp(ours) - np.exp(theirs)).max() < 5e-3


def test_a_step_is_that_of_enumeration(monkeypatch):
    from jointbayes.models.networks import expectation

    X, Y, known = rows(3)
    for kind in MODELS:
        model = kind().fit(X, Y)
        codes = model.encoder_.codes(jb.Table.of(X))
        incomplete = Incomplete(codes, known, model.space_, np.ones(len(Y)))
        steps = []
        for most in (0, 1):
            monkeypatch.setattr(expectation, "MOST_STEPS", most)
            steps.append(maximise_likelihood(model.learned_, incomplete, model.ess).learned)
        for network, tables in zip(
            steps[1].networks, one_step(steps[0], codes, known, model.ess), strict=True
        ):
            for ours, theirs in zip(network.log_tables, tables, strict=True):
                assert np.allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("kind", MODELS)
def test_with_everything_known_the_tables_are_those_of_counts(kind):
    X, Y, _ = rows(5)
    model = kind().fit(X, Y)
    codes = model.encoder_.codes(jb.Table.of(X))
    incomplete = Incomplete(codes, Y, model.space_, np.ones(len(Y)))
    done = maximise_likelihood(model.learned_, incomplete, model.ess)
    for ours, counted in zip(done.learned.networks, model.learned_.networks, strict=True):
        for a, b in zip(ours.log_tables, counted.log_tables, strict=True):
            assert np.allclose(a, b, atol=1e-12)


def test_a_true_network_is_found_again():
    """Where the network is the truth, what is hidden is hardly missed."""
    X, Y, known = rows(7, n=3000)
    hidden = np.where(known < 0, np.nan, known)
    model = jb.MultilabelNB(unknown="learn", max_parents=1).fit(X, hidden)
    whole = jb.MultilabelNB(max_parents=1).fit(X, Y)
    ours, theirs = (m.posterior(X[:200]).marginals() for m in (model, whole))
    assert max(np.abs(a - b).max() for a, b in zip(ours, theirs, strict=True)) < 0.06


def test_where_inference_does_not_fit_rows_are_completed():
    X, _, known = rows(9)
    hidden = np.where(known < 0, np.nan, known)
    model = jb.MultilabelNB(unknown="learn", max_bytes=1).fit(X, hidden)
    assert model.score(X, np.where(known < 0, 0, known)) > 0


def repeated(times, n=240):
    """Rows whose columns come several times over, and labels half of which are hidden."""
    X, Y, known = rows(11, n)
    return np.tile(X, (1, times)), Y, np.where(known < 0, np.nan, known)


def test_likelihood_is_asked_where_rows_held_out_trust_the_network(monkeypatch):
    from jointbayes.models.networks import classifier

    asked = []

    def watched(*arguments):
        asked.append(arguments)
        return maximise_likelihood(*arguments)

    monkeypatch.setattr(classifier, "maximise_likelihood", watched)
    for times, n, trusted in ((1, 240, 1), (12, 240, 0), (12, 120, 1)):  # of few rows, always
        X, _, known = repeated(times, n)
        asked.clear()
        jb.MultilabelNB(unknown="learn").fit(X, known)
        assert len(asked) == trusted


@pytest.mark.parametrize("kind", MODELS)
def test_networks_that_are_too_sure_learn_from_completed_rows(kind):
    from jointbayes.models.completion import complete_labels

    X, Y, known = repeated(12)
    model = kind(unknown="learn").fit(X, known)
    codes = np.where(np.isnan(known), -1, Y)
    whole = complete_labels(Labelled(jb.Table.of(X), codes, model.space_))
    same = kind().fit(X, whole.codes)
    assert [p.tolist() for p in model.posterior(X).marginals()] == [
        p.tolist() for p in same.posterior(X).marginals()
    ]
    assert model.sharpness_ == 1.0


def test_the_exponent_that_decides_is_the_one_that_sharpens():
    X, _, known = repeated(12)
    model = jb.MultilabelNB(unknown="learn", sharpness="cross_fitted").fit(X, known)
    plain = jb.MultilabelNB(unknown="learn").fit(X, known)
    assert 0 < model.sharpness_ < 1 / 3
    d = plain.learned_.networks[0].n_targets
    pairs = zip(
        model.learned_.networks[0].log_tables, plain.learned_.networks[0].log_tables, strict=True
    )
    for j, (ours, theirs) in enumerate(pairs):
        np.testing.assert_allclose(ours, theirs * (model.sharpness_ if j >= d else 1), atol=1e-12)
