"""The compiled averaging kernel against its definition, for every kind of codes and classes."""

import numpy as np
import pytest

from jointbayes import _kernels
from jointbayes._kernels.averaging import parent_joints


@pytest.mark.skipif(not _kernels.COMPILED, reason="the extension is not built")
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("n_classes", [1, 2, 5, 8, 9, 10])
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
