r"""Audit: which labels a joint model finds improbable on rows that it has not learned from.

Every row is judged by a model of the other folds. An entry is held against the row, and against the
other labels of its row, which the joint knows to go together with it but which may be wrong
themselves: they are believed as likely as not. So of a value c in the place of y_j,

(1)  P(c) = ½ P(c | x) + ½ P(c | x, rest) ,   log odds = log P(c) − log P(y_j)

for the most probable other value c. By P(c | x, rest) alone one wrong label makes its neighbours
suspicious too; by P(c | x) alone nothing is learned from them (docs/evidence/known_labels.md).
A whole row is held against the most probable vector:

(2)  log odds = log P(mode | x) − log P(y | x) .
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from jointbayes.arrays import Floats, Labels, Values
from jointbayes.doors import Shown
from jointbayes.errors import ParameterError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import check_parameters, integer
from jointbayes.estimator.reading import read_labelled
from jointbayes.inference.logs import log_sum
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.models.catalog import make_model
from jointbayes.models.wrappers.wrapper import out_of_fold
from jointbayes.posterior import Posterior

__all__ = ["Audit", "audit"]

ENTRIES = [("row", "i8"), ("label", "O"), ("found", "O"), ("expected", "O"), ("log_odds", "f8")]
ROWS = [("row", "i8"), ("found", "O"), ("expected", "O"), ("log_odds", "f8")]


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Shown):
    """What a joint model finds improbable out of fold, and what it expected.

    Parameters
    ----------
    entries
        A record ``row, label, found, expected, log_odds`` for each label of each row, the most
        suspicious first: ``entry.row``, or a whole column by ``entries["row"]``. ``expected`` is
        the most probable value given the row, and its other labels as far as they are to be
        believed; ``log_odds`` are those of the best other value against the one found, above 0
        where another was expected.
    rows
        A record ``row, found, expected, log_odds`` for each row, the most suspicious first, of
        whole label vectors.

    Examples
    --------
    See `jointbayes.audit`.
    """

    entries: np.recarray[Any, Any]
    rows: np.recarray[Any, Any]

    def __repr__(self) -> str:
        odd, many = int((self.entries["log_odds"] > 0).sum()), len(self.entries)
        return f"Audit: {len(self.rows)} rows, {odd} of {many} entries expected otherwise"


def audit(model: Any, X: Any, Y: Any = None, cv: int = 5) -> Audit:
    """Look for labels that are probably wrong: those that a model of other rows finds improbable.

    Parameters
    ----------
    model
        One of our models, or the name of one; it is not changed.
    X, Y
        Rows and their labels, as ``fit`` takes them. Where the model learns from labels of which
        some are not known, entries that are known are judged given the others that are, and rows
        all of whose labels are known.
    cv
        How many folds; they are drawn by a fixed seed.

    Examples
    --------
    Two labels that are always equal, but once:

    >>> import jointbayes as jb
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> X, Y = (y + rng.normal(0, 0.3, 200))[:, None], np.stack([y, y], axis=1)
    >>> Y[7, 1] = 1 - Y[7, 1]
    >>> found = jb.audit(jb.CTBN(), X, Y)
    >>> entry = found.entries[0]
    >>> int(entry.row), entry.label, entry.found, entry.expected
    (7, 'y1', 1, 0)
    >>> found
    Audit: 200 rows, 4 of 400 entries expected otherwise
    """
    estimator = make_model(model)
    if not isinstance(estimator, Classifier) or not hasattr(estimator, "posterior"):
        raise ParameterError(
            f"audit: {type(estimator).__name__} has no joint posterior; give one of this library's "
            "models that has"
        )
    if not integer(2).holds(cv):
        raise ParameterError(f"audit: cv={cv!r} is outside its range; give {integer(2).legal}")
    check_parameters(estimator)
    unknown = estimator._of_unknown()
    rows = read_labelled(clone(estimator), X, Y, None, learn_labels, reset=True, unknown=unknown)
    entry_odds = np.empty((*rows.codes.shape, 2))
    other, mode = np.empty_like(rows.codes), np.empty_like(rows.codes)
    row_odds = np.empty(len(rows))
    for test, post in out_of_fold(estimator, rows, int(cv)):
        codes = rows.codes[test]
        mode[test] = post._mode()
        own, best = (_log_of(post, y) for y in (codes, mode[test]))
        row_odds[test] = _difference(best, own)
        entry_odds[test], other[test] = _odds_of_entries(post, codes)
    return Audit(
        _entries(rows.space, rows.codes, other, entry_odds),
        _rows(rows.space, rows.codes, mode, row_odds),
    )


def _odds_of_entries(post: Posterior, codes: Labels) -> tuple[Floats, Labels]:
    """Return (n, d, 2) log odds (1) and, to tell ties apart, those of marginals; and each c."""
    odds, other = np.empty((*codes.shape, 2)), np.empty_like(codes)
    marginals, rows = post._marginals(), np.arange(len(codes))
    for j, p in enumerate(marginals):
        with np.errstate(divide="ignore"):
            log_p = np.log(p)
        found = rows, codes[:, j]
        alone = _difference(log_p, log_p[found][:, None])
        given = np.stack([_in_place(post, codes, j, c) for c in range(p.shape[1])], axis=1)
        total = log_sum(given, axis=1)[:, None]
        # Where the joint holds all values impossible, the label by itself has to do.
        given = np.where(np.isneginf(total), log_p, _difference(given, total))
        both = np.logaddexp(log_p, given)
        pooled = _difference(both, both[found][:, None])
        pooled[found] = alone[found] = -np.inf
        other[:, j] = pooled.argmax(axis=1)
        odds[:, j, 0], odds[:, j, 1] = pooled.max(axis=1), alone[rows, other[:, j]]
    return odds, other


def _in_place(post: Posterior, codes: Labels, j: int, value: int) -> Floats:
    changed = codes.copy()
    changed[:, j] = np.where(codes[:, j] < 0, -1, value)
    return _log_of(post, changed)


def _log_of(post: Posterior, codes: Labels) -> Floats:
    """Return the log-probability of what is known of each row, which is all but the codes −1."""
    if (codes >= 0).all():
        return post._log_prob(codes[:, None])[:, 0]
    return post._evidence(codes)


def _difference(a: Floats, b: Floats) -> Floats:
    """Return a − b of logarithms; NaN where both are of 0."""
    with np.errstate(invalid="ignore"):
        return a - b


def _entries(space: LabelSpace, codes: Labels, other: Labels, odds: Floats) -> Any:
    n, d = codes.shape
    expected = space.decode(np.where(odds[:, :, 0] > 0, other, codes)).ravel()
    order = np.lexsort((-odds[:, :, 1].ravel(), -odds[:, :, 0].ravel()))
    order = order[codes.ravel()[order] >= 0]
    names = np.tile(np.array(space.names, dtype=object), n)
    columns = (np.repeat(np.arange(n), d), names, space.decode(codes).ravel(), expected)
    return _records(ENTRIES, [*columns, odds[:, :, 0].ravel()], order)


def _rows(space: LabelSpace, codes: Labels, mode: Labels, odds: Floats) -> Any:
    found, expected = _vectors(space.decode(codes)), _vectors(space.decode(mode))
    order = np.argsort(-odds, kind="stable")
    order = order[(codes[order] >= 0).all(axis=1)]
    return _records(ROWS, [np.arange(len(codes)), found, expected, odds], order)


def _vectors(labels: Values) -> Values:
    """Return (n,) tuples of labels."""
    column = np.empty(len(labels), dtype=object)
    column[:] = [tuple(row) for row in labels.tolist()]
    return column


def _records(kinds: Any, columns: Any, order: Labels) -> Any:
    records = np.empty(len(order), dtype=kinds).view(np.recarray)
    for (name, _), column in zip(kinds, columns, strict=True):
        records[name] = column[order]
    records.flags.writeable = False
    return records
