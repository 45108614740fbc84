r"""Asking: the labels of a row one after the other, until the rest is sure enough.

While P(best vector | row, answers) is below what is asked for, one label more is asked for: the one
that is least certain, or the one whose answer is worth most (`next_question`) and where none is
worth anything the least certain. Worth looks one answer ahead, so that it takes more questions in
all (docs/evidence/known_labels.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels, Mask, Values
from jointbayes.decision.questions import next_question
from jointbayes.errors import DataError, ParameterError
from jointbayes.labels.columns import split_columns
from jointbayes.posterior import Posterior

__all__ = ["Interview", "ask"]

ROUNDING = 1e-12
LOG = [("row", "i8"), ("label", "O"), ("value", "O")]


@dataclass(frozen=True, eq=False, repr=False)
class Interview:
    """What was asked, what was answered, and what the labels then are.

    Parameters
    ----------
    labels
        (n, d) the most probable label vectors that agree with the answers.
    questions
        (n,) how many labels of each row were asked for.
    probability
        (n,) of ``labels``, given the answers.
    answers
        A record ``row, label, value`` for each question, in order; a value None was not known.
    """

    labels: Values
    questions: Labels
    probability: Floats
    answers: np.recarray[Any, Any]

    def __repr__(self) -> str:
        n, mean = len(self.questions), self.questions.mean() if len(self.questions) else 0.0
        return f"Interview: {n} rows, {len(self.answers)} questions, {mean:.2f} a row"


def ask(
    posterior: Posterior,
    answer: Callable[[int, str], Any] | Any,
    *,
    sure: float = 0.95,
    most: int | None = None,
    labels: Iterable[str] | None = None,
    by: str = "doubt",
    loss: Any = "subset",
) -> Interview:
    """Ask for labels, row by row, until the rest of each row is sure.

    Parameters
    ----------
    posterior
        What a model says of the rows.
    answer
        Called with the number of a row and the name of a label, it returns the value, or None if
        that is not known; or a label matrix that holds the answers, to see what asking would cost.
    sure
        How probable the most probable label vector has to be.
    most
        How many labels of a row are asked for at most; None for all.
    labels
        Names of those that can be asked for; None for all.
    by
        What is asked first: "doubt", the least certain label; "worth", the one whose answer lowers
        the expected loss most.
    loss
        Of "worth"; see `Posterior.next_question`.

    Examples
    --------
    The first label is the least certain, and tells the second:

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Tree
    >>> space = learn_labels([[0, 0], [1, 1]])
    >>> first, second = np.log([[[0.5, 0.5]]]), np.log([[[0.9, 0.1], [0.2, 0.8]]])
    >>> asked = ask(Tree((-1, 0), [first, second], space), lambda row, label: 1, sure=0.75)
    >>> asked, asked.labels.tolist(), asked.probability.round(2).tolist()
    (Interview: 1 rows, 1 questions, 1.00 a row, [[1, 1]], [0.8])
    """
    if not 0 < sure <= 1:
        raise ParameterError(f"ask: sure={sure!r} is outside its range; give a share above 0")
    if by not in ("doubt", "worth"):
        raise ParameterError(f"ask: by={by!r} is outside its range; give 'doubt' or 'worth'")
    if not isinstance(posterior, Posterior):
        raise DataError(
            f"ask: a {type(posterior).__name__} is not a posterior; give model.posterior(X)"
        )
    names = posterior.space.names
    known = np.full((len(posterior), len(names)), -1, dtype=np.intp)
    may = np.isin(names, names if labels is None else list(labels))[None] & (known < 0)
    if not may.any() and len(known):
        raise DataError(f"ask: no label can be asked for; there are {', '.join(names)}")
    tell = answer if callable(answer) else _told_by(answer, posterior)
    asked, log = np.zeros(len(known), dtype=np.intp), []
    limit = len(names) if most is None else most
    waiting = np.arange(len(known))
    while True:
        waiting = waiting[may[waiting].any(axis=1) & (asked[waiting] < limit)]
        now = _given(posterior, waiting, known)
        unsure = _mode(now)[1] < sure
        waiting, now = waiting[unsure], now[np.flatnonzero(unsure)]
        if not len(waiting):
            break
        for row, j in zip(waiting.tolist(), _choose(now, may[waiting], by, loss), strict=True):
            value = tell(row, names[j])
            log.append((row, names[j], value))
            asked[row] += 1
            may[row, j] = False
            if value is not None:
                known[row, j] = posterior.space.take([j]).encode(np.asarray([[value]]))[0, 0]
    codes, p = _mode(_given(posterior, np.arange(len(known)), known))
    records = np.array(log, dtype=LOG).view(np.recarray)
    return Interview(posterior.space.decode(codes), asked, p, records)


def _told_by(Y: Any, posterior: Posterior) -> Callable[[int, str], Any]:
    """Return what looks answers up in a label matrix."""
    columns = split_columns(Y)[0]
    names = posterior.space.names
    if len(columns) != len(names) or any(len(c) != len(posterior) for c in columns):
        raise DataError(
            f"ask: the answers have {len(columns)} columns; give one value of each of "
            f"{len(names)} labels for each of {len(posterior)} rows, or a function"
        )
    place = {name: j for j, name in enumerate(names)}
    return lambda row, name: columns[place[name]][row]


def _given(posterior: Posterior, rows: Labels, known: Labels) -> Posterior:
    return posterior._rows(rows)._given(known[rows]).wearing(posterior.frame, posterior.obeyed)


def _mode(posterior: Posterior) -> tuple[Labels, Floats]:
    codes = posterior._mode()
    return codes, np.exp(posterior._log_prob(codes[:, None])[:, 0])


def _choose(posterior: Posterior, may: Mask, by: str, loss: Any) -> list[int]:
    """Return the label to ask for on each row, among those that may be."""
    certain: NDArray[Any] = np.stack([p.max(axis=1) for p in posterior._marginals()], axis=1)
    doubt = np.where(may, certain, np.inf).argmin(axis=1)
    if by == "doubt":
        return doubt.tolist()  # type: ignore[no-any-return]
    label, worth = next_question(posterior, loss)
    best = np.array([posterior.space.names.index(name) for name in label])
    rows = np.arange(len(best))
    return np.where((worth > ROUNDING) & may[rows, best], best, doubt).tolist()  # type: ignore[no-any-return]
