"""The compiled kernels of prediction against their definitions, for all codes and classes."""

import numpy as np
import pytest

from jointbayes import _kernels
from jointbayes._kernels.averaging import parent_joints
from jointbayes._kernels.gathering import add_terms

compiled = pytest.mark.skipif(not _kernels.COMPILED, reason="the extension is not built")
every_code = pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
every_width = pytest.mark.parametrize("n_classes", [*range(1, 12)])


@compiled
@every_code
@every_width
def test_compiled_joints_are_those_of_the_definition(dtype, n_classes):
    rng = np.random.default_rng(n_classes)
    cards = rng.integers(1, 5, 7)
    start = np.concatenate([[0], np.cumsum(cards + 1)])[:-1].astype(np.int64)
    width = int((cards + 1).sum())
    x = np.asfortranarray(rng.integers(0, cards + 1, (300, 7)).astype(dtype))
    log_joint = np.log(rng.random((width, n_classes)))
    log_joint[rng.random(width) < 0.2] = -np.inf
    log_child = np.log(rng.random((width, width, n_classes)))
    args = (x, start, log_joint, log_child)
    np.testing.assert_allclose(_kernels.parent_joints(*args), parent_joints(*args), rtol=1e-12)


@compiled
@every_code
@every_width
@pytest.mark.parametrize("order", ["F", "C"])
def test_compiled_sums_are_those_of_the_definition(dtype, n_classes, order):
    rng = np.random.default_rng(n_classes)
    x = np.asarray(rng.integers(0, 4, (700, 5)), dtype=dtype, order=order)[3:]
    members = rng.integers(0, 5, (6, 3))
    strides = np.array([[16, 4, 1], [4, 1, 0], [1, 0, 0]])[rng.integers(0, 3, 6)]
    start = np.arange(0, 6 * 64, 64)
    cells = rng.normal(size=(6 * 64, n_classes))
    args = (x, rng.normal(size=n_classes), cells, start, members, strides)
    np.testing.assert_allclose(_kernels.add_terms(*args), add_terms(*args), rtol=1e-12, atol=1e-12)
