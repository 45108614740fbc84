"""Texts are read by their direction and their length; how they came does not matter."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize

import jointbayes as jb
from jointbayes.design.texts import are_texts, learn_direction
from jointbayes.models import BatchedLogistic

KINDS = pytest.mark.parametrize("kind", [np.asarray, csr_array])


def texts(rng, n=120, p=150):
    """Texts of any length, and two labels that are about their words."""
    counts = rng.poisson(0.05, (n, p)) * rng.integers(1, 30, (n, 1))
    Y = normalize(counts) @ rng.normal(size=(p, 2)) > 0
    return counts.astype(float), Y.astype(int)


def test_what_is_a_text():
    rng = np.random.default_rng(0)
    X, _ = texts(rng)
    assert are_texts(X)
    assert not are_texts(rng.normal(size=(50, 20)))
    assert not are_texts(np.hstack([rng.normal(size=(30, 2)), np.eye(30)]))  # numbers, a category


def by_hand(X):
    """Words in rows of length 1, and how many times as long as the shortest each row was."""
    length = np.linalg.norm(X, axis=1)
    shortest = length[length > 0].min()
    return np.column_stack([normalize(X), np.log(np.maximum(length, shortest) / shortest)])


@KINDS
def test_words_have_length_one_and_numbers_are_left(kind):
    X, _ = texts(np.random.default_rng(1))
    X[3] = 0.0
    age = np.random.default_rng(2).uniform(20, 70, (len(X), 1))
    found = learn_direction(kind(np.hstack([X, age]))).apply(kind(np.hstack([X, age])))
    found = found.toarray() if kind is csr_array else found
    np.testing.assert_allclose(found, np.insert(by_hand(X), [-1], age, axis=1), atol=1e-12)


def test_categories_are_no_words():
    """One that was never seen leaves the others as they are."""
    rng = np.random.default_rng(7)
    X = rng.choice(list("abcdefghijklmnopqrst"), (200, 6)).astype(object)
    Y = np.stack([X[:, 0] < "k", X[:, 1] < "f"], axis=1).astype(int)
    auto, keep = (BatchedLogistic(words=words).fit(X, Y) for words in ("auto", "keep"))
    X[:, 5] = "never seen"
    np.testing.assert_array_equal(auto.predict_proba(X), keep.predict_proba(X))


@pytest.mark.parametrize("model", [jb.CTBN, jb.IBLR, jb.ClassifierChain, jb.StackedRelevance])
def test_longer_than_the_longest_is_as_long(model):
    X, Y = texts(np.random.default_rng(3))
    fitted = model().fit(X, Y)
    asked = normalize(X) * np.linalg.norm(X, axis=1).max()
    longer = fitted.predict_proba(asked * 1e4)
    np.testing.assert_allclose(longer, fitted.predict_proba(asked), atol=1e-9)


def test_the_length_of_a_text_is_heard():
    """A label that is about it alone, whatever the words."""
    X, _ = texts(np.random.default_rng(8), n=4000)
    Y = np.linalg.norm(X, axis=1)[:, None] > [20, 40]
    train, test = slice(2000), slice(2000, None)
    heard, kept = (
        BatchedLogistic(words=words).fit(X[train], Y[train]).score(X[test], Y[test])
        for words in ("auto", "keep")
    )
    assert heard > kept + 0.05


@pytest.mark.parametrize("metric", ["auto", "euclidean", "cosine"])
def test_neighbours_are_those_of_the_texts_as_they_came(metric):
    X, Y = texts(np.random.default_rng(10))
    one, other = (kind(metric=metric).fit(X, Y).neighbours_ for kind in (jb.IBLR, jb.MLkNN))
    np.testing.assert_array_equal(one.of_training(5), other.of_training(5))


def test_lengths_that_differ_by_rounding_alone_are_the_same():
    X = normalize(texts(np.random.default_rng(9))[0])
    X *= 1 + 1e-12 * np.arange(len(X))[:, None]
    np.testing.assert_array_equal(learn_direction(X).apply(X)[:, -1], 0.0)


@KINDS
def test_unit_is_what_one_could_do_by_hand(kind):
    X, Y = texts(np.random.default_rng(4))
    auto = BatchedLogistic().fit(kind(X), Y).predict_proba(kind(X))
    unit = BatchedLogistic(words="unit").fit(X, Y).predict_proba(X)
    hand = BatchedLogistic(words="keep").fit(by_hand(X), Y).predict_proba(by_hand(X))
    kept = BatchedLogistic(words="keep").fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(auto, hand, atol=1e-6)
    np.testing.assert_allclose(unit, hand, atol=1e-6)
    assert np.abs(kept - hand).max() > 0.01


@KINDS
@pytest.mark.filterwarnings("error")
def test_empty_texts_and_numbers_of_any_size_are_read(kind):
    X, Y = texts(np.random.default_rng(5))
    X[0], X[:, 1], X[:, 2] = 0.0, 1e-310 * (X[:, 1] > 0), 1e307 * (X[:, 2] > 0)
    model = BatchedLogistic(penalty=1.0).fit(kind(X), Y)
    asked = np.vstack([np.zeros(X.shape[1]), np.full(X.shape[1], 1e308)])
    assert np.isfinite(model.predict_proba(kind(asked))).all()


def test_a_stored_model_reads_texts_the_same_way(tmp_path):
    X, Y = texts(np.random.default_rng(6))
    model = jb.BinaryRelevance().fit(csr_array(X), Y)
    jb.save(model, tmp_path / "texts.jb")
    again = jb.load(tmp_path / "texts.jb")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_another_way_to_read_words_is_one_sentence():
    with pytest.raises(ValueError, match=r"words.*'bag'.*keep"):
        BatchedLogistic(words="bag").fit([[0.0], [1.0]] * 10, [0, 1] * 10)
