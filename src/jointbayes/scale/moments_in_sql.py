"""NaiBX from a database: means and variances of numbers by label vector, groups of all else.

A number is asked about less its mean over all rows, so that deviations of 1e-3 from 1e9 keep their
digits, as they do in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.encoding import Encoder
from jointbayes.encoding.learning import nominal_positions
from jointbayes.errors import DataError
from jointbayes.models.naibx.by_set import in_sets, measure_sets, pool_sets
from jointbayes.models.naibx.columns import Columns
from jointbayes.models.naibx.labels import members
from jointbayes.models.naibx.moments import Moments, Sums
from jointbayes.models.naibx.tables import Tables
from jointbayes.scale.batch import read_labels
from jointbayes.scale.column_digest import ColumnDigest, Wanted
from jointbayes.scale.database import ROWS, SUM, Database, number, value_of
from jointbayes.scale.digest import Digest
from jointbayes.scale.grouped import Group, LabelVectors, digest_group, group_by
from jointbayes.scale.wanted import learn_reading
from jointbayes.table import Table

__all__ = ["count_naibx"]

AT_ONCE = 32
"""Columns of numbers that one query asks about."""

BLOCKS = ("gaussian", "bernoulli", "multinomial", "nominal")


@dataclass(frozen=True)
class Facts:
    """What is asked of a column of numbers first; None where it has none."""

    known: float
    mean: float | None
    least: float | None
    most: float | None
    odd: float | None
    filled: float


def count_naibx(
    model: Any,
    database: Database,
    features: Sequence[str],
    known: LabelVectors,
    wanted: Wanted,
    most: int,
) -> tuple[Digest, Columns, Tables]:
    """Return what is known of the columns, how they are read, and the tables of NaiBX."""
    asked = nominal_positions(model.categorical_features, tuple(features)) or frozenset()
    facts = _facts(database, [x for j, x in enumerate(features) if j not in asked])
    groups = {x: group_by(database, x, known, most) for x in features if x not in facts}
    rows, one = int(known.rows.sum()), np.zeros(len(known.rows), dtype=np.intp)
    columns = tuple(
        _number(name, facts[name], rows)
        if name in facts
        else _filled(digest_group(groups[name], one, 1, _WHERE), groups[name])
        for name in features
    )
    digest = Digest(wanted, rows, columns, known.classes, np.array([rows]), _WHERE)
    reading = _centred(learn_reading(model, digest), facts)
    sets = members(known.vectors, known.space)
    parts = {name: _of_group(reading, name, group, sets) for name, group in groups.items()}
    parts |= _of_numbers(database, reading, facts, known, most)
    by_set = tuple(_beside(parts, reading, kind, len(sets)) for kind in BLOCKS)
    return digest, reading, pool_sets(sets, known.rows, by_set)


_WHERE = "the database"


def _facts(database: Database, names: Sequence[str]) -> dict[str, Facts]:
    """Ask about those of the columns that hold numbers."""
    found: dict[str, Facts] = {}
    for some in _few([name for name in names if _is_number(database.types.field(name).type)]):
        asked = []
        for name in some:
            x = value_of(name)
            other = f"CASE WHEN {x} <> 0 AND {x} <> 1 THEN {x} END"
            asked += [f"count({x})", f"avg({x})", f"min({x})", f"max({x})", f"min({other})"]
            asked += [f"count(*) - count(CASE WHEN {x} = 0 THEN 1 END)"]
        named = ", ".join(f"{sql} AS {SUM.format(i)}" for i, sql in enumerate(asked))
        kinds = {SUM.format(i): "float64" for i in range(len(asked))}
        answer = database.ask(f"SELECT {named} FROM {ROWS}", kinds).to_pylist()[0]
        for i, name in enumerate(some):
            found[name] = Facts(*(answer[SUM.format(k)] for k in range(6 * i, 6 * i + 6)))
            if any(
                end is not None and np.isinf(end) for end in (found[name].least, found[name].most)
            ):
                raise DataError(
                    f"column {name!r} holds infinity in some row of the database; leave such rows "
                    "out in the query"
                )
    return found


def _is_number(kind: Any) -> bool:
    return str(kind).startswith(("int", "uint", "float", "double", "halffloat", "decimal"))


def _few(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), AT_ONCE):
        yield names[start : start + AT_ONCE]


def _number(name: str, facts: Facts, rows: int) -> ColumnDigest:
    ends = np.array([end for end in (facts.least, facts.most) if end is not None])
    return ColumnDigest(
        name,
        "numeric",
        declared=False,
        where=_WHERE,
        missing=rows - int(facts.known),
        first=ends,
        largest=float(ends[np.abs(ends).argmax()]) if len(ends) else float("nan"),
        odd=float("nan") if facts.odd is None else facts.odd,
        filled=int(facts.filled),
        negative=bool((ends < 0).any()),
    )


def _filled(digest: ColumnDigest, group: Group) -> ColumnDigest:
    """Add how many cells are not 0, and a number that is neither 0 nor 1."""
    zero = np.array([cell == 0 for cell in group.column.decoded().tolist()])
    values = np.zeros(0) if digest.numbers is None else digest.numbers.values
    odd = values[(values != 0) & (values != 1)]
    return replace(
        digest,
        filled=int(group.rows[~zero].sum()),
        odd=float(odd[0]) if len(odd) and digest.kind != "nominal" else float("nan"),
    )


def _centred(reading: Columns, facts: dict[str, Facts]) -> Columns:
    """Return columns whose numbers are moved by their mean over all rows."""
    origin = reading.origin.copy()
    for i, j in enumerate(reading.where("gaussian")):
        mean = facts[reading.names[j]].mean if reading.names[j] in facts else None
        if mean is not None:
            origin[i] = reading.scale[i] * mean
    return replace(reading, origin=origin)


def _of_group(reading: Columns, name: str, group: Group, sets: Any) -> Moments | Sums:
    """Return what a column of which the groups are known is like in every label set."""
    j = reading.names.index(name)
    kind, encoder = reading.kinds[j], None
    if kind == "nominal":
        assert reading.encoder is not None
        encoder = Encoder((reading.encoder.variables[reading.where("nominal").index(j)],))
    i = [reading.where("gaussian").index(j)] if kind == "gaussian" else []
    dates = frozenset({0} if j in reading.dates else ())
    alone = Columns(
        (reading.names[j],), (kind,), reading.scale[i], reading.origin[i], encoder, dates
    )
    found = in_sets(sets, group.of_vector)
    _, by_set = measure_sets(alone, Table((group.column,)), found, group.rows)
    return by_set[BLOCKS.index(kind)]


def _of_numbers(
    database: Database,
    reading: Columns,
    facts: dict[str, Facts],
    known: LabelVectors,
    most: int,
) -> dict[str, Moments | Sums]:
    """Ask for counts, and means and variances or sums, of numbers by label vector."""
    found: dict[str, Moments | Sums] = {}
    place = {name: j for j, name in enumerate(reading.names)}
    for some in _few(list(facts)):
        asked = [sql for name in some for sql in _sums(reading, name)]
        named = {SUM.format(i): sql for i, sql in enumerate(asked)}
        answer = database.groups(dict.fromkeys(known.names), most, named)
        order = np.argsort(known.places(read_labels(answer, known.names)))
        table = [
            np.nan_to_num(np.asarray(answer.column(SUM.format(i)).to_numpy(), dtype=np.float64))[
                order
            ]
            for i in range(len(asked))
        ]
        for i, name in enumerate(some):
            n, first, second = (column[:, None] for column in table[3 * i : 3 * i + 3])
            if reading.kinds[place[name]] == "gaussian":
                found[name] = Moments(n, first, second * n)
            else:
                found[name] = Sums(n, first)
    return found


def _sums(reading: Columns, name: str) -> list[str]:
    """Return SQL of the rows where a number is known, and of what is added up there."""
    x, j = value_of(name), reading.names.index(name)
    if reading.kinds[j] == "gaussian":
        i = reading.where("gaussian").index(j)
        moved = f"({x} * {number(reading.scale[i])} - {number(reading.origin[i])})"
        return [f"count({x})", f"avg({moved})", f"var_pop({moved})"]
    added = f"CASE WHEN {x} > 0 THEN 1 ELSE 0 END" if reading.kinds[j] == "bernoulli" else x
    return [f"count({x})", f"sum({added})", "0"]


def _beside(
    parts: dict[str, Moments | Sums], reading: Columns, kind: str, groups: int
) -> Moments | Sums:
    """Return the columns of a kind as one block."""
    own = [parts[reading.names[j]] for j in reading.where(kind)]
    arrays = 3 if kind == "gaussian" else 2
    nothing: list[Floats] = [np.zeros((groups, 0))] * arrays
    stacked = [np.hstack(column) for column in zip(*map(_arrays, own), strict=True)] or nothing
    return Moments(*stacked) if kind == "gaussian" else Sums(*stacked)


def _arrays(part: Moments | Sums) -> tuple[Floats, ...]:
    return (part.n, part.mean, part.m2) if isinstance(part, Moments) else (part.n, part.x)
