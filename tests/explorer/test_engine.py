"""The engine of the page gives Python's answers, to 1e-9, whatever is changed and fixed."""

from __future__ import annotations

import numpy as np
import pytest
from explorer_states import engine_of, largest_differences
from scipy import sparse

import jointbayes as jb
from jointbayes.explorer.packing import pack, pack_rows
from jointbayes.explorer.tables import tables_of
from jointbayes.learners import BatchedLogistic
from jointbayes.table import Column, Table

pytest.importorskip("quickjs", reason="the engine runs in quickjs")

CLOSE = 1e-9


def mixed_table(n=160, seed=0):
    """Numbers with gaps, categories with gaps, a bool, and one column that says nothing."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    weight = 1e5 + size + rng.normal(size=n)
    weight[rng.random(n) < 0.1] = np.nan
    colour = np.array(["red", "green", "blue", None], dtype=object)[rng.integers(0, 4, n)]
    shape = np.array(["round", "square"], dtype=object)[(size > 0).astype(int)]
    return Table(
        (
            Column.of("size", size),
            Column.of("weight", weight),
            Column.of("colour", colour),
            Column.of("shape", shape),
            Column.of("old", rng.random(n) < 0.3),
            Column.of("same", np.zeros(n)),
        )
    )


def labels_of(table, seed=0):
    rng = np.random.default_rng(seed)
    size, n = table.columns[0].values, len(table)
    first = size + rng.normal(size=n) > 0
    second = first ^ (rng.random(n) < 0.2)
    third = (rng.random(n) < 0.4) & ~second
    return np.stack([first, second, third, rng.random(n) < 0.1], axis=1).astype(int)


def classes_of(table, seed=0):
    Y = labels_of(table, seed)
    return np.array(["ant", "bee", "cat"])[Y[:, 0] + Y[:, 2]]


ONE = [
    jb.NaiveBayes(),
    jb.TAN(),
    jb.TAN(missing="ignore"),
    jb.KDB(2),
    jb.KDB(2, missing="ignore"),
    jb.AODE(),
    jb.ATAN(missing="ignore"),
    jb.WATAN(),
    jb.ChowLiuMultinet(missing="ignore"),
]
SEVERAL = [
    jb.MultilabelNB(),
    jb.MultilabelFAN(),
    jb.MultilabelFAN(missing="ignore", empty="forbid"),
    jb.NetworkEnsemble(),
    jb.CTBN(),
    jb.BinaryRelevance(),
    jb.StackedRelevance(),
    jb.ClassifierChain(order=[2, 0, 3, 1]),
    jb.ChainEnsemble(n_chains=2),
    jb.LabelPowerset(),
]


@pytest.mark.parametrize("model", ONE, ids=repr)
def test_models_of_one_class_variable(model):
    table = mixed_table()
    model.fit(table, classes_of(table))
    found = largest_differences(model, table, 16)
    assert max(found.values()) < CLOSE
    assert "why: features" in found


@pytest.mark.parametrize("model", SEVERAL, ids=repr)
def test_models_of_several_labels(model):
    table = mixed_table()
    model.fit(table, labels_of(table))
    found = largest_differences(model, table, 8)
    assert max(found.values()) < CLOSE
    assert {"marginals", "top_k", "f1", "jaccard", "next_question"} <= found.keys()
    assert ("why: features" in found) == hasattr(model, "explain")


@pytest.mark.parametrize(
    "model", [jb.MultilabelFAN(), jb.CTBN(), jb.ClassifierChain(), jb.LabelPowerset()], ids=repr
)
def test_labels_of_several_values(model):
    table = mixed_table()
    Y = np.stack([classes_of(table), classes_of(table, 3)[::-1], classes_of(table, 5)], axis=1)
    model.fit(table, Y)
    assert max(largest_differences(model, table, 6).values()) < CLOSE


def test_words_are_read_by_direction_and_length():
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.05, (80, 60)).astype(float))
    Y = (X[:, [0, 1, 2]].toarray() > 0).astype(int) | (rng.random((80, 3)) < 0.1)
    model = jb.CTBN(BatchedLogistic(words="unit")).fit(X, Y)
    assert model.design_.direction is not None
    assert max(largest_differences(model, X, 4).values()) < CLOSE


@pytest.mark.parametrize(
    ("name", "model"),
    [("emotions", jb.MultilabelFAN()), ("emotions", jb.BinaryRelevance()), ("yeast", jb.CTBN())],
)
@pytest.mark.usefixtures("shared")
def test_real_data(name, model):
    data = jb.load_dataset(name)
    model.fit(data.X[:150], data.Y[:150])
    assert max(largest_differences(model, data.X[150:], 4).values()) < CLOSE


def test_numbers_come_back_bit_by_bit():
    rng = np.random.default_rng(0)
    odd = np.array([np.nan, -np.inf, np.inf, -0.0, 5e-324, 1.7976931348623157e308])
    few = [rng.integers(0, k, 37) / 3 for k in (1, 2, 4, 13, 200)]
    run = engine_of(tables_of(jb.NaiveBayes().fit([["a"], ["b"]], [0, 1])))
    for numbers in (
        odd,
        rng.normal(size=7),
        np.repeat(odd, 50),
        rng.integers(0, 300, 5000) / 3,
        *few,
    ):
        run.context.eval(f"var x = unpack({pack(numbers)!r})")
        told = run("Array.from(x, String)")
        back = np.array([float(text.replace("Infinity", "inf")) for text in told])
        assert np.array_equal(back, numbers, equal_nan=True)
        negative = (np.signbit(numbers) & (numbers == 0)).tolist()
        assert run("Array.from(x, y => Object.is(y, -0))") == negative


def test_coefficients_come_back_to_2_to_the_minus_46_of_their_row():
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.integers(-200, 200, (40, 1))
    W = np.vstack([rng.normal(size=(40, 7)) * sizes, np.zeros((1, 7)), np.full((1, 7), 2.0**46)])
    W[0, 0] = -np.abs(W[0]).max() * 3
    run = engine_of(tables_of(jb.NaiveBayes().fit([["a"], ["b"]], [0, 1])))
    run.context.eval(f"var x = unpackRows({pack_rows(W)!r})")
    back = np.array(run("Array.from(x)")).reshape(W.shape)
    assert (np.abs(back - W) <= 2.0**-46 * np.abs(W).max(axis=1, keepdims=True)).all()


def test_impossible_labels_have_no_answer():
    model = jb.LabelPowerset().fit([[0.0], [1.0]] * 10, [[0, 1], [1, 0]] * 10)
    run = engine_of(tables_of(model))
    assert run("E.ask([0.5], [1, 1])") is None
    assert run("E.ask([0.5], [1, -1]).top(5)")[0]["vector"] == [1, 0]


def test_the_python_of_a_state_gives_the_same_answer(tmp_path):
    table = mixed_table()
    model = jb.MultilabelFAN().fit(table, labels_of(table))
    jb.save(model, tmp_path / "model.jb")
    tables = tables_of(model) | {"file": str(tmp_path / "model.jb")}
    run = engine_of(tables)
    state = "[0.25, NaN, 2, -1, 1, 0], [1, -1, -1, 0]"
    scope: dict[str, object] = {}
    exec(run(f"E.python({state}, 3)").replace("print(", "shown = ("), scope)
    post = scope["post"]
    ours = run(f"E.ask({state}).marginals()")
    assert np.allclose(np.concatenate(ours), np.hstack(post.marginals())[0], atol=CLOSE)


def test_the_python_of_arrays_and_sparse_rows_gives_the_same_answer(tmp_path):
    rng = np.random.default_rng(0)
    X = (rng.random((60, 80)) < 0.1).astype(float)
    model = jb.BinaryRelevance().fit(X, (X[:, :2] > 0).astype(int))
    jb.save(model, tmp_path / "model.jb")
    run = engine_of(tables_of(model) | {"file": str(tmp_path / "model.jb")})
    state = f"{X[3].tolist()}, [-1, -1]"
    scope: dict[str, object] = {}
    exec(run(f"E.python({state}, 3)").replace("print(", "shown = ("), scope)
    ours = run(f"E.ask({state}).marginals()")
    assert np.allclose(np.concatenate(ours), np.hstack(scope["post"].marginals())[0], atol=CLOSE)
