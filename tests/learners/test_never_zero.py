"""A classifier that calls no class impossible, against its definition."""

from __future__ import annotations

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from jointbayes.learners.never_zero import NeverZero


def test_rows_and_frequencies_vote():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.array(list("abc"))[rng.integers(0, 3, 30)]
    model, tree = (
        m.fit(X, y) for m in (NeverZero(DecisionTreeClassifier()), DecisionTreeClassifier())
    )
    frequency = np.array([(y == c).mean() for c in "abc"])
    p = model.predict_proba(X)
    np.testing.assert_allclose(p, (30 * tree.predict_proba(X) + frequency) / 31, atol=1e-12)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p > 0).all()
    assert (model.predict(X) == y).all()
