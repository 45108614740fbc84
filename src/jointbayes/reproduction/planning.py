"""Which printed figures a run is to answer, and which models have to be measured for that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from jointbayes.errors import ParameterError
from jointbayes.metrics.registry import METRICS
from jointbayes.reproduction.figures import Figure, best_figure, printed_figures
from jointbayes.reproduction.paper import Change, Experiment, Paper, PaperColumn, Source, Splitter
from jointbayes.validation import Folds, HoldOut

__all__ = ["Question", "nearest", "plan_questions", "variants"]


@dataclass(frozen=True)
class Question:
    """A printed figure, and what is measured in answer to it; ``model`` if not its algorithm."""

    figure: Figure
    column: PaperColumn
    source: Source | Experiment
    left_out: str = ""
    model: str = ""

    @property
    def algorithm(self) -> str:
        """Who answers: the algorithm of the figure, or a model beside the best of the others."""
        return self.model or self.figure.algorithm

    @property
    def variant(self) -> str:
        """The name of the model with the column's settings: one fit answers for all its columns."""
        said = [f"{name}={value}" for name, value in self.column.settings.items()]
        return " ".join([self.algorithm, *said])

    @property
    def changes(self) -> tuple[Change, ...]:
        """What is done to the data, in this order."""
        own = None if self.column.sees == "file" else getattr(self.source, "change", None)
        return tuple(change for change in (own, self.column.change) if change is not None)

    def splitter(self, usual: Splitter) -> Splitter:
        """Return the protocol of the column, else of the data set, else the usual one."""
        chosen = self.column.splitter or getattr(self.source, "splitter", None) or usual
        if isinstance(chosen, Folds | HoldOut):
            return replace(chosen, n_repeats=chosen.n_repeats * self.repeats)
        return chosen

    @property
    def repeats(self) -> int:
        """How often folds are drawn for each time that the paper drew them."""
        return getattr(self.source, "repeats", 1)


def plan_questions(
    paper: Paper, tables: Sequence[str] = (), datasets: Sequence[str] = ()
) -> tuple[Question, ...]:
    """Return the questions to the chosen tables and data sets; all of them unless some are named.

    Tables go by name or number, data sets by their names in the paper, in any case; those that are
    large have to be named.

    >>> from jointbayes.reproduction.sun2017 import SUN2017
    >>> plan = plan_questions(SUN2017, ["4"], ["iris"])
    >>> [question.variant for question in plan]
    ['NB', 'TAN', 'KDB', 'AODE', 'WATAN', 'AKDB', 'LTAN']
    >>> plan_questions(SUN2017, datasets=["irsi"])
    Traceback (most recent call last):
    ...
    jointbayes.errors.ParameterError: sun2017 has no data set 'irsi' here; near: Iris
    """
    numbers = {table.removeprefix("Table "): table for table in paper.tables}
    asked = [numbers.get(name.strip(), name) for name in tables]
    wanted = _known(paper, "table", asked, paper.tables)
    chosen = _known(paper, "data set", datasets, [source.name for source in paper.sources])
    chosen -= set() if datasets else set(paper.large)
    sources = {source.name: source for source in paper.sources if source.name in chosen}
    looked_at = [name for column in paper.columns if column.look for name in column.algorithms]
    names = dict.fromkeys((*sources, *paper.models, *paper.not_built, *looked_at))
    place = {name: i for i, name in enumerate(names)}
    found = []
    for figure in printed_figures(paper.key):
        if figure.table not in wanted or not {figure.dataset, figure.algorithm} <= place.keys():
            continue
        absent = paper.not_built.get(figure.algorithm, "")
        reason = absent or paper.left_out(figure.dataset, figure.algorithm)
        found += [
            Question(figure, column, sources[figure.dataset], reason)
            for column in paper.columns
            if (column.table, column.printed) == (figure.table, figure.metric)
            and column.against == "own"
            and figure.algorithm in (column.algorithms or (*paper.models, *paper.not_built))
        ]
    found += _beside_the_best(paper, wanted, sources)
    found.sort(key=lambda q: (place[q.source.name], q.figure.table, place[q.algorithm]))
    return tuple(found)


def _beside_the_best(
    paper: Paper, tables: set[str], sources: Mapping[str, Source | Experiment]
) -> Iterator[Question]:
    """Yield what our models are asked beside the best of those that are printed."""
    printed: dict[tuple[str, str, str], list[Figure]] = {}
    for figure in printed_figures(paper.key):
        printed.setdefault((figure.table, figure.metric, figure.dataset), []).append(figure)
    for column in paper.columns:
        if column.against == "own" or column.table not in tables:
            continue
        for name, source in sources.items():
            rivals = printed.get((column.table, column.printed, name), [])
            best = best_figure(rivals, METRICS[column.metric].better)
            if best is not None:
                for model in column.algorithms:
                    yield Question(best, column, source, paper.left_out(name, model), model)


def variants(paper: Paper, questions: Iterable[Question]) -> Mapping[str, Any]:
    """Return the models that the questions ask for, each once, by the names of their variants."""
    return {q.variant: paper.models[q.algorithm](q.column.settings) for q in questions}


def nearest(what: str, name: str, known: Iterable[str]) -> str:
    """Return how to say that a name is not known and which ones are near.

    >>> nearest("there is no paper", "sun2071", ["sun2017", "corani2014"])
    "there is no paper 'sun2071' here; near: sun2017"
    """
    names = {k.lower(): k for k in known}
    near = get_close_matches(name.lower(), names, n=3, cutoff=0.5) or list(names)
    return f"{what} {name!r} here; near: {', '.join(names[k] for k in near)}"


def _known(paper: Paper, what: str, asked: Sequence[str], names: Sequence[str]) -> set[str]:
    by_case = {name.lower(): name for name in names}
    for name in asked:
        if name.strip().lower() not in by_case:
            raise ParameterError(nearest(f"{paper.key} has no {what}", name, names))
    return {by_case[name.strip().lower()] for name in asked} or set(names)
