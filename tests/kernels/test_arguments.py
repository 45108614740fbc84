"""Every kernel with every width, layout and type of arrays: the right answer or a TypeError."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import jointbayes
from jointbayes import _kernels
from jointbayes.codes import SparseCodes, offsets

FOLDER = Path(jointbayes.__file__).parent / "_kernels"
NAMES = sorted(set(_kernels.__all__) - {"COMPILED"})
RNG = np.random.default_rng(0)

# Columns of 300 values: 8 bits cannot hold their codes.
CARDS = (300, 2, 3)
START = offsets(CARDS)
X = np.asfortranarray(np.c_[np.arange(300), RNG.integers(0, (2, 3), (300, 2))].astype(np.uint16))
Y = RNG.integers(0, 2, 300).astype(np.uint16)
WEIGHTS = RNG.integers(0, 3, 300).astype(float)
V = int(START[-1])
PAIRS = RNG.integers(0, 99, (2, V, V)).astype(np.int32)
LOG_PAIRS, LOG_SINGLES = np.log(RNG.random((2, V, V))), np.log(RNG.random((2, V)))
SOME, OF = RNG.integers(0, 300, 40), RNG.integers(0, 2, 40)
TREES = np.array([[-1, 0, 1], [-1, 0, 0]])


def sparse_codes() -> SparseCodes:
    default = np.array([7, 0, 1], dtype=np.uint16)
    column, row = map(np.ascontiguousarray, np.nonzero((default != X).T))
    indptr = np.concatenate([[0], np.cumsum((default != X).sum(axis=0))])
    return SparseCodes(X[row, column], row.astype(np.int32), indptr, default, X.shape)


def compressed(matrix):
    found = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data
    return tuple(map(np.ascontiguousarray, found))


POINTS = csr_array(RNG.random((30, 5)) * (RNG.random((30, 5)) < 0.6))
SQUARES = np.asarray((POINTS**2).sum(axis=1)).ravel()
STEPS = (
    np.array([0, 300, 302]),
    np.array([[0, 0], [1, 0], [2, 1]]),
    np.array([[1, 0], [1, 0], [2, 1]]),
)
NODES = np.array([[0, 1, 2, 1], [-1, 0, 0, 0], [-1, 0, 0, 1]], dtype=np.int32)
GRAPH = (
    np.array([2, 3]), np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([0, 2]),
    np.log(RNG.random(2)), np.log(RNG.random((7, 6))),
)  # fmt: skip
LOGS = np.stack([np.cumsum(np.log(np.maximum(np.arange(301), 1))), np.arange(301.0)])
LOGS[1] *= np.log(np.maximum(np.arange(301), 1))
VECTORS = np.asfortranarray(np.unique(RNG.integers(0, (300, 2), (90, 2)), axis=0).astype(np.uint32))
COUNTS = RNG.poisson(2.0, (len(VECTORS), 5)).astype(float)
CASCADE = tuple(RNG.normal(size=shape) for shape in ((5, 5), (5, 4), (5, 4), (4, 4)))
FREE = np.full((5, 4), -1)
KINDS = np.zeros(2, dtype=np.uint8)
NUMBERS = RNG.integers(0, 40, 300) / 4
CLASSES = Y.astype(np.uint32)
SIZES = np.bincount(Y)
HISTOGRAM = (
    np.array([0, 1, 3, 4]),
    np.array([0, 0, 1, 1], dtype=np.int32),
    np.array([60.0, 9, 9, 60]),
)
BINNED = (
    np.asfortranarray(RNG.integers(0, 9, (300, 2)).astype(np.uint8)),
    np.array([0, -1, 1], dtype=np.int32),
    np.array([0, 3]),
    np.array([4, 70, 200], dtype=np.int32),
    np.array([1, 2, 255], dtype=np.uint8),
    np.array([0], dtype=np.uint8),
)
ITEMS = (Y.astype(np.int32), np.arange(301), Y.astype(np.int32), np.ones(2), WEIGHTS + 1)
BAGS = RNG.integers(0, 2, (3, 300)).astype(np.uint8)
LEAVES = RNG.integers(-1, 3, (7, 2)).astype(np.int32)
HELD = np.array([0, 2, 3, 4]), np.array([0, 3, 1, 2], dtype=np.int32), RNG.random(4)
ELIMINATION = tuple(
    np.array(each)
    for each in ([0, 1], [2, 2], [2, 1], [1, 1], [0, 1, 2, 3, 4, 5], [0, 1, 1], [1], [1])
)

CALLS = {
    "add_leaves": [(LEAVES, *HELD, 4, 2)],
    "add_terms": [(X, np.log([0.4, 0.6]), np.log(RNG.random((308, 2))), *STEPS)],
    "best_parents": [
        (VECTORS, np.array([300, 2]), COUNTS.sum(axis=1), COUNTS, np.array([0, 2, 5]), 5.0, 2, 2, 2)
    ],
    "best_vectors": [(*GRAPH, 2, 100, 10.0, 2)],
    "chain_all": [(CASCADE[1], CASCADE[3], FREE, 2)],
    "chain_best": [(CASCADE[1], CASCADE[3], FREE, 2, 100, 10.0, 2)],
    "chain_log_prob": [(CASCADE[1], CASCADE[3], RNG.integers(0, 2, (10, 4)), 2, 2)],
    "chain_sums": [(CASCADE[1], CASCADE[3], FREE, 2)],
    "chain_walk": [(CASCADE[1], CASCADE[3], FREE, RNG.random((3, 1, 4)), 2)],
    "count_families": [([Y, X[:, 0]], np.array([2, 300]), [[0, 1], [1]], WEIGHTS, 2)],
    "count_pairs": [
        (x, Y, START, 2, w, 2, "auto") for x in (X, sparse_codes()) for w in (None, WEIGHTS)
    ],
    "count_singles": [(x, Y, START, 2, w, 2) for x in (X, sparse_codes()) for w in (None, WEIGHTS)],
    "digitize": [(NUMBERS, np.arange(9.0), 256, np.zeros(300, dtype=np.uint16))],
    "eliminate_maxima": [(RNG.random((4, 3)), *ELIMINATION)],
    "expert_log_likelihood": [(X, START, SOME, OF, PAIRS, LOG_PAIRS, LOG_SINGLES, 2)],
    "expert_trees": [(X, START, SOME, OF, PAIRS, 2)],
    "forest_votes": [(RNG.random((9, 2)), NODES, np.array([0.5, 0, 0]), np.array([0, 3]), 2, 2)],
    "grow_forest": [(X, Y.astype(np.int32), 2, 3, 2, 2**63 + 5, 2)],
    "grow_joint_forest": [(BINNED, ITEMS, BAGS, 2, 2, 2, 2**63 + 5, 2)],
    "histogram": [
        (NUMBERS, None, CLASSES, WEIGHTS, np.bincount(Y, WEIGHTS), SIZES),
        (NUMBERS[:9], np.arange(9, dtype=np.int32), CLASSES, None, SIZES.astype(float), SIZES),
    ],
    "joint_forest_leaves": [(BINNED[0].copy("C"), NODES, np.array([0, 3]), 2)],
    "local_parents": [(X, START, PAIRS[0, 0], PAIRS[0], 2, 2)],
    "mdl_cuts": [(*HISTOGRAM, 2)],
    "nearest_by_products": [(RNG.random((5, 30)), SQUARES[:5], SQUARES, 3, 0, 2)],
    "nearest_rows": [(compressed(POINTS), compressed(POINTS.tocsc()), SQUARES, SQUARES, 3, 0, 2)],
    "pair_information": [
        (x, Y, START, 2, w, 2) for x in (X, sparse_codes()) for w in (None, WEIGHTS)
    ],
    "parent_joints": [
        (
            X,
            np.array([0, 301, 304]),
            np.log(RNG.random((308, 2))),
            np.log(RNG.random((308, 308, 2))),
        )
    ],
    "parse_dense": [
        (b"1,a\n2,b\n", 0, 8, bytes([44, 0, 0, 1, 1]), np.array([0, 1], dtype=np.uint8))
    ],
    "parse_sparse": [(b"{0 1, 1 2}\n{1 3}\n", 0, KINDS)],
    "parse_svmlight": [(b"1 1:2 3:4\n0 2:1\n", 0)],
    "permute_columns": [
        (X, CLASSES, np.arange(300), np.array([0, 150, 300]), 4, 0, 2**63 + 5, LOGS, 2)
    ],
    "settled_beliefs": [(*GRAPH, 2)],
    "sum_orders_by_label": [(*CASCADE, 2)],
    "sum_orders_of_all_sets": [(*CASCADE, 2)],
    "sum_orders_of_best_set": [(*CASCADE, 2)],
    "sum_orders_of_sets": [(CASCADE[1], CASCADE[3], RNG.integers(0, 2, (5, 4)), 2)],
    "to_columns": [
        (X.astype(np.uint8, order="C"), np.zeros(X.shape, dtype=np.uint8, order="F"), 2)
    ],
    "tree_log_likelihood": [(X, START, SOME, OF, OF, TREES, LOG_PAIRS, LOG_SINGLES, 2)],
}
EVERY_CALL = [
    pytest.param(name, args, id=f"{name}-{i}")
    for name, calls in CALLS.items()
    for i, args in enumerate(calls)
]
TYPES = "uint8 uint16 uint32 uint64 int8 int16 int32 int64 float32 float64 bool >u2 >i8 >f8".split()
WRITTEN = {"digitize": 3, "to_columns": 1}


def definition(name):
    [module] = (
        module
        for path in FOLDER.glob("*.cpp")
        if path.stem != "module"
        and name in (module := import_module(f"jointbayes._kernels.{path.stem}")).__all__
    )
    return getattr(module, name)


def answer(kernel, name, args):
    """What the kernel returns and what it writes; TypeError if it refuses."""
    args = list(args)
    if isinstance(args[WRITTEN.get(name, 0)], np.ndarray) and name in WRITTEN:
        args[WRITTEN[name]][...] = 0  # written by the call before
    try:
        returned = kernel(*args)
    except TypeError:
        return TypeError
    return [returned, args[WRITTEN[name]].copy()] if name in WRITTEN else returned


def same(found, expected):
    if expected is None:
        return found is None
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(same, found, expected))
    np.testing.assert_allclose(
        np.asarray(found, float), np.asarray(expected, float), rtol=1e-9, atol=1e-9
    )
    return True


def strided(array):
    """The same array with room between its entries."""
    wide = np.zeros([2 * n for n in array.shape], dtype=array.dtype)
    wide[tuple(slice(None, None, 2) for _ in array.shape)] = array
    return wide[tuple(slice(None, None, 2) for _ in array.shape)]


def disguises(value):
    """The same numbers, exactly, in other arrays."""
    if isinstance(value, np.ndarray):
        yield from other_arrays(value)
    elif isinstance(value, SparseCodes):
        parts = (value.codes, value.rows, value.indptr, value.default)
        for how, new in other_parts(parts):
            if all(isinstance(part, np.ndarray) for part in new):
                yield how, SparseCodes(*new, value.shape)
    elif isinstance(value, (tuple, list)) and isinstance(value[0], np.ndarray):
        for how, new in other_parts(value):
            yield how, type(value)(new)


def other_arrays(value):
    yield "strided", strided(value)
    yield "other order", np.asarray(value, order="C" if value.flags.f_contiguous else "F")
    yield "one axis more", value[..., None]
    yield "list", value.tolist()
    for name in TYPES:
        with np.errstate(invalid="ignore", over="ignore"):
            other = value.astype(name, order="K")
        if other.dtype != value.dtype and (other == value).all():
            yield name, other


def other_parts(parts):
    for i, part in enumerate(parts):
        for how, other in other_arrays(part):
            yield f"part {i} {how}", [other if i == j else mine for j, mine in enumerate(parts)]


def test_every_kernel_is_called_here():
    assert sorted(CALLS) == NAMES


def test_every_compiled_file_lies_beside_its_definition():
    for path in FOLDER.glob("*.cpp"):
        if path.stem != "module":
            module = import_module(f"jointbayes._kernels.{path.stem}")
            assert set(module.__all__) & set(NAMES), path.name
            assert path.stem not in NAMES, "a module would hide the kernel of its name"


@pytest.mark.parametrize(("name", "args"), EVERY_CALL)
def test_the_kernel_in_use_answers_as_its_definition(name, args):
    expected = answer(definition(name), name, args)
    assert expected is not TypeError
    assert same(answer(getattr(_kernels, name), name, args), expected)


@pytest.mark.parametrize(("name", "args"), EVERY_CALL)
def test_an_array_of_another_type_or_layout_is_refused_or_answered_rightly(name, args):
    expected = answer(definition(name), name, args)
    tried = 0
    for i, argument in enumerate(args):
        for how, other in disguises(argument):
            changed = [other if i == j else mine for j, mine in enumerate(args)]
            found = answer(getattr(_kernels, name), name, changed)
            plain = answer(definition(name), name, changed)
            assert (found is TypeError) == (plain is TypeError), f"argument {i}, {how}"
            for each in (found, plain):
                assert each is TypeError or same(each, expected), f"argument {i}, {how}"
            tried += 1
    assert tried or name == "parse_svmlight"


@pytest.mark.parametrize(("name", "args"), EVERY_CALL)
@pytest.mark.parametrize("kind", [np.int16, np.int64, np.uint64, np.float64])
def test_numbers_may_be_numpy_s(name, args, kind):
    """A number that is not whole where one is needed is refused, never cut."""
    expected = answer(definition(name), name, args)
    for kernel in (getattr(_kernels, name), definition(name)):
        for i, argument in enumerate(args):
            if isinstance(argument, float) or (type(argument) is int and argument < 2**15):
                changed = [kind(argument) if i == j else mine for j, mine in enumerate(args)]
                found = answer(kernel, name, changed)
                if isinstance(argument, int) and kind is np.float64:
                    assert found is TypeError
                else:
                    assert same(found, expected)


def holds_codes(args):
    return any(value is X or isinstance(value, SparseCodes) for value in args)


def narrow(value, width):
    """Only small codes, in a width."""
    if value is X or value is Y:
        return (value % 2).astype(width, order="F")
    if isinstance(value, SparseCodes):
        codes, default = ((a % 2).astype(width) for a in (value.codes, value.default))
        return SparseCodes(codes, value.rows, value.indptr, default, value.shape)
    return value


@pytest.mark.parametrize("width", ["uint8", "uint16", "uint32"])
@pytest.mark.parametrize(("name", "args"), [c for c in EVERY_CALL if holds_codes(c.values[1])])
def test_codes_of_every_width_give_one_answer(name, args, width):
    """Small codes in every width, so that each of the compiled overloads is asked."""
    changed = [narrow(value, width) for value in args]
    widest = [narrow(value, np.uint32) for value in args[:2]]
    expected = answer(definition(name), name, [*widest, *changed[2:]])
    assert expected is not TypeError
    assert same(answer(getattr(_kernels, name), name, changed), expected)
