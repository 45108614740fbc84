"""Reproduce a paper: measure what its tables print, on the data at hand, and set both side by side.

What stops one model on one data set, or a data set that is not there, is a note in its cells and
stops nothing else.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import reduce
from time import perf_counter
from typing import Any, Literal

from jointbayes.datasets import Dataset, load_dataset
from jointbayes.doors import Shown
from jointbayes.errors import DataError, ParameterError
from jointbayes.reproduction.batal2013 import BATAL2013
from jointbayes.reproduction.bogatinovski2022 import BOGATINOVSKI2022
from jointbayes.reproduction.corani2014 import CORANI2014
from jointbayes.reproduction.derived import DERIVED
from jointbayes.reproduction.figures import Remark, printed_remarks
from jointbayes.reproduction.gasse2015 import GASSE2015
from jointbayes.reproduction.mlhat2024 import MLHAT2024
from jointbayes.reproduction.mossina2017 import MOSSINA2017
from jointbayes.reproduction.paper import TIMES, Experiment, Paper, Source
from jointbayes.reproduction.planning import Question, nearest, plan_questions, variants
from jointbayes.reproduction.sun2017 import SUN2017
from jointbayes.reproduction.verdicts import Cell, Judgement, judge
from jointbayes.reproduction.wording import command_of, machine_in_words, protocol_of
from jointbayes.validation import Comparison, compare
from jointbayes.validation.progress import ProgressKind

__all__ = ["PAPERS", "Reproduction", "find_paper", "reproduce"]

PAPERS: Mapping[str, Paper] = {
    paper.key: paper
    for paper in (
        *(SUN2017, CORANI2014, BATAL2013, MOSSINA2017, GASSE2015),
        *(BOGATINOVSKI2022, MLHAT2024),
    )
}


@dataclass(frozen=True)
class _Effort:
    """Where the data are, where results are kept, and how many are made at a time."""

    data_dir: str | os.PathLike[str] | None
    store: str | os.PathLike[str] | None
    n_jobs: int
    progress: ProgressKind


@dataclass(frozen=True, repr=False)
class Reproduction(Shown):
    """A paper's figures next to ours; ``as_dict`` is plain Python, ready for JSON.

    ``protocol`` says in words how it was measured, ``command`` what makes it again, ``remarks``
    what is known of whole tables; ``seconds`` is the time of all fits and predictions, those taken
    from a store included, and a fit that answers for two models counted with both.
    """

    paper: str
    title: str
    protocol: str
    command: str
    cells: tuple[Cell, ...]
    remarks: tuple[Remark, ...]
    seconds: float
    machine: str
    date: str

    def __repr__(self) -> str:
        counts = Counter(cell.verdict for cell in self.cells)
        said = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        return f"Reproduction of {self.paper}: {len(self.cells)} figures, {said}"

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
    store: str | os.PathLike[str] | None = None,
    n_jobs: int = 1,
    progress: ProgressKind = "auto",
) -> Reproduction:
    r"""Run a paper's protocol on the data at hand and compare with what it prints.

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
    store
        A file that keeps every finished fold, and from which a run that was stopped goes on.
    n_jobs
        Folds at a time; the models use one thread each.
    progress
        As in `compare`.

    Returns
    -------
    Reproduction
        One cell for each printed figure that was asked for.

    Examples
    --------
    On flowers whose class is written on them nothing is lost, which is better than on iris:

    >>> import tempfile
    >>> from pathlib import Path
    >>> place = Path(tempfile.mkdtemp())
    >>> _ = (place / "iris.csv").write_text("name,class\n" + "a,a\nb,b\n" * 20)
    >>> found = reproduce("sun2017", datasets=["Iris"], data_dir=place)
    >>> [(c.algorithm, c.printed, c.measured, c.verdict) for c in found.cells][:2]
    [('NB', '0.0867', 0.0, 'better'), ('TAN', '0.0800', 0.0, 'better')]
    """
    found = find_paper(paper)
    effort = _Effort(data_dir, store, n_jobs, progress)
    chosen = datasets or (found.quick if extent == "quick" else ())
    questions = plan_questions(found, tables, chosen)
    remarks = printed_remarks(found.key)
    cells, outcomes = [], []
    place = {id(question): i for i, question in enumerate(questions)}
    answers = sorted(_answers(found, questions, effort), key=lambda pair: place[id(pair[0])])
    for asked, outcome in answers:
        outcomes.append(outcome)
        known = [r for r in remarks if r.names_a_dataset and r.concerns(asked.figure)]
        cells.append(judge(asked, outcome, known))
    cells += DERIVED[found.key](cells) if found.key in DERIVED and not tables else []
    return Reproduction(
        paper=found.key,
        title=found.title,
        protocol=protocol_of(found, questions),
        command=command_of(found, tables, datasets, extent),
        cells=tuple(cells),
        remarks=tuple(
            r
            for r in remarks
            if not r.names_a_dataset and any(r.concerns(q.figure) for q in questions)
        ),
        seconds=sum({id(o): o.seconds for o in outcomes}.values()),  # one may answer several
        machine=machine_in_words(),
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
    )


def _answers(
    paper: Paper, questions: Sequence[Question], effort: _Effort
) -> Iterator[tuple[Question, Judgement]]:
    """Yield every question with its outcome, data set by data set."""
    for name in dict.fromkeys(question.source.name for question in questions):
        asked = [question for question in questions if question.source.name == name]
        yield from ((q, Judgement({}, left_out=q.left_out)) for q in asked if q.left_out)
        asked = [question for question in asked if not question.left_out]
        source = asked[0].source if asked else None
        if isinstance(source, Experiment):
            yield from ((question, _simulated(source, question)) for question in asked)
        elif source is not None:
            yield from _measured(paper, source, asked, effort)


def _simulated(experiment: Experiment, question: Question) -> Judgement:
    start = perf_counter()
    values = experiment.measure(question.algorithm, question.column)
    return Judgement({question.column.metric: tuple(values)}, perf_counter() - start)


def _measured(
    paper: Paper, source: Source, questions: Sequence[Question], effort: _Effort
) -> Iterator[tuple[Question, Judgement]]:
    """Yield the outcomes on one data set; questions of one protocol share their fits."""
    try:
        dataset = load_dataset(source.file, **source.options, data_dir=effort.data_dir)
    except DataError as error:
        yield from ((question, Judgement({}, absent=str(error))) for question in questions)
        return
    protocols: dict[Any, list[Question]] = {}
    looks = [question for question in questions if question.column.look]
    yield from _looked_at(paper, looks, dataset)
    questions = [question for question in questions if not question.column.look]
    metrics = _metrics_of(paper, questions)
    for question in questions:
        protocol = question.changes, question.splitter(paper.splitter), metrics[question.variant]
        protocols.setdefault(protocol, []).append(question)
    for (changes, splitter, wanted), asked in protocols.items():
        changed = reduce(lambda data, change: change(data), changes, dataset)
        found = compare(
            variants(paper, asked),
            {source.name: changed},
            cv=splitter,
            metrics=wanted,
            store=effort.store,
            n_jobs=effort.n_jobs,
            progress=effort.progress,
        )
        outcomes = {name: _outcome(found, source.name, name) for name in found.models}
        yield from ((question, outcomes[question.variant]) for question in asked)


def _looked_at(
    paper: Paper, questions: Sequence[Question], dataset: Dataset
) -> Iterator[tuple[Question, Judgement]]:
    """Yield what is seen of algorithms beside their scores; one look answers several questions."""
    seen: dict[Any, Judgement] = {}
    for question in questions:
        look, algorithm = question.column.look, question.algorithm
        key = look, algorithm, question.changes
        if look is not None and key not in seen:
            changed = reduce(lambda data, change: change(data), question.changes, dataset)
            start = perf_counter()
            found = look(changed, question.splitter(paper.splitter), algorithm)
            folds = {name: tuple(values) for name, values in found.items()}
            seen[key] = Judgement(folds, perf_counter() - start)
        yield question, seen[key]


def _metrics_of(paper: Paper, questions: Sequence[Question]) -> Mapping[str, tuple[str, ...]]:
    """Return the metrics that are asked of each variant: not every model answers every one.

    Variants of one algorithm are asked the same, so that one fit may answer for all of them.
    """
    wanted: dict[str, dict[str, None]] = {question.algorithm: {} for question in questions}
    for question in questions:
        if not question.column.timed:
            wanted[question.algorithm][question.column.metric] = None
    usual = next(column.metric for column in paper.columns if not column.timed)
    return {q.variant: tuple(wanted[q.algorithm]) or (usual,) for q in questions}


def _outcome(found: Comparison, dataset: str, model: str) -> Judgement:
    """Return every metric of one model on every fold, or the first thing that went wrong."""
    rows = [record for record in found.records if record["model"] == model]
    failure = next((row["error"] for row in rows if row["error"] is not None), "")
    spent = (row[part] or 0.0 for row in rows for part in ("fit_seconds", "predict_seconds"))
    scores = {m: found.score(m, dataset, model) for m in (*found.metrics, *TIMES)}
    folds = {metric: score.folds for metric, score in scores.items() if score is not None}
    return Judgement(folds, sum(spent), failure)
