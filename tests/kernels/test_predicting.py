"""The compiled kernels of prediction against their definitions, for all codes and classes."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from jointbayes import _kernels
from jointbayes._kernels.averaging import parent_joints
from jointbayes._kernels.gathering import add_terms
from jointbayes._kernels.nearest import nearest_rows
from jointbayes.learners.neighbours import learn_neighbours

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


def words(rng, n, p=12):
    """Few words of few rows: many rows are equally far, or equal."""
    return rng.integers(1, 3, (n, p)) * (rng.random((n, p)) < 0.2) * 1.0


@compiled
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("k", [0, 1, 5, 39])
def test_compiled_neighbours_are_those_of_the_definition(k, own):
    rng = np.random.default_rng(k)
    there = words(rng, 40)
    asked = there if own else words(rng, 9)
    rows, columns = csr_array(asked), csr_array(there).tocsc()
    args = (
        *((m.indptr.astype(np.int64), m.indices.astype(np.int64), m.data) for m in (rows, columns)),
        (asked**2).sum(axis=1),
        (there**2).sum(axis=1),
        k,
        0 if own else -1,
    )
    np.testing.assert_array_equal(_kernels.nearest_rows(*args, 2), nearest_rows(*args, 1))


@pytest.mark.parametrize("k", [1, 4, 60])
def test_sparse_and_dense_rows_have_the_same_neighbours(k):
    rng = np.random.default_rng(k)
    there, asked = words(rng, 50), words(rng, 20)
    dense, sparse = learn_neighbours(there), learn_neighbours(csr_array(there))
    np.testing.assert_array_equal(sparse.of_training(k), dense.of_training(k))
    np.testing.assert_array_equal(sparse.of(csr_array(asked), k), dense.of(asked, k))
