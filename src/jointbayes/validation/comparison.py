"""Comparison: many models on many data sets, fold by fold, as plain rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from jointbayes.errors import DataError, ParameterError, require
from jointbayes.metrics.registry import metric as find_metric
from jointbayes.statistics.ranks import ScoreTable, rank
from jointbayes.validation.scores import Score, jsonable

__all__ = ["MEASURES", "Comparison"]

Record = Mapping[str, Any]

_WORST = 1e290  # ranks are of rounded scores, which must not overflow
MEASURES = ("fit_seconds", "predict_seconds", "peak_bytes")


@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    Parameters
    ----------
    models, datasets, metrics
        Their names, in the order given.
    records
        One row for each data set, model and fold: ``dataset``, ``model``, ``fold``,
        ``train_rows``, ``test_rows``, ``fit_seconds``, ``predict_seconds``, ``peak_bytes``,
        ``error`` (None, or what went wrong in one sentence) and one entry per metric (None where
        it was not measured). A data set that could not be read has one row per model, without fold.

    Examples
    --------
    >>> rows = [("iris", "TAN", 0.9), ("iris", "NB", 0.8), ("zoo", "TAN", 0.7), ("zoo", "NB", 0.6)]
    >>> found = Comparison(
    ...     ("TAN", "NB"), ("iris", "zoo"), ("f1_macro",),
    ...     tuple(
    ...         {"dataset": d, "model": m, "fold": 0, "error": None, "f1_macro": v}
    ...         for d, m, v in rows
    ...     ),
    ... )
    >>> found.table("f1_macro")
    {'iris': {'TAN': 0.9, 'NB': 0.8}, 'zoo': {'TAN': 0.7, 'NB': 0.6}}
    >>> found.ranks("f1_macro")
    {'TAN': 1.0, 'NB': 2.0}
    """

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    metrics: tuple[str, ...]
    records: tuple[Record, ...]

    @property
    def failures(self) -> tuple[Record, ...]:
        """The rows that have an error."""
        return tuple(record for record in self.records if record["error"] is not None)

    def score(self, metric: str, dataset: str, model: str) -> Score | None:
        """Return one metric over the folds of a model on a data set; None if any fold lacks it.

        ``fit_seconds``, ``predict_seconds`` and ``peak_bytes`` may be asked for like a metric.
        """
        self._check(metric)
        found = [r for r in self.records if (r["dataset"], r["model"]) == (dataset, model)]
        values = [record.get(metric) for record in found]
        if not values or any(value is None for value in values):
            return None
        return Score.of(values)

    def table(self, metric: str) -> dict[str, dict[str, float | None]]:
        """Return the mean over the folds by data set and model; None where a fold failed."""
        scores = {d: {m: self.score(metric, d, m) for m in self.models} for d in self.datasets}
        return {
            dataset: {model: None if s is None else s.mean for model, s in row.items()}
            for dataset, row in scores.items()
            if any(s is not None for s in row.values())
        }

    def score_table(self, metric: str) -> ScoreTable:
        """Return the means for the tests of `statistics`, of the data sets that all models did.

        An infinite loss becomes a very large one, so that it ranks last.
        """
        rows = [list(row.values()) for row in self.table(metric).values()]
        whole = [row for row in rows if None not in row]
        if len(self.models) < 2 or not whole:
            raise DataError(
                f"there is nothing to rank by {metric!r}: it takes two models or more and a data "
                "set that all of them finished"
            )
        better = "lower" if metric in MEASURES else find_metric(metric).better
        if better == "neither":
            raise DataError(f"{metric!r} only describes: nobody ranks by it; name another metric")
        values = np.nan_to_num(np.array(whole, dtype=float), posinf=_WORST, neginf=-_WORST)
        return ScoreTable(self.models, values, better)

    def ranks(self, metric: str) -> dict[str, float]:
        """Return the average rank of every model over the data sets that all did, best first."""
        means = rank(self.score_table(metric)).mean(axis=0)
        order = np.argsort(means, kind="stable")
        return {self.models[j]: float(means[j]) for j in order}

    def to_pandas(self) -> Any:
        """Return the records as a pandas frame."""
        pandas = require("pandas", extra="pandas", purpose="a pandas frame")
        return pandas.DataFrame(list(self.records))

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values; infinite numbers by name, as JSON has none."""
        return dict(jsonable(asdict(self)))

    def _check(self, metric: str) -> None:
        if metric not in (*self.metrics, *MEASURES):
            raise ParameterError(
                f"{metric!r} was not measured; there are {', '.join(self.metrics)}"
            )
