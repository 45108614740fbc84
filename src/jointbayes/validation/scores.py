"""Scores: what an evaluation found, fold by fold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from math import isfinite, isnan, nan
from statistics import fmean, stdev
from typing import Any

from jointbayes.doors import Shown
from jointbayes.errors import ParameterError
from jointbayes.validation.closer_look import CloserLook, FoldLook, pool_looks

__all__ = ["FoldScores", "Score", "Scores", "jsonable"]

NAME_WIDTH = 60


def jsonable(value: Any) -> Any:
    """Return plain values with infinite numbers by name, which JSON lacks.

    >>> jsonable({"log_loss": (0.5, float("inf"))})
    {'log_loss': [0.5, 'inf']}
    """
    if isinstance(value, Mapping):
        return {name: jsonable(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(entry) for entry in value]
    return repr(value) if isinstance(value, float) and not isfinite(value) else value


@dataclass(frozen=True)
class Score:
    """One metric over all folds.

    Parameters
    ----------
    mean
        Over the folds.
    spread
        Standard deviation over the folds (n − 1); None for a single fold or an infinite value.
    folds
        The value of every fold.

    >>> score = Score.of([0.5, 1.0])
    >>> score.mean, round(score.spread, 3), str(score)
    (0.75, 0.354, '0.7500 ± 0.3536')
    """

    mean: float
    spread: float | None
    folds: tuple[float, ...]

    @classmethod
    def of(cls, values: Any) -> Score:
        """Summarize the values of the folds; an infinite one makes the mean infinite.

        Folds in which nothing could be measured (NaN) are left out.
        """
        folds = tuple(float(value) for value in values)
        found = [value for value in folds if not isnan(value)]
        known = len(found) > 1 and all(map(isfinite, found))
        return cls(fmean(found) if found else nan, stdev(found) if known else None, folds)

    def __str__(self) -> str:
        return f"{self.mean:.4f}" + ("" if self.spread is None else f" ± {self.spread:.4f}")


@dataclass(frozen=True)
class FoldScores:
    """What was measured on one fold.

    Parameters
    ----------
    fold
        Its number, from 0.
    train_rows, test_rows
        How many rows it had.
    metrics
        The value of every metric.
    fit_seconds, predict_seconds
        By the clock.
    peak_bytes
        By how much fit or predict, whichever did it more, raised the memory of the process at its
        peak; None where the system does not tell.
    look
        What it told of each label, if that was asked for.
    broken
        The share of answers that break a rule, if there were rules.

    >>> FoldScores(0, 90, 10, {"f1": 0.5}, 0.1, 0.1, None).metrics["f1"]
    0.5
    """

    fold: int
    train_rows: int
    test_rows: int
    metrics: Mapping[str, float]
    fit_seconds: float
    predict_seconds: float
    peak_bytes: int | None
    look: FoldLook | None = field(default=None, compare=False, repr=False)
    broken: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        left_out = ("look", "broken") if self.broken is None else ("look",)
        names = [entry.name for entry in fields(self) if entry.name not in left_out]
        return {name: getattr(self, name) for name in names} | {"metrics": dict(self.metrics)}


@dataclass(frozen=True, repr=False)
class Scores(Mapping[str, Score], Shown):
    """The scores of one model on one data set, by the name of the metric.

    Parameters
    ----------
    model
        What the model is called.
    folds
        Everything measured on each fold.
    dataset
        What the data set is called.

    Examples
    --------
    >>> folds = (
    ...     FoldScores(0, 2, 2, {"f1": 0.5}, 0.1, 0.1, None),
    ...     FoldScores(1, 2, 2, {"f1": 1.0}, 0.1, 0.3, None),
    ... )
    >>> scores = Scores("TAN", folds)
    >>> scores["f1"].mean, scores["f1"].folds, scores.predict_seconds.mean
    (0.75, (0.5, 1.0), 0.2)
    >>> scores
    TAN on data, 2 folds
    f1  0.7500 ± 0.3536
    """

    model: str
    folds: tuple[FoldScores, ...]
    dataset: str = "data"

    def __getitem__(self, metric: str) -> Score:
        if metric not in self.folds[0].metrics:
            raise ParameterError(f"{metric!r} was not measured; there are {', '.join(self)}")
        return Score.of(fold.metrics[metric] for fold in self.folds)

    def __iter__(self) -> Iterator[str]:
        return iter(self.folds[0].metrics)

    def __len__(self) -> int:
        return len(self.folds[0].metrics)

    def __contains__(self, metric: object) -> bool:
        return metric in self.folds[0].metrics

    @property
    def look(self) -> CloserLook | None:
        """Each label, reliability and arcs, where the folds were looked at."""
        looks = [fold.look for fold in self.folds if fold.look is not None]
        return pool_looks(looks) if looks else None

    @property
    def broken(self) -> Score | None:
        """The share of answers that break a rule, where there were rules."""
        found = [fold.broken for fold in self.folds if fold.broken is not None]
        return Score.of(found) if found else None

    @property
    def fit_seconds(self) -> Score:
        """Seconds that `fit` took."""
        return Score.of(fold.fit_seconds for fold in self.folds)

    @property
    def predict_seconds(self) -> Score:
        """Seconds that `predict` took."""
        return Score.of(fold.predict_seconds for fold in self.folds)

    @property
    def peak_bytes(self) -> int | None:
        """The largest peak of all folds."""
        known = [fold.peak_bytes for fold in self.folds if fold.peak_bytes is not None]
        return max(known, default=None)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values; infinite numbers by name, as JSON has none."""
        metrics = {name: asdict(score) for name, score in self.items()}
        folds = [fold.as_dict() for fold in self.folds]
        return dict(jsonable({"model": self.model, "metrics": metrics, "folds": folds}))

    def __repr__(self) -> str:
        width = max(map(len, self))
        lines = [f"{name:<{width}}  {score}" for name, score in self.items()]
        plural = "" if len(self.folds) == 1 else "s"
        name = self.model if len(self.model) <= NAME_WIDTH else f"{self.model[:NAME_WIDTH]}…"
        return "\n".join([f"{name} on {self.dataset}, {len(self.folds)} fold{plural}", *lines])
