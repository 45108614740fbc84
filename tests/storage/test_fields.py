"""Annotations of fields: aliases are asked what they stand for, as Python 3.12 has them."""

from __future__ import annotations

from types import GenericAlias
from typing import TypeVar

import numpy as np

from jointbayes.storage.fields import fits

Number = TypeVar("Number", bound=np.generic)


class LazyAlias:
    """An alias as `type Vector[Number] = ...` makes them: it tells its meaning by `__value__`."""

    __value__ = np.ndarray[tuple[int, ...], np.dtype[Number]]


def test_an_alias_that_has_to_be_asked_is_asked():
    floats = GenericAlias(LazyAlias, (np.float64,))
    assert fits(np.ones(2), floats)
    assert not fits(np.ones(2, dtype=int), floats)
    assert not fits([1.0], floats)
    assert fits(None, floats | None)
