"""Draw codes from probabilities, for whole arrays of distributions at once."""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats, Labels

__all__ = ["draw_codes"]


def draw_codes(p: Floats, u: Floats) -> Labels:
    """Turn uniform numbers (…) into codes drawn from probabilities (…, k).

    >>> draw_codes(np.array([0.5, 0.0, 0.5]), np.array([0.1, 0.499, 0.5, 0.9])).tolist()
    [0, 0, 2, 2]
    """
    steps = np.cumsum(p, axis=-1)
    # u < 1, so u × total < total: a value of probability 0 is never drawn, the last one neither.
    codes: Labels = (u[..., None] * steps[..., -1:] >= steps[..., :-1]).sum(axis=-1)
    return codes
