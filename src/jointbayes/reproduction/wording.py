"""In words: how rows were split, what makes the figures again, and on which machine."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Sequence
from pathlib import Path

from jointbayes.reproduction.paper import Paper, Source, Splitter
from jointbayes.reproduction.planning import Question
from jointbayes.validation import Folds, HoldOut

__all__ = ["command_of", "machine_in_words", "protocol_of"]


def protocol_of(paper: Paper, questions: Sequence[Question]) -> str:
    """Return in words how rows were split, and where not as usual."""
    usual = _in_words(paper.splitter)
    others: dict[str, list[str]] = {}
    for question in questions:
        said = _in_words(question.splitter(paper.splitter))
        if said != usual and isinstance(question.source, Source) and not question.column.splitter:
            others.setdefault(said, []).append(question.source.name)
    return "; ".join(
        [usual, *(f"{how}: {', '.join(dict.fromkeys(names))}" for how, names in others.items())]
    )


def _in_words(splitter: Splitter) -> str:
    """Describe a protocol.

    >>> _in_words(Folds(2, 5, random_state=0))
    '5 times 2 folds, stratified, seed 0'
    >>> _in_words(HoldOut(0.34, stratify="none", random_state=1))
    '66% of the rows train once, not stratified, seed 1'
    """
    if not isinstance(splitter, Folds | HoldOut):
        return str(splitter)
    if isinstance(splitter, Folds):
        often = f"{splitter.n_repeats} times " if splitter.n_repeats > 1 else ""
        parts = f"{often}{splitter.n_splits} folds"
    else:
        often = f"{splitter.n_repeats} times" if splitter.n_repeats > 1 else "once"
        parts = f"{1 - splitter.test_size:.0%} of the rows train {often}"
    how = {"none": "not stratified", "rarest": "stratified on the rarest label"}
    return f"{parts}, {how.get(splitter.stratify, 'stratified')}, seed {splitter.random_state}"


def command_of(paper: Paper, tables: Sequence[str], datasets: Sequence[str], extent: str) -> str:
    """Return what makes the same figures again."""
    words = ["jointbayes reproduce", paper.key]
    words += [f"--tables {shlex.quote(','.join(tables))}"] if tables else []
    words += [f"--datasets {shlex.quote(','.join(datasets))}"] if datasets else []
    return " ".join([*words, "--quick"] if extent == "quick" else words)


def machine_in_words() -> str:
    """Return processor, cores and versions: enough to judge the seconds."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, Python {platform.python_version()}"
