r"""Diagnosis: what reconsidering did to the answers of a label-driven model (Sun 2017, Sec. 4.3).

With Q the rows, R those that were reconsidered, and the answers :math:`\hat c_G` before and
:math:`\hat c_L` after:

.. math:: LLP = |R| / |Q|                                                                (22)
.. math:: CP = |\{x \in R : \hat c_G \ne c, \hat c_L = c\}| / |R|                           (23)
.. math:: LP = |\{x \in R : \hat c_G = c, \hat c_L \ne c\}| / |R|                           (24)
.. math:: κ = (Θ_1 - Θ_2) / (1 - Θ_2)                                                     (25)

where Θ1 is how often the refined generalist and the experts agree on R (Eq. 26) and Θ2 how often
they would by chance (Eq. 27).
"""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.metrics import cohen_kappa_score

from jointbayes.arrays import Labels
from jointbayes.codes import Codes
from jointbayes.models.label_driven.reconsider import LabelDrivenNetworks

__all__ = ["Diagnosis", "diagnose"]


@dataclass(frozen=True)
class Diagnosis:
    """How often a label-driven model reconsidered, and what came of it; shares, not percent.

    Parameters
    ----------
    n_rows, n_reconsidered
        How many rows there were, and how many were reconsidered.
    llp
        The share of rows that were reconsidered (Eq. 22).
    cp
        The share of these that were corrected (Eq. 23).
    lp
        The share of these that were lost (Eq. 24).
    mean_labels
        How many labels survived in them on average.
    kappa
        Agreement of refined generalist and experts in them beyond chance (Eq. 25).

    Examples
    --------
    >>> from jointbayes import LTAN
    >>> X, y = [["a"], ["b"], ["b"]] * 5, [0, 1, 2] * 5
    >>> found = LTAN().fit(X, y).diagnose(X, y)
    >>> found.n_rows, found.n_reconsidered, found.mean_labels
    (15, 10, 2.0)
    """

    n_rows: int
    n_reconsidered: int
    llp: float
    cp: float
    lp: float
    mean_labels: float
    kappa: float


def diagnose(
    learned: LabelDrivenNetworks, codes: Codes, labels: Labels, n_jobs: int | None = None
) -> Diagnosis:
    """Compare the stages of a label-driven model on rows whose labels are known.

    Where no row is reconsidered nothing is corrected or lost: those shares are 0, and κ is 1.
    """
    scores = learned.generalist.log_scores(codes, n_jobs)
    again, kept = learned.doubtful(scores)
    if not len(again):
        return Diagnosis(len(codes), 0, 0.0, 0.0, 0.0, 0.0, 1.0)
    part, right = codes[again], labels[again]
    before = scores[again].argmax(axis=1) == right
    after = learned.log_scores(part, n_jobs).argmax(axis=1) == right
    refined = learned.refined(part, kept, scores[again], n_jobs).argmax(axis=1)
    experts = learned.specialised(part, kept, n_jobs).argmax(axis=1)
    return Diagnosis(
        n_rows=len(codes),
        n_reconsidered=len(again),
        llp=len(again) / len(codes),
        cp=float((~before & after).mean()),
        lp=float((before & ~after).mean()),
        mean_labels=float(kept.sum(axis=1).mean()),
        kappa=1.0 if (refined == experts).all() else float(cohen_kappa_score(refined, experts)),
    )
