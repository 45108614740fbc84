"""The nearest training rows, against scikit-learn, whatever the metric and however they came."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors

from jointbayes import MLkNN
from jointbayes.learners.neighbours import learn_neighbours


def texts(rng, n, p=200):
    """Weights of a few of many words, in texts of any length."""
    weights = np.where(rng.random((n, p)) < 0.05, rng.uniform(0.2, 1.0, (n, p)), 0.0)
    return weights * rng.uniform(0.5, 20.0, (n, 1))


@pytest.mark.parametrize("metric", ["auto", "cosine", "euclidean"])
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_neighbours_of_texts_are_those_of_scikit_learn(metric, kind):
    rng = np.random.default_rng(0)
    there, asked = texts(rng, 200), texts(rng, 15)
    found = learn_neighbours(kind(there), metric).of(kind(asked), 5)
    span = np.ptp(there, axis=0) if metric == "euclidean" else 1.0
    peer = NearestNeighbors(n_neighbors=5, metric=metric.replace("auto", "cosine"))
    expected = peer.fit(there / span).kneighbors(asked / span, return_distance=False)
    np.testing.assert_array_equal(np.sort(found, axis=1), np.sort(expected, axis=1))


def test_how_long_a_text_is_does_not_matter():
    rng = np.random.default_rng(1)
    there, asked = texts(rng, 60), texts(rng, 15)
    neighbours = learn_neighbours(there)
    longer = asked * rng.uniform(0.01, 1e6, (15, 1))
    np.testing.assert_array_equal(neighbours.of(longer, 5), neighbours.of(asked, 5))


@pytest.mark.parametrize("categories", [0, 60])
def test_numbers_are_compared_by_distance_also_beside_many_categories(categories):
    rng = np.random.default_rng(2)
    X = np.hstack([rng.normal(2000, 10, (30, 2)), np.eye(30, categories)])
    auto, euclidean = (learn_neighbours(X, metric) for metric in ("auto", "euclidean"))
    np.testing.assert_array_equal(auto.of_training(3), euclidean.of_training(3))


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_empty_rows_and_the_largest_numbers_have_neighbours_too(metric):
    rng = np.random.default_rng(3)
    X, Y = texts(rng, 40), rng.integers(0, 2, (40, 2))
    X[7] = 0.0
    model = MLkNN(k=3, metric=metric).fit(X, Y)
    asked = np.vstack([np.zeros(200), np.full(200, 1e308)])
    assert np.isfinite(model.predict_proba(asked)).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_the_smallest_numbers_are_scaled_too(metric, kind):
    X, Y = np.zeros((20, 2)), np.arange(20)[:, None] % 2
    X[::2, 0], X[1::2, 1] = 1e-310, 1e307
    p = MLkNN(k=3, metric=metric).fit(kind(X), Y).predict_proba(kind(X))
    np.testing.assert_array_equal(p[:, 0] > 0.5, Y[:, 0] == 1)


def test_a_metric_that_is_not_known_is_one_sentence():
    with pytest.raises(ValueError, match=r"metric.*'manhattan'"):
        MLkNN(metric="manhattan").fit([[0.0], [1.0]] * 10, [[0], [1]] * 10)
