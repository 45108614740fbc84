"""The tables of some rows as they would be had more rows said how columns are read.

Units are another factor and shift. Numbers that were all 0 and 1 among some rows have the moments
that follow from how many are 1. Categories that only other rows hold were never met.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.encoding.variable import Variable
from jointbayes.models.naibx.columns import Columns
from jointbayes.models.naibx.moments import Moments, Sums
from jointbayes.models.naibx.tables import Statistics, Tables

__all__ = ["restated"]


def restated(tables: Tables, before: Columns, now: Columns) -> Tables | None:
    """Return tables of columns read as ``before`` for columns read as ``now``.

    None where they do not tell: a column that counted words, or was text, and is not any more.

    >>> from jointbayes.models.naibx.counting import count_rows
    >>> from jointbayes.models.naibx.kinds import learn_columns
    >>> from jointbayes.table import Table
    >>> some, more = Table.of([[0.0], [1.0]]), Table.of([[0.0], [1.0], [3.0]])
    >>> before, now = learn_columns(some), learn_columns(more)
    >>> tables = count_rows(before, some, np.ones((2, 1), dtype=bool), None)
    >>> moments = restated(tables, before, now).by_label[0]
    >>> (moments.mean / now.scale + now.origin / now.scale).tolist()
    [[0.5]]
    """
    if (before.names, before.dates) != (now.names, now.dates):
        return None
    if any(a != b and (a, b) != ("bernoulli", "gaussian") for a, b in _kinds(before, now)):
        return None
    widen = _wider_encoder(before, now)
    if widen is None:
        return None
    by_label, by_size = (
        _restate(parts, before, now, widen) for parts in (tables.by_label, tables.by_size)
    )
    return replace(tables, by_label=by_label, by_size=by_size)


def _kinds(before: Columns, now: Columns) -> list[tuple[str, str]]:
    return list(zip(before.kinds, now.kinds, strict=True))


def _restate(
    parts: Statistics, before: Columns, now: Columns, widen: Callable[[Sums], Sums]
) -> Statistics:
    moments, zeros_and_ones, words, indicators = parts
    assert isinstance(moments, Moments)
    assert isinstance(zeros_and_ones, Sums)
    assert isinstance(indicators, Sums)
    place = {j: i for i, j in enumerate(now.where("gaussian"))}
    kept = [place[j] for j in before.where("gaussian")]
    turned = [i for i, j in enumerate(before.where("bernoulli")) if j in place]
    still = [i for i in range(zeros_and_ones.n.shape[1]) if i not in set(turned)]
    n, mean, m2 = np.zeros((3, len(moments.n), len(place)))
    factor = now.scale[kept] / before.scale
    moved = moments.moved(factor, factor * before.origin - now.origin[kept])
    n[:, kept], mean[:, kept], m2[:, kept] = moved.n, moved.mean, moved.m2
    new = [place[before.where("bernoulli")[i]] for i in turned]
    some = _moments_of(Sums(zeros_and_ones.n[:, turned], zeros_and_ones.x[:, turned]))
    some = some.moved(now.scale[new], -now.origin[new])
    n[:, new], mean[:, new], m2[:, new] = some.n, some.mean, some.m2
    rest = Sums(zeros_and_ones.n[:, still], zeros_and_ones.x[:, still])
    return Moments(n, mean, m2), rest, words, widen(indicators)


def _moments_of(sums: Sums) -> Moments:
    """Return the moments of numbers of which so many are 1 and the others 0."""
    mean = np.divide(sums.x, sums.n, out=np.zeros_like(sums.x), where=sums.n > 0)
    return Moments(sums.n, mean, sums.x * (1 - mean))


def _wider_encoder(before: Columns, now: Columns) -> Callable[[Sums], Sums] | None:
    """Return what turns sums of indicators into those of more categories; None if it cannot."""
    pairs = [
        (a, b, _places(a, b)) for a, b in zip(_variables(before), _variables(now), strict=True)
    ]
    if any(where is None for _, _, where in pairs):
        return None

    def widen(sums: Sums) -> Sums:
        n, x, start = list[Floats](), list[Floats](), 0
        for a, b, where in pairs:
            width = 1 if a.card == 2 else a.card
            own = slice(start, start + width)
            known, seen = sums.n[:, own], sums.x[:, own]
            start += width
            if a.card == 2:  # one indicator tells of two values
                seen = np.hstack([known - seen, seen])
            wide = np.zeros((len(seen), b.card))
            wide[:, where] = seen
            wide = wide[:, 1:] if b.card == 2 else wide
            x.append(wide)
            n.append(np.repeat(known[:, :1], wide.shape[1], axis=1))
        nothing = [np.zeros((len(sums.n), 0))]
        return Sums(np.hstack(n or nothing), np.hstack(x or nothing))

    return widen


def _variables(columns: Columns) -> tuple[Variable, ...]:
    return () if columns.encoder is None else columns.encoder.variables


def _places(a: Variable, b: Variable) -> list[int] | None:
    """Return where the values of one variable are among those of another, if they all are."""
    if a.categories is None or b.categories is None:
        return None
    index = {value: code for code, value in enumerate(b.categories.tolist())}
    where = [index.get(value, -1) for value in a.categories.tolist()]
    if a.with_missing:
        where.append(b.missing_code if b.with_missing else -1)
    return None if -1 in where or len(where) != a.card else where
