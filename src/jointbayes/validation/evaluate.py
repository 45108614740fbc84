"""evaluate: fit and test a model on every fold, and measure labels, probabilities, time, memory.

Each fold fits a clone of the model on its training rows and asks it once about its test rows: one
posterior serves `predict`, `predict_proba` and all metrics. What a metric needs is read from
`metrics.METRICS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from jointbayes.errors import DataError, ParameterError
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.metrics.registry import METHODS, METRICS, metric
from jointbayes.metrics.targets import Kind, kind_of
from jointbayes.models.catalog import make_model, model_name
from jointbayes.table import Table
from jointbayes.validation.memory import peak_memory
from jointbayes.validation.progress import ProgressKind, progress_bar
from jointbayes.validation.scores import FoldScores, Scores
from jointbayes.validation.splits import as_splitter, take_rows
from jointbayes.validation.unseen import WithUnseen, places_of, widen_marginals

__all__ = [
    "USUAL",
    "Task",
    "check_target",
    "choose_metrics",
    "evaluate",
    "finished",
    "measure",
    "seeded",
]

Rows = NDArray[np.intp]

USUAL: dict[Kind, tuple[str, ...]] = {
    "multiclass": ("subset_accuracy", "f1_macro", "log_loss", "brier_score", "calibration_error"),
    "multilabel": (
        "subset_accuracy",
        "hamming_accuracy",
        "f1",
        "f1_macro",
        "jaccard",
        "log_loss",
        "joint_log_loss",
    ),
    "multidimensional": ("subset_accuracy", "hamming_accuracy", "log_loss", "joint_log_loss"),
}
"""What is measured unless metrics are named."""


def evaluate(
    model: Any,
    X: Any,
    Y: Any,
    *,
    cv: Any = 10,
    metrics: str | Sequence[str] = "usual",
    random_state: int | None = 0,
    n_jobs: int = 1,
    progress: ProgressKind = "auto",
) -> Scores:
    """Measure a model by cross-validation.

    Parameters
    ----------
    model
        An estimator, or its name (see `models.catalog`).
    X, Y
        Rows and labels, as `fit` takes them.
    cv
        A number of folds, ``"5x2"``, ``"66%"``, or a splitter of scikit-learn's kind.
    metrics
        Names from `metrics.METRICS`, or ``"usual"``: those of `USUAL` that the model can do.
    random_state
        Seed of the folds, and of a model that has none.
    n_jobs
        Folds at a time, each in a process of its own. The models use all cores themselves.
    progress
        ``"auto"``: a bar on a terminal if it takes long, ``"bar"`` or ``"none"``.

    Returns
    -------
    Scores
        Mean, spread and every fold of each metric; seconds and memory.

    Examples
    --------
    The label copies the feature, so that every fold is right:

    >>> scores = evaluate("tan", [["a"], ["b"]] * 10, ["yes", "no"] * 10, cv=2)
    >>> scores["subset_accuracy"]
    Score(mean=1.0, spread=0.0, folds=(1.0, 1.0))
    """
    model = seeded(make_model(model), random_state)
    task = Task.of(X, Y)
    check_target(model, task.space.names)
    names = choose_metrics(metrics, model, task.kind)
    splits = list(as_splitter(cv, random_state=random_state).split(task.X, task.Y))
    jobs = [(model, task, split, names, fold) for fold, split in enumerate(splits)]
    name, found = model_name(model), []
    with progress_bar(progress) as show:
        show(name, 0, len(jobs))
        for scores in finished(measure, jobs, n_jobs):
            found.append(scores)
            show(name, len(found), len(jobs))
    return Scores(name, tuple(sorted(found, key=lambda scores: scores.fold)))


@dataclass(frozen=True, eq=False)
class Task:
    """Rows, their labels, and all values the labels have.

    >>> Task.of([[1], [2]], ["a", "b"]).kind
    'multiclass'
    """

    X: Any
    Y: Any
    space: LabelSpace

    @classmethod
    def of(cls, X: Any, Y: Any) -> Task:
        """Read the labels; rows are left to the model."""
        space = learn_labels(Y)
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if rows != (Y.shape[0] if hasattr(Y, "shape") else len(Y)):
            raise DataError(f"X has {rows} rows, and the labels have another number; match them")
        return cls(X, Y, space)

    @property
    def kind(self) -> Kind:
        """Which kind of target the labels are."""
        return kind_of(self.space)


def check_target(model: Any, names: Sequence[str]) -> None:
    """Refuse several labels for a model of one class variable.

    >>> from jointbayes import TAN
    >>> check_target(TAN(), ["y0", "y1"])
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: TAN has one class variable, and there are 2 labels (y0, y1); ...
    """
    if len(names) < 2 or not type(model).__module__.startswith("jointbayes."):
        return
    if not model.__sklearn_tags__().target_tags.multi_output:
        shown = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
        raise DataError(
            f"{model_name(model)} has one class variable, and there are {len(names)} labels "
            f"({shown}); name one as the target, or take a model of several, such as MultilabelNB"
        )


def choose_metrics(metrics: str | Sequence[str], model: Any, kind: Kind) -> tuple[str, ...]:
    """Return the metrics asked for, or say which the target or the model does not allow.

    >>> from sklearn.svm import LinearSVC
    >>> choose_metrics("usual", LinearSVC(), "multiclass")
    ('subset_accuracy', 'f1_macro')
    >>> choose_metrics("ranking_loss", LinearSVC(), "multiclass")
    Traceback (most recent call last):
    ...
    jointbayes.errors.ParameterError: the metric 'ranking_loss' is for multilabel targets, and ...
    """
    if isinstance(metrics, str) and metrics == "usual":
        return tuple(name for name in USUAL[kind] if hasattr(model, METHODS[METRICS[name].needs]))
    names = (metrics,) if isinstance(metrics, str) else tuple(dict.fromkeys(metrics))
    if not names:
        raise ParameterError("metrics is empty; name one, or leave it at 'usual'")
    for entry in map(metric, names):
        if kind not in entry.targets:
            fit_for = " and ".join(entry.targets)
            raise ParameterError(
                f"the metric {entry.name!r} is for {fit_for} targets, and this one is {kind}"
            )
        if not hasattr(model, METHODS[entry.needs]):
            raise ParameterError(
                f"{model_name(model)} has no {METHODS[entry.needs]}(), which the metric "
                f"{entry.name!r} needs; choose one that needs only labels, such as subset_accuracy"
            )
    return names


def seeded(model: Any, random_state: int | None) -> Any:
    """Return a clone of a model whose open seeds are set, so that a run can be repeated.

    >>> from jointbayes import LabelDriven
    >>> seeded(LabelDriven(), 3).random_state, seeded(LabelDriven(random_state=1), 3).random_state
    (3, 1)
    """
    model = clone(model)
    seeds = (key for key in model.get_params() if key.split("__")[-1] == "random_state")
    open_seeds = [key for key in seeds if model.get_params()[key] is None]
    return model.set_params(**dict.fromkeys(open_seeds, random_state))


def finished(
    function: Callable[..., Any], jobs: Iterable[tuple[Any, ...]], n_jobs: int
) -> Iterator[Any]:
    """Yield what ``function`` makes of each job as soon as it is done, in any order.

    >>> list(finished(max, [(1, 2), (4, 3)], n_jobs=1))
    [2, 4]
    """
    if n_jobs == 1:
        yield from (function(*job) for job in jobs)
        return
    from sklearn.utils.parallel import Parallel, delayed

    workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    yield from workers(delayed(function)(*job) for job in jobs)


def measure(
    model: Any, task: Task, split: tuple[Rows, Rows], names: Sequence[str], fold: int
) -> FoldScores:
    """Fit a clone of the model on the training rows and measure it on the others."""
    X_train, X_test = (_rows_for(model, take_rows(task.X, rows)) for rows in split)
    Y_train, Y_test = (take_rows(task.Y, rows) for rows in split)
    with peak_memory() as peak:
        start = perf_counter()
        fitted = clone(model).fit(X_train, Y_train)
        learned = perf_counter()
        _remember_posterior(fitted, X_test)
        labels = fitted.predict(X_test)
        done = perf_counter()
    answers = {"labels": labels}
    values = {}
    for name in names:
        entry = METRICS[name]
        if entry.needs not in answers:
            answers[entry.needs] = _answer(fitted, X_test, entry.needs, task.space)
        values[name] = entry(Y_test, answers[entry.needs], classes=_classes(task.space))
    return FoldScores(
        fold=fold,
        train_rows=len(split[0]),
        test_rows=len(split[1]),
        metrics=values,
        fit_seconds=learned - start,
        predict_seconds=done - learned,
        peak_bytes=peak.bytes,
    )


def _remember_posterior(model: Any, X: Any) -> None:
    """Let all questions about these very rows share one posterior."""
    if not hasattr(model, "posterior"):
        return
    ask = model.posterior
    found: list[Any] = []

    def posterior(rows: Any) -> Any:
        if rows is not X:
            return ask(rows)
        if not found:
            found.append(ask(rows))
        return found[0]

    model.posterior = posterior


def _answer(model: Any, X: Any, needs: str, space: LabelSpace) -> Any:
    """Return marginals or the posterior, over all classes of the data set."""
    if not hasattr(model, "posterior"):
        answer = model.predict_proba(X)
    elif needs == "posterior":
        answer = model.posterior(X)
    else:  # of both values of a binary label: 1 − p has lost what is small
        answer = model.posterior(X).marginals()
    known = model.classes_ if isinstance(model.classes_, list) else [model.classes_]
    places = places_of(known, space) if len(known) == len(space) else None
    if places is None:
        return answer
    if needs == "posterior":
        return WithUnseen(answer, space)
    return widen_marginals(_columns(answer, known), places, space)


def _columns(proba: Any, known: Sequence[Any]) -> list[NDArray[np.float64]]:
    """Bring the shapes of ``predict_proba`` to one (n, k_j) array per class variable."""
    if isinstance(proba, list) or len(known) == 1:
        return list(proba) if isinstance(proba, list) else [proba]
    return [np.stack([1 - p, p], axis=1) for p in proba.T]


def _classes(space: LabelSpace) -> Any:
    return space.classes[0] if space.single else list(space.classes)


def _rows_for(model: Any, X: Any) -> Any:
    """Give scikit-learn's own models what they know: numbers as an array, else a pandas frame."""
    if not isinstance(X, Table) or type(model).__module__.startswith("jointbayes."):
        return X
    if all(column.kind == "numeric" for column in X.columns):
        return np.column_stack([column.values for column in X.columns])
    return X.to_pandas()
