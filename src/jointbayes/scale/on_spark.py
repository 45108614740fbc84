"""Rows of Spark: every partition is worked on in a Python worker of its executor, as Arrow."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from jointbayes.errors import DataError, JointBayesError, require
from jointbayes.scale.answers import Asking, answer_part, empty_answer
from jointbayes.scale.batch import Part, blocks_of
from jointbayes.scale.feed import Show, Work, fold

__all__ = ["SparkFeed"]


@dataclass(frozen=True, eq=False)
class SparkFeed:
    """The rows of a Spark frame."""

    frame: Any

    def reduce(
        self,
        work: Work,
        merge: Callable[[Any, Any], Any],
        weigh: Callable[[Any], int],
        show: Show,
    ) -> Any:
        """Return the merged answers to all partitions; each sends one, as a pickle."""
        task = partial(_of_partition, work=work, merge=merge, weigh=weigh)
        try:
            sent = self.frame.mapInArrow(task, "answer binary").collect()
        except Exception as error:  # the executor's, wrapped in Java's
            raise DataError(
                f"Spark could not work on all partitions ({_sentence(error)}); nothing was learned"
            ) from error
        answers = [pickle.loads(row.answer) for row in sent]
        refused = [answer for answer in answers if isinstance(answer, JointBayesError)]
        if refused:
            raise refused[0]
        found = fold(answers, merge, weigh)
        if found is None:
            raise DataError("the source has no rows; give at least one")
        show(found.rows)
        return found

    def answers(self, asking: Asking) -> Any:
        """Return a Spark frame of answers."""
        types = require("pyspark.sql.pandas.types", extra="spark", purpose="rows of Spark")
        schema = types.to_arrow_schema(self.frame.schema)
        answer = empty_answer(asking, schema.empty_table())
        return self.frame.mapInArrow(
            partial(_answer_batches, asking=asking), types.from_arrow_schema(answer.schema)
        )


def _of_partition(
    batches: Iterable[Any],
    *,
    work: Work,
    merge: Callable[[Any, Any], Any],
    weigh: Callable[[Any], int],
) -> Iterator[Any]:
    arrow = require("pyarrow", extra="scale", purpose="rows of Spark")
    from pyspark import TaskContext

    context: Any = TaskContext.get()
    where = f"partition {context.partitionId() if context else 0}"
    blocks = (block for batch in batches for block in blocks_of(Part(batch, where)))
    try:
        answer = fold(map(work, blocks), merge, weigh)
    except JointBayesError as error:  # to be raised where fit was called, in its own words
        answer = error
    if answer is not None:
        yield arrow.record_batch({"answer": arrow.array([pickle.dumps(answer)], arrow.binary())})


def _answer_batches(batches: Iterable[Any], asking: Asking) -> Iterator[Any]:
    for batch in batches:
        if batch.num_rows:
            yield from answer_part(Part(batch, "a partition"), asking).to_batches()


def _sentence(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if "Error" in line or "Exception" in line]
    return (said or lines or [type(error).__name__])[-1][:200]
