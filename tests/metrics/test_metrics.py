"""Metrics: against definitions in plain loops, scikit-learn's, and by laws for all at once."""

import copy
import pickle
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import BaseEstimator

from jointbayes import metrics
from jointbayes.errors import CostError, DataError, ParameterError
from jointbayes.labels import learn_labels
from jointbayes.metrics import METRICS, kind_of, scorer, scorers
from jointbayes.posterior import Independent
from jointbayes.posterior.listed import Listed as JointTable
from jointbayes.table import Table

few = settings(max_examples=25, deadline=None)
AVERAGES = ("samples", "micro", "macro")
EMPTY = {"one": 1, "zero": 0}


@st.composite
def label_pairs(draw, least=1):
    """True and predicted label matrices; empty rows and columns are common."""
    shape = draw(st.tuples(st.integers(1, 8), st.integers(least, 5)))
    cells = hnp.arrays(np.int64, shape, elements=st.integers(0, 1))
    sparse_cells = hnp.arrays(np.int64, shape, elements=st.sampled_from([0, 0, 0, 1]))
    return draw(cells | sparse_cells), draw(cells | sparse_cells)


@st.composite
def beliefs(draw, least=1):
    """A label matrix and probabilities of relevance, ties included."""
    shape = draw(st.tuples(st.integers(1, 8), st.integers(least, 5)))
    Y = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 1)))
    return Y, draw(hnp.arrays(np.float64, shape, elements=st.sampled_from(np.arange(1, 20) / 20)))


@st.composite
def class_beliefs(draw):
    """One class variable of three values, all present, and probabilities of each."""
    n = draw(st.integers(3, 8))
    y = np.array(["a", "b", "c", *draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))])
    p = draw(hnp.arrays(np.float64, (len(y), 3), elements=st.floats(0.05, 1)))
    return y, p / p.sum(axis=1, keepdims=True)


def posterior_of(Y, p):
    log_p = [np.log(np.stack([1 - column, column], axis=1)) for column in p.T]
    return Independent(log_p, learn_labels(np.atleast_2d(Y)))


def answer_to(metric, Y, p):
    """What a model that believes ``p`` hands to a metric."""
    if metric.needs == "labels":
        return (p > 0.5).astype(int)
    return p if metric.needs == "marginals" else posterior_of(Y, p)


def divide(a, b, empty):
    return Fraction(int(a), int(b)) if b else Fraction(EMPTY[empty])


def set_scores(true, predicted, empty):
    """The four quotients of two sets, by definition."""
    both = true & predicted
    return (
        divide(len(both), len(predicted), empty),
        divide(len(both), len(true), empty),
        divide(2 * len(both), len(true) + len(predicted), empty),
        divide(len(both), len(true | predicted), empty),
    )


def cells(matrix):
    return {(i, j) for i, j in np.ndindex(matrix.shape) if matrix[i, j]}


@few
@given(label_pairs(), st.sampled_from(AVERAGES), st.sampled_from(list(EMPTY)))
def test_set_scores_are_their_definitions(pair, average, empty):
    T, P = (cells(matrix) for matrix in pair)
    n, d = pair[0].shape
    parts = {
        "samples": [{c for c in np.ndindex(n, d) if c[0] == i} for i in range(n)],
        "macro": [{c for c in np.ndindex(n, d) if c[1] == j} for j in range(d)],
        "micro": [set(np.ndindex(n, d))],
    }[average]
    scores = [set_scores(T & part, P & part, empty) for part in parts]
    expected = [float(sum(column) / len(parts)) for column in zip(*scores, strict=True)]
    functions = (metrics.precision, metrics.recall, metrics.f1, metrics.jaccard)
    found = [f(*pair, average=average, empty=empty) for f in functions]
    assert found == pytest.approx(expected, abs=1e-12)


@few
@given(label_pairs(least=2), st.sampled_from(AVERAGES), st.sampled_from(list(EMPTY)))
def test_set_scores_agree_with_scikit_learn(pair, average, empty):
    from sklearn import metrics as theirs

    for ours, other in (
        (metrics.precision, theirs.precision_score),
        (metrics.recall, theirs.recall_score),
        (metrics.f1, theirs.f1_score),
        (metrics.jaccard, theirs.jaccard_score),
    ):
        expected = other(*pair, average=average, zero_division=EMPTY[empty])
        assert ours(*pair, average=average, empty=empty) == pytest.approx(expected, abs=1e-12)
    assert metrics.subset_accuracy(*pair) == pytest.approx(theirs.accuracy_score(*pair))
    assert metrics.zero_one_loss(*pair) == pytest.approx(theirs.zero_one_loss(*pair))
    assert metrics.hamming_loss(*pair) == pytest.approx(theirs.hamming_loss(*pair))


@few
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1))
def test_multiclass_scores_agree_with_scikit_learn(pairs):
    from sklearn import metrics as theirs

    true, predicted = (np.array(column) for column in zip(*pairs, strict=True))
    for average in ("micro", "macro"):
        for ours, other in (
            (metrics.precision, theirs.precision_score),
            (metrics.recall, theirs.recall_score),
            (metrics.f1, theirs.f1_score),
            (metrics.jaccard, theirs.jaccard_score),
        ):
            expected = other(true, predicted, average=average, zero_division=1)
            assert ours(true, predicted, average=average) == pytest.approx(expected, abs=1e-12)
    accuracy = theirs.accuracy_score(true, predicted)
    assert metrics.subset_accuracy(true, predicted) == pytest.approx(accuracy)
    assert metrics.hamming_accuracy(true, predicted) == pytest.approx(accuracy)


@few
@given(label_pairs())
def test_one_right_vector_is_no_more_than_its_labels(pair):
    assert metrics.subset_accuracy(*pair) <= metrics.hamming_accuracy(*pair) + 1e-12
    jaccard = metrics.jaccard(*pair)
    for other in (metrics.precision, metrics.recall, metrics.f1):
        assert metrics.subset_accuracy(*pair) <= jaccard + 1e-12
        assert jaccard <= other(*pair) + 1e-12


@few
@given(label_pairs())
def test_kappa_is_agreement_beyond_chance(pair):
    found = metrics.cohen_kappas(*pair)
    for t, p, kappa in zip(pair[0].T, pair[1].T, found, strict=True):
        seen = np.mean(t == p)
        chance = t.mean() * p.mean() + (1 - t.mean()) * (1 - p.mean())
        expected = 1.0 if seen == 1 else (seen - chance) / (1 - chance)
        assert kappa == pytest.approx(expected, abs=1e-12)
    assert metrics.cohen_kappa(*pair) == pytest.approx(found.mean())


@few
@given(label_pairs(), st.sampled_from(list(EMPTY)))
def test_macro_scores_are_the_means_of_label_scores(pair, empty):
    scores = metrics.label_scores(*pair, empty=empty)
    assert scores.names == tuple(f"y{j}" for j in range(pair[0].shape[1]))
    assert scores.support.tolist() == pair[0].sum(axis=0).tolist()
    for name in ("precision", "recall", "f1", "jaccard"):
        expected = getattr(metrics, name)(*pair, average="macro", empty=empty)
        assert getattr(scores, name).mean() == pytest.approx(expected)


def test_many_valued_targets_are_scored_by_vectors_labels_and_values():
    true = [["x", "a"], ["y", "b"], ["x", "c"], ["z", "a"]]
    predicted = [["x", "a"], ["y", "c"], ["z", "c"], ["z", "b"]]
    assert metrics.subset_accuracy(true, predicted) == 0.25
    assert metrics.hamming_loss(true, predicted) == 3 / 8
    # One true and one predicted value per class variable: micro F1 is the Hamming accuracy.
    assert metrics.f1(true, predicted, average="micro") == 5 / 8
    scores = metrics.label_scores(true, predicted)
    assert scores.names == ("y0=x", "y0=y", "y0=z", "y1=a", "y1=b", "y1=c")
    assert scores.recall.tolist() == [0.5, 1, 1, 0.5, 0, 1]
    with pytest.raises(DataError, match="multidimensional"):
        metrics.f1(true, predicted)


@few
@given(beliefs(least=2))
def test_ranking_is_by_definition_and_scikit_learns(belief):
    from sklearn import metrics as theirs

    Y, p = belief
    losses, depths, precisions = [], [], []
    for y, score in zip(Y, p, strict=True):
        relevant, other = np.flatnonzero(y), np.flatnonzero(1 - y)
        wrong = [score[a] <= score[b] for a, b in product(relevant, other)]
        losses.append(np.mean(wrong) if wrong else 0)
        depth = [(score >= score[a]).sum() for a in relevant]
        depths.append(max(depth, default=0))
        pure = [(score[relevant] >= score[a]).sum() / (score >= score[a]).sum() for a in relevant]
        precisions.append(np.mean(pure) if len(relevant) and len(other) else 1)
    assert metrics.ranking_loss(Y, p) == pytest.approx(np.mean(losses))
    assert metrics.coverage(Y, p) == pytest.approx(np.mean(depths))
    assert metrics.average_precision(Y, p) == pytest.approx(np.mean(precisions))
    assert metrics.ranking_loss(Y, p) == pytest.approx(theirs.label_ranking_loss(Y, p))
    assert metrics.coverage(Y, p) == pytest.approx(theirs.coverage_error(Y, p))


@few
@given(beliefs(least=2))
def test_labels_of_all_rows_are_ranked_together_by_definition(belief):
    Y, p = belief
    relevant, other = p[Y == 1], p[Y == 0]
    pairs = [(a > b) + (a == b) / 2 for a, b in product(relevant, other)]
    pure = [(relevant >= a).sum() / (p >= a).sum() for a in relevant]
    assert metrics.roc_auc_micro(Y, p) == pytest.approx(np.mean(pairs) if pairs else 1)
    assert metrics.pr_auc_micro(Y, p) == pytest.approx(np.mean(pure) if pairs else 1)
    first = [list(row).index(max(row)) for row in p]
    wrong = [y[j] == 0 for y, j in zip(Y, first, strict=True)]
    assert metrics.one_error(Y, p) == pytest.approx(np.mean(wrong))


@few
@given(beliefs())
def test_proper_scores_of_labels_agree_with_scikit_learn(belief):
    from sklearn import metrics as theirs

    Y, p = belief
    log = [theirs.log_loss(y, q, labels=[0, 1]) for y, q in zip(Y.T, p.T, strict=True)]
    brier = [theirs.brier_score_loss(y, q, pos_label=1) for y, q in zip(Y.T, p.T, strict=True)]
    assert metrics.log_losses(Y, p) == pytest.approx(np.array(log))
    assert metrics.brier_scores(Y, p) == pytest.approx(np.array(brier))
    as_list = [np.stack([1 - q, q], axis=1) for q in p.T]
    assert metrics.log_loss(Y, as_list) == metrics.log_loss(Y, p) == pytest.approx(np.mean(log))


@few
@given(class_beliefs())
def test_proper_scores_of_classes_agree_with_scikit_learn(belief):
    from sklearn import metrics as theirs

    y, p = belief
    assert metrics.log_loss(y, p) == pytest.approx(theirs.log_loss(y, p))
    expected = np.mean([((q - (np.array(list("abc")) == v)) ** 2).sum() for v, q in zip(y, p)])  # noqa: B905  same length
    assert metrics.brier_score(y, p) == pytest.approx(expected)


@few
@given(beliefs())
def test_joint_scores_are_sums_over_label_vectors(belief):
    Y, p = belief
    posterior = posterior_of(Y, p)
    joint = [
        {v: np.prod(np.where(v, row, 1 - row)) for v in product([0, 1], repeat=len(row))}
        for row in p
    ]
    given_to_truth = np.array([table[tuple(y)] for table, y in zip(joint, Y, strict=True)])
    assert metrics.cll_loss(Y, posterior) == pytest.approx(-np.log(given_to_truth).sum())
    assert metrics.joint_log_loss(Y, posterior) == pytest.approx(-np.log(given_to_truth).mean())
    # Independent labels: the joint log-loss is the sum of the labels' own.
    assert metrics.joint_log_loss(Y, posterior) == pytest.approx(metrics.log_losses(Y, p).sum())
    brier = [
        sum((q - (v == tuple(y))) ** 2 for v, q in table.items())
        for table, y in zip(joint, Y, strict=True)
    ]
    assert metrics.joint_brier_score(Y, posterior) == pytest.approx(np.mean(brier))


def test_joint_scores_see_what_labels_apart_do_not():
    # Batal et al. 2013, Table 1: the joint's mode (1, 0) is not the pair of the marginals' modes.
    vectors = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    with np.errstate(divide="ignore"):
        posterior = JointTable(vectors, np.log([[0.2, 0.45, 0.35, 0.0]]), learn_labels(vectors))
    marginals = posterior.marginals()
    assert [m[0].round(12).tolist() for m in marginals] == [[0.55, 0.45], [0.65, 0.35]]
    assert metrics.cll_loss([[1, 0]], posterior) == pytest.approx(-np.log(0.45))
    assert metrics.log_loss([[1, 0]], marginals) == pytest.approx(-np.log([0.45, 0.65]).mean())
    assert metrics.joint_log_loss([[1, 1]], posterior) == np.inf
    squares = 0.2**2 + 0.45**2 + 0.35**2
    assert metrics.joint_brier_score([[1, 0]], posterior) == pytest.approx(1 - 0.9 + squares)


def test_impossible_truth_costs_infinity_unless_it_weighs_nothing():
    Y, p = [[1], [1]], [[0.0], [0.5]]
    assert metrics.log_loss(Y, p) == np.inf
    assert metrics.log_loss(Y, p, sample_weight=[0, 1]) == pytest.approx(np.log(2))
    with np.errstate(divide="ignore"):
        posterior = posterior_of(Y, np.array(p))
    assert metrics.cll_loss(Y, posterior) == np.inf
    assert metrics.cll_loss(Y, posterior, sample_weight=[0, 2]) == pytest.approx(2 * np.log(2))
    assert metrics.joint_brier_score(Y, posterior) == 1.25


@few
@example((np.array([[0, 1]] + [[1, 1]] * 6), np.full((7, 2), 0.05)), 1)
@given(beliefs(), st.integers(1, 12))
def test_reliability_is_scikit_learns_curve(belief, n_bins):
    from sklearn.calibration import calibration_curve

    Y, p = belief
    curve = metrics.reliability(Y, p, n_bins=n_bins)
    frequency, confidence = calibration_curve(Y.ravel(), p.ravel(), n_bins=n_bins, pos_label=1)
    assert curve.frequency == pytest.approx(frequency)
    assert curve.confidence == pytest.approx(confidence)
    assert curve.weight.sum() == Y.size
    assert ((curve.lower <= curve.confidence) & (curve.confidence <= curve.upper + 1e-12)).all()
    assert 0 <= curve.error <= curve.worst <= 1
    assert metrics.calibration_error(Y, p, n_bins=n_bins) == curve.error


def test_quantile_bins_hold_equal_weight():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 100), rng.random(100)
    curve = metrics.reliability(y[:, None], p, n_bins=5, bins="quantile")
    assert curve.weight.tolist() == [20] * 5
    weights = rng.integers(0, 4, 100)
    weighted = metrics.reliability(y[:, None], p, bins="quantile", sample_weight=weights)
    repeated = np.repeat(np.arange(100), weights)
    plain = metrics.reliability(y[repeated][:, None], p[repeated], bins="quantile")
    assert weighted.confidence == pytest.approx(plain.confidence)
    assert weighted.frequency == pytest.approx(plain.frequency)


def test_curves_of_labels_pool_to_the_curve_of_all():
    rng = np.random.default_rng(0)
    Y, p = rng.integers(0, 2, (50, 3)), rng.random((50, 3))
    curves = metrics.label_reliability(Y, p)
    assert len(curves) == 3
    for j, curve in enumerate(curves):
        assert curve.error == metrics.calibration_error(Y[:, [j]], p[:, [j]])
    assert sum(curve.weight.sum() for curve in curves) == metrics.reliability(Y, p).weight.sum()


def test_joint_calibration_asks_whether_the_whole_vector_was_right():
    rng = np.random.default_rng(0)
    Y, p = rng.integers(0, 2, (40, 2)), rng.random((40, 2))
    posterior = posterior_of(Y, p)
    confidence = np.maximum(p, 1 - p).prod(axis=1)
    right = ((p > 0.5) == Y).all(axis=1)
    expected = metrics.reliability(right[:, None].astype(int), confidence[:, None])
    found = metrics.joint_reliability(Y, posterior)
    assert found.confidence == pytest.approx(expected.confidence)
    assert found.frequency == pytest.approx(expected.frequency)
    assert metrics.joint_calibration_error(Y, posterior) == found.error


@pytest.mark.parametrize("name", METRICS)
def test_a_weight_is_a_number_of_rows(name):
    metric, rng = METRICS[name], np.random.default_rng(len(name))
    Y, p = rng.integers(0, 2, (30, 3)), rng.random((30, 3))
    weights = rng.integers(0, 4, 30)
    again = np.repeat(np.arange(30), weights)
    weighted = metric(Y, answer_to(metric, Y, p), sample_weight=weights)
    assert weighted == pytest.approx(metric(Y[again], answer_to(metric, Y[again], p[again])))
    assert weighted != pytest.approx(metric(Y, answer_to(metric, Y, p)))


@pytest.mark.parametrize("name", METRICS)
def test_the_better_answer_is_better(name):
    metric, rng = METRICS[name], np.random.default_rng(0)
    Y = (rng.random((200, 4)) < 0.4).astype(int)
    good = np.where(rng.random(Y.shape) < 0.95, Y, 1 - Y) * 0.9 + 0.05
    poor = (rng.random(Y.shape) < 0.8) * 0.9 + 0.05
    high, low = (metric(Y, answer_to(metric, Y, p)) for p in (good, poor))
    assert high > low if metric.better == "higher" else high < low


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m.needs != "posterior"])
def test_values_and_containers_do_not_matter(name):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    metric, rng = METRICS[name], np.random.default_rng(0)
    Y, p = rng.integers(0, 2, (20, 3)), rng.random((20, 3))
    Y[:, 2] = 0  # an empty column stays a label
    expected = metric(Y, answer_to(metric, Y, p))
    names = ["a", "b", "c"]
    for dress in (
        np.ndarray.tolist,
        lambda A: A.astype(bool),
        lambda A: np.where(A, "yes", "no"),
        lambda A: np.where(A, 1, -1),
        sparse.csr_array,
        lambda A: pandas.DataFrame(A, columns=names),
        lambda A: polars.DataFrame(A, schema=names),
        lambda A: Table.of(pandas.DataFrame(np.where(A, "yes", "no"), columns=names)),
    ):
        answer = answer_to(metric, Y, p)
        dressed = dress(answer) if metric.needs == "labels" else answer
        assert metric(dress(Y), dressed) == pytest.approx(expected)


@pytest.mark.parametrize("name", METRICS)
def test_the_table_says_for_which_targets_a_metric_is(name):
    metric, rng = METRICS[name], np.random.default_rng(0)
    for Y in (np.array(list("abcab")), rng.integers(0, 2, (5, 2)), np.arange(10).reshape(5, 2) % 3):
        space = learn_labels(Y)
        marginals = [np.full((5, k), 1 / k) for k in space.cards]
        answer = {
            "labels": Y[::-1],
            "marginals": marginals[0] if space.single else marginals,
            "posterior": Independent([np.log(p) for p in marginals], space),
        }[metric.needs]
        if kind_of(space) in metric.targets:
            assert np.isfinite(metric(Y, answer))
        else:
            with pytest.raises(DataError):
                metric(Y, answer)


class Prior(BaseEstimator):
    """A model with a posterior: label frequencies, whatever the row."""

    def fit(self, _, Y):
        self.space_ = learn_labels(Y)
        self.classes_ = list(self.space_.classes)
        self.p_ = np.clip(self.space_.encode(Y).mean(axis=0), 0.01, 0.99)
        return self

    def posterior(self, X):
        p = np.broadcast_to(self.p_, (len(X), len(self.p_)))
        return Independent([np.log(np.stack([1 - q, q], axis=1)) for q in p.T], self.space_)

    def predict(self, X):
        return self.posterior(X).map()

    def predict_proba(self, X):
        return np.stack([m[:, 1] for m in self.posterior(X).marginals()], axis=1)


def test_scorers_serve_cross_validation_of_our_models():
    from sklearn.model_selection import cross_validate

    rng = np.random.default_rng(0)
    X, Y = rng.random((40, 2)), np.where(rng.random((40, 3)) < 0.3, "yes", "no")
    found = cross_validate(Prior(), X, Y, cv=2, scoring=scorers(*METRICS), error_score="raise")
    for half, (train, test) in enumerate(
        [(slice(20, 40), slice(0, 20)), (slice(20), slice(20, 40))]
    ):
        model = Prior().fit(X[train], Y[train])
        expected = -model.posterior(X[test]).log_prob(Y[test]).mean()
        assert -found["test_joint_log_loss"][half] == pytest.approx(expected)
        losses = metrics.hamming_loss(Y[test], model.predict(X[test]))
        assert -found["test_hamming_loss"][half] == pytest.approx(losses)


def test_scorers_serve_searches_over_scikit_learns_models():
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    for y in ((X > 0.5).astype(int), np.array(["low", "mid", "high"])[(3 * X[:, 0]).astype(int)]):
        search = GridSearchCV(
            KNeighborsClassifier(), {"n_neighbors": [1, 30]}, scoring=scorer("brier_score"), cv=3
        ).fit(X, y)
        means = search.cv_results_["mean_test_score"]
        assert (means <= 0).all()
        assert search.best_score_ == means.max()
    again = pickle.loads(pickle.dumps(copy.deepcopy(scorer("f1_micro"))))
    assert again.metric.options == {"average": "micro"}


def test_rand_indices_of_the_toy_problems():
    problems = {
        (1, 1, 1, 1, 1): (1.0, 0.0),
        (2, 2, 1): (0.8, 0.2),
        (3, 2): (0.6, 0.4),
        (4, 1): (0.4, 0.6),
        (5,): (0.0, 1.0),
    }
    for sizes, (all_apart, all_joined) in problems.items():
        ends = np.cumsum(sizes)
        truth = [tuple(range(end - size, end)) for size, end in zip(sizes, ends, strict=True)]
        assert metrics.rand_index(truth, [(i,) for i in range(5)]) == pytest.approx(all_apart)
        assert metrics.rand_index(truth, [tuple(range(5))]) == pytest.approx(all_joined)
        assert metrics.rand_index(truth, truth[::-1]) == 1


@few
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=7))
def test_rand_index_counts_pairs_of_labels(groups):
    def partition(side):
        values = [pair[side] for pair in groups]
        return [[i for i, v in enumerate(values) if v == g] for g in set(values)]

    pairs = list(combinations(groups, 2))
    agree = sum((a[0] == b[0]) == (a[1] == b[1]) for a, b in pairs)
    found = metrics.rand_index(partition(0), partition(1))
    assert found == pytest.approx(agree / len(pairs))


def test_a_class_that_a_fold_lacks_is_named_by_classes():
    proba = [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]
    with pytest.raises(DataError, match="classes="):
        metrics.log_loss(["c", "b"], proba)
    found = metrics.log_loss(["c", "b"], proba, classes=["a", "b", "c"])
    assert found == pytest.approx(-np.log([0.5, 0.8]).mean())
    with pytest.raises(DataError, match="binarize"):
        metrics.f1([["paid"], ["open"]], [["paid"], ["paid"]])
    assert metrics.f1([["no"], ["no"]], [["no"], ["no"]]) == 1
    assert metrics.f1([["no"]], [["no"]], classes=[["no", "yes"]]) == 1
    # A true label the model never saw is a mistake, not a fault.
    assert metrics.subset_accuracy(["a", "z"], ["a", "a"], classes=["a", "b"]) == 0.5


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: metrics.f1([[1, 0]], [[1]]), DataError, "2 columns of true labels and 1"),
        (lambda: metrics.f1([[1], [0]], [[1]]), DataError, "2 rows of true labels and 1"),
        (lambda: metrics.subset_accuracy(["a"], [1]), DataError, "numbers here and strings"),
        (lambda: metrics.subset_accuracy([], []), DataError, "no rows"),
        (lambda: metrics.f1([[1]], [[1]], empty="half"), ParameterError, "'half'"),
        (lambda: metrics.f1([[1]], [[1]], average="mean"), ParameterError, "'mean'"),
        (lambda: metrics.f1([[1]], [[1]], sample_weight=[1, 2]), DataError, r"shape \(2,\)"),
        (lambda: metrics.f1([[1]], [[1]], sample_weight=[-1]), DataError, "-1.0 in row 0"),
        (lambda: metrics.f1([[1]], [[1]], sample_weight=[0]), DataError, "nothing to measure"),
        (lambda: metrics.cardinality(["a"], ["a"]), DataError, "binary label matrix"),
        (lambda: metrics.log_loss([[0, 1]], [[0.5, 1.5]]), DataError, "'y1' in row 0"),
        (lambda: metrics.log_loss([[0, 1]], [[0.5, np.nan]]), DataError, "'y1' in row 0"),
        (lambda: metrics.log_loss([[0, 1]], [[0.5]]), DataError, "1 class variables"),
        (lambda: metrics.log_loss([[0, 1]], [[0.5, 0.5]] * 2), DataError, r"shape \(2, 2\)"),
        (lambda: metrics.ranking_loss([[1], [0]], [[0.5], [0.5]]), DataError, "two columns"),
        (lambda: metrics.ranking_loss(["a", "b"], [[0.5, 0.5]] * 2), DataError, "multiclass"),
        (lambda: metrics.reliability([[1]], [[0.5]], n_bins=0), ParameterError, "found 0"),
        (lambda: metrics.reliability([[1]], [[0.5]], bins="ten"), ParameterError, "'ten'"),
        (lambda: metrics.rand_index([(0,)], [(1,)]), DataError, "labels 0, 1"),
        (lambda: metrics.rand_index([(0,), (0,)], [(0,)]), DataError, "two groups"),
        (lambda: metrics.rand_index([], []), DataError, "no labels"),
        (lambda: scorer("f1_makro"), ParameterError, "f1_macro"),
        (lambda: scorer("cll_loss")(object(), [[0]], [[1]]), DataError, r"no posterior\(\)"),
    ],
)
def test_refusals_name_what_was_found(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_joint_brier_refuses_what_it_cannot_enumerate():
    p = np.full((1, 17), 0.5)
    with pytest.raises(CostError, match="131,072"):
        metrics.joint_brier_score(np.ones((1, 17), dtype=int), posterior_of(np.ones(17), p))


def test_frames_with_other_columns_are_refused():
    pandas = pytest.importorskip("pandas")
    a = pandas.DataFrame({"sad": [0, 1], "happy": [1, 1]})
    with pytest.raises(DataError, match="same columns in the same order"):
        metrics.f1(a, a[["happy", "sad"]])
    assert metrics.f1(a, a.to_numpy()) == 1


def test_metrics_are_imported_without_scikit_learn():
    import subprocess
    import sys

    code = "import sys, jointbayes.metrics as m; print(len(m.METRICS), 'sklearn' in sys.modules)"
    answer = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert answer.split() == [str(len(METRICS)), "False"]


def test_rounding_is_no_fault_of_probabilities():
    over = np.nextafter(1.0, 2.0)
    assert metrics.log_loss([[0, 1]], [[0.0, over]]) == 0.0
    assert metrics.brier_score([[0, 1]], [[-1e-17, over]]) == 0.0
