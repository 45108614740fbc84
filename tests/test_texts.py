"""Texts are read by their direction: how long one is does not matter, how it came neither."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize

import jointbayes as jb
from jointbayes.encoding.texts import are_texts, learn_direction
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


@KINDS
def test_words_have_length_one_and_numbers_are_left(kind):
    X, _ = texts(np.random.default_rng(1))
    X[3] = 0.0
    age = np.random.default_rng(2).uniform(20, 70, (len(X), 1))
    found = learn_direction(kind(np.hstack([X, age]))).apply(kind(np.hstack([X, age])))
    found = found.toarray() if kind is csr_array else found
    np.testing.assert_allclose(found, np.hstack([normalize(X), age]), atol=1e-12)


def test_categories_are_no_words():
    """One that was never seen leaves the others as they are."""
    rng = np.random.default_rng(7)
    X = rng.choice(list("abcdefghijklmnopqrst"), (200, 6)).astype(object)
    Y = np.stack([X[:, 0] < "k", X[:, 1] < "f"], axis=1).astype(int)
    auto, keep = (BatchedLogistic(words=words).fit(X, Y) for words in ("auto", "keep"))
    X[:, 5] = "never seen"
    np.testing.assert_array_equal(auto.predict_proba(X), keep.predict_proba(X))


@pytest.mark.parametrize("model", [jb.CTBN, jb.IBLR, jb.ClassifierChain, jb.StackedRelevance])
def test_how_long_a_text_is_does_not_matter(model):
    rng = np.random.default_rng(3)
    X, Y = texts(rng)
    fitted = model().fit(X, Y)
    longer = X * rng.uniform(0.01, 1e4, (len(X), 1))
    np.testing.assert_allclose(fitted.predict_proba(longer), fitted.predict_proba(X), atol=1e-9)


@KINDS
def test_unit_is_what_one_could_do_by_hand(kind):
    X, Y = texts(np.random.default_rng(4))
    auto = BatchedLogistic().fit(kind(X), Y).predict_proba(kind(X))
    unit = BatchedLogistic(words="unit").fit(X, Y).predict_proba(X)
    hand = BatchedLogistic(words="keep").fit(normalize(X), Y).predict_proba(normalize(X))
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
