"""CTBN and its rivals against plain loops over the definitions of the papers."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from jointbayes import CTBN, IBLR, BinaryRelevance, ClassifierChain, MLkNN, StackedRelevance
from jointbayes.errors import ParameterError
from jointbayes.models import BatchedLogistic
from jointbayes.table import Column, Table

WRAPPERS = [BinaryRelevance, CTBN, ClassifierChain, StackedRelevance, IBLR]
EVERY = [*WRAPPERS, MLkNN, BatchedLogistic]


def labelled(seed, n=120, p=4, cards=(2, 3, 2)):
    """Rows, and labels that follow them and each other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    Y = np.zeros((n, len(cards)), dtype=int)
    for j, card in enumerate(cards):
        score = X[:, j % p] + (Y[:, j - 1] if j else 0) + rng.normal(size=n)
        Y[:, j] = np.digitize(score, np.quantile(score, np.arange(1, card) / card))
    return X, Y


def given_parent(X, Y, rows, i, j, v, x):
    """P(Y_i | x, Y_j = v) of scikit-learn's classifier, and of counts where it cannot be fitted."""
    rows = [r for r in rows if j is None or Y[r, j] == v]
    values, card = sorted({Y[r, i] for r in rows}), Y[:, i].max() + 1
    p = np.full(card, 1 / card / (len(rows) + 1))
    rest = 1 - p.sum() + p[values].sum()
    if len(values) == 1:
        p[values] = rest
    else:
        p[values] = rest * fitted(X[rows], Y[rows, i]).predict_proba([x])[0]
    return p


def fitted(X, y, known={}):  # noqa: B006  the memory is the point: many rows ask for one model
    key = X.tobytes(), y.tobytes()
    if key not in known:
        known[key] = LogisticRegression().fit(X, y)
    return known[key]


@pytest.mark.parametrize("cards", [(2, 2, 2), (2, 3, 2)])
def test_weights_tree_and_posterior_are_those_of_the_paper(cards):
    X, Y = labelled(0, n=60, cards=cards)
    folds = KFold(3, shuffle=True, random_state=1)
    model = CTBN(LogisticRegression(), validation=folds).fit(X, Y)
    d = len(cards)
    alone, paired = np.zeros(d), np.zeros((d, d))
    for train, held in folds.split(X):
        for i in range(d):
            for r in held:
                alone[i] += np.log(given_parent(X, Y, train, i, None, None, X[r])[Y[r, i]])
                for j in set(range(d)) - {i}:
                    p = given_parent(X, Y, train, i, j, Y[r, j], X[r])
                    paired[j, i] += np.log(p[Y[r, i]])
    expected = paired - alone
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(model.gains_, expected, atol=1e-8)

    def score(parents):
        return sum(alone[i] if j < 0 else paired[j, i] for i, j in enumerate(parents))

    def is_forest(parents):
        return all(not _comes_back(parents, i) for i in range(d))

    forests = [f for f in product(range(-1, d), repeat=d) if is_forest(f)]
    assert score(model.parents_.tolist()) == pytest.approx(max(map(score, forests)))

    post = model.posterior(X[:3])
    for y in product(*map(range, cards)):
        for row in range(3):
            p = 1.0
            for i, j in enumerate(model.parents_.tolist()):
                above = (None, None) if j < 0 else (j, y[j])
                p *= given_parent(X, Y, range(60), i, *above, X[row])[y[i]]
            assert np.exp(post[row].log_prob([y])[0]) == pytest.approx(p, abs=1e-9)


def _comes_back(parents, start):
    node, steps = parents[start], 0
    while node >= 0 and steps <= len(parents):
        node, steps = parents[node], steps + 1
    return node >= 0


def test_the_tree_that_made_the_labels_is_found():
    # 0 → 1 → 2 and 1 → 3, each label repeating its parent with probability 0.8; 4 is alone.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    Y = (rng.random((2000, 5)) < 1 / (1 + np.exp(-X[:, :1]))).astype(int)
    for child, parent in ((1, 0), (2, 1), (3, 1)):
        Y[:, child] = np.where(rng.random(2000) < 0.8, Y[:, parent], Y[:, child])
    edges = {frozenset(edge) for edge in CTBN().fit(X, Y).edges_}
    truth = {frozenset(e) for e in (("y0", "y1"), ("y1", "y2"), ("y1", "y3"))}
    assert truth <= edges  # directions are not identifiable
    assert all("y4" in edge for edge in edges - truth)


def test_the_default_learner_learns_what_a_loop_over_scikit_learn_does():
    X, Y = labelled(1, n=200, cards=(2, 2, 2, 2))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = CTBN(BatchedLogistic(penalty=1.0), validation=0.3).fit(Z, Y)
    loop = CTBN(LogisticRegression(C=1.0, tol=1e-8, max_iter=500), validation=0.3).fit(Z, Y)
    assert ours.edges_ == loop.edges_
    np.testing.assert_allclose(ours.gains_, loop.gains_, atol=0.05)
    np.testing.assert_allclose(ours.predict_proba(Z), loop.predict_proba(Z), atol=2e-3)


@pytest.mark.parametrize("cards", [(2, 2, 2), (3, 2, 3)])
def test_a_chain_is_the_product_of_its_conditionals(cards):
    X, Y = labelled(2, cards=cards)
    order = (2, 0, 1)
    model = ClassifierChain(GaussianNB(), order=order).fit(X, Y)
    post = model.posterior(X[:4])
    for y in product(*map(range, cards)):
        p = np.ones(4)
        for place, i in enumerate(order):
            before = [
                (Y[:, [j]] == ([1] if cards[j] == 2 else np.arange(cards[j])), y[j])
                for j in order[:place]
            ]
            seen = np.hstack([X, *(columns for columns, _ in before)])
            told = [
                np.tile([c == 1] if cards[j] == 2 else np.arange(cards[j]) == c, (4, 1))
                for j, c in ((j, y[j]) for j in order[:place])
            ]
            fitted = GaussianNB().fit(seen, Y[:, i])
            p *= fitted.predict_proba(np.hstack([X[:4], *told]))[:, y[i]]
        np.testing.assert_allclose(np.exp(post.log_prob([y] * 4)), p, atol=1e-9)


@pytest.mark.parametrize("cards", [(2, 2, 2), (3, 2, 3)])
def test_the_batched_chain_is_the_chain_of_scikit_learn_s_regressions(cards):
    X, Y = labelled(3, n=150, cards=cards)
    ours = ClassifierChain(BatchedLogistic(penalty=1.0, tol=1e-9)).fit(X, Y)
    columns, fitted = [X], []
    for j, card in enumerate(cards):
        seen = np.hstack(columns)
        mean, std = seen.mean(axis=0), seen.std(axis=0)
        model = LogisticRegression(C=1.0, tol=1e-10, max_iter=5000).fit(
            (seen - mean) / std, Y[:, j]
        )
        fitted.append((model, mean, std))
        columns.append((Y[:, [j]] == ([1] if card == 2 else np.arange(card))) * 1.0)
    for y in product(*map(range, cards)):
        p, told = np.ones(5), [X[:5]]
        for j, (model, mean, std) in enumerate(fitted):
            p *= model.predict_proba((np.hstack(told) - mean) / std)[:, y[j]]
            values = [1] if cards[j] == 2 else np.arange(cards[j])
            told.append(np.tile(np.equal(values, y[j]) * 1.0, (5, 1)))
        np.testing.assert_allclose(np.exp(ours.posterior(X[:5]).log_prob([y] * 5)), p, atol=1e-5)


@pytest.mark.parametrize("model", EVERY)
def test_mixed_missing_and_named_columns_and_labels(model):
    rng = np.random.default_rng(6)
    number = rng.normal(size=80)
    number[::9] = np.nan
    colour = rng.choice(np.array(["red", "blue", None], dtype=object), 80)
    X = Table((Column.of("size", number), Column.of("colour", colour)))
    Y = np.stack(
        [np.where(colour == "red", "warm", "cold"), np.where(number > 0, "b", "a")], axis=1
    )
    fitted = model().fit(X, Y)
    assert fitted.score(X, Y) > 0.6
    unseen = Table((Column.of("size", [np.nan]), Column.of("colour", ["mauve"])))
    assert fitted.predict(unseen).shape == (1, 2)
    total = sum(
        np.exp(fitted.posterior(unseen).log_prob([y])[0]) for y in product(*fitted.classes_)
    )
    assert total == pytest.approx(1)


@pytest.mark.parametrize("model", EVERY)
def test_sparse_rows_give_the_answers_of_dense_ones(model):
    rng = np.random.default_rng(7)
    X = rng.integers(0, 3, (60, 6)) * (rng.random((60, 6)) < 0.4) * 1.0
    Y = (X[:, :3] + rng.normal(size=(60, 3)) > 0.5).astype(int)
    dense, thin = model().fit(X, Y), model().fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(
        dense.predict_proba(X), thin.predict_proba(sparse.csr_array(X)), atol=1e-9
    )


@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
@pytest.mark.parametrize("model", WRAPPERS)
def test_labels_that_hardly_vary_are_no_trouble(model, estimator):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(30, 2))
    Y = np.zeros((30, 4), dtype=int)
    Y[:, 1] = 1
    Y[0, 2] = 1  # one row only, whichever part it falls into
    Y[:, 3] = X[:, 0] > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = model(estimator).fit(X, Y)
        post = fitted.posterior(X)
        p = fitted.predict_proba(X)
    assert np.isfinite(p).all()
    assert np.isfinite(post.log_prob(1 - Y)).all()
    np.testing.assert_allclose(p[:, 0].max(), 0.5 / 31, rtol=0.5)
    assert (fitted.predict(X)[:, :2] == [0, 1]).all()


@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_a_parent_s_value_that_only_held_out_rows_have_tells_nothing(estimator):
    X, Y = labelled(10, n=40, cards=(2, 2))
    Y[:, 0] = np.arange(40) < 3
    splits = [(np.arange(3, 40), np.arange(3))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CTBN(estimator, validation=splits).fit(X, Y)
    alone = BinaryRelevance(estimator).fit(X[3:], Y[3:]).posterior(X[:3]).marginals()[1]
    told = np.log(alone[np.arange(3), Y[:3, 1]]).sum()
    assert model.gains_[0, 1] == pytest.approx(3 * np.log(0.5) - told, abs=0.01)


@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_a_label_with_one_value_beside_a_parent_s_or_among_held_out_rows(estimator):
    X, Y = labelled(11, n=60, cards=(2, 2, 2))
    Y[Y[:, 0] == 1, 1] = 1  # nothing to learn where the first label is 1
    Y[:20, 2] = 0  # nothing to tell apart among held-out rows
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CTBN(estimator, validation=[(np.arange(20, 60), np.arange(20))]).fit(X, Y)
        p = model.posterior(X)
    assert np.isfinite(model.gains_).all()
    assert ("y0", "y1") in model.edges_ or ("y1", "y0") in model.edges_
    total = sum(np.exp(p.log_prob([y] * 60)) for y in product((0, 1), repeat=3))
    np.testing.assert_allclose(total, 1.0)


@pytest.mark.parametrize("model", [*WRAPPERS, BatchedLogistic])
def test_separable_labels_on_columns_that_repeat_or_stand_still(model):
    x = np.linspace(-1, 1, 40)
    X = np.stack([x, 2 * x, x - 1, np.full(40, 3.0)], axis=1)
    Y = np.stack([x > 0, x < 0.5, x > 0], axis=1).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = model().fit(X, Y)
        p = fitted.predict_proba(np.vstack([X, 100 * X]))
    assert np.isfinite(p).all()
    assert fitted.score(X, Y) > 0.85


@pytest.mark.parametrize("model", EVERY)
@pytest.mark.parametrize("y", [["a", "b", "a", "b"], [[0], [1], [0], [1]], [[0, 0]] * 4])
def test_one_label_few_rows_or_nothing_to_learn(model, y):
    fitted = model().fit([[0.0], [1.0], [0.1], [0.9]], y)
    assert np.shape(fitted.predict([[0.5]])) == np.shape(y[:1])
    assert np.shape(model().fit([[0.0]], y[:1]).predict([[0.5]])) == np.shape(y[:1])


@pytest.mark.parametrize("model", WRAPPERS)
def test_an_estimator_without_probabilities_is_refused_in_a_sentence(model):
    with pytest.raises(ParameterError, match="has no predict_proba; give a classifier"):
        model(RidgeClassifier()).fit([[0.0], [1.0]], [[0, 1], [1, 0]])


@pytest.mark.parametrize("validation", [0.0, 1.0, 1, True, "half", float("nan")])
def test_a_validation_outside_its_range_is_refused(validation):
    with pytest.raises(ParameterError, match="validation="):
        CTBN(validation=validation).fit(np.eye(4), np.eye(4, dtype=int))


@pytest.mark.parametrize("order", ["sorted", [0, 0, 1], [0, 1], ["y0", "y9", "y2"], 3])
def test_an_order_that_is_none_is_refused(order):
    X, Y = labelled(9)
    with pytest.raises(ParameterError, match="order="):
        ClassifierChain(order=order).fit(X, Y)


def test_orders_by_name_by_position_and_at_random():
    X, Y = labelled(9)
    assert ClassifierChain(order=["y2", "y0", "y1"]).fit(X, Y).order_ == (2, 0, 1)
    assert ClassifierChain(order=[2, 0, 1]).fit(X, Y).edges_[0] == ("y2", "y0")
    drawn = {ClassifierChain(order="random", random_state=s).fit(X, Y).order_ for s in range(9)}
    assert len(drawn) > 1
    learned = ClassifierChain(order="learned").fit(X, Y).order_
    assert sorted(learned) == [0, 1, 2]
    parents = CTBN().fit(X, Y).parents_  # of the same split
    assert all(p < 0 or learned.index(p) < learned.index(j) for j, p in enumerate(parents.tolist()))


@pytest.mark.parametrize("kind", [CTBN, ClassifierChain])
def test_base_learners_may_give_probability_0(kind):
    X, Y = labelled(3, n=60, cards=(2, 2, 2))
    model = kind(DecisionTreeClassifier(random_state=0)).fit(X, Y)
    p = model.predict_proba(X)
    assert ((p == 0) | (p == 1)).any()
    assert np.isfinite(p).all()
    assert (model.predict(X) == Y).all()  # a tree knows its rows
