"""Feed: rows that can be read part by part, from the start, as often as is asked.

A feed does two things, wherever its rows are: `reduce` works on every part and merges what comes of
it (neighbours only, so the order of rows is kept), `answers` asks a model about every part. One on
this machine is here; those of Dask and Spark do the same where their rows are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from queue import Queue
from threading import Event, Thread
from typing import Any, Protocol, TypeVar

from jointbayes.errors import DataError
from jointbayes.scale.answers import Asking, answer_part
from jointbayes.scale.batch import Part, blocks_of
from jointbayes.threads import n_threads

__all__ = ["Feed", "LocalFeed", "Show", "Work", "fold"]

Answer = TypeVar("Answer")
Work = Callable[[Part], Any]
Show = Callable[[int], None]
"""Is told how many rows are done."""

AHEAD = 4
"""Parts that are read before they are asked for."""


class Feed(Protocol):
    """Rows that can be read part by part."""

    def reduce(
        self,
        work: Work,
        merge: Callable[[Any, Any], Any],
        weigh: Callable[[Any], int],
        show: Show,
    ) -> Any:
        """Return the merged answers of work to all parts."""

    def answers(self, asking: Asking) -> Any:
        """Return what a model answers: an iterator of frames, or a frame of the engine's own."""


@dataclass(frozen=True, eq=False)
class LocalFeed:
    """Rows that this process reads.

    Parameters
    ----------
    parts
        Gives an iterator over all parts, each time it is called.
    n_jobs
        1 reads and works in turn; anything else reads ahead in a thread.
    total
        How many rows there are, if that is known.
    """

    parts: Callable[[], Iterable[Part]]
    n_jobs: int | None = None
    total: int | None = None

    def _blocks(self) -> Iterator[Part]:
        for part in self.parts():
            yield from blocks_of(part)

    def reduce(
        self,
        work: Work,
        merge: Callable[[Any, Any], Any],
        weigh: Callable[[Any], int],
        show: Show,
    ) -> Any:
        """Return the merged answers to all parts."""

        def answers() -> Iterator[Any]:
            rows = 0
            for part in read_ahead(self._blocks, self.n_jobs):
                answer = work(part)
                rows += answer.rows
                show(rows)
                yield answer

        found = fold(answers(), merge, weigh)
        if found is None:
            raise DataError("the source has no rows; give at least one")
        return found

    def answers(self, asking: Asking) -> Iterator[Any]:
        """Yield what a model answers, block by block."""
        blocks = read_ahead(self._blocks, self.n_jobs)
        return (answer_part(block, asking) for block in blocks)


def fold(
    answers: Iterable[Answer],
    merge: Callable[[Answer, Answer], Answer],
    weigh: Callable[[Answer], int],
) -> Answer | None:
    """Merge neighbours so that no answer is merged with one that weighs far less.

    Answers that all weigh the same are merged as they come; those that grow with their rows are
    merged like the runs of a sort, each about log₂ n times. None for no answers.

    >>> fold(["a", "b", "c"], lambda a, b: f"({a}{b})", weigh=lambda _: 1)
    '((ab)c)'
    >>> fold("abcd", lambda a, b: a + b, weigh=len)
    'abcd'
    """
    waiting: list[Answer] = []
    for answer in answers:
        waiting.append(answer)
        while len(waiting) > 1 and weigh(waiting[-2]) <= weigh(waiting[-1]):
            last = waiting.pop()
            waiting[-1] = merge(waiting[-1], last)
    while len(waiting) > 1:
        last = waiting.pop()
        waiting[-1] = merge(waiting[-1], last)
    return waiting[0] if waiting else None


def read_ahead(blocks: Callable[[], Iterator[Part]], n_jobs: int | None) -> Iterator[Part]:
    """Yield what ``blocks`` gives, read in a thread of its own unless ``n_jobs`` is 1.

    >>> list(read_ahead(lambda: iter([Part(None, "a"), Part(None, "b")]), None))[1].where
    'b'
    """
    if n_threads(n_jobs) < 2:
        yield from blocks()
        return
    queue: Queue[Any] = Queue(AHEAD)
    stop = Event()
    reader = Thread(target=_fill, args=(queue, stop, blocks), daemon=True)
    reader.start()
    try:
        while (item := queue.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        while reader.is_alive():  # let it leave what it waits for
            while not queue.empty():
                queue.get_nowait()
            reader.join(0.01)


def _fill(queue: Queue[Any], stop: Event, blocks: Callable[[], Iterator[Part]]) -> None:
    """Put blocks into a queue, then None, or what went wrong."""
    try:
        for block in blocks():
            queue.put(block)
            if stop.is_set():
                return
        queue.put(None)
    except BaseException as error:  # raised where it is asked for
        queue.put(error)
