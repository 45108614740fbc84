"""NaiBX against its definition, its laws, scikit-learn's naive Bayes, and what it refuses."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naibx_oracle import PlainNaiBX
from scipy import sparse
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from jointbayes import NaiBX, load, save
from jointbayes.errors import CostError, DataError, ParameterError
from jointbayes.learners.logistic.estimator import BatchedLogistic
from jointbayes.table import Table

KINDS = ("gaussian", "bernoulli", "multinomial")
SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25, deadline=None)


def random_rows(seed, n=25, q=4, missing=0.0):
    """Rows with two columns of every kind, whose labels depend on them and on each other."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, q)) < rng.random(q)).astype(int)
    Y[:, -1] |= Y[:, 0] & (rng.random(n) < 0.7)
    gaussian = rng.normal(Y[:, :2] * rng.normal(0, 2, 2), 1.0)
    binary = rng.random((n, 2)) < 0.2 + 0.5 * Y[:, 1:3]
    words = rng.poisson(0.5 + Y[:, -2:])
    X = np.hstack([gaussian, binary, words]).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    return X, Y


SIX = [kind for kind in KINDS for _ in range(2)]


def plain(X, Y, kinds=tuple(SIX)):
    model = PlainNaiBX(Y.shape[1], kinds)
    for x, y in zip(X.tolist(), Y, strict=True):
        model.add_example(x, np.flatnonzero(y).tolist())
    return model


def as_matrix(sets, q):
    return np.array([[int(j in labels) for j in range(q)] for labels in sets])


@FEW
@given(SEEDS, st.sampled_from([0.0, 0.2]))
@example(2902512, 0.2)  # two sizes whose scores round alike
def test_answers_are_those_of_the_papers_algorithms(seed, missing):
    X, Y = random_rows(seed, missing=missing)
    model, oracle = NaiBX(features=SIX).fit(X, Y), plain(X, Y)
    expected = as_matrix([oracle.predict(x) for x in X.tolist()], 4)
    sure = [oracle.is_sure(x) for x in X.tolist()]
    np.testing.assert_array_equal(model.predict(X)[sure], expected[sure])
    sizes = Y.sum(axis=1)
    asked = list(zip(X.tolist(), sizes.tolist(), strict=True))
    expected = as_matrix([oracle.predict(x, m) for x, m in asked], 4)
    sure = [oracle.is_sure(x, m) for x, m in asked]
    np.testing.assert_array_equal(model.predict(X, size=sizes)[sure], expected[sure])


@FEW
@given(SEEDS, st.sampled_from([0.0, 0.2]))
@example(5868, 0.0)  # scores of hundreds of millions of nats
def test_the_posterior_is_the_sum_over_orders(seed, missing):
    X, Y = random_rows(seed, missing=missing)
    post, oracle = NaiBX(features=SIX).fit(X, Y).posterior(X[:3]), plain(X, Y)
    for row, x in enumerate(X[:3].tolist()):
        joint = oracle.joint(x)
        assert sum(joint.values()) == pytest.approx(1, abs=1e-12)
        sets = as_matrix(joint, 4)
        found = post[[row] * len(sets)].log_prob(sets)
        np.testing.assert_allclose(np.exp(found), list(joint.values()), atol=1e-10)


def same_model(a, b, X):
    for one, two in zip(_arrays(a), _arrays(b), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-12)
    # A score is exact to a share of its size, and so is what two of them differ by.
    scores = a.posterior(X).base
    rounding = 4 * np.finfo(float).eps * np.abs(scores[np.isfinite(scores)]).max(initial=0.0)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-10 + rounding)


def _arrays(model):
    """The tables in the user's units: every model has an origin and a scale of its own."""
    tables, columns = model.tables_, model.learned_.columns
    yield from (tables.n_y, tables.n_m, tables.n_yy, tables.n_ym)
    for part in (*tables.by_label, *tables.by_size):
        yield part.n
        if hasattr(part, "m2"):
            yield np.where(part.n > 0, (part.mean + columns.origin) / columns.scale, 0)
            yield part.m2 / columns.scale**2
        else:
            yield part.x


@FEW
@given(SEEDS, st.lists(st.integers(1, 24), max_size=4), st.sampled_from([0.0, 0.2]))
@example(30466, [8], 0.2)  # scores of billions of nats
def test_any_split_into_batches_gives_the_same_model(seed, cuts, missing):
    X, Y = random_rows(seed, missing=missing)
    w = np.random.default_rng(seed).integers(1, 3, len(X))
    whole = NaiBX(features=SIX).fit(X, Y, sample_weight=w)
    parts = NaiBX(features=SIX)
    for rows in np.split(np.arange(len(X)), np.unique(cuts)):
        parts.partial_fit(X[rows], Y[rows], sample_weight=w[rows])
    same_model(whole, parts, X)
    twice = NaiBX(features=SIX).fit(np.repeat(X, w, axis=0), np.repeat(Y, w, axis=0))
    same_model(whole, twice, X)


def test_one_row_at_a_time_gives_the_same_model():
    X, Y = random_rows(0, n=30, missing=0.1)
    rows = NaiBX(features=SIX)
    for x, y in zip(X, Y, strict=True):
        rows.partial_fit(x[None], y[None], classes=[[0, 1]] * 4)
    same_model(NaiBX(features=SIX).fit(X, Y), rows, X)


@FEW
@given(SEEDS)
def test_merged_models_know_what_one_would(seed):
    X, Y = random_rows(seed)
    a, b = NaiBX(features=SIX).fit(X[:9], Y[:9]), NaiBX(features=SIX).fit(X[9:], Y[9:])
    same_model(a.merge(b), NaiBX(features=SIX).fit(X, Y), X)


def test_forgetting_does_not_depend_on_batches():
    X, Y = random_rows(1, n=40)
    whole = NaiBX(features=SIX, half_life=7).fit(X, Y)
    parts = NaiBX(features=SIX, half_life=7)
    for rows in np.array_split(np.arange(40), 9):
        parts.partial_fit(X[rows], Y[rows])
    same_model(whole, parts, X)
    weights = 0.5 ** (np.arange(39, -1, -1) / 7)
    same_model(whole, NaiBX(features=SIX).fit(X, Y, sample_weight=weights), X)


def test_badly_scaled_numbers_keep_their_digits():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    small = rng.normal(0.05 * y[:, None], np.sqrt(1e-3), (500, 3))
    X = np.round((1e9 + small) * 2**20) / 2**20  # what a double can hold there
    exact = X - 1e9
    far, near = NaiBX(features="gaussian"), NaiBX(features="gaussian")
    for rows in np.array_split(np.arange(500), 7):
        far.partial_fit(X[rows], y[rows], classes=[0, 1])
        near.partial_fit(exact[rows], y[rows], classes=[0, 1])
    np.testing.assert_allclose(far.predict_proba(X), near.predict_proba(exact), rtol=1e-7)
    moments = far.tables_.by_label[0]
    scale = far.learned_.columns.scale
    truth = [exact[y == c].var(axis=0, ddof=1) for c in (0, 1)]
    np.testing.assert_allclose(moments.m2 / (moments.n - 1) / scale**2, truth, rtol=1e-9)


def test_two_groups_far_apart_keep_their_digits():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 800)
    centre = np.array([-1e3, 0.5 - 1e3, 1e3, 1e3 + 0.5])[y]
    x = (centre + rng.normal(0, 0.1, 800))[:, None]
    p, oracle = NaiBX().fit(x, y).predict_proba(x), GaussianNB(var_smoothing=0).fit(x, y)
    near = np.argsort(-oracle.predict_proba(x), axis=1)[:, :1]
    assert (np.take_along_axis(p, near, axis=1) > 0.5).mean() > 0.99
    assert (p.argmax(axis=1) == y).mean() > 0.98


@pytest.mark.parametrize(
    ("kind", "peer", "columns"),
    [
        ("gaussian", GaussianNB(var_smoothing=0), slice(0, 2)),
        ("bernoulli", BernoulliNB(), slice(2, 4)),
        ("multinomial", MultinomialNB(), slice(4, 6)),
    ],
)
def test_with_one_label_per_row_it_is_naive_bayes(kind, peer, columns):
    X, _ = random_rows(3, n=2000)
    X = X[:, columns]
    y = (X @ [1.0, 2.0] + np.random.default_rng(0).normal(size=2000) > X.mean()).astype(int)
    y += X[:, 0] > 1
    ours, theirs = NaiBX(features=kind).fit(X, y), peer.fit(X, y)
    # Priors (N_y + 1) and variances over N − 1 differ a little from theirs.
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=0.03)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.98
    one_hot = (y[:, None] == np.arange(3)).astype(int)
    as_sets = NaiBX(features=kind).fit(X, one_hot)
    oracle = plain(X, one_hot, (kind,) * 2)
    expected = as_matrix([oracle.predict(x) for x in X[:100].tolist()], 3)
    np.testing.assert_array_equal(as_sets.predict(X[:100]), expected)
    assert (as_sets.predict(X).argmax(axis=1) == ours.predict(X)).mean() > 0.98


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_sparse_rows_give_the_answers_of_dense_ones(missing):
    X, Y = random_rows(5, n=60, missing=missing)
    X[:, :2] *= X[:, :2] > 0.3
    for features in ("auto", SIX):
        dense = NaiBX(features=features).fit(X, Y)
        thin = NaiBX(features=features).fit(sparse.csr_array(X), sparse.csr_matrix(Y))
        np.testing.assert_allclose(
            thin.predict_proba(sparse.csc_matrix(X)), dense.predict_proba(X), atol=1e-9
        )
        assert (thin.predict(sparse.coo_array(X)) == dense.predict(X)).all()


def test_kinds_are_found_by_column():
    X, Y = random_rows(0)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["colour"] = np.resize(["red", "green", "blue"], len(X))
    frame["flag"] = np.resize([True, False], len(X))
    model = NaiBX().fit(frame, Y)
    assert model.learned_.columns.kinds == (
        *("gaussian",) * 2,
        *("bernoulli",) * 2,
        *("gaussian",) * 2,
        "nominal",
        "bernoulli",
    )
    odd = frame.assign(colour="pink")  # never seen: not observed, so all rows agree on it
    missing = frame.assign(colour=None)
    np.testing.assert_allclose(model.predict_proba(odd), model.predict_proba(missing))


def test_labels_may_be_added_later():
    X, Y = random_rows(2, n=60)
    Y[:30, 3] = 0
    whole = NaiBX(features=SIX).fit(X, Y)
    grown = NaiBX(features=SIX).partial_fit(X[:30], Y[:30, :3])
    grown.partial_fit(X[30:], Y[30:], classes=[[0, 1]] * 4)
    same_model(whole, grown, X)
    assert grown.label_names_ == ["y0", "y1", "y2", "y3"]
    one = NaiBX().partial_fit(X, np.resize(["b", "d"], 60))
    one.partial_fit(X, np.resize(["a", "c"], 60), classes=["a", "b", "c", "d"])
    both = NaiBX().fit(np.vstack([X, X]), np.resize(["b", "d"], 60).tolist() + ["a", "c"] * 30)
    np.testing.assert_allclose(one.predict_proba(X), both.predict_proba(X), atol=1e-10)


@FEW
@given(SEEDS)
def test_a_wider_beam_is_never_worse(seed):
    X, Y = random_rows(seed, n=30, q=5)
    model = NaiBX().fit(X, Y)
    post = model.posterior(X)
    found = [post.log_prob(model.set_params(beam=beam).predict(X)) for beam in (1, 2, 8)]
    assert (found[1] >= found[0] - 1e-9).all()
    assert (found[2] >= found[0] - 1e-9).all()
    assert (post.log_prob(post.map()) >= found[2] - 1e-9).all()


@pytest.mark.parametrize(
    "size", ["logistic", "ordinal", "forest", LogisticRegression(), LinearSVC()]
)
def test_any_classifier_may_say_the_size(size):
    X, Y = random_rows(4, n=80)
    model = NaiBX(size=size).fit(X, Y)
    said = model.predict(X).sum(axis=1)
    np.testing.assert_array_equal(said, model.posterior(X).log_size.argmax(axis=1))
    if isinstance(size, LogisticRegression):
        np.testing.assert_array_equal(said, LogisticRegression().fit(X, Y.sum(axis=1)).predict(X))
    np.testing.assert_allclose(np.exp(model.posterior(X).log_size).sum(axis=1), 1)


def test_ordinal_sizes_are_differences_of_steps():
    X, Y = random_rows(4, n=200)
    m = Y.sum(axis=1)
    post = NaiBX(size="ordinal").fit(X, Y).posterior(X)
    seen = np.unique(m)
    sizes = np.exp(post.log_size)
    above = (m[:, None] > seen[:-1]).astype(int)  # a regression of our own for each step
    steps = BatchedLogistic().fit(X, above).predict_proba(X)
    for row, steps_of_row in zip(sizes, steps, strict=True):
        ends = [1.0, *steps_of_row, 0.0]
        parts = [max(before - after, 0.0) for before, after in itertools.pairwise(ends)]
        np.testing.assert_allclose(row[seen], np.array(parts) / sum(parts), atol=1e-9)
    assert not sizes[:, np.setdiff1d(np.arange(5), seen)].any()


@pytest.mark.parametrize("size", ["logistic", "ordinal", KNeighborsClassifier()])
def test_a_classifier_of_sizes_that_cannot_weigh_rows_says_so(size):
    X, Y = random_rows(4, n=40)
    with pytest.raises(ParameterError, match="takes no sample_weight"):
        NaiBX(size=size).fit(X, Y, sample_weight=np.ones(40))


@pytest.mark.parametrize("kind", ["array", "table", "sparse", "list"])
def test_many_rows_are_answered_a_few_at_a_time(kind, monkeypatch):
    X, Y = random_rows(3, n=90)
    rows = {"table": Table.of(X), "sparse": sparse.csr_array(X), "list": X.tolist()}.get(kind, X)
    sizes = Y.sum(axis=1)
    model = NaiBX().fit(X, Y)
    whole = model.predict(rows), model.predict(rows, size=sizes), model.predict_proba(rows)
    monkeypatch.setattr("jointbayes.models.naibx.naibx.CELLS", 4 * 7)
    parts = model.predict(rows), model.predict(rows, size=sizes), model.predict_proba(rows)
    for one, two in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12)
    assert len(list(model._posteriors(rows))) == 13


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_columns_of_one_array_are_read_as_columns_of_many(missing):
    X, Y = random_rows(2, n=60, missing=missing)
    wide = np.hstack([X, X])
    for rows in (X, X[:, ::-1], wide[:, ::2], wide[10:, 3:], np.asfortranarray(X)):
        apart = Table.of(pd.DataFrame({f"x{j}": x.copy() for j, x in enumerate(rows.T)}))
        labels = Y[-len(rows) :]
        one, many = NaiBX().fit(rows, labels), NaiBX().fit(apart, labels)
        for a, b in zip(_arrays(one), _arrays(many), strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(one.predict_proba(rows), many.predict_proba(apart))


def test_a_model_with_steps_survives_the_disk(tmp_path):
    X, Y = random_rows(4, n=60)
    model = NaiBX(size="ordinal", half_life=50).fit(X, Y)
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(
        load(tmp_path / "model").posterior(X).log_size, model.posterior(X).log_size
    )


def test_a_classifier_of_sizes_learns_in_batches_if_it_can():
    X, Y = random_rows(4, n=80)
    model = NaiBX(size=SGDClassifier(loss="log_loss", random_state=0))
    for rows in np.array_split(np.arange(80), 4):
        model.partial_fit(X[rows], Y[rows])
    assert model.predict(X).shape == Y.shape
    with pytest.raises(ParameterError, match="cannot learn in batches"):
        NaiBX(size=LinearSVC()).partial_fit(X, Y)


def test_rows_without_labels_and_labels_without_rows():
    X, Y = random_rows(6)
    Y[:, 2] = 0
    Y[:8] = 0
    model = NaiBX().fit(X, Y)
    p = model.predict_proba(X)
    assert np.isfinite(p).all()
    assert (p[:, 2] < 0.5).all()
    never = NaiBX().fit(X, np.zeros_like(Y))
    assert not never.predict(X).any()
    assert never.set_params(empty="forbid").predict(X, size=2).sum(axis=1).tolist() == [2] * len(X)


def test_constant_columns_and_huge_numbers_say_nothing_wrong():
    X, Y = random_rows(7)
    model = NaiBX().fit(X, Y)
    padded = NaiBX().fit(np.hstack([X, np.full((len(X), 1), 3.5)]), Y)
    answer = padded.predict_proba(np.hstack([X, np.full((len(X), 1), 9.0)]))
    np.testing.assert_allclose(answer, model.predict_proba(X), atol=1e-12)
    huge = NaiBX().fit(X[:, :2] * 1e300, Y).predict_proba(X[:, :2] * 1e300)
    plain_unit = NaiBX().fit(X[:, :2], Y).predict_proba(X[:, :2])
    np.testing.assert_allclose(huge, plain_unit, atol=1e-8)


def _count_model():
    X, Y = random_rows(8)
    return NaiBX(features=SIX).fit(X, Y), X, Y


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda _, X, Y: NaiBX(features="multinomial").fit(X - 9, Y), "holds -.* in row 0"),
        (lambda m, X, Y: m.partial_fit(X[:, :5], Y), "5 features"),
        (lambda m, X, Y: m.partial_fit(X, Y[:, :3]), "3 columns; the model has 4"),
        (lambda m, X, Y: m.partial_fit(X, Y + 1), "holds 2"),
        (lambda m, X, Y: m.partial_fit(X, pd.DataFrame(Y, columns=list("abcd"))), "label 'a'"),
        (lambda m, X, Y: m.partial_fit(X, Y, classes=[[0, 1, 2]] + [[0, 1]] * 3), "changes 'y0'"),
        (lambda m, X, _: m.predict(X, size=5), "size holds 5"),
        (lambda m, X, _: m.predict(X, size=[1, 2]), "one for each"),
        (lambda m, X, _: m.predict(X, size=1.5), "not whole"),
        (
            lambda m, X, _: m.predict(np.where(np.isin(X, X[0, 0]), np.inf, X)),
            "column 'x0'.*infinity",
        ),
        (lambda _, X, Y: NaiBX(features="gamma").fit(X, Y), "'gamma'"),
        (lambda _, X, Y: NaiBX(features="poisson").fit(X, Y), "a poisson column counts"),
        (lambda _, X, Y: NaiBX(features=["auto"]).fit(X, Y), "1 kinds"),
        (lambda _, X, Y: NaiBX(smoothing=0).fit(X, Y), "smoothing=0"),
        (lambda _, X, Y: NaiBX(size="best").fit(X, Y), "size='best'"),
        (lambda _, X, __: NaiBX().fit(X, [[0, 1, 2, 3]] * len(X)), "what is positive"),
        (lambda m, X, Y: m.merge(NaiBX().fit(X, Y)), "different columns"),
        (lambda m, X, Y: m.merge(NaiBX(features=SIX).fit(X, Y[:, :3])), "different labels"),
    ],
)
def test_bad_input_gets_one_sentence_and_leaves_no_trace(act, message):
    model, X, Y = _count_model()
    before = model.predict_proba(X)
    with pytest.raises((DataError, ParameterError, ValueError), match=message):
        act(model, X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_answers_on_real_rows_are_the_published_ones(shared):
    """The paper's 10-fold rows are scores of training rows (published/reimplementation.md)."""
    from jointbayes import load_dataset

    data = load_dataset(shared / "data/multilabel/emotions.arff.xz")
    model = NaiBX().fit(data.X, data.Y)
    Y = model.space_.encode(data.Y)
    right = model.predict(data.X) == Y
    assert right.mean() == pytest.approx(0.771, abs=0.013)
    assert right.all(axis=1).mean() == pytest.approx(0.275, abs=0.013)
    right = model.predict(data.X, size=Y.sum(axis=1)) == Y
    assert right.mean() == pytest.approx(0.814, abs=0.013)
    assert right.all(axis=1).mean() == pytest.approx(0.526, abs=0.013)


@pytest.mark.parametrize("beam", [1, 4])
def test_the_empty_set_can_be_forbidden(beam):
    X, Y = random_rows(6)
    Y[:20] = 0
    model = NaiBX(beam=beam).fit(X, Y)
    free = model.predict(X)
    forced = model.set_params(empty="forbid").predict(X)
    assert not free.any(axis=1).all()
    assert forced.any(axis=1).all()
    if beam == 1:
        np.testing.assert_array_equal(forced[free.any(axis=1)], free[free.any(axis=1)])
    never = NaiBX(empty="forbid", beam=beam).fit(X, np.zeros_like(Y))
    assert (never.predict(X).sum(axis=1) == 1).all()


def test_rows_of_no_weight_leave_no_trace():
    X, Y = random_rows(9)
    w = np.resize([1, 0, 2], len(X))
    odd = X.copy()
    odd[w == 0] = 7.5
    a = NaiBX().partial_fit(odd, Y, sample_weight=w)
    same_model(a, NaiBX().fit(X[w > 0], Y[w > 0], sample_weight=w[w > 0]), X)


def counted_words(n=80, words=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.08, (n, words)).astype(float)
    X[0, 0] = 3.0
    return X, (X[:, :3] + X[:, 3:6] > 0).astype(int)


@pytest.mark.parametrize("scale", [1.0, 0.37])
def test_many_columns_that_are_mostly_zero_are_words(scale):
    X, Y = counted_words()
    X = scale * X
    asked = NaiBX(features="multinomial").fit(X, Y).posterior(X).log_prob(Y)
    for rows in (X, sparse.csr_matrix(X)):
        model = NaiBX().fit(rows, Y)
        assert set(model.learned_.columns.kinds) == {"multinomial"}
        np.testing.assert_allclose(model.posterior(rows).log_prob(Y), asked, atol=1e-9)


def test_what_is_not_words_stays_what_it_was():
    X, Y = counted_words()
    below, few, full = X.copy(), X[:, :49], X + 0.5
    below[0, 0] = -1.0
    yes_no = (X > 0).astype(float)
    for rows in (below, few, full):
        for held in (rows, sparse.csr_matrix(rows)):
            kinds = set(NaiBX().fit(held, Y).learned_.columns.kinds)
            assert "multinomial" not in kinds
            assert "gaussian" in kinds
    assert set(NaiBX().fit(yes_no, Y).learned_.columns.kinds) == {"bernoulli"}
    named = NaiBX(features=["gaussian"] * 59 + ["auto"]).fit(X, Y).learned_.columns.kinds
    assert named[:59] == ("gaussian",) * 59


def test_a_beam_is_as_wide_as_there_are_sets_and_no_wider_than_memory(tmp_path):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 2)), rng.integers(0, 2, (30, 4))
    model = NaiBX(beam=16).fit(X, Y)
    expected = model.predict(X)
    assert (model.set_params(beam=2**62).predict(X) == expected).all()

    wide = NaiBX().fit(X, rng.integers(0, 2, (30, 40))).set_params(beam=2**31)
    for answer in (wide.predict, wide.posterior):
        with pytest.raises(CostError, match=r"beam=2147483648 keeps .* choose at most 104857"):
            answer(X)
    save(wide, tmp_path / "wide.jb")
    with pytest.raises(DataError, match="beam=2147483648 keeps too many sets of 40 labels"):
        load(tmp_path / "wide.jb")


def test_answers_by_a_beam_do_not_depend_on_how_rows_are_taken(monkeypatch):
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(25, 2)), rng.integers(0, 2, (25, 5))
    post = NaiBX(beam=3).fit(X, Y).posterior(X)
    expected = post.best_of(3)
    monkeypatch.setattr("jointbayes.posterior.posterior.BLOCK_CELLS", 8 * 3 * 5 * 4)
    assert len(list(post._blocks(8 * 3 * 5))) == 7
    assert (post.best_of(3) == expected).all()
