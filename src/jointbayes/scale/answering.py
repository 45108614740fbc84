"""predict: answers to rows that need not fit in memory, part by part."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from jointbayes.errors import DataError, ParameterError, require
from jointbayes.scale.answers import Asking
from jointbayes.scale.feed import LocalFeed
from jointbayes.scale.learning import pace_of
from jointbayes.scale.source import open_source
from jointbayes.storage import replacing
from jointbayes.validation.progress import ProgressKind

__all__ = ["predict"]


def predict(
    model: Any,
    source: Any,
    what: str = "labels",
    *,
    k: int = 3,
    keep: Sequence[str] = (),
    path: str | os.PathLike[str] | None = None,
    progress: ProgressKind = "auto",
) -> Any:
    """Answer rows that need not fit in memory, or that lie on many machines, as they are asked for.

    Parameters
    ----------
    model
        Any fitted classifier of the library. Its columns are taken by name; others are not looked
        at.
    source
        As in `fit`; what can be read only once will do.
    what
        ``"labels"``: what ``model.predict`` answers, a column for each label. ``"marginals"``: one
        column P(relevant) for each binary label, ``label=value`` for others. ``"top_k"``: the
        ``k`` best label vectors, ``label_1`` … with ``probability_1`` … ``label_k``.
    k
        How many label vectors ``"top_k"`` gives.
    keep
        Columns of the source to be carried to the answers, such as one that names the rows.
    path
        A Parquet file to be written, as a whole or not at all.
    progress
        ``"auto"``, ``"bar"`` or ``"none"``, while a file is written.

    Returns
    -------
    iterator of frames, frame of Dask or Spark, or Path
        Frames of the library in which the rows came, each made when it is asked for; a lazy frame
        where the source is one of Dask or Spark; ``path``, if that was given.

    Examples
    --------
    >>> import pandas
    >>> from jointbayes import NaiveBayes
    >>> frame = pandas.DataFrame({"sky": ["red", "grey"] * 5})
    >>> model = NaiveBayes().fit(frame, pandas.Series(["dry", "wet"] * 5, name="rain"))
    >>> answers = predict(model, [frame[:1], frame[1:2]])
    >>> [answer["rain"].tolist() for answer in answers]
    [['dry'], ['wet']]
    """
    check_is_fitted(model)
    asking = Asking(model, what, k, tuple(keep))
    n_jobs = getattr(model, "n_jobs", None)
    opened = open_source(source, passes=1, once="refuse", n_jobs=n_jobs)
    if path is None:
        with opened as feed:  # nothing is read before it is asked for
            return feed.answers(asking)
    with opened as feed, pace_of(progress) as pace:
        if not isinstance(feed, LocalFeed):
            raise ParameterError(
                "path is for sources that this process reads; write the frame that predict "
                "returns with the engine's own to_parquet"
            )
        _write(feed.answers(asking), Path(path), pace("predicting", feed.total))
    return Path(path)


def _write(frames: Iterator[Any], path: Path, show: Any) -> None:
    """Write frames to one Parquet file, which is there as a whole or not at all."""
    parquet = require("pyarrow.parquet", extra="scale", purpose="writing Parquet files")
    rows, writer = 0, None
    with replacing(path) as file:
        try:
            for frame in frames:
                table = _as_arrow(frame)
                writer = writer or parquet.ParquetWriter(file, table.schema)
                writer.write_table(table.cast(writer.schema))
                rows += table.num_rows
                show(rows)
            if writer is None:
                raise DataError("the source has no rows; give at least one")
        finally:
            if writer is not None:
                writer.close()


def _as_arrow(frame: Any) -> Any:
    arrow = require("pyarrow", extra="scale", purpose="writing Parquet files")
    if isinstance(frame, arrow.Table):
        return frame
    if hasattr(frame, "to_arrow"):
        return frame.to_arrow()
    return arrow.Table.from_pandas(frame, preserve_index=False)
