"""MLkNN, IBLR and stacking against plain loops over the definitions of their papers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from jointbayes.models import IBLR, BinaryRelevance, MLkNN, StackedRelevance


def labelled(seed):
    """Forty rows, and two labels of which the second follows the first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 4))
    first = X[:, 0] + rng.normal(size=40) > 0
    second = X[:, 1] + first + rng.normal(size=40) > 0.5
    return X, np.stack([first, second], axis=1).astype(int)


def test_mlknn_is_zhang_and_zhou_s():
    X, Y = labelled(4)
    k, s = 5, 1.0
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))

    def neighbours(point, skip=None):
        others = [r for r in range(40) if r != skip]
        return sorted(others, key=lambda r: ((scaled[r] - point) ** 2).sum())[:k]

    found = MLkNN(k=k, smoothing=s).fit(X, Y).predict_proba(X[:6] + 0.01)
    for j in range(2):
        counts = [sum(Y[r, j] for r in neighbours(scaled[i], i)) for i in range(40)]
        for row in range(6):
            point = (X[row] + 0.01 - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
            r = sum(Y[q, j] for q in neighbours(point))
            joint = []
            for v in (0, 1):
                has = [i for i in range(40) if Y[i, j] == v]
                prior = (s + len(has)) / (2 * s + 40)
                likelihood = (s + sum(counts[i] == r for i in has)) / (s * (k + 1) + len(has))
                joint.append(prior * likelihood)
            assert found[row, j] == pytest.approx(joint[1] / sum(joint))


def test_iblr_and_stacking_are_relevance_on_more_columns():
    X, Y = labelled(5)
    span = X.max(axis=0) - X.min(axis=0)

    def shares(point, skip=None):
        others = [r for r in range(40) if r != skip]
        near = sorted(others, key=lambda r: (((X[r] - point) / span) ** 2).sum())[:3]
        return Y[near].mean(axis=0)

    wide = np.hstack([X, [shares(x, i) for i, x in enumerate(X)]])
    new = np.hstack([X[:5] + 0.01, [shares(x + 0.01) for x in X[:5]]])
    expected = BinaryRelevance(GaussianNB()).fit(wide, Y).predict_proba(new)
    found = IBLR(GaussianNB(), k=3).fit(X, Y).predict_proba(X[:5] + 0.01)
    np.testing.assert_allclose(found, expected, atol=1e-12)

    first = BinaryRelevance(GaussianNB()).fit(X, Y).predict_proba(X)
    expected = BinaryRelevance(GaussianNB()).fit(np.hstack([X, first]), Y)
    expected = expected.predict_proba(np.hstack([X, first]))
    found = StackedRelevance(GaussianNB()).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(found, expected, atol=1e-12)
