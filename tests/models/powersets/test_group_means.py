"""The powersets of all groups at once against one after the other."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.learners.logistic.estimator import BatchedLogistic
from jointbayes.models.powersets import rakel
from jointbayes.models.powersets.group_means import means_of


@pytest.mark.parametrize("values", [2, 3])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("m", ["auto", 2])
def test_groups_say_the_same_together_as_one_by_one(values, k, m, monkeypatch):
    rng = np.random.default_rng(k)
    X, Y = rng.normal(size=(60, 4)), rng.integers(0, values, (60, 5))
    model = jb.RAkEL(BatchedLogistic(penalty=1.0), k=k, m=m).fit(X, Y)
    assert means_of(model.powersets_, model.groups_, model.space_.cards) is not None
    together = model.posterior(X).marginals()
    alone = model.posterior(X[7:8]).marginals()
    monkeypatch.setattr(rakel, "means_of", lambda *_: None)
    one_by_one = model.posterior(X).marginals()
    for p, q, few in zip(together, one_by_one, alone, strict=True):
        np.testing.assert_allclose(p, q, atol=1e-14)
        np.testing.assert_allclose(few, q[7:8], atol=1e-14)


def test_groups_with_a_constant_or_with_what_backs_off_are_asked_one_by_one():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 4)), rng.integers(0, 2, (60, 4))
    Y[:, 0] = 1
    for model in (
        jb.RAkEL(BatchedLogistic(penalty=1.0), k=1).fit(X, Y),
        jb.RAkEL(BatchedLogistic(penalty=1.0), unseen="back_off").fit(X, Y),
    ):
        assert means_of(model.powersets_, model.groups_, model.space_.cards) is None
        assert model.predict(X).shape == Y.shape
