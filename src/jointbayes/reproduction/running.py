"""Reproduce a paper: measure what its tables print, on the data at hand, and set both side by side.

What stops one model on one data set, or a data set that is not there, is a note in its cells and
stops nothing else.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from sklearn.base import clone

from jointbayes.datasets import Dataset, load_dataset
from jointbayes.errors import DataError, JointBayesError, ParameterError
from jointbayes.metrics.registry import METRICS
from jointbayes.reproduction.corani2014 import CORANI2014
from jointbayes.reproduction.figures import Remark, printed_remarks
from jointbayes.reproduction.paper import Paper
from jointbayes.reproduction.planning import Question, nearest, plan_questions, variants
from jointbayes.reproduction.sun2017 import SUN2017
from jointbayes.reproduction.verdicts import Cell, Outcome, judge

__all__ = ["PAPERS", "Reproduction", "find_paper", "reproduce"]

PAPERS: Mapping[str, Paper] = {paper.key: paper for paper in (SUN2017, CORANI2014)}


@dataclass(frozen=True)
class Reproduction:
    """A paper's figures next to ours; ``as_dict`` is plain Python, ready for JSON.

    ``protocol`` says in words how it was measured, ``remarks`` what is known of whole tables.
    """

    paper: str
    title: str
    protocol: str
    extent: str
    cells: tuple[Cell, ...]
    remarks: tuple[Remark, ...]
    seconds: float
    machine: str
    date: str

    def as_dict(self) -> dict[str, Any]:
        """Return it as dictionaries, lists, numbers and strings."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


def find_paper(name: str) -> Paper:
    """Return the paper of that name, or say which are near.

    >>> find_paper("Sun2017").key
    'sun2017'
    >>> find_paper("sun")
    Traceback (most recent call last):
    ...
    jointbayes.errors.ParameterError: there is no paper 'sun' here; near: sun2017
    """
    if name.lower() not in PAPERS:
        raise ParameterError(nearest("there is no paper", name, PAPERS))
    return PAPERS[name.lower()]


def reproduce(
    paper: str,
    *,
    tables: Sequence[str] = (),
    datasets: Sequence[str] = (),
    extent: Literal["full", "quick"] = "full",
    data_dir: str | os.PathLike[str] | None = None,
) -> Reproduction:
    """Run a paper's protocol on the data at hand and compare with what it prints.

    Parameters
    ----------
    paper
        Its short name, one of `PAPERS`.
    tables, datasets
        Which to run, by the paper's names; all unless some are named.
    extent
        ``"quick"``: the few data sets that take minutes, unless data sets are named.
    data_dir
        Where data sets are looked for first.

    Returns
    -------
    Reproduction
        One cell for each printed figure that was asked for.
    """
    found = find_paper(paper)
    start = perf_counter()
    chosen = datasets or (found.quick if extent == "quick" else ())
    questions = plan_questions(found, tables, chosen)
    remarks = printed_remarks(found.key)
    cells = []
    for asked, outcome in _answers(found, questions, data_dir):
        known = [r.text for r in remarks if r.names_a_dataset and r.concerns(asked.figure)]
        cells.append(judge(asked, outcome, " ".join(known)))
    return Reproduction(
        paper=found.key,
        title=found.title,
        protocol=_protocol(found),
        extent=extent,
        cells=tuple(cells),
        remarks=tuple(
            r
            for r in remarks
            if not r.names_a_dataset and any(r.concerns(q.figure) for q in questions)
        ),
        seconds=perf_counter() - start,
        machine=_machine(),
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
    )


def _answers(
    paper: Paper, questions: Sequence[Question], data_dir: str | os.PathLike[str] | None
) -> Iterator[tuple[Question, Outcome]]:
    """Yield every question with its outcome, data set by data set."""
    for source in dict.fromkeys(question.source.name for question in questions):
        asked = [question for question in questions if question.source.name == source]
        try:
            first = asked[0].source
            dataset = load_dataset(first.file, **first.options, data_dir=data_dir)
        except DataError as error:
            yield from ((question, Outcome({}, absent=str(error))) for question in asked)
            continue
        outcomes = {
            name: _measured(model, dataset, paper, asked, name)
            for name, model in variants(paper, asked).items()
        }
        yield from ((question, outcomes[question.variant]) for question in asked)


def _measured(
    model: Any, dataset: Dataset, paper: Paper, asked: Sequence[Question], name: str
) -> Outcome:
    """Return every metric that the questions ask of one model, on every fold."""
    metrics = dict.fromkeys(q.column.metric for q in asked if q.variant == name)
    found: dict[str, list[float]] = {metric: [] for metric in metrics}
    start = perf_counter()
    try:
        for train, test in paper.splitter.split(dataset.X, dataset.Y):
            fitted = clone(model).fit(dataset.X[train], dataset.Y[train])
            answer = fitted.predict(dataset.X[test])
            for metric in metrics:
                found[metric].append(METRICS[metric](dataset.Y[test], answer))
    except (JointBayesError, MemoryError) as error:
        return Outcome({}, perf_counter() - start, failure=str(error))
    return Outcome({m: tuple(v) for m, v in found.items()}, perf_counter() - start)


def _protocol(paper: Paper) -> str:
    folds = paper.splitter
    how = {"none": "not stratified", "rarest": "stratified on the rarest label"}
    return (
        f"{folds.get_n_splits()} folds, {how.get(folds.stratify, 'stratified')}, "
        f"seed {folds.random_state}"
    )


def _machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
