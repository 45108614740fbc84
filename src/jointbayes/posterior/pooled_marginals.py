r"""A joint whose marginals are pooled from several members instead of read off itself.

(1)  log P(y_j | x) = 1/M Σ_m log P_m(y_j | x) + constant,   label by label

is how Corani et al. (2014) pool the marginals of their ensemble. Everything else is asked of the
joint, with which these marginals need not agree: an option, not the default.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.inference.lists import Best
from jointbayes.inference.logs import log_normalize
from jointbayes.posterior.posterior import Posterior

__all__ = ["PooledMarginals"]


@dataclass(frozen=True, eq=False, repr=False)
class PooledMarginals(Posterior):
    """The joint of one posterior with the pooled marginals of others over the same labels.

    Examples
    --------
    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> space = learn_labels([[0, 0], [1, 1]])
    >>> sure, unsure = np.log([[0.2, 0.8]]), np.log([[0.5, 0.5]])
    >>> members = [Independent([sure, unsure], space), Independent([unsure, unsure], space)]
    >>> pooled = PooledMarginals(members[0], members)
    >>> pooled.marginals()[0].round(3).tolist(), pooled.map().tolist()
    ([[0.333, 0.667]], [[1, 0]])
    """

    joint: Posterior
    members: Sequence[Posterior]

    @property
    def space(self) -> Any:  # type: ignore[override]  # the joint's
        """Names and values of the class variables."""
        return self.joint.space

    def __len__(self) -> int:
        return len(self.joint)

    def _marginals(self) -> list[Floats]:
        with np.errstate(divide="ignore"):
            logs = [[np.log(p) for p in member._marginals()] for member in self.members]
        means = [np.mean(column, axis=0) for column in zip(*logs, strict=True)]
        return [np.exp(log_normalize(mean)) for mean in means]  # (1)

    def _log_prob(self, codes: Labels) -> Floats:
        return self.joint._log_prob(codes)

    def _best(self, k: int) -> Best:
        return self.joint._best(k)

    def _mode(self) -> Labels:
        return self.joint._mode()

    def _leading(self, k: int) -> Labels:
        return self.joint._leading(k)

    def _sizes(self) -> Floats:
        return self.joint._sizes()

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        return self.joint._sample(size, rng)

    def _evidence(self, known: Labels) -> Floats:
        return self.joint._evidence(known)

    def _given(self, known: Labels) -> PooledMarginals:
        return PooledMarginals(
            self.joint._given(known), [member._given(known) for member in self.members]
        )

    def _power(self, t: float) -> PooledMarginals:
        return PooledMarginals(self.joint._power(t), [m._power(t) for m in self.members])

    def _rows(self, index: Rows) -> PooledMarginals:
        return PooledMarginals(
            self.joint._rows(index), [member._rows(index) for member in self.members]
        )

    def gap(self) -> Floats:
        """Bound by how much a vector can beat ``map()``: the joint's bound."""
        return self.joint.gap()

    def _inexact(self) -> dict[str, str]:
        words = [member._inexact().get("marginals", "exact") for member in self.members]
        worst = next((word for word in words if word != "exact"), "exact")
        return self.joint._inexact() | {"marginals": worst}
