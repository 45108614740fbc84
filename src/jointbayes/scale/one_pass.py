"""One pass where one will do: what is remembered follows from what was seen while looking.

Naive Bayes remembers how often values met classes, which is what its cuts are learned from: unless
numbers were pooled, the first pass has counted it all. NaiBX asks for no cuts: a part is counted as
it would be read were it all there is, and restated once others say how to read it. Where neither
tells enough, the rows are read again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jointbayes.codes import narrowest
from jointbayes.counts import SingleCounts
from jointbayes.encoding import Encoder
from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace
from jointbayes.models.naibx.columns import Columns
from jointbayes.models.naibx.labels import is_one_class, room_for
from jointbayes.models.naibx.naibx import NaiBX
from jointbayes.models.naibx.restating import restated
from jointbayes.models.naibx.tables import Tables
from jointbayes.models.one_class.naive_bayes import NaiveBayes
from jointbayes.scale.batch import Part, read_batch
from jointbayes.scale.column_digest import ColumnDigest, Wanted
from jointbayes.scale.digest import Digest, digest_batch, merge_digests
from jointbayes.scale.encoders import categories_of
from jointbayes.scale.knowledge import Tally, code_of, space_of, tally_batch
from jointbayes.scale.wanted import learn_reading
from jointbayes.table import Column

__all__ = ["Glance", "Glancing", "merge_glances", "tally_of"]


@dataclass(frozen=True, eq=False)
class Counted:
    """The tables of NaiBX of some rows, and how their columns and labels were read."""

    columns: Columns
    space: LabelSpace
    tally: Tally

    def read_as(self, columns: Columns, space: LabelSpace) -> Counted | None:
        """Return the same rows read otherwise, if these tables tell."""
        tables: Tables | None = restated(self.tally.knowledge, self.columns, columns)
        if tables is None or self.space.names != space.names:
            return None
        if not self.space.like(space):
            fewer = {*self.space.classes[0].tolist()} < {*space.classes[0].tolist()}
            if not (is_one_class(self.space) and is_one_class(space) and fewer):
                return None
            tables = room_for(space, tables, self.space)
        return Counted(columns, space, replace(self.tally, knowledge=tables))


@dataclass(frozen=True, eq=False)
class Glance:
    """What one pass saw of some rows, and what NaiBX counted meanwhile, if it could."""

    digest: Digest
    counted: Counted | None = None

    @property
    def rows(self) -> int:
        """How many rows were seen."""
        return self.digest.rows


@dataclass(eq=False)
class Glancing:
    """Looks at parts. It remembers how the last one was read, as most are read alike."""

    wanted: Wanted
    model: Any
    single: bool
    last: Columns | None = None

    def __call__(self, part: Part) -> Glance:
        """Return what is to be seen of a part."""
        batch = read_batch(part, self.wanted.targets, self.wanted.ignored)
        digest = digest_batch(batch, self.wanted)
        if not isinstance(self.model, NaiBX):
            return Glance(digest)
        space = space_of(digest, single=self.single)
        try:
            columns = self.last
            if columns is None or not _reads(columns, digest):
                columns = self.last = learn_reading(self.model, digest)
            tally = tally_batch(batch, self.model, columns, space, columns.names)
        except DataError:  # to be told of once all rows are known
            return Glance(digest)
        return Glance(digest, Counted(columns, space, tally))


def _reads(columns: Columns, digest: Digest) -> bool:
    """Whether some rows can be counted as others were read; whether all can, is seen later."""
    if columns.names != digest.names or columns.encoder is not None:
        return False
    dates = {j for j, column in enumerate(digest.columns) if column.kind == "date"}
    return dates == columns.dates and all(
        column.kind != "nominal"
        and (kind == "gaussian" or (kind == "bernoulli" and np.isnan(column.odd)))
        for column, kind in zip(digest.columns, columns.kinds, strict=True)
    )


def merge_glances(a: Glance, b: Glance, *, model: Any, single: bool) -> Glance:
    """Return what was seen of the rows of both."""
    digest = merge_digests(a.digest, b.digest)
    if a.counted is None or b.counted is None:
        return Glance(digest)
    mine: Counted | None = a.counted
    theirs = b.counted.read_as(a.counted.columns, a.counted.space)
    if theirs is None:
        columns, space = learn_reading(model, digest), space_of(digest, single=single)
        mine, theirs = (one.read_as(columns, space) for one in (a.counted, b.counted))
    if mine is None or theirs is None:
        return Glance(digest)
    return Glance(digest, replace(mine, tally=mine.tally + theirs.tally))


def tally_of(model: Any, glance: Glance, reading: Any, space: LabelSpace) -> Tally | None:
    """Return what the model remembers of all rows, if one pass told."""
    if glance.counted is not None:
        counted = glance.counted.read_as(reading, space)
        return None if counted is None else counted.tally
    if isinstance(model, NaiveBayes):
        return _values_by_class(glance.digest, reading, space)
    return None


def _values_by_class(digest: Digest, encoder: Encoder, space: LabelSpace) -> Tally | None:
    """Return the counts of naive Bayes, if all that was seen was counted, and nothing pooled."""
    if not digest.wanted.categories:
        return None
    pairs = [pair for pair in map(_counted_values, digest.columns) if pair is not None]
    if len(pairs) < len(digest.columns):
        return None
    place = code_of(space, 0, digest.labels[0])
    blocks = []
    for variable, (values, counts) in zip(encoder.variables, pairs, strict=True):
        codes = np.empty(len(values), dtype=narrowest(variable.card))
        variable.write(values, codes)
        block = np.zeros((variable.card + 1, len(place)))
        np.add.at(block, codes.astype(np.intp), counts)
        block[variable.missing_code] += digest.sizes - counts.sum(axis=0)
        blocks.append(block[: variable.card])
    n_c, n_cx = np.zeros(space.cards[0]), np.zeros((space.cards[0], sum(encoder.cards)))
    n_c[place], n_cx[place] = digest.sizes, np.concatenate(blocks).T
    some_empty = not space.binary or bool(n_c[0] > 0)
    return Tally(SingleCounts(n_c, n_cx, encoder.cards), digest.rows, some_empty)


def _counted_values(column: ColumnDigest) -> tuple[Column, Any] | None:
    """Return the distinct values of a column, and how often each met each class."""
    if column.kind == "nominal":
        return None if column.met is None else (categories_of(column), column.met)
    if column.numbers is None or not column.numbers.is_exact:
        return None
    return Column(column.name, column.kind, column.numbers.values), column.numbers.counts
