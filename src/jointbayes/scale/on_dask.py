"""Rows of Dask: every partition is worked on where it is, and answers are merged as a tree.

Whatever scheduler is in force does the work: threads, processes, or a cluster of `distributed`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from jointbayes.errors import DataError, JointBayesError, MissingExtraError, require
from jointbayes.scale.answers import Asking, answer_part, empty_answer
from jointbayes.scale.batch import Part, blocks_of
from jointbayes.scale.feed import Show, Work, fold

__all__ = ["DaskFeed", "as_frame", "with_labels"]

SPLIT_EVERY = 8
"""Answers that are merged at a time."""


@dataclass(frozen=True, eq=False)
class DaskFeed:
    """The rows of a Dask frame."""

    frame: Any

    def reduce(
        self,
        work: Work,
        merge: Callable[[Any, Any], Any],
        weigh: Callable[[Any], int],
        show: Show,
    ) -> Any:
        """Return the merged answers to all partitions, merged eight at a time."""
        dask = require("dask", extra="dask", purpose="rows of Dask")
        task = dask.delayed(partial(_of_partition, work=work, merge=merge, weigh=weigh), pure=False)
        join = dask.delayed(partial(_merged, merge=merge, weigh=weigh), pure=False)
        answers = [task(part, i) for i, part in enumerate(self.frame.to_delayed())]
        while len(answers) > 1:
            starts = range(0, len(answers), SPLIT_EVERY)
            answers = [join(answers[i : i + SPLIT_EVERY]) for i in starts]
        try:
            (found,) = dask.compute(answers[0])
        except (JointBayesError, MissingExtraError):
            raise
        except Exception as error:  # of whatever scheduler is in force
            raise DataError(
                f"Dask could not work on all partitions ({type(error).__name__}: "
                f"{str(error).strip().partition(chr(10))[0]}); nothing was learned"
            ) from error
        if found is None:
            raise DataError("the source has no rows; give at least one")
        show(found.rows)
        return found

    def answers(self, asking: Asking) -> Any:
        """Return a Dask frame of answers."""
        meta = empty_answer(asking, self.frame._meta)
        return self.frame.map_partitions(_answer, asking, meta=meta)


def as_frame(source: Any, names: Sequence[str] | None = None) -> Any:
    """Return a Dask frame; the columns of an array are named by their position."""
    if not type(source).__module__.startswith("dask.array"):
        return source
    frames = require("dask.dataframe", extra="dask", purpose="rows of Dask")
    whole = source.rechunk({1: -1}) if source.ndim == 2 else source[:, None]
    columns = [f"x{j}" for j in range(whole.shape[1])] if names is None else list(names)
    return frames.from_dask_array(whole, columns=columns)


def with_labels(X: Any, y: Any) -> tuple[Any, Any]:
    """Return arrays of rows and labels as one frame, and the names of the labels in it."""
    names = ["class"] if y.ndim == 1 else [f"y{j}" for j in range(y.shape[1])]
    rows, labels = as_frame(X), as_frame(y, names)
    frames = require("dask.dataframe", extra="dask", purpose="rows of Dask")
    whole = frames.concat([rows, labels], axis=1)
    return whole, names[0] if y.ndim == 1 else names


def _of_partition(
    frame: Any,
    i: int,
    *,
    work: Work,
    merge: Callable[[Any, Any], Any],
    weigh: Callable[[Any], int],
) -> Any:
    blocks = blocks_of(Part(frame, f"partition {i}"))
    return fold(map(work, blocks), merge, weigh)


def _merged(
    answers: Sequence[Any], *, merge: Callable[[Any, Any], Any], weigh: Callable[[Any], int]
) -> Any:
    return fold([answer for answer in answers if answer is not None], merge, weigh)


def _answer(frame: Any, asking: Asking) -> Any:
    if not len(frame):
        return empty_answer(asking, frame)
    return answer_part(Part(frame, "a partition"), asking)
