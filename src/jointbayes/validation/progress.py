"""Progress of anything that takes longer than a second, on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Literal

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from jointbayes.errors import ParameterError

__all__ = ["ProgressKind", "progress_bar"]

ProgressKind = Literal["auto", "bar", "none"]
PATIENCE = 1.0


@contextmanager
def progress_bar(progress: ProgressKind) -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a bar while the body runs; it tells what it does, how many steps are done, and of all.

    ``"auto"`` shows it on a terminal only, and both kinds only once a second has passed.

    >>> with progress_bar("none") as show:
    ...     show("first fold", 1, 10)
    """
    if progress not in ("auto", "bar", "none"):
        raise ParameterError(f"progress={progress!r} is not known; choose 'auto', 'bar' or 'none'")
    console = Console(stderr=True)
    if progress == "none" or (progress == "auto" and not console.is_terminal):
        yield lambda word, done, total: None  # noqa: ARG005  nobody looks
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    bar = Progress(*columns, console=console, transient=progress == "auto")
    task = bar.add_task("", total=None)
    timer = Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda word, done, total: bar.update(
            task, description=word, completed=done, total=total
        )
    finally:
        timer.cancel()
        timer.join()
        if bar.live.is_started:
            bar.stop()
