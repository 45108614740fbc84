"""Numbers for the page: every double as it is, in few characters.

Tables that were counted hold few distinct numbers, so they are written as places in a list of them;
others as their eight bytes, and coefficients, which are many, in six. What is not a number in JSON
(NaN, −∞) is one here.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Ints

__all__ = ["pack", "pack_rows", "safe_json"]


def pack(numbers: Any) -> dict[str, Any]:
    """Return numbers, in the order of C, as text that `unpack` of the engine turns back.

    >>> pack(np.zeros(8))
    {'doubles': 'AAAAAAAAAAA=', 'places': 'AA==', 'bits': 1, 'count': 8}
    >>> sorted(pack([0.1, 0.2]))
    ['doubles']
    """
    flat = np.ascontiguousarray(numbers, dtype="<f8").ravel()
    distinct, places = np.unique(flat.view("<u8"), return_inverse=True)  # by bits: −0 is not 0
    bits = next(b for b in (1, 2, 4, 8, 16, 32) if len(distinct) <= 1 << b)
    if 8 * len(distinct) + bits / 8 * len(flat) >= 8 * len(flat):
        return {"doubles": _text(flat)}
    return {
        "doubles": _text(distinct),
        "places": _text(_in_bits(places, bits)),
        "bits": bits,
        "count": len(flat),
    }


def _in_bits(places: Ints, bits: int) -> Any:
    """Return places of so many bits each, the first in the lowest bits of a byte."""
    if bits >= 8:
        return places.astype(f"<u{bits // 8}")
    each = 8 // bits
    filled = np.append(places, np.zeros(-len(places) % each, dtype=places.dtype))
    return (filled.reshape(-1, each) << bits * np.arange(each)).sum(axis=1).astype(np.uint8)


def pack_rows(coefficients: Floats) -> dict[str, Any]:
    """Return finite coefficients as text that `unpackRows` of the engine turns back.

    Each is a whole number of 48 bits times a power of two that its row shares, so that it is off by
    at most 2⁻⁴⁶ of the largest of its row: a sum of thousands keeps more than nine digits.

    >>> sorted(pack_rows(np.array([[0.1, 0.2], [0.3, 7.0]])))
    ['units', 'wholes']
    """
    largest = np.abs(coefficients).max(axis=1, initial=0.0)
    units = np.frexp(np.where(largest > 0, largest, 1.0))[1] - 46
    wholes = np.rint(np.ldexp(coefficients, -units[:, np.newaxis])).astype("<i8")
    bytes_of = wholes.ravel().view(np.uint8).reshape(-1, 8)
    return {"wholes": _text(bytes_of[:, :6]), "units": units.tolist()}


def _text(numbers: Any) -> str:
    return base64.b64encode(numbers.tobytes()).decode()


def safe_json(tables: Any) -> str:
    r"""Return JSON that can stand in a script element, whatever names there are in it.

    >>> safe_json({"name": "</script><!--"})
    '{"name":"\\u003c/script\\u003e\\u003c!--"}'
    """
    text = json.dumps(tables, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return "".join(c if not 0xD800 <= ord(c) <= 0xDFFF else f"\\u{ord(c):04x}" for c in text)
