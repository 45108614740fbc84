"""Seeds: one meaning of ``random_state`` for all that draw."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from jointbayes.errors import ParameterError

__all__ = ["generator_of", "seed_of"]

DEFAULT = 0
"""What None stands for: the same data give the same model."""


def seed_of(random_state: Any) -> int:
    """Return the seed that an integer, a numpy generator, or None (a fixed seed) stands for.

    >>> seed_of(7), seed_of(None), seed_of(np.random.default_rng(7)) == seed_of(7)
    (7, 0, False)
    """
    if random_state is None:
        return DEFAULT
    if isinstance(random_state, Integral):
        return int(random_state) % (1 << 64)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(1 << 31, dtype=np.int64))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(1 << 63))
    raise ParameterError(
        f"random_state is {random_state!r}; give None, an integer, or a numpy generator"
    )


def generator_of(random_state: Any) -> np.random.Generator:
    """Return the generator that starts at that seed.

    >>> int(generator_of(3).integers(100))
    81
    """
    return np.random.default_rng(seed_of(random_state))
