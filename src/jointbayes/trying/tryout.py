"""Tryout: who took part, how they are placed, what to use and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from jointbayes.arrays import Floats
from jointbayes.doors import Shown
from jointbayes.errors import ParameterError, require
from jointbayes.models.auto.auto import Auto
from jointbayes.models.auto.keeping import POOL
from jointbayes.statistics.folds import corrected_row_t
from jointbayes.statistics.pairs import benjamini_hochberg
from jointbayes.trying.entrants import BASELINE
from jointbayes.trying.measuring import METRIC_OF
from jointbayes.validation.comparison import LEVEL, Comparison
from jointbayes.validation.scores import jsonable

__all__ = ["Place", "Tryout"]

Verdict = Literal["best", "tie", "not told apart", "behind"]

LINES = 8  # of the leaderboard, in a console
FASTER = 3.0  # times from which a quicker equal is worth a word
NOBODY = (
    "Nobody has a whole row right: with so many labels, rank by single ones (loss='hamming') or by "
    "their overlap (loss='f1')."
)
WORDS: Mapping[str, str] = {
    "subset": "of rows have every label right",
    "hamming": "of labels are right",
    "f1": "is the mean F1 of a row's labels",
    "jaccard": "is the mean overlap (Jaccard) of a row's labels",
}


@dataclass(frozen=True)
class Place:
    """One line of the leaderboard.

    Parameters
    ----------
    model, kind
        Its name; "baseline", "scikit-learn", "model" or "pool".
    score, spread
        Mean and standard deviation over the folds of the metric that the loss names.
    p
        Of the paired test against the best one, adjusted for the number of tests; None for the
        best.
    verdict
        "best"; "tie" (the same score); "not told apart" from the best one by the test; "behind".
    seconds
        All folds, learning and answering.

    >>> Place("TAN", "model", 0.9, 0.01, None, "best", 0.4).verdict
    'best'
    """

    model: str
    kind: str
    score: float
    spread: float | None
    p: float | None
    verdict: Verdict
    seconds: float


@dataclass(frozen=True, eq=False, repr=False)
class Tryout(Shown):
    """What `try_models` found.

    Parameters
    ----------
    dataset, rows, features, label_names
        What was tried on.
    loss
        What answers were to minimize.
    comparison
        Everybody's scores, fold by fold, by all metrics.
    kinds, seconds
        By name: what each one is, and how long it took.
    losses
        By name: (n,) what its answer to each row, held out, costs.
    left_out
        Names of those that were not tried to the end, and why.
    recommended
        The best of our models, or "Pool".
    model
        What is recommended, fitted to all rows: an `Auto`.
    total_seconds
        All of it.

    Examples
    --------
    See `jointbayes.try_models`.

    >>> import jointbayes as jb
    >>> found = jb.try_models([["a"], ["b"]] * 20, ["yes", "no"] * 20, cv=2)
    >>> found.place("baseline").verdict, found.place("TAN").score
    ('behind', 1.0)
    """

    dataset: str
    rows: int
    features: int
    label_names: tuple[str, ...]
    loss: str
    comparison: Comparison
    kinds: Mapping[str, str]
    seconds: Mapping[str, float]
    losses: Mapping[str, Floats]
    left_out: tuple[tuple[str, str], ...]
    recommended: str
    model: Auto
    total_seconds: float

    @property
    def metric(self) -> str:
        """The metric that models are ranked by: 1 less the loss."""
        return METRIC_OF[self.loss]

    @property
    def folds(self) -> int:
        """How many folds there were."""
        return len({record["fold"] for record in self.comparison.records})

    @property
    def leaderboard(self) -> tuple[Place, ...]:
        """Everybody, best first; each is tested against the first."""
        scores = {m: self.comparison.score(self.metric, self.dataset, m) for m in self.kinds}
        known = {name: score for name, score in scores.items() if score is not None}
        order = sorted(known, key=lambda name: -round(known[name].mean, 12))
        first, places = order[0], []
        tests = self.tests(first)
        for name in order:
            p = tests.get(name)  # none against itself
            equal = round(known[name].mean, 12) == round(known[first].mean, 12)
            verdict: Verdict = "behind" if p is not None and p <= LEVEL else "not told apart"
            if equal:
                verdict = "best" if name == first else "tie"
            mean, spread = known[name].mean, known[name].spread
            places.append(
                Place(name, self.kinds[name], mean, spread, p, verdict, self.seconds[name])
            )
        return tuple(places)

    def place(self, model: str) -> Place:
        """Return the line of one of them."""
        for place in self.leaderboard:
            if place.model == model:
                return place
        raise ParameterError(f"{model!r} was not tried; there are {', '.join(self.kinds)}")

    def tests(self, model: str) -> dict[str, float]:
        """Test everybody else against one, by what their answers to the rows held out cost.

        Returns p-values of the corrected t-test over rows, adjusted for their number (Benjamini and
        Hochberg).
        """
        others = [name for name in self.kinds if name != model]
        raw = [
            corrected_row_t(self.losses[model], self.losses[name], folds=self.folds).p_value
            for name in others
        ]
        adjusted = benjamini_hochberg(raw).tolist()
        return dict(zip(others, adjusted, strict=True))

    @property
    def why(self) -> tuple[str, ...]:
        """What to use and why, in a few sentences."""
        best, board = self.place(self.recommended), self.leaderboard
        tests = self.tests(self.recommended)
        said = [f"Use {self.name}: {self._score(best)} {self._words}, over {self.folds} folds."]
        if self.loss == "subset" and board[0].score == 0:
            said.append(NOBODY)
        else:
            said.append(self._against_baseline(tests[BASELINE]))
        rivals = [place for place in board if place.kind == "scikit-learn"]
        if rivals:
            said.append(self._against_yardstick(rivals[0], tests[rivals[0].model]))
        equals = [
            place
            for place in board
            if place.kind in ("model", "pool")
            and place.model != self.recommended
            and tests[place.model] > LEVEL
        ]
        if equals:
            said.append(_equals_said(best, equals))
        late = [name for name, why in self.left_out if why.startswith("left out")]
        if late:
            said.append(f"Left out for want of time: {', '.join(late)}; give them more.")
        return tuple(said)

    @property
    def name(self) -> str:
        """What is recommended, in words: a model, or a pool of which."""
        if self.recommended != POOL:
            return self.recommended
        parts = self.model.get_params(deep=False)["models"]
        return f"a pool of {', '.join(parts[:-1])} and {parts[-1]}"

    @property
    def code(self) -> str:
        """A line of Python that makes what is recommended; it is `model`, once fitted."""
        asked = {name: self.model.get_params(deep=False)[name] for name in ("loss", "cv", "models")}
        parts = ", ".join(f"{name}={value!r}" for name, value in asked.items())
        seed = self.model.random_state
        return f"jb.Auto({parts}{'' if seed is None else f', random_state={seed!r}'})"

    def to_frame(self) -> Any:
        """Return the leaderboard as a pandas frame, with the means of all metrics beside."""
        pandas = require("pandas", extra="pandas", purpose="a pandas frame")
        means = {name: self.comparison.table(name) for name in self.comparison.metrics}
        rows = [
            asdict(place)
            | {name: found[self.dataset][place.model] for name, found in means.items()}
            for place in self.leaderboard
        ]
        return pandas.DataFrame(rows)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it but the model as plain values."""
        told = {
            "dataset": self.dataset,
            "rows": self.rows,
            "features": self.features,
            "labels": list(self.label_names),
            "loss": self.loss,
            "metric": self.metric,
            "folds": self.folds,
            "recommended": self.recommended,
            "members": list(self.model.get_params(deep=False)["models"]),
            "why": list(self.why),
            "code": self.code,
            "leaderboard": [asdict(place) for place in self.leaderboard],
            "left_out": dict(self.left_out),
            "seconds": round(self.total_seconds, 3),
            "records": [dict(record) for record in self.comparison.records],
        }
        return dict(jsonable(told))

    def __repr__(self) -> str:
        board = self.leaderboard
        shown = board[:LINES]
        width = max(len(place.model) for place in shown)
        head = f"{len(board)} tried on {self.dataset}: {self.metric}, {self.folds} folds"
        lines = [f"{p.model:<{width}}  {p.score:.4f}  {p.verdict}".rstrip() for p in shown]
        lines += [f"… {len(board) - LINES} more"] if len(board) > LINES else []
        return "\n".join([head, *lines, self.why[0]])

    @property
    def _words(self) -> str:
        single = self.loss in ("subset", "hamming") and len(self.label_names) == 1
        return "of rows are answered right" if single else WORDS[self.loss]

    def _score(self, place: Place) -> str:
        share = self.loss in ("subset", "hamming")
        return f"{place.score:.1%}" if share else f"{place.score:.3f}"

    def _against_baseline(self, p: float) -> str:
        place = self.place(BASELINE)
        said = f"The baseline, which looks at no feature, has {self._score(place)}"
        if p > LEVEL:
            return f"{said}, which the test does not tell apart: features say little, or rows few."
        return f"{said}."

    def _against_yardstick(self, rival: Place, p: float) -> str:
        test = f"the test {'tells' if p <= LEVEL else 'does not tell'} them apart"
        more = ", which is more" if rival.score > self.place(self.recommended).score else ""
        return f"scikit-learn's best, {rival.model}, has {self._score(rival)}{more}; {test}."


def _equals_said(best: Place, equals: list[Place]) -> str:
    quick = min(equals, key=lambda place: place.seconds)
    names = ", ".join(place.model for place in equals)
    said = f"Not told apart from it: {names}"
    if best.seconds > FASTER * quick.seconds and quick.seconds > 0:
        said += f"; {quick.model} is {best.seconds / quick.seconds:,.0f} times as fast"
    return f"{said}."
