"""compare: many models on many data sets. Every finished cell is stored; a killed run resumes.

A cell is one model on one fold of one data set. A cell that fails is recorded with its message and
stops no other; when a run is resumed it is tried again. Folds come from the seed and the data
alone, so all models see the same ones, and a resumed run the same as before. Models that differ
only in how they are asked, by `loss` for one, learn a fold once for all of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jointbayes
from jointbayes.arrays import Labels
from jointbayes.datasets import Dataset, load_dataset
from jointbayes.datasets.files import without_suffixes
from jointbayes.datasets.names import FORMATS, find_file
from jointbayes.errors import JointBayesError, ParameterError
from jointbayes.metrics.registry import METRICS, metric
from jointbayes.models.catalog import make_model, model_name
from jointbayes.validation.comparison import Comparison
from jointbayes.validation.evaluate import check_target, choose_metrics, seeded
from jointbayes.validation.fold import FittedFold, Task, ask_fold, fit_fold, what_it_learns
from jointbayes.validation.identity import fingerprint
from jointbayes.validation.progress import ProgressKind, progress_bar
from jointbayes.validation.splits import as_splitter
from jointbayes.validation.store import Store, open_store
from jointbayes.validation.workers import finished

__all__ = ["Comparison", "compare"]

_FIELDS = ("train_rows", "test_rows", "fit_seconds", "predict_seconds", "peak_bytes")


def compare(
    models: Any,
    datasets: Any,
    *,
    cv: Any = 10,
    metrics: str | Sequence[str] = "usual",
    store: str | os.PathLike[str] | None = None,
    random_state: int | None = 0,
    n_jobs: int = 1,
    progress: ProgressKind = "auto",
) -> Comparison:
    """Evaluate every model on every data set.

    Parameters
    ----------
    models
        A sequence of estimators or their names, or a mapping from what to call them to those.
    datasets
        A `Dataset`, a name or a path, or a sequence of those and of pairs (X, Y), or a mapping from
        what to call them to any of them.
    cv, metrics, random_state, n_jobs, progress
        As in `evaluate`; ``n_jobs`` cells are done at a time.
    store
        A file to which every finished cell is appended at once, and from which a run that was
        killed resumes: call `compare` again with the same arguments. Other arguments may share it.

    Returns
    -------
    Comparison
        Plain rows, tables of means, ranks.

    Examples
    --------
    >>> X, y = [["a", "x"], ["b", "y"]] * 10, ["yes", "no"] * 10
    >>> found = compare(["tan", "KDB(k=0)"], {"copies": (X, y)}, cv=2, metrics="subset_accuracy")
    >>> found.table("subset_accuracy")
    {'copies': {'TAN': 1.0, 'KDB(k=0)': 1.0}}
    >>> found.ranks("subset_accuracy")
    {'TAN': 1.5, 'KDB(k=0)': 1.5}
    """
    named = {name: seeded(make_model(m), random_state) for name, m in _named_models(models).items()}
    sources = _named_datasets(datasets)
    if metrics != "usual":
        metrics = tuple(metric(name).name for name in _listed(metrics))
    records: list[dict[str, Any]] = []
    with open_store(store) as kept, progress_bar(progress) as show:
        for place, (name, source) in enumerate(sources.items()):
            schedule = _schedule(name, source, named, cv, metrics, random_state)
            todo = [cell for cell in schedule.cells if not kept.has_finished(cell.key)]
            total = len(records) + (len(sources) - place) * len(schedule.cells)  # if all are alike
            done = len(records) + len(schedule.cells) - len(todo)
            show(name, done, total)
            for cell in _run(schedule, todo, metrics, kept, n_jobs):
                done += 1
                show(f"{cell.model} on {name}", done, total)
            records += schedule.failures
            records += [_record(name, cell, kept.cells[cell.key]) for cell in schedule.cells]
    return _comparison(tuple(named), tuple(sources), records)


@dataclass(frozen=True, eq=False)
class _Cell:
    key: str
    model: str
    estimator: Any
    split: tuple[Labels, Labels]
    fold: int


@dataclass(frozen=True, eq=False)
class _Schedule:
    """The cells of one data set; where it cannot be read, a failure for each model instead."""

    task: Task | None
    cells: tuple[_Cell, ...] = ()
    failures: tuple[dict[str, Any], ...] = ()


def _schedule(
    name: str, source: Any, models: Mapping[str, Any], cv: Any, metrics: Any, seed: int | None
) -> _Schedule:
    try:
        task = _task(source)
        splits = list(as_splitter(cv, random_state=seed).split(task.X, task.Y))
    except Exception as error:
        unread = {"dataset": name, "fold": None, "error": _sentence(error)}
        return _Schedule(None, failures=tuple({**unread, "model": model} for model in models))
    data = fingerprint(task.X, task.Y)
    rows = [fingerprint(*split) for split in splits]
    cells = []
    for model, estimator in models.items():
        about = (jointbayes.__version__, data, fingerprint(estimator), metrics)
        cells += [
            _Cell(fingerprint(*about, rows[fold]), model, estimator, split, fold)
            for fold, split in enumerate(splits)
        ]
    return _Schedule(task, tuple(cells))


def _run(
    schedule: _Schedule, todo: Sequence[_Cell], metrics: Any, store: Store, n_jobs: int
) -> Iterator[_Cell]:
    """Do the cells and store each; yield it when it is on the disk."""
    alike: dict[tuple[int, str], dict[int, Any]] = {}
    for i, cell in enumerate(todo):
        group = alike.setdefault((cell.fold, what_it_learns(cell.estimator)), {})
        group[i] = cell.estimator
    jobs = [
        (models, schedule.task, todo[min(models)].split, metrics, fold)
        for (fold, _), models in alike.items()
    ]
    for answers in finished(_cells, jobs, n_jobs):
        for i, found in answers.items():
            store.add(todo[i].key, found)
            yield todo[i]


def _cells(
    models: Mapping[int, Any], task: Task, split: tuple[Labels, Labels], metrics: Any, fold: int
) -> dict[int, dict[str, Any]]:
    """Measure models that learn the same: the first one learns, each is asked in its own way."""
    learned: FittedFold | None = None
    answers: dict[int, dict[str, Any]] = {}
    for place, model in models.items():
        try:
            check_target(model, task.space.names)
            names = choose_metrics(metrics, model, task.kind)
            learned = learned or fit_fold(model, task, split)
            scores = ask_fold(learned, model, names, fold)
        except Exception as error:  # recorded; the other cells go on
            answers[place] = {"error": _sentence(error)}
        else:
            measured = {name: getattr(scores, name) for name in _FIELDS}
            answers[place] = {"error": None, **measured, **scores.metrics}
    return answers


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, JointBayesError) else f"{type(error).__name__}: {text}"


def _record(dataset: str, cell: _Cell, found: Mapping[str, Any]) -> dict[str, Any]:
    return {"dataset": dataset, "model": cell.model, "fold": cell.fold, **found}


def _comparison(
    models: tuple[str, ...], datasets: tuple[str, ...], records: Sequence[Mapping[str, Any]]
) -> Comparison:
    measured = {key for record in records for key in record}
    metrics = tuple(name for name in METRICS if name in measured)
    columns = ("dataset", "model", "fold", *_FIELDS, "error", *metrics)
    rows = tuple({name: record.get(name) for name in columns} for record in records)
    return Comparison(models, datasets, metrics, rows)


def _listed(things: Any) -> list[Any]:
    single = isinstance(things, str | os.PathLike | Dataset) or hasattr(things, "fit")
    return [things] if single else list(things)


def _named_models(models: Any) -> dict[str, Any]:
    if isinstance(models, Mapping):
        return _some("models", dict(models))
    made = [make_model(model) for model in _listed(models)]
    return _unique("models", [(model_name(model), model) for model in made])


def _named_datasets(datasets: Any) -> dict[str, Any]:
    """Name the data sets, and look for all files before anything is begun."""
    if isinstance(datasets, Mapping):
        found = _some("datasets", dict(datasets))
    else:
        sources = _listed(datasets)
        alone = len(sources) == 1
        names = ["data" if alone else f"data{i}" for i in range(len(sources))]
        pairs = zip(map(_name_of, sources, names), sources, strict=True)
        found = _unique("datasets", list(pairs))
    for source in found.values():
        if isinstance(source, str | os.PathLike):
            find_file(source, None)
    return found


def _name_of(source: Any, otherwise: str) -> str:
    """Return what a data set is called, if it says so."""
    if isinstance(source, Dataset):
        return source.name
    if isinstance(source, str | os.PathLike):
        return without_suffixes(Path(source).name, FORMATS)
    if isinstance(source, tuple | list) and len(source) == 2:
        return otherwise
    raise ParameterError(
        f"datasets holds a {type(source).__name__}; give names, paths, Dataset objects or pairs "
        "(X, Y), or a mapping from names to those"
    )


def _unique(parameter: str, pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ParameterError(f"{parameter} holds {twice[0]!r} twice; name them by a mapping")
    return _some(parameter, dict(pairs))


def _some(parameter: str, found: dict[str, Any]) -> dict[str, Any]:
    if not found:
        raise ParameterError(f"{parameter} is empty; give one at least")
    return found


def _task(source: Any) -> Task:
    if isinstance(source, str | os.PathLike):
        source = load_dataset(source)
    return Task.of(source) if isinstance(source, Dataset) else Task.of(*source)
