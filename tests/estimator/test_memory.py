"""What memory cannot hold is refused with the number; what fits in parts is done in parts."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.counts import cost
from jointbayes.errors import CostError
from jointbayes.estimator import classifier
from jointbayes.estimator.memory import Memory

SCRIPT = """
import resource

import numpy as np
import pandas as pd

import jointbayes as jb

rng, n = np.random.default_rng(0), 20_000
numbers, two = rng.normal(size=(n, 3)), rng.integers(0, 2, n)
names = pd.DataFrame({c: [f"v{i}" for i in rng.permutation(n) // 2] for c in "ab"})
sets = (rng.permutation(1 << 15)[:n, None] >> np.arange(15)) & 1
many = jb.NaiveBayes().fit(numbers[:6000], np.arange(6000) % 3000)
rows = np.zeros((200_000, 3))
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
for request in (
    lambda: jb.AODE().fit(names, two),
    lambda: jb.LabelPowerset().fit(numbers, sets),
    lambda: jb.BinaryRelevance().fit(names, two),
    lambda: many.predict_proba(rows),
    lambda: many.posterior(rows),
):
    try:
        request()
    except ValueError as error:
        print(type(error).__name__, str(error))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited otherwise there")
def test_what_does_not_fit_is_refused_with_the_number():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    counts, sets, design, shares, posterior = done.stdout.splitlines()
    assert "pairs of 20000 values in 2 classes need 6,104 MiB (limit 1,024 MiB)" in counts
    assert "LabelPowerset.fit of 20,000 rows × 3 columns needs more memory than the 3.0 GiB" in sets
    assert "2.98 GiB for an array with shape (20000, 20000)" in sets
    assert "3.0 GiB as 20,000 × 20,000 numbers" in design
    assert "NaiveBayes.predict_proba of 200,000 rows × 3 columns" in shares
    assert "NaiveBayes.posterior of 200,000 rows × 3 columns" in posterior
    for line in (shares, posterior):
        assert "4.47 GiB for an array with shape (200000, 3000)" in line


def test_what_a_kernel_cannot_have_is_refused_without_its_words():
    with (
        pytest.raises(
            CostError, match=r"^TAN.fit of 2 rows × 3 columns needs .* GiB that there are;"
        ),
        Memory(jb.TAN(), "fit", np.zeros((2, 3))),
    ):
        raise MemoryError("std::bad_alloc")


def test_tables_may_not_be_larger_than_memory(monkeypatch):
    monkeypatch.setattr(cost, "physical_memory", lambda: 1 << 20)
    with pytest.raises(CostError, match=r"8 MiB \(limit 1 MiB\): .* or allow more memory"):
        cost.afford(1 << 20, "the tables", 1 << 30)


def test_labels_of_many_rows_are_predicted_in_parts(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), np.arange(300) % 7
    model = jb.TAN().fit(X, y)
    expected, shares = model.predict(X), model.predict_proba(X)
    monkeypatch.setattr(classifier, "ANSWERED", 7 * 64)
    assert len(list(model._posteriors(X))) == 5
    np.testing.assert_array_equal(model.predict(X), expected)
    np.testing.assert_allclose(model.predict_proba(X), shares, rtol=1e-12)
