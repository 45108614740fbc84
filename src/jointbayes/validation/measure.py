"""measure: one fold. A clone of the model learns the training rows and is asked about the others.

It is asked once: one posterior serves `predict` and all metrics. Models that differ only in how
they are asked (which loss, how much memory) may share what one of them has learned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from jointbayes.arrays import Labels
from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.metrics.registry import METRICS
from jointbayes.metrics.targets import Kind, kind_of
from jointbayes.models.catalog import model_name
from jointbayes.table import Table
from jointbayes.validation.memory import peak_memory
from jointbayes.validation.scores import FoldScores
from jointbayes.validation.splits import take_rows
from jointbayes.validation.unseen import WithUnseen, places_of, widen_marginals

__all__ = ["Learned", "Task", "ask", "learn", "measure", "what_it_learns"]


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


@dataclass(frozen=True, eq=False)
class Learned:
    """A model that has learned the training rows of a fold, and what it took."""

    fitted: Any
    X_test: Any
    Y_test: Any
    space: LabelSpace
    train_rows: int
    seconds: float
    peak_bytes: int | None


def learn(model: Any, task: Task, split: tuple[Labels, Labels]) -> Learned:
    """Fit a clone of the model to the training rows."""
    X_train, X_test = (_rows_for(model, take_rows(task.X, rows)) for rows in split)
    Y_train, Y_test = (take_rows(task.Y, rows) for rows in split)
    with peak_memory() as peak:
        start = perf_counter()
        fitted = clone(model).fit(X_train, Y_train)
        seconds = perf_counter() - start
    return Learned(fitted, X_test, Y_test, task.space, len(split[0]), seconds, peak.bytes)


def ask(learned: Learned, model: Any, names: Sequence[str], fold: int) -> FoldScores:
    """Measure the fitted model on the test rows, asked as ``model``, which learns the same, asks.

    >>> from jointbayes import MultilabelNB
    >>> X, Y = [["a"], ["b"]] * 8, [[0, 1], [0, 0]] * 8
    >>> learned = learn(MultilabelNB(), Task.of(X, Y), (np.arange(8), np.arange(8, 16)))
    >>> models = [MultilabelNB(), MultilabelNB(empty="allow")]
    >>> [ask(learned, m, ["subset_accuracy"], 0).metrics["subset_accuracy"] for m in models]
    [0.5, 1.0]
    """
    fitted, X_test, Y_test = learned.fitted, learned.X_test, learned.Y_test
    fitted.set_params(**_asked_parameters(model))
    with _one_posterior(fitted, X_test):
        with peak_memory() as peak:
            start = perf_counter()
            labels = fitted.predict(X_test)
            seconds = perf_counter() - start
        answers, values = {"labels": labels}, {}
        for name in names:
            entry = METRICS[name]
            if entry.needs not in answers:
                answers[entry.needs] = _answer(fitted, X_test, entry.needs, learned.space)
            values[name] = entry(Y_test, answers[entry.needs], classes=_classes(learned.space))
    return FoldScores(
        fold=fold,
        train_rows=learned.train_rows,
        test_rows=len(labels),
        metrics=values,
        fit_seconds=learned.seconds,
        predict_seconds=seconds,
        peak_bytes=None if peak.bytes is None else max(peak.bytes, learned.peak_bytes or 0),
    )


def measure(
    model: Any, task: Task, split: tuple[Labels, Labels], names: Sequence[str], fold: int
) -> FoldScores:
    """Fit a clone of the model on the training rows and measure it on the others."""
    return ask(learn(model, task, split), model, names, fold)


def _asked_parameters(model: Any) -> dict[str, Any]:
    """Return the parameters that play no part in learning, of a model or the last of a pipeline.

    >>> from jointbayes import BinaryRelevance
    >>> _asked_parameters(Pipeline([("model", BinaryRelevance(loss="f1"))]))
    {'model__loss': 'f1', 'model__empty': 'allow'}
    """
    name, last = model.steps[-1] if isinstance(model, Pipeline) else ("", model)
    prefix = f"{name}__" if name else ""
    return {prefix + own: getattr(last, own) for own in getattr(last, "_asked", ())}


def what_it_learns(model: Any) -> str:
    """Return a name that models share if they differ in nothing that matters to learning.

    >>> from jointbayes import BinaryRelevance
    >>> len({what_it_learns(BinaryRelevance(loss=loss)) for loss in ("f1", "subset")})
    1
    """
    silent = clone(model).set_params(**dict.fromkeys(_asked_parameters(model)))
    return f"{type(model).__module__}.{model_name(silent)}"


@contextmanager
def _one_posterior(model: Any, X: Any) -> Iterator[None]:
    """Let all questions about these very rows share one posterior."""
    if not hasattr(model, "posterior"):
        yield
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
    try:
        yield
    finally:
        del model.posterior


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
