"""Tests between classifiers, against the papers' own figures, definitions and scipy."""

import csv
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from jointbayes.errors import DataError, ParameterError
from jointbayes.statistics import (
    ScoreTable,
    WinDrawLoss,
    benjamini_hochberg,
    critical_difference,
    friedman,
    nemenyi,
    paired_t,
    rank,
    sign_test,
    wilcoxon,
    wilcoxon_pairs,
    win_draw_loss,
)

few = settings(max_examples=50, deadline=None)
# Small whole numbers tie often, which is where tests go wrong.
score_matrices = st.integers(2, 8).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=n, max_size=n
    ).map(np.array)
)
differences = st.lists(st.integers(-4, 4), min_size=1, max_size=9).map(np.array)


class Published:
    """The rows of one paper's file of results."""

    def __init__(self, path):
        with path.open(newline="") as file:
            self.rows = list(csv.DictReader(file))

    def find(self, **where):
        return [row for row in self.rows if all(row[k] == v for k, v in where.items())]

    def value(self, **where):
        (row,) = self.find(**where)
        return float(row["value"])

    def scores(self, table, metric):
        columns = {}
        for row in self.find(table=table, metric=metric):
            if row["dataset"] not in ("ALL", "AVERAGE"):
                columns.setdefault(row["algorithm"], {})[row["dataset"]] = float(row["value"])
        names = list(next(iter(columns.values())))
        return {name: [column[d] for d in names] for name, column in columns.items()}


@pytest.fixture(scope="module")
def sun(shared):
    return Published(shared / "published" / "sun2017.csv")


@pytest.fixture(scope="module")
def corani(shared):
    return Published(shared / "published" / "corani2014.csv")


@pytest.fixture(scope="module")
def gasse(shared):
    return Published(shared / "published" / "gasse2015.csv")


@pytest.fixture(scope="module")
def losses(sun):
    scores = sun.scores("Table 4", "zero_one_loss")
    assert {len(column) for column in scores.values()} == {40}
    assert len(scores) == 7
    return scores


def test_friedman_of_sun_is_the_tie_corrected_one(sun, losses):
    corrected = friedman(losses, better="lower")
    assert round(corrected.statistic, 3) == sun.value(metric="friedman_chi2") == 57.806
    assert corrected.degrees_of_freedom == 6
    assert round(friedman(losses, better="lower", ties="plain").statistic, 5) == 55.12232
    ranks = dict(zip(corrected.names, corrected.average_ranks, strict=True))
    assert ranks == {
        "NB": 5.5,
        "TAN": 4.4375,
        "KDB": 4.7,
        "AODE": 3.4875,
        "WATAN": 4.275,
        "AKDB": 3.175,
        "LTAN": 2.425,
    }


def test_critical_difference_of_sun(sun, losses):
    tabled = sun.value(metric="nemenyi_q")
    result = nemenyi(losses, better="lower", quantile=tabled)
    assert round(result.critical_difference, 4) == sun.value(metric="nemenyi_CD") == 1.4245
    # The table's quantile is 2.949; the studentized range over √2 is 2.9483.
    assert round(critical_difference(7, 40), 4) == 1.4242
    assert result.names[:3] == ("LTAN", "AKDB", "AODE")
    assert result.differ("LTAN", "TAN")
    assert not result.differ("LTAN", "AKDB")
    assert not result.differ("LTAN", "AODE")


def test_all_win_draw_loss_cells_of_sun(sun, losses):
    cells = sun.find(table="Table 5", metric="wdl")
    assert len(cells) == 21
    for cell in cells:
        first, second = cell["algorithm"].split(" vs ")
        record = win_draw_loss(losses[first], losses[second], better="lower")
        assert str(record) == cell["note"].partition(";")[0], cell["algorithm"]


def test_sign_tests_of_sun(sun, losses):
    def p(first, second):
        record = win_draw_loss(losses[first], losses[second], better="lower")
        return sign_test(record).p_value

    assert round(p("LTAN", "AODE"), 4) == sun.value(metric="sign_test_p") == 0.0607
    assert all(p("LTAN", other) < 0.05 for other in ("NB", "TAN", "KDB", "WATAN", "AKDB"))
    assert round(p("AKDB", "KDB"), 4) == 0.0020
    assert round(p("KDB", "TAN"), 4) == 0.8811  # 7/22/11: TAN over KDB is 0.2403
    assert round(p("TAN", "KDB"), 4) == 0.2403


@pytest.mark.parametrize("metric", ["global_accuracy", "hamming_accuracy"])
def test_average_ranks_of_corani(corani, metric):
    table = {"global_accuracy": "Table 3", "hamming_accuracy": "Table 4"}[metric]
    scores = corani.scores(table, metric)
    test = friedman(scores)
    assert test.n_datasets == 8
    for name, mean in zip(test.names, test.average_ranks, strict=True):
        printed = corani.value(algorithm=name, metric=f"average_rank_{metric}")
        assert abs(mean - printed) <= 0.05 + 1e-12, name  # one decimal, 1.25 printed as 1.2
    assert test.p_value < corani.value(metric=f"friedman_p_{metric}") == 0.01
    assert float(f"{test.p_value:.1e}") == {"Table 3": 0.0029, "Table 4": 1.7e-5}[table]


def test_wilcoxon_with_fdr_of_corani_on_global_accuracy(corani):
    scores = corani.scores("Table 3", "global_accuracy")
    pairs = wilcoxon_pairs({name: scores[name] for name in ("ensemble", "mNB", "BR", "ECC")})
    adjusted = {frozenset((p.first, p.second)): p.adjusted for p in pairs}
    statements = corani.find(metric="wilcoxon_fdr_global_accuracy")
    assert len(statements) == 6
    for row in statements:
        significant = row["note"].startswith("significantly better")
        found = adjusted[frozenset(row["algorithm"].split(" vs "))]
        assert (found < 0.05) == significant, (row["algorithm"], found)


def test_wilcoxon_of_gasse_must_be_exact(gasse):
    scores = gasse.scores("Table 2", "global_accuracy_pct")
    first, second = np.array(scores["ILF-Compo"]), np.array(scores["LP"])
    assert len(first) == 20
    assert round(wilcoxon(first[:10], second[:10]).p_value, 4) == 0.2227
    assert round(wilcoxon(first[10:], second[10:]).p_value, 4) == 0.0078
    assert round(wilcoxon(first[10:], second[10:], method="normal").p_value, 4) == 0.0109


@few
@given(score_matrices, st.sampled_from(["higher", "lower"]))
def test_ranks_count_who_is_ahead(scores, better):
    ranks = rank(scores, better=better)
    for row, found in zip(scores, ranks, strict=True):
        for j, value in enumerate(row):
            ahead = sum(other > value if better == "higher" else other < value for other in row)
            level = sum(other == value for other in row)
            assert found[j] == ahead + (level + 1) / 2


@few
@given(score_matrices)
def test_friedman_is_scipys_and_its_correction_is_equation_2(scores):
    n, t = scores.shape
    groups = [np.unique(row, return_counts=True)[1] for row in scores]
    shrink = 1 - sum((g**3 - g).sum() for g in groups) / (n * t * (t**2 - 1))
    corrected, plain = friedman(scores), friedman(scores, ties="plain")
    if shrink == 0:
        assert (corrected.statistic, corrected.p_value) == (0, 1)
        return
    expected = stats.friedmanchisquare(*scores.T)
    assert corrected.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert corrected.p_value == pytest.approx(expected.pvalue, abs=1e-9)
    assert plain.statistic == pytest.approx(expected.statistic * shrink, abs=1e-9)


@few
@given(score_matrices)
def test_bars_of_the_diagram_join_exactly_the_pairs_that_do_not_differ(scores):
    result = nemenyi(scores)
    joined = {(i, j) for a, b in result.groups for i in range(a, b + 1) for j in range(i, b + 1)}
    for i, j in product(range(4), repeat=2):
        if i < j:
            differ = result.differ(result.names[i], result.names[j])
            assert differ == ((i, j) not in joined)
            assert differ == (result.p_values[i, j] < result.alpha)
            assert result.p_values[i, j] == result.p_values[j, i]
    assert (np.diag(result.p_values) == 1).all()
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(result.groups))


@few
@given(differences, st.sampled_from(["two-sided", "greater", "less"]))
def test_exact_wilcoxon_is_the_share_of_sign_flips_at_least_as_extreme(d, alternative):
    nonzero = d[d != 0]
    r = stats.rankdata(np.abs(nonzero))
    flips = [sum(r[np.array(s, dtype=bool)]) for s in product([0, 1], repeat=len(r))]
    w = r[nonzero > 0].sum()
    above = np.mean([f >= w for f in flips])
    below = np.mean([f <= w for f in flips])
    expected = {"greater": above, "less": below, "two-sided": min(1, 2 * min(above, below))}
    found = wilcoxon(d, np.zeros(len(d)), alternative=alternative, method="exact")
    assert found.p_value == pytest.approx(expected[alternative], abs=1e-12)


@few
@pytest.mark.filterwarnings("ignore:Sample size too small")  # which older releases of scipy say
@given(differences.filter(lambda d: (d != 0).any()), st.sampled_from(["two-sided", "less"]))
def test_normal_wilcoxon_is_scipys(d, alternative):
    found = wilcoxon(d, np.zeros(len(d)), alternative=alternative, method="normal")
    expected = stats.wilcoxon(d, alternative=alternative, method="approx")
    assert found.p_value == pytest.approx(min(1, expected.pvalue), abs=1e-12)
    assert found.statistic == expected.statistic


def test_exact_wilcoxon_without_ties_is_scipys():
    d = np.random.default_rng(0).permutation(np.arange(1, 31)) * np.resize([1, -1, 1], 30)
    found = wilcoxon(d, np.zeros(30))
    assert found.p_value == pytest.approx(stats.wilcoxon(d, method="exact").pvalue, abs=1e-12)


@few
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_adjusted_p_values_are_the_step_up_rule(p):
    adjusted = benjamini_hochberg(p)
    for alpha in (0.01, 0.05, 0.2):
        ranked = sorted(p)
        scaled = [v * len(p) / k for k, v in enumerate(ranked, 1)]
        assume(all(abs(v - alpha) > 1e-12 for v in scaled))  # where rounding decides
        passing = [k for k, v in enumerate(scaled, 1) if v <= alpha]
        threshold = ranked[passing[-1] - 1] if passing else -1
        assert [a <= alpha for a in adjusted] == [v <= threshold for v in p]


@few
@given(differences, st.sampled_from(["two-sided", "greater", "less"]))
def test_paired_t_is_scipys_and_never_nan(d, alternative):
    zeros = np.zeros(len(d))
    if len(d) < 2:
        with pytest.raises(DataError, match="two pairs"):
            paired_t(d, zeros)
        return
    found = paired_t(d, zeros, alternative=alternative)
    if np.ptp(d):
        expected = stats.ttest_rel(d, zeros, alternative=alternative)
        assert (found.statistic, found.p_value) == (expected.statistic, expected.pvalue)
    elif d[0] == 0:
        assert (found.statistic, found.p_value) == (0, 1)
    else:
        certain = alternative == "two-sided" or (alternative == "greater") == (d[0] > 0)
        assert (found.statistic, found.p_value) == (np.inf * d[0], 0.0 if certain else 1.0)


@few
@given(score_matrices)
def test_win_draw_loss_swaps_with_its_sides(scores):
    a, b = scores[:, 0] / 4, scores[:, 1] / 4
    for margin in (0, 0.05, 0.5):
        one = win_draw_loss(a, b, margin=margin)
        other = win_draw_loss(b, a, margin=margin)
        assert one == WinDrawLoss(other.losses, other.draws, other.wins)
        assert one == win_draw_loss(b, a, better="lower", margin=margin)
        assert one.wins + one.draws + one.losses == len(a)
    assert win_draw_loss(a, b, margin=0).wins == (a > b).sum()


def test_scores_come_in_any_table():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"A": [1.0, 2.0], "B": [3.0, 1.0], "C": [2.0, 0.0]}
    expected = friedman(columns)
    for table in (pandas.DataFrame(columns), polars.DataFrame(columns)):
        assert friedman(table).names == expected.names
        assert friedman(table).average_ranks == expected.average_ranks
    array = friedman(np.column_stack(list(columns.values())))
    assert array.names == ("classifier 0", "classifier 1", "classifier 2")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: rank([[1, 2], [np.nan, 1]]), DataError, "'classifier 0' on data set 1 is nan"),
        (lambda: rank([1, 2]), DataError, r"shape \(2,\)"),
        (lambda: rank([["a", "b"]]), DataError, "column of numbers"),
        (lambda: rank({"A": [1, 2], "B": [1]}), DataError, "same length"),
        (lambda: rank([[1, 2]], better="more"), ParameterError, "'more'"),
        (lambda: friedman([[1, 2]]), DataError, "three classifiers"),
        (lambda: friedman([[1, 2, 3]], ties="kept"), ParameterError, "'kept'"),
        (lambda: critical_difference(1, 5), ParameterError, "found 1 and 5"),
        (lambda: critical_difference(3, 5, alpha=0), ParameterError, "found 0"),
        (lambda: nemenyi([[1, 2]]).differ("A", "B"), ParameterError, "'A' is not"),
        (lambda: wilcoxon([1], [1, 2]), DataError, r"\(1,\) and \(2,\)"),
        (lambda: wilcoxon([1, np.inf], [1, 2]), DataError, "pair 1"),
        (lambda: wilcoxon([1], [1], method="fast"), ParameterError, "'fast'"),
        (lambda: benjamini_hochberg([0.5, 1.5]), DataError, "1.5"),
        (lambda: win_draw_loss([1], [1], margin=1), ParameterError, "found 1"),
    ],
)
def test_refusals_name_what_was_found(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_table_read_once_stays_as_it_is():
    table = ScoreTable(("A", "B"), np.array([[1.0, 2.0]]), "lower")
    assert rank(table, better="higher").tolist() == [[1.0, 2.0]]
