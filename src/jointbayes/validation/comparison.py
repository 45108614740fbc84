"""Comparison: many models on many data sets, fold by fold, as plain rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from jointbayes.doors import Shown
from jointbayes.errors import DataError, ParameterError, require
from jointbayes.metrics.registry import metric as find_metric
from jointbayes.statistics.folds import fold_pairs
from jointbayes.statistics.pairs import Pair, wilcoxon_pairs
from jointbayes.statistics.ranks import DECIMALS, Better, ScoreTable, rank
from jointbayes.validation.scores import Score, jsonable

__all__ = ["MEASURES", "Comparison", "Standing"]

Record = Mapping[str, Any]

INFINITE_SCORE = 1e290  # ranks are of rounded scores, which must not overflow
LEVEL = 0.05  # false discovery rate at which two models are told apart
LINE = 100
MEASURES = ("fit_seconds", "predict_seconds", "peak_bytes")


@dataclass(frozen=True)
class Standing:
    """Who is ahead by one metric.

    Parameters
    ----------
    best
        The models that share the best score, or the best average rank.
    level
        Models that score less, and that the tests do not tell apart from a best one.
    tested
        Whether there were folds enough to test anything.
    """

    best: tuple[str, ...]
    level: tuple[str, ...]
    tested: bool


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
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
    >>> found
    Comparison of 2 models on 2 data sets, 4 fits
    f1_macro, average rank: TAN 1.00, NB 2.00
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
        values = np.nan_to_num(
            np.array(whole, dtype=float), posinf=INFINITE_SCORE, neginf=-INFINITE_SCORE
        )
        return ScoreTable(self.models, values, _better(metric))

    def ranks(self, metric: str) -> dict[str, float]:
        """Return the average rank of every model over the data sets that all did, best first."""
        means = rank(self.score_table(metric)).mean(axis=0)
        order = np.argsort(means, kind="stable")
        return {self.models[j]: float(means[j]) for j in order}

    def tests(self, metric: str) -> tuple[Pair, ...]:
        """Test every pair of models, with p-values adjusted for their number.

        On one data set over its folds, by the corrected resampled t-test; on several over their
        means, by Wilcoxon's signed ranks. Models that failed, and infinite scores on one data set,
        are left out; where there is nothing to test there is no pair.
        """
        if len(self.datasets) > 1:
            table = self.score_table(metric)
            return wilcoxon_pairs(table) if len(table.values) > 1 else ()
        (dataset,) = self.datasets
        found = {model: self.score(metric, dataset, model) for model in self.models}
        folds = {model: score.folds for model, score in found.items() if score is not None}
        whole = {model: own for model, own in folds.items() if np.isfinite(own).all()}
        if len(whole) < 2 or len(next(iter(whole.values()))) < 2:
            return ()
        done = [record for record in self.records if record["error"] is None]
        share = sum(r["test_rows"] for r in done) / sum(r["train_rows"] for r in done)
        return fold_pairs(whole, test_share=share)

    def standing(self, metric: str) -> Standing:
        """Say who is best by a metric, who ties with it, and who is not told apart from it."""
        if len(self.datasets) > 1:
            ranks = {model: round(value, DECIMALS) for model, value in self.ranks(metric).items()}
        else:
            means = next(iter(self.table(metric).values()), {})
            sign = -1 if _better(metric) == "higher" else 1
            ranks = {m: round(sign * v, DECIMALS) for m, v in means.items() if v is not None}
        if not ranks:
            raise DataError(f"there is nothing to compare by {metric!r}: no model finished")
        best = tuple(model for model, value in ranks.items() if value == min(ranks.values()))
        tests = self.tests(metric)
        near = {
            model
            for pair in tests
            for model, other in ((pair.first, pair.second), (pair.second, pair.first))
            if other in best and pair.adjusted > LEVEL
        }
        level = tuple(model for model in self.models if model in near and model not in best)
        return Standing(best, level, bool(tests))

    def to_pandas(self) -> Any:
        """Return the records as a pandas frame."""
        pandas = require("pandas", extra="pandas", purpose="a pandas frame")
        return pandas.DataFrame(list(self.records))

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain values; infinite numbers by name, as JSON has none."""
        return dict(jsonable(asdict(self)))

    def __repr__(self) -> str:
        models, sets, fits = len(self.models), len(self.datasets), len(self.records)
        head = f"Comparison of {models} models on {sets} data sets, {fits} fits"
        lines = [head if sets > 1 else f"Comparison of {models} models on {self.datasets[0]}"]
        lines[0] += f", {len(self.failures)} of them failed" if self.failures else ""
        return "\n".join([*lines, *(self._line(metric)[:LINE] for metric in self.metrics)])

    def _line(self, metric: str) -> str:
        try:
            if len(self.datasets) > 1:
                ranks = self.ranks(metric).items()
                said = ", ".join(f"{model} {value:.2f}" for model, value in ranks)
                return f"{metric}, average rank: {said}"
            means = self.table(metric)[self.datasets[0]]
        except DataError as error:
            return f"{metric}: {error}"
        known = {m: "failed" if v is None else f"{v:.4f}" for m, v in means.items()}
        return f"{metric}: {', '.join(f'{model} {value}' for model, value in known.items())}"

    def _check(self, metric: str) -> None:
        if metric not in (*self.metrics, *MEASURES):
            raise ParameterError(
                f"{metric!r} was not measured; there are {', '.join(self.metrics)}"
            )


def _better(metric: str) -> Better:
    better = "lower" if metric in MEASURES else find_metric(metric).better
    if better == "neither":
        raise DataError(f"{metric!r} only describes: nobody ranks by it; name another metric")
    return better
