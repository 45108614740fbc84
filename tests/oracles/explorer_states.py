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


def largest_differences(model, X, n, seed=0):
    """Return, by question, the largest difference between the engine and Python on n states."""
    rng = np.random.default_rng(seed)
    table = changed_rows(X, n, rng)
    tables, columns = tables_of(model), model._known_columns(table)
    tables["rows"] = rows_for_page(columns, source_of(model), range(n))
    free = model.posterior(table)
    known = np.full((n, len(model.space_)), -1)
    if len(model.space_) > 1:
        known = known_labels(free, rng)
        known[: n // 4] = -1
    post = free._given(known).wearing(free.frame, free.obeyed)
    run = engine_of(tables)
    run.context.eval("var told = null, q = null")
    found: dict[str, float] = {}

    def note(question, ours, theirs):
        a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
        gap = np.where(a == b, 0.0, np.abs(a - b))
        found[question] = max(found.get(question, 0.0), float(np.max(gap, initial=0.0)))

    expected = _python_answers(free, post, known)
    why = model.explain(table) if hasattr(model, "explain") and n // 4 else None
    for i in range(n):
        run.context.eval(f"q = E.ask(E.row({i}), {known[i].tolist()})")
        one = post[[i]]
        note("marginals", np.concatenate(run("q.marginals()")), expected["marginals"][i])
        best = run(f"q.top({TOP})")
        held = expected["top_k"][i][expected["top_k"][i] > -np.inf]
        note("top_k", [b["logP"] for b in best], held[: len(best)])
        vectors = np.array([[b["vector"] for b in best]])
        note("log_prob", [b["logP"] for b in best], one._log_prob(vectors)[0])
        note("evidence", run("q.surprise()"), expected["evidence"][i])
        _note_decisions(note, run, one)
        _note_question(note, run, one)
        _note_ties(note, run, tables["arcs"], one)
        if run("q.why === null"):
            continue
        _note_reasons(note, run, model, one, why if (known[i] < 0).all() else None, i, rng)
    return found


def _python_answers(free, post, known):
    return {
        "marginals": np.hstack(post.marginals()),
        "top_k": post.top_k(TOP)[1],
        "evidence": free._evidence(known),
    }


def _note_decisions(note, run, one):
    for loss in run("q.losses()"):
        ours = run(f"q.decide({json.dumps(loss)})")
        space = one.space
        theirs = one.expected_loss(one.decide(loss, run("E.model.empty")), loss)[0]
        chosen = one.expected_loss(space.decode(np.array([ours["vector"]])), loss)[0]
        note(loss, [ours["cost"], chosen], [theirs, theirs])  # equal costs: of ties either


def _note_question(note, run, one):
    if len(one.space) == 1:
        return
    worth = run("q.worth()")
    _, theirs = one.next_question()
    note("next_question", max(worth), theirs[0])


def _note_ties(note, run, arcs, one):
    ours = run("q.ties()")
    for (a, b), bits in list(zip(arcs, ours, strict=True))[:3]:
        if bits is not None:
            note("ties", bits, _information(one, a, b))


def _information(one, a, b):
    p_a, p_b = (one.marginals()[j][0] for j in (a, b))
    total = 0.0
    for value, p in enumerate(p_a):
        if p == 0:
            continue
        known = np.full((1, len(one.space)), -1)
        known[0, a] = value
        given = one._given(known).marginals()[b][0]
        seen = given > 0
        total += float((p * given[seen] * np.log2(given[seen] / p_b[seen])).sum())
    return total


def _note_reasons(note, run, model, one, why, i, rng):
    j = int(rng.integers(0, len(one.space)))
    told = run(f"q.why({j})")
    if told is None or told["answer"] == told["other"]:
        return
    answer = np.array(run("q.best().vector"))
    flip = answer.copy()
    flip[j] = told["other"]
    flip = np.array(told.get("set", flip))
    odds = one._log_prob(np.stack([answer, flip])[None])[0]
    summed = told["base"] + sum(told["features"]) + told["rest"]
    summed += sum(other["value"] for other in told["others"])
    if np.isfinite(odds).all():
        note("why: sum", summed, odds[0] - odds[1])
    if why is None or model.space_.decode(answer[None]).tolist() != _answer(why, i):
        return
    at = (i, j) if why.base.ndim > 1 else i
    before = sum(other["value"] for other in told["others"] if not other["after"])
    after = sum(other["value"] for other in told["others"] if other["after"])
    note("why: base", told["base"] + before, why.base[at])
    note("why: others", before, why.others[at])
    note("why: features", told["features"], why.contributions[at])
    note("why: remainder", told["rest"] + after, why.remainder[at])


def _answer(why, i):
    answer = np.asarray(why.answer[i]).tolist()
    return [answer] if isinstance(answer, list) else [[answer]]


def _models():
    import jointbayes as jb

    emotions, yeast, enron = (jb.load_dataset(name) for name in ("emotions", "yeast", "enron"))
    iris = jb.load_dataset("iris")
    yield "TAN, iris", jb.TAN(), iris
    yield "KDB(k=2), iris", jb.KDB(2), iris
    yield "NaiveBayes, iris", jb.NaiveBayes(), iris
    yield "MultilabelFAN, emotions", jb.MultilabelFAN(), emotions
    yield "MultilabelFAN, enron", jb.MultilabelFAN(max_parents=2), enron
    yield "CTBN, yeast", jb.CTBN(), yeast
    yield "BinaryRelevance, yeast", jb.BinaryRelevance(), yeast
    yield "ClassifierChain, emotions", jb.ClassifierChain(), emotions
    yield "LabelPowerset, emotions", jb.LabelPowerset(), emotions


if __name__ == "__main__":
    states = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for name, model, data in _models():
        start = time.perf_counter()
        fitted = model.fit(data.X, data.Y)
        try:
            differences = largest_differences(fitted, data.X, states)
        except ValueError as refusal:
            print(f"{name}: {refusal}")  # noqa: T201
            continue
        worst = max(differences.values())
        took = time.perf_counter() - start
        print(f"{name}: {states} states, largest difference {worst:.1e} ({took:.0f} s)")  # noqa: T201
        print("   ", {q: f"{x:.1e}" for q, x in differences.items()})  # noqa: T201
