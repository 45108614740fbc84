"""What searches ask of rows: one label, or several together, against features or other labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Ints
from jointbayes.codes import CodeArray, Codes, SparseCodes
from jointbayes.errors import ParameterError
from jointbayes.independence.correlations import LinearHypotheses, Numbers
from jointbayes.independence.procedure import Procedure
from jointbayes.independence.screening import Hypotheses
from jointbayes.independence.strata import Strata

__all__ = [
    "CodedLabel",
    "Evidence",
    "LabelEvidence",
    "LinearLabel",
    "evidence_of",
    "given_features",
]

Evidence = Codes | Numbers
"""Features and labels, in codes or in numbers."""


@dataclass(frozen=True, eq=False)
class CodedLabel:
    """A label, or several as one, in coded rows."""

    codes: Codes
    label: NDArray[np.uint32]

    def features(self, which: Sequence[int], given: Iterable[int]) -> Hypotheses:
        """Return that the label is independent of each of some features, given others."""
        if len(which) == 1:
            columns = self.codes.column(self.codes.n_targets + which[0])[:, None]
        else:
            columns = self._everything[:, which]
        return self._hypotheses(columns, given)

    def labels(self, given: Iterable[int]) -> Hypotheses:
        """Return that the label is independent of each label, given features."""
        return self._hypotheses(self.codes.targets, given)

    def _hypotheses(self, columns: CodeArray, given: Iterable[int]) -> Hypotheses:
        strata = given_features(self.codes, given)
        return Hypotheses(np.asfortranarray(columns), self.label, strata)

    @cached_property
    def _everything(self) -> CodeArray:
        features = self.codes.features
        dense = features.dense() if isinstance(features, SparseCodes) else features
        return np.asfortranarray(dense)


@dataclass(frozen=True, eq=False)
class LinearLabel:
    """A label, or several as one, in rows of numbers."""

    numbers: Numbers
    label: tuple[int, ...]

    def features(self, which: Sequence[int], given: Iterable[int]) -> LinearHypotheses:
        """Return that the label is independent of each of some features, given others."""
        return self._hypotheses(self.numbers.of_features(which), given)

    def labels(self, given: Iterable[int]) -> LinearHypotheses:
        """Return that the label is independent of each label, given features."""
        return self._hypotheses(self.numbers.of_labels(range(self.numbers.n_targets)), given)

    def _hypotheses(self, variables: tuple[Floats, Ints], given: Iterable[int]) -> LinearHypotheses:
        target, known = self.numbers.of_labels(self.label), self.numbers.of_features(tuple(given))
        return LinearHypotheses(*variables, target[0], known[0])


LabelEvidence = CodedLabel | LinearLabel


def evidence_of(rows: Evidence, labels: Sequence[int], how: Procedure) -> LabelEvidence:
    """Return what rows say of a label, or of several together.

    >>> coded = Codes.of([[0], [1]], targets=[[0, 0], [0, 1]])
    >>> evidence_of(coded, [0, 1], Procedure()).label.tolist()
    [0, 1]
    """
    if (how.method == "fisher_z") != isinstance(rows, Numbers):
        raise ParameterError(
            f"method is {how.method!r}, but rows are {type(rows).__name__}: 'fisher_z' takes "
            "Numbers, all others take Codes; read rows for the test they are for"
        )
    if isinstance(rows, Numbers):
        return LinearLabel(rows, tuple(labels))
    if len(labels) == 1:
        column = rows.targets[:, labels[0]]
        return CodedLabel(rows, np.ascontiguousarray(column, dtype=np.uint32))
    together = Strata.whole(len(rows))
    for j in labels:
        together = together.split(rows.targets[:, j])
    return CodedLabel(rows, together.codes.astype(np.uint32))


def given_features(codes: Codes, features: Iterable[int]) -> Strata:
    """Return the strata in which some features are constant."""
    strata = Strata.whole(len(codes))
    for j in features:
        strata = strata.split(codes.column(codes.n_targets + j))
    return strata
