"""Progress of anything that takes longer than a second, on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from importlib.util import find_spec
from threading import Timer
from time import monotonic
from typing import Literal

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from jointbayes.errors import ParameterError

__all__ = ["Pace", "ProgressKind", "progress_bar"]

ProgressKind = Literal["auto", "bar", "none"]
PATIENCE = 1.0


@dataclass
class Pace:
    """How long the rest takes, if it goes on as it has gone so far.

    Steps that were done before the first report, by an earlier run, took none of this run's time.
    While a step takes longer than those before it, the rest is what that step has taken by now for
    each that is left, so that what is said never stands still for long, nor falls below the truth
    that is already known.

    >>> times = iter([0.0, 60.0, 100.0, 180.0])
    >>> pace = Pace(lambda: next(times))
    >>> pace.report(10, 13)
    >>> pace.report(11, 13)
    >>> pace.seconds_left(), pace.seconds_left()
    (80.0, 120.0)
    """

    clock: Callable[[], float] = monotonic
    start: float | None = None
    first: int = 0
    done: int = 0
    total: int | None = None
    last: float = 0.0

    def report(self, done: int, total: int | None) -> None:
        """Take note of how many steps are done, and of all."""
        now = self.clock()
        if self.start is None:
            self.start, self.first, self.done, self.last = now, done, done, now
        if done > self.done:
            self.done, self.last = done, now
        self.total = total

    def seconds_left(self) -> float | None:
        """Return the estimate; None before the first step is done."""
        if self.start is None or self.total is None or self.done <= self.first:
            return None
        begun = self.clock() - self.last
        step = (self.last - self.start) / (self.done - self.first)
        current = max(step - begun, 0.0)
        return current + max(step, begun) * (self.total - self.done - 1)


class _Steps(ProgressColumn):
    """A column that says how many steps are done, and of how many, where that is known."""

    def render(self, task: Task) -> Text:
        """Return the two numbers."""
        return Text("" if task.total is None else f"{task.completed:.0f}/{task.total:.0f}")


class _Remaining(ProgressColumn):
    """A column that says how long the rest takes."""

    def __init__(self, pace: Pace) -> None:
        super().__init__()
        self.pace = pace

    def render(self, task: Task) -> Text:
        """Return the estimate in hours, minutes and seconds."""
        left = None if task.finished else self.pace.seconds_left()
        return Text("" if left is None else f"{timedelta(seconds=round(left))} left")


@contextmanager
def progress_bar(progress: ProgressKind) -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a bar while the body runs; it tells what it does, how many steps are done, and of all.

    ``"auto"`` shows it on a terminal, and in a notebook that can draw it; ``"bar"`` anywhere else
    too; both only once a second has passed.

    >>> with progress_bar("none") as show:
    ...     show("first fold", 1, 10)
    """
    if progress not in ("auto", "bar", "none"):
        raise ParameterError(f"progress={progress!r} is not known; choose 'auto', 'bar' or 'none'")
    console = Console(stderr=True)
    if progress == "none" or not _can_show(console, progress):
        yield lambda word, done, total: None  # noqa: ARG005  nobody looks
        return
    pace = Pace()
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        _Steps(),
        TimeElapsedColumn(),
        _Remaining(pace),
    )
    bar = Progress(*columns, console=console, transient=progress == "auto")
    task = bar.add_task("", total=None)
    timer = Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()

    def tell(word: str, done: int, total: int | None) -> None:
        pace.report(done, total)
        bar.update(task, description=word, completed=done, total=total)

    try:
        yield tell
    finally:
        timer.cancel()
        timer.join()
        if bar.live.is_started:
            bar.stop()


def _can_show(console: Console, progress: ProgressKind) -> bool:
    """Say whether a bar would move: in a notebook it does with ipywidgets alone."""
    if console.is_jupyter:
        return find_spec("ipywidgets") is not None
    return progress == "bar" or console.is_terminal
