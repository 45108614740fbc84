"""Count in a database: values by class or by label vector, and moments, as groups of rows.

Naive Bayes is known once every column was grouped with the class. Models of several class variables
cut numbers by how often each occurs, then group the intervals with the labels. NaiBX asks for means
and variances of numbers by label vector. What leaves the database are groups and their counts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.codes import narrowest
from jointbayes.counts import SingleCounts
from jointbayes.encoding import Encoder
from jointbayes.encoding.variable import Variable
from jointbayes.errors import DataError, ParameterError
from jointbayes.labels import LabelSpace
from jointbayes.models.naibx.naibx import NaiBX
from jointbayes.models.networks.classifier import ClassNetworks
from jointbayes.models.networks.vector_counts import VectorCounts
from jointbayes.models.one_class.naive_bayes import NaiveBayes
from jointbayes.scale.column_digest import Wanted
from jointbayes.scale.database import Database, number, value_of
from jointbayes.scale.digest import Digest
from jointbayes.scale.grouped import Group, LabelVectors, digest_group, group_by, label_vectors
from jointbayes.scale.knowledge import Tally, code_of, space_of_labels
from jointbayes.scale.moments_in_sql import count_naibx
from jointbayes.scale.one_pass import Glance, tally_of
from jointbayes.scale.wanted import learn_reading
from jointbayes.table.wording import listed, shown

__all__ = ["count_in_database"]

WHERE = "the database"


def count_in_database(
    model: Any, database: Database, wanted: Wanted, *, single: bool
) -> tuple[Digest, Any, LabelSpace, Tally]:
    """Return what is known of the columns and how they are read, the labels, and what was counted.

    Refuses models that count pairs of columns: that is faster out of the database.
    """
    if not isinstance(model, NaiveBayes | ClassNetworks | NaiBX):
        raise ParameterError(
            f"{type(model).__name__} counts pairs of columns, which a database does more slowly "
            "than it gives its rows; leave count as it is, or take NaiveBayes, MultilabelNB, "
            "MultilabelFAN, NetworkEnsemble or NaiBX"
        )
    features = _features(database, wanted)
    most = max(1024, wanted.cells // len(features))
    known = label_vectors(
        database,
        wanted.targets,
        most,
        lambda classes: space_of_labels(wanted.targets, classes, single=single),
    )
    if isinstance(model, NaiBX):
        digest, columns, tables = count_naibx(model, database, features, known, wanted, most)
        return digest, columns, known.space, _tally(tables, known)
    if isinstance(model, NaiveBayes):
        wanted = replace(wanted, values="by class", categories=True)
        digest = _digest(database, features, known, wanted, most)
        reading = learn_reading(model, digest)
        tally = tally_of(model, Glance(digest), reading, known.space)
        assert tally is not None  # nothing is pooled in a database
        return digest, reading, known.space, tally
    digest = _digest(database, features, known, wanted, most)
    encoder = learn_reading(model, digest)
    vectors = _by_vector(database, encoder, known, most)
    return digest, encoder, known.space, _tally(vectors, known)


def _tally(knowledge: Any, known: LabelVectors) -> Tally:
    return Tally(knowledge, int(known.rows.sum()), known.some_empty)


def _features(database: Database, wanted: Wanted) -> list[str]:
    names = database.names
    absent = [name for name in (*wanted.targets, *wanted.ignored) if name not in names]
    if absent:
        use = "learn" if absent[0] in wanted.targets else "ignore"
        raise DataError(
            f"{WHERE}: there is no column {shown(absent[0])} to {use}; the columns are "
            f"{listed(names)}"
        )
    features = [name for name in names if name not in {*wanted.targets, *wanted.ignored}]
    if not features:
        raise DataError(f"{WHERE}: there is no column beside the target; give at least one feature")
    return features


def _digest(
    database: Database, features: list[str], known: LabelVectors, wanted: Wanted, most: int
) -> Digest:
    """Group every column, with the class where that is wanted."""
    by_class = wanted.values == "by class"
    classes, n_classes = np.zeros(len(known.rows), dtype=np.intp), 1
    if by_class:
        codes = code_of(known.space, 0, known.classes[0])
        place = np.zeros(known.space.cards[0], dtype=np.intp)
        place[codes] = np.arange(len(codes))
        classes, n_classes = place[known.vectors[:, 0]], len(codes)
    columns = tuple(
        digest_group(
            group_by(database, name, known if by_class else None, most), classes, n_classes, WHERE
        )
        for name in features
    )
    sizes = np.bincount(classes, known.rows, minlength=n_classes).astype(np.int64)
    return Digest(wanted, int(known.rows.sum()), columns, known.classes, sizes, WHERE)


def _by_vector(
    database: Database, encoder: Encoder, known: LabelVectors, most: int
) -> VectorCounts:
    """Count the codes of every column by label vector."""
    blocks: list[Floats] = []
    for variable in encoder.variables:
        cut = variable.kind == "numeric" and variable.cuts is not None
        sql = _interval(variable) if cut else None
        group = group_by(database, variable.name, known, most, sql)
        codes = group.column.values.astype(np.intp) if cut else _codes(variable, group)
        block = np.zeros((len(known.rows), variable.card + 1))
        np.add.at(block, (group.of_vector, codes), group.rows)
        blocks.append(block[:, : variable.card])
    counts = SingleCounts(known.rows, np.hstack(blocks), encoder.cards)
    return VectorCounts(known.vectors, counts, known.space.cards)


def _codes(variable: Variable, group: Group) -> Any:
    codes = np.empty(len(group.rows), dtype=narrowest(variable.card))
    variable.write(group.column, codes)
    return codes.astype(np.intp)


def _interval(variable: Variable) -> str:
    """Return SQL of the code of a number: in which interval (a, b] it is."""
    assert variable.cuts is not None
    x = value_of(variable.name)
    below = "".join(f" WHEN {x} <= {number(cut)} THEN {k}" for k, cut in enumerate(variable.cuts))
    missing = f"WHEN {x} IS NULL THEN {variable.missing_code}"
    return f"CASE {missing}{below} ELSE {len(variable.cuts)} END"
