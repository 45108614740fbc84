"""evaluate: cross-validation of one model, and what may be asked of which model.

What a metric needs is read from `metrics.METRICS`; how a fold is measured is told in `measure`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone

from jointbayes.errors import DataError, ParameterError
from jointbayes.metrics.registry import METHODS, METRICS, metric
from jointbayes.metrics.targets import Kind
from jointbayes.models.catalog import make_model, model_name
from jointbayes.rules import Rule, compile_rules
from jointbayes.validation.fold import Task, score_fold
from jointbayes.validation.known_entries import is_by_entry, rows_told
from jointbayes.validation.progress import ProgressKind, progress_bar
from jointbayes.validation.scores import Scores
from jointbayes.validation.splits import as_splitter
from jointbayes.validation.workers import finished

__all__ = ["DEFAULT_METRICS", "check_target", "choose_metrics", "evaluate", "seeded"]

DEFAULT_METRICS: dict[Kind, tuple[str, ...]] = {
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


def evaluate(  # noqa: PLR0913  what users choose, by name
    model: Any,
    X: Any,
    Y: Any = None,
    *,
    cv: Any = 10,
    metrics: str | Sequence[str] = "usual",
    random_state: int | None = 0,
    n_jobs: int = 1,
    progress: ProgressKind = "auto",
    rules: Sequence[Rule] = (),
) -> Scores:
    """Measure a model by cross-validation.

    Parameters
    ----------
    model
        An estimator, or its name (see `models.catalog`).
    X, Y
        Rows and labels, as `fit` takes them, or a `Dataset` in place of both. Where labels are not
        known, Hamming, log-loss, Brier score and macro averages are those of known entries, and
        other metrics those of rows all of whose labels are known.
    cv
        A number of folds, ``"5x2"``, ``"66%"``, or a splitter of scikit-learn's kind.
    metrics
        Names from `metrics.METRICS`, or ``"usual"``: those of `DEFAULT_METRICS` that the model can
        do.
    random_state
        Seed of the folds, and of a model that has none.
    n_jobs
        Folds at a time, each in a process of its own. The models use all cores themselves.
    progress
        ``"auto"``: a bar on a terminal if it takes long, ``"bar"`` or ``"none"``.
    rules
        Rules of `jointbayes.rules`: ``broken`` is then the share of answers that break one.

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
    asked = make_model(model)
    model = seeded(asked, random_state)
    task = Task.of(X, Y)
    check_target(model, task.space.names)
    if rules:
        compile_rules(rules, task.space)  # which refuses what the labels do not know
    names = choose_metrics(metrics, model, task.kind)
    if metrics == "usual" and not len(rows_told(task.Y)):
        names = tuple(filter(is_by_entry, names))
    splits = list(as_splitter(cv, random_state=random_state).split(task.X, task.Y))
    jobs = [(model, task, split, names, fold, rules) for fold, split in enumerate(splits)]
    name, found = model_name(asked), []
    with progress_bar(progress) as show:
        show(name, 0, len(jobs))
        for scores in finished(score_fold, jobs, n_jobs):
            found.append(scores)
            show(name, len(found), len(jobs))
    return Scores(name, tuple(sorted(found, key=lambda scores: scores.fold)), task.name)


def check_target(model: Any, names: Sequence[str]) -> None:
    """Refuse several labels for a model of one class variable.

    >>> from jointbayes import TAN
    >>> check_target(TAN(), ["y0", "y1"])
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: TAN has one class variable, and there are 2 labels (y0, y1); ...
    """
    if len(names) < 2 or not hasattr(model, "posterior"):  # strangers speak for themselves
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
        asked = DEFAULT_METRICS[kind]
        return tuple(name for name in asked if hasattr(model, METHODS[METRICS[name].needs]))
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
