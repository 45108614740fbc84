"""fit: two passes over the rows, wherever they are, and the model that all of them would give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from operator import add
from time import monotonic
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from jointbayes.errors import DataError, ParameterError
from jointbayes.labels import LabelSpace
from jointbayes.models.naibx.naibx import NaiBX
from jointbayes.models.networks.classifier import ClassNetworks
from jointbayes.scale.batch import Part, read_batch
from jointbayes.scale.column_digest import Wanted
from jointbayes.scale.database import database_of
from jointbayes.scale.digest import Digest
from jointbayes.scale.encoders import pooled_columns
from jointbayes.scale.feed import Feed, LocalFeed, Show
from jointbayes.scale.knowledge import Tally, space_of, tally_batch, weight_of
from jointbayes.scale.one_pass import Glance, Glancing, merge_glances, tally_of
from jointbayes.scale.source import open_source
from jointbayes.scale.wanted import learn_reading, unfitted, wanted_by
from jointbayes.threads import governed_by
from jointbayes.validation.progress import ProgressKind, progress_bar

__all__ = ["fit", "pace_of", "target_names"]

Model = TypeVar("Model")
Pace = Callable[[str, int | None], Show]
"""Begins to show a piece of work, of so many rows."""

COUNT = ("here", "in_database")
MAX_CELLS = 1 << 23
"""Cells of the counts of numbers by class, of all columns together: 64 MiB."""


def fit(
    model: Model,
    source: Any,
    target: Any,
    *,
    ignore: Sequence[str] = (),
    once: str = "refuse",
    max_cells: int = MAX_CELLS,
    count: str = "here",
    progress: ProgressKind = "auto",
) -> Model:
    """Learn from rows that need not fit in memory, or that lie on many machines.

    The rows are read twice: first what the columns hold, from which cuts and categories follow,
    then what the model counts. Both merge, so the model is that of ``model.fit`` on all rows at
    once. NaiveBayes and NaiBX read them once, unless numbers were pooled, or a column turns out to
    be of another kind than its first rows. The model is changed at the very end; whatever stops
    that leaves it as it was.

    Parameters
    ----------
    model
        One whose knowledge is counts: any of one class variable, MultilabelNB, MultilabelFAN,
        NetworkEnsemble or NaiBX. What it had learned is forgotten.
    source
        A path, a pattern or a folder of Parquet, Arrow or CSV files; a frame of pandas, polars
        (lazy too) or Arrow; anything with ``__arrow_c_stream__``, such as relations of DuckDB and
        tables of Ibis; a list of frames, or a function that returns an iterator of them; a frame
        of Dask or Spark.
    target
        The column of the class, or a list of columns for models of several class variables; all
        other columns are features. Beside an array of Dask, an array of labels.
    ignore
        Columns that are neither, such as one that names the rows.
    once
        What to do with a source that can be read only once: ``"refuse"``, or ``"spool"``: keep a
        copy on disk while the model learns.
    max_cells
        How many cells the counts of numbers by class may have, of all columns together. While they
        fit, cuts are those of all rows. Beyond, neighbouring numbers are pooled and stand for the
        largest of them; ``model.pooled_`` names such columns, with the largest share of the rows
        in one pool, by which a quantile can be off, and a warning says so.
    count
        ``"here"``, or ``"in_database"`` for rows that may not leave it: a relation of DuckDB or a
        table of Ibis is asked, by SQL, for groups of rows and how many there are, by NaiveBayes,
        MultilabelNB, MultilabelFAN, NetworkEnsemble and NaiBX. More groups of a column than its
        share of ``max_cells`` are refused.
    progress
        ``"auto"``, ``"bar"`` or ``"none"``.

    Examples
    --------
    >>> import pandas
    >>> from jointbayes import TAN
    >>> monday = pandas.DataFrame({"wind": [1, 2, 8], "sky": ["red", None, "grey"]})
    >>> friday = pandas.DataFrame({"wind": [9, 1], "sky": ["black", "red"]})
    >>> days = [monday.assign(rain=[0, 0, 1]), friday.assign(rain=[1, 0])]
    >>> model = fit(TAN(), days, "rain")
    >>> whole = TAN().fit(pandas.concat([monday, friday]), [0, 0, 1, 1, 0])
    >>> bool((model.predict_proba(friday) == whole.predict_proba(friday)).all())
    True
    """
    if type(target).__module__.startswith("dask"):
        from jointbayes.scale.on_dask import with_labels

        source, target = with_labels(source, target)
    if count not in COUNT:
        raise ParameterError(f"count is {count!r}; it has to be 'here' or 'in_database'")
    names = target_names(model, target)
    fresh = unfitted(model)
    wanted = replace(wanted_by(fresh, names, max_cells), ignored=tuple(ignore))
    single = isinstance(target, str) or getattr(model, "_targets", "one") == "one"
    if count == "in_database":
        from jointbayes.scale.pushing import count_in_database

        counted = count_in_database(fresh, database_of(source), wanted, single=single)
    else:
        n_jobs = getattr(model, "n_jobs", None)
        opened = open_source(source, passes=2, once=once, n_jobs=n_jobs)
        with opened as feed, pace_of(progress) as pace:
            counted = _count_rows(fresh, feed, wanted, pace, single=single)
    digest, reading, space, tally = counted
    space = replace(space, allows_empty=tally.some_empty)
    fresh.n_features_in_ = len(digest.names)
    fresh.feature_names_in_ = np.array(digest.names, dtype=object)
    fresh.pooled_ = pooled_columns(digest)
    with governed_by(model):
        _know(fresh, reading, tally.knowledge, space)
    fresh._adopt(space)
    _take_over(model, fresh)
    return model


def _count_rows(
    model: Any, feed: Feed, wanted: Wanted, pace: Pace, *, single: bool
) -> tuple[Digest, Any, LabelSpace, Tally]:
    """Look at the rows of a feed, and count them, in one pass if that tells all."""
    total = feed.total if isinstance(feed, LocalFeed) else None
    apart = {"model": _counting(model, feed), "single": single}
    glance: Glance = feed.reduce(
        Glancing(wanted, **apart),
        partial(merge_glances, **apart),
        _light,
        pace("looking at the rows", total),
    )
    digest = glance.digest
    reading, space = learn_reading(model, digest), space_of(digest, single=single)
    tally = tally_of(model, glance, reading, space)
    if tally is None:
        count = partial(
            _count,
            model=apart["model"],
            reading=reading,
            space=space,
            names=digest.names,
            wanted=wanted,
        )
        show = pace(f"fitting {type(model).__name__}", digest.rows)
        tally = feed.reduce(count, add, weight_of, show)
    if tally.rows != digest.rows:
        raise DataError(
            f"the source had {digest.rows:,} rows when it was read first and {tally.rows:,} then; "
            "the rows must not change while they are read"
        )
    return digest, reading, space, tally


def target_names(model: Any, target: Any) -> tuple[str, ...]:
    """Return the names of the labels; refuse several for a model of one class variable."""
    several = isinstance(target, Iterable) and not isinstance(target, str)
    names = tuple(target) if several else (target,)
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"target is {target!r}; give the name of a column, or a list of names")
    if len(set(names)) < len(names):
        raise ParameterError(f"target names a column twice: {', '.join(names)}")
    if getattr(model, "_targets", "several") == "one" and len(names) > 1:
        raise DataError(
            f"target has {len(names)} columns: {type(model).__name__} learns one class variable; "
            "give one column, or take a model of several, such as MultilabelNB"
        )
    return names


@contextmanager
def pace_of(progress: ProgressKind) -> Iterator[Pace]:
    """Show how many rows are done, how many in a second, and how long the rest takes.

    >>> with pace_of("none") as pace:
    ...     pace("counting", 10)(5)
    """
    with progress_bar(progress) as tell:

        def begin(what: str, total: int | None) -> Show:
            start = monotonic()

            def show(rows: int) -> None:
                rate = rows / max(monotonic() - start, 1e-9)
                tell(f"{what}: {rows:,} rows, {rate:,.0f} rows/s", rows, total)

            return show

        yield begin


def _counting(model: Any, feed: Feed) -> Any:
    """Return the model that counts: an engine has its own threads, so there it starts none."""
    return model if isinstance(feed, LocalFeed) else clone(model).set_params(n_jobs=1)


def _light(_answer: Any) -> int:
    return 1


def _count(
    part: Part,
    *,
    model: Any,
    reading: Any,
    space: Any,
    names: tuple[str, ...],
    wanted: Wanted,
) -> Tally:
    batch = read_batch(part, wanted.targets, wanted.ignored)
    return tally_batch(batch, model, reading, space, names)


def _know(model: Any, reading: Any, knowledge: Any, space: Any) -> None:
    if isinstance(model, NaiBX):  # which knows the sizes of label sets by itself
        model._know(reading, knowledge, space, None)
        return
    model._know(reading, knowledge, space)
    if isinstance(model, ClassNetworks):
        model.sharpness_, model.average_rows_ = 1.0, 0.0


def _take_over(model: Any, fresh: Any) -> None:
    """Give a model what a fitted clone has learned, and nothing of what it knew before."""
    own = model.get_params(deep=False)
    learned = {name: value for name, value in vars(fresh).items() if name not in own}
    kept = {name: value for name, value in vars(model).items() if name in own}
    vars(model).clear()
    vars(model).update({**kept, **learned})
