"""Esteban, Cano, Zafra, Ventura (2024), Hoeffding adaptive trees for multi-label streams (KBS 304).

17 streaming methods on streams of which 12 are here, one row at a time: each is answered, then
learned; figures from the authors' public files, rounded to four decimals. Rows come in the order of
the files here, which need not be that of the files there.

None of the 17 has a counterpart here. `NaiBX` stands beside the best of them on each stream: with
rows that count for ever, with a fixed half-life, and with the half-life of least loss so far
(`streams`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from jointbayes.arrays import Labels
from jointbayes.datasets import Dataset
from jointbayes.reproduction.bogatinovski2022 import presence
from jointbayes.reproduction.paper import Paper, PaperColumn, Source
from jointbayes.reproduction.streams import HALF_LIVES, ONLINE, stream_naibx

__all__ = ["MLHAT2024", "OneByOne"]


@dataclass(frozen=True)
class OneByOne:
    """Every row but the first is a test row once all rows before it have been learned.

    >>> str(OneByOne()), [test.tolist() for _, test in OneByOne().split([[0], [1], [2]])]
    ('one row at a time, in the order of the file: answered, then learned', [[1], [2]])
    """

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Labels, Labels]]:  # noqa: ARG002  scikit-learn's signature
        """Yield the rows so far, and the next one."""
        for i in range(1, X.shape[0] if hasattr(X, "shape") else len(X)):
            yield np.arange(i), np.array([i])

    def __str__(self) -> str:
        return "one row at a time, in the order of the file: answered, then learned"


@lru_cache(maxsize=1)
def _present(dataset: Dataset) -> Dataset:
    return presence(dataset)


_METRICS = {
    "subset_acc": ("subset_accuracy", "exact match"),
    "hamming": ("hamming_loss", "Hamming loss"),
    "example_f1": ("f1_zero", "example F1"),
    "micro_f1": ("f1_micro", "micro F1"),
    "macro_f1": ("f1_macro", "macro F1"),
}

_LARGE = (
    *("enron", "slashdot", "tmc2007-500", "mediamill_small", "Corel5k", "bibtex"),
    "yahoo5000_society",
)

_ABSENT = (
    "VirusGO, Birds, Gnegative, Plant, Human, Yelp, Medical, Eukaryote, Hypercube, Langlog, "
    "Stackex, Ohsumed, D20ng, Nuswidec, Imdb, Nuswideb, Eurlex, SynTreeSud, SynRBFSud, SynHPSud, "
    "SynTreeGrad, SynRBFGrad, SynHPGrad, SynTreeInc, SynRBFInc, SynHPInc, SynTreeRec, SynRBFRec, "
    "SynHPRec"
)

MLHAT2024 = Paper(
    key="mlhat2024",
    title="Esteban, Cano, Zafra, Ventura 2024, Hoeffding adaptive trees for multi-label "
    "classification on data streams (Knowledge-Based Systems 304)",
    models={},
    sources=(
        Source("flags", "flags"),
        Source("wq", "wq", {"target": range(16, 30)}, change=_present),
        *(Source(name, name) for name in ("emotions", "yeast", "scene", *_LARGE)),
    ),
    splitter=OneByOne(),
    columns=tuple(
        PaperColumn(
            "Streams",
            printed,
            metric,
            title,
            algorithms=(ONLINE, *HALF_LIVES),
            look=stream_naibx,
            against="best",
        )
        for printed, (metric, title) in _METRICS.items()
    ),
    quick=("flags",),
    large=_LARGE,
    absent=tuple(_ABSENT.split(", ")),
    kind="study",
)
