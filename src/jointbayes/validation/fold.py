"""One fold: a clone of the model learns the training rows and is asked about the others.

It is asked once: one posterior serves `predict` and all metrics. Models that differ only in how
they are asked (which loss, how much memory) may share what one of them has learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from jointbayes.arrays import Labels
from jointbayes.datasets.pair import rows_and_labels
from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.labels.known import known_labels
from jointbayes.metrics.registry import METRICS
from jointbayes.metrics.targets import Kind, kind_of
from jointbayes.rules import Rule, count_broken
from jointbayes.table import Table
from jointbayes.table.given import take_rows
from jointbayes.validation.closer_look import look_at
from jointbayes.validation.identity import fingerprint
from jointbayes.validation.known_entries import rows_told
from jointbayes.validation.memory import peak_memory
from jointbayes.validation.scores import FoldScores
from jointbayes.validation.unseen import WithUnseen, places_of, widen_marginals

__all__ = [
    "FittedFold",
    "Task",
    "ask_fold",
    "fit_fold",
    "score_fold",
    "what_it_learns",
]


@dataclass(frozen=True, eq=False)
class Task:
    """Rows, their labels, and all values the labels have.

    >>> Task.of([[1], [2]], ["a", "b"]).kind
    'multiclass'
    """

    X: Any
    Y: Any
    space: LabelSpace
    name: str = "data"

    @classmethod
    def of(cls, X: Any, Y: Any = None) -> Task:
        """Read labels, or a data set, which brings its own; rows are left to the model.

        >>> from jointbayes import Dataset
        >>> dataset = Dataset.of([[1], [2]], [[1, 0], [0, 1]], name="sky")
        >>> Task.of(dataset).name, Task.of(dataset).kind
        ('sky', 'multilabel')
        """
        X, Y, name = rows_and_labels(X, Y)
        space = learn_labels(known_labels(Y, single="refuse"))
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if rows != (Y.shape[0] if hasattr(Y, "shape") else len(Y)):
            raise DataError(f"X has {rows} rows, and the labels have another number; match them")
        return cls(X, Y, space, name)

    @property
    def kind(self) -> Kind:
        """Which kind of target the labels are."""
        return kind_of(self.space)


@dataclass(frozen=True, eq=False)
class FittedFold:
    """A model that has learned the training rows of a fold, and what it took."""

    fitted: Any
    X_test: Any
    Y_test: Any
    space: LabelSpace
    train_rows: int
    seconds: float
    peak_bytes: int | None


def fit_fold(model: Any, task: Task, split: tuple[Labels, Labels]) -> FittedFold:
    """Fit a clone of the model to the training rows."""
    X_train, X_test = (_rows_for(model, take_rows(task.X, rows)) for rows in split)
    Y_train, Y_test = (take_rows(task.Y, rows) for rows in split)
    with peak_memory() as peak:
        start = perf_counter()
        fitted = clone(model).fit(X_train, Y_train)
        seconds = perf_counter() - start
    return FittedFold(fitted, X_test, Y_test, task.space, len(split[0]), seconds, peak.bytes)


def ask_fold(learned: FittedFold, model: Any, names: Sequence[str], fold: int) -> FoldScores:
    """Measure the fitted model on the test rows, asked as ``model``, which learns the same, asks.

    >>> from jointbayes import MultilabelNB
    >>> X, Y = [["a"], ["b"]] * 8, [[0, 1], [0, 0]] * 8
    >>> learned = fit_fold(MultilabelNB(), Task.of(X, Y), (np.arange(8), np.arange(8, 16)))
    >>> models = [MultilabelNB(empty="forbid"), MultilabelNB(empty="allow")]
    >>> [ask_fold(learned, m, ["subset_accuracy"], 0).metrics["subset_accuracy"] for m in models]
    [0.5, 1.0]
    """
    return _measured(learned, _answered(learned, model, names), names, fold)


def score_fold(
    model: Any,
    task: Task,
    split: tuple[Labels, Labels],
    names: Sequence[str],
    fold: int,
    rules: Sequence[Rule] = (),
) -> FoldScores:
    """Fit a clone of the model on the training rows, measure it on the others, and look closer."""
    learned = fit_fold(model, task, split)
    found = _answered(learned, model, names)
    scores, told = _measured(learned, found, names, fold), rows_told(learned.Y_test)
    if rules:
        codes = task.space.encode(found.answers["labels"])
        broken = count_broken(rules, codes, task.space)
        scores = replace(scores, broken=float((broken > 0).mean()))
    if not len(told):
        return scores
    truth, answer = learned.Y_test, found.answers["labels"]
    beliefs = {what: found.answers.get(what) for what in ("marginals", "posterior")}
    if len(told) < len(answer):
        truth, answer = take_rows(truth, told), answer[told]
        if beliefs["marginals"] is not None:
            beliefs["marginals"] = [p[told] for p in beliefs["marginals"]]
        if beliefs["posterior"] is not None:
            beliefs["posterior"] = beliefs["posterior"][told]
    true, said = (task.space.encode(Y) for Y in (truth, answer))
    return replace(scores, look=look_at(learned.fitted, true, said, beliefs, task.space))


@dataclass(frozen=True, eq=False)
class _Answered:
    """What a model answered for the test rows, by what metrics need, and what it took."""

    answers: dict[str, Any]
    seconds: float
    peak_bytes: int | None


def _answered(learned: FittedFold, model: Any, names: Sequence[str]) -> _Answered:
    fitted, X_test = learned.fitted, learned.X_test
    fitted.set_params(**_asked_parameters(model))
    needs = {METRICS[name].needs for name in names}
    with peak_memory() as peak:
        start = perf_counter()
        posterior = fitted.posterior(X_test) if _answers_all(fitted, needs) else None
        labels = fitted.predict(X_test) if posterior is None else fitted.predict_from(posterior)
        seconds = perf_counter() - start
    if posterior is None and needs != {"labels"} and hasattr(fitted, "posterior"):
        posterior = fitted.posterior(X_test)
    answers = {"labels": labels}
    for need in sorted(needs - {"labels"}):
        answers[need] = _answer(fitted, X_test, need, posterior, learned.space)
    return _Answered(answers, seconds, peak.bytes)


def _measured(learned: FittedFold, found: _Answered, names: Sequence[str], fold: int) -> FoldScores:
    peak, values, space = found.peak_bytes, {}, learned.space
    classes = space.classes[0] if space.single else list(space.classes)
    for name in names:
        answer = found.answers[METRICS[name].needs]
        values[name] = METRICS[name](learned.Y_test, answer, classes=classes)
    return FoldScores(
        fold=fold,
        train_rows=learned.train_rows,
        test_rows=len(found.answers["labels"]),
        metrics=values,
        fit_seconds=learned.seconds,
        predict_seconds=found.seconds,
        peak_bytes=None if peak is None else max(peak, learned.peak_bytes or 0),
    )


def _answers_all(model: Any, needs: set[Any]) -> bool:
    """Say whether one posterior is wanted by several questions and answers all of them.

    It does not speak for a class that has a `predict` of its own and no `predict_from` beside it.
    """
    if needs == {"labels"} or not (hasattr(model, "posterior") and hasattr(model, "predict_from")):
        return False
    owner = next(kind for kind in type(model).__mro__ if "predict" in vars(kind))
    return any("predict_from" in vars(kind) for kind in _down_to(type(model), owner))


def _down_to(kind: type, owner: type) -> Sequence[type]:
    return kind.__mro__[: kind.__mro__.index(owner) + 1]


def _asked_parameters(model: Any) -> dict[str, Any]:
    """Return the parameters that play no part in learning, of a model or the last of a pipeline.

    >>> from jointbayes import BinaryRelevance
    >>> _asked_parameters(Pipeline([("model", BinaryRelevance(loss="f1"))]))
    {'model__loss': 'f1', 'model__empty': 'auto'}
    """
    name, last = model.steps[-1] if isinstance(model, Pipeline) else ("", model)
    prefix = f"{name}__" if name else ""
    return {prefix + own: getattr(last, own) for own in getattr(last, "_asked", ())}


def what_it_learns(model: Any) -> str:
    """Return a digest that models share if they differ in nothing that matters to learning.

    >>> from jointbayes import BinaryRelevance
    >>> len({what_it_learns(BinaryRelevance(loss=loss)) for loss in ("f1", "subset")})
    1
    """
    return fingerprint(clone(model).set_params(**dict.fromkeys(_asked_parameters(model))))


def _answer(model: Any, X: Any, needs: str, posterior: Any, space: LabelSpace) -> Any:
    """Return marginals or the posterior, over all classes of the data set."""
    if posterior is None:
        answer = model.predict_proba(X)
    else:  # marginals of both values of a binary label: 1 − p has lost what is small
        answer = posterior if needs == "posterior" else posterior.marginals()
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


def _rows_for(model: Any, X: Any) -> Any:
    """Give scikit-learn's own models what they know: numbers as an array, else a pandas frame."""
    if not isinstance(X, Table) or hasattr(model, "posterior"):
        return X
    if all(column.kind == "numeric" for column in X.columns):
        return np.column_stack([column.values for column in X.columns])
    return X.to_pandas()
