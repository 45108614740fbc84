"""The engine of the explorer beside Python: random states of a page, and how far the two differ.

A state is a row with some features changed (to those of another row, to noise, to missing, to a
category that was never seen) and some labels fixed. Run as a program, it asks many states of the
models of the closing table:

    python tests/oracles/explorer_states.py 200
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from jointbayes.explorer.columns import rows_for_page
from jointbayes.explorer.packing import safe_json
from jointbayes.explorer.page import engine_script
from jointbayes.explorer.tables import source_of, tables_of
from jointbayes.table import Column, Table

TOP = 5


def engine_of(tables):
    """Return a function that evaluates JavaScript with the engine ``E`` of a model's tables."""
    import quickjs

    context = quickjs.Context()
    context.eval(engine_script())
    context.eval(f"var E = makeEngine(JSON.parse({json.dumps(safe_json(tables))}))")

    def run(text):
        return json.loads(context.eval(f"JSON.stringify({text})"))

    run.context = context
    return run


def changed_rows(X, n, rng):
    """Return n rows of X as a Table, about a fifth of the cells of each being changed."""
    rows = rng.integers(0, X.shape[0], n)
    table = Table.of(X[rows].toarray()) if hasattr(X, "tocsr") else X[rows]
    return Table(tuple(_changed(column, rng) for column in table.columns))


def _changed(column, rng):
    n = len(column)
    which, values = rng.random(n), column.values.copy()
    other = values[rng.integers(0, n, n)]
    values = np.where(which < 0.1, other, values)
    if not column.is_coded:
        spread = np.nanstd(values) if np.isfinite(values).any() else 1.0
        values = np.where(
            (which >= 0.1) & (which < 0.16), values + spread * rng.normal(size=n), values
        )
        return Column(column.name, column.kind, np.where(which > 0.96, np.nan, values))
    strange = np.array([*column.categories.tolist(), "never seen before"], dtype=object)
    values = np.where(which > 0.96, -1, np.where(which > 0.92, len(strange) - 1, values))
    return Column(column.name, column.kind, values.astype(np.int64), strange)


def known_labels(posterior, rng):
    """Return (n, d) codes of labels that are known and possible, −1 for the others."""
    drawn = posterior._sample(1, rng)[0]
    share = rng.choice([0.0, 0.2, 0.5], size=(len(posterior), 1))
    return np.where(rng.random(drawn.shape) < share, drawn, -1)


class Differences(dict):
    """The largest difference by question."""

    def note(self, question, ours, theirs):
        a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
        assert a.shape == b.shape, question
        gap = np.where(a == b, 0.0, np.nan_to_num(np.abs(a - b), nan=np.inf))  # NaN answers nothing
        self[question] = max(self.get(question, 0.0), float(np.max(gap, initial=0.0)))


def largest_differences(model, X, n, seed=0):
    """Return, by question, the largest difference between the engine and Python on n states."""
    rng = np.random.default_rng(seed)
    table = changed_rows(X, n, rng)
    tables, columns = tables_of(model), model._known_columns(table)
    tables["rows"] = rows_for_page(columns, source_of(model), range(n))
    shown = tables["rows"]["shown"]
    free = model.posterior(table[np.arange(shown)])
    known = np.full((shown, len(model.space_)), -1)
    if len(model.space_) > 1:
        known = known_labels(free, rng)
        known[: shown // 4] = -1
    post = free._given(known).wearing(free.frame, free.obeyed)
    asked = rng.integers(0, len(model.space_), shown)
    ours = _answers(engine_of(tables), known, asked)
    found = Differences()
    _compare_answers(found, ours, free, post, known)
    _compare_decisions(found, ours, post, tables["empty"])
    _compare_ties(found, ours, post, tables["arcs"])
    _compare_sums(found, ours, post, asked)
    if hasattr(model, "explain") and ours[0]["why"] is not None:
        free_states = np.flatnonzero((known < 0).all(axis=1))[: max(1, shown // 4)]
        _compare_reasons(found, ours, model.explain(table[free_states]), free_states, asked)
    return found


def _answers(run, known, asked):
    """Return what the engine says of every state."""
    run.context.eval(
        f"""function told(i, known, j) {{
          const q = E.ask(E.row(i), known);
          return {{marginals: q.marginals().flat(), top: q.top({TOP}), evidence: q.surprise(),
            losses: q.losses().map(loss => ({{loss, ...q.decide(loss)}})), ties: q.ties(),
            worth: E.model.single ? null : q.worth(), best: q.best().vector,
            why: q.why && q.why(j)}};
        }}"""
    )
    return [run(f"told({i}, {y.tolist()}, {asked[i]})") for i, y in enumerate(known)]


def _compare_answers(found, ours, free, post, known):
    found.note("marginals", [one["marginals"] for one in ours], np.hstack(post.marginals()))
    found.note("evidence", [one["evidence"] for one in ours], free._evidence(known))
    theirs = post.top_k(TOP)[1]
    for i, one in enumerate(ours):
        log_p = [best["logP"] for best in one["top"]]
        found.note("top_k", log_p, theirs[i][theirs[i] > -np.inf][: len(log_p)])
        vectors = np.array([[best["vector"] for best in one["top"]]])
        found.note("log_prob", log_p, post[[i]]._log_prob(vectors)[0])
    if ours[0]["worth"] is not None:
        found.note("next_question", [max(one["worth"]) for one in ours], post.next_question()[1])


def _compare_decisions(found, ours, post, empty):
    for k, loss in enumerate(each["loss"] for each in ours[0]["losses"]):
        decided = [one["losses"][k] for one in ours]
        theirs = post.expected_loss(post.decide(loss, empty), loss)
        vectors = post.space.decode(np.array([each["vector"] for each in decided]))
        found.note(loss, [each["cost"] for each in decided], theirs)
        found.note(loss, post.expected_loss(vectors, loss), theirs)  # of equal costs either


def _compare_ties(found, ours, post, arcs):
    for k, (a, b) in enumerate(arcs[:3]):
        bits = _information(post, a, b)
        told = [one["ties"][k] for one in ours]
        if None not in told:
            found.note("ties", told, bits)


def _information(post, a, b):
    """Return (n,) the mutual information of two labels in bits, from the posterior given one."""
    p_a, p_b = post.marginals()[a], post.marginals()[b]
    total = np.zeros(len(post))
    for value, p in enumerate(p_a.T):
        rows = np.flatnonzero(p > 0)
        known = np.full((len(rows), len(post.space)), -1)
        known[:, a] = value
        given = post._rows(rows)._given(known).marginals()[b]
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = given * np.log2(given / p_b[rows])
        total[rows] += p[rows] * np.where(given > 0, parts, 0.0).sum(axis=1)
    return total


def _compare_sums(found, ours, post, asked):
    """Compare the sum of the reasons with the log-odds that they are to explain."""
    for i, one in enumerate(ours):
        why = one["why"]
        if why is None or why["answer"] == why["other"]:
            continue
        flip = list(one["best"])
        flip[asked[i]] = why["other"]
        odds = post[[i]]._log_prob(np.array([[one["best"], why.get("set", flip)]]))[0]
        if np.isfinite(odds).all():
            found.note("why: sum", why["total"], odds[0] - odds[1])


def _compare_reasons(found, ours, theirs, states, asked):
    """Compare the reasons with those of `explain`, where both explain the same answer."""
    for at, i in enumerate(states):
        why, j = ours[i]["why"], asked[i]
        place = (at, j) if theirs.base.ndim > 1 else at
        if not np.isclose(why["total"], theirs.log_odds[place], atol=1e-6):
            continue  # `predict` may not answer the empty set, which is the likeliest one here
        before = sum(other["value"] for other in why["others"] if not other["after"])
        after = sum(other["value"] for other in why["others"] if other["after"])
        found.note("why: base", why["base"] + before, theirs.base[place])
        found.note("why: others", before, theirs.others[place])
        found.note("why: features", why["features"], theirs.contributions[place])
        found.note("why: remainder", why["rest"] + after, theirs.remainder[place])


def _models():
    import jointbayes as jb

    emotions, yeast, enron = (jb.load_dataset(name) for name in ("emotions", "yeast", "enron"))
    iris = jb.load_dataset("iris")
    yield "TAN, iris", jb.TAN(), iris
    yield "KDB(k=2), iris", jb.KDB(2), iris
    yield "NaiveBayes, iris", jb.NaiveBayes(), iris
    yield "MultilabelFAN, emotions", jb.MultilabelFAN(), emotions
    yield "CTBN, yeast", jb.CTBN(), yeast
    yield "BinaryRelevance, yeast", jb.BinaryRelevance(), yeast
    yield "ClassifierChain, emotions", jb.ClassifierChain(), emotions
    yield "LabelPowerset, emotions", jb.LabelPowerset(), emotions
    yield "MultilabelFAN, enron", jb.MultilabelFAN(max_parents=2), enron


if __name__ == "__main__":
    states = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for name, model, data in _models():
        start = time.perf_counter()
        fitted, worst = model.fit(data.X, data.Y), Differences()
        for seed in range(-(-states // 100)):  # a page has at least 100 rows of these
            for question, gap in largest_differences(fitted, data.X, 100, seed).items():
                worst[question] = max(worst.get(question, 0.0), gap)
        took = time.perf_counter() - start
        print(f"{name}: {states} states, at most {max(worst.values()):.1e} ({took:.0f} s)")  # noqa: T201
        print("   ", {question: f"{gap:.1e}" for question, gap in worst.items()})  # noqa: T201
