"""Numbers for the page: every double as it is, in few characters.

Tables that were counted hold few distinct numbers, so they are written as places in a list of them;
others, such as coefficients, as their eight bytes. What is not a number in JSON (NaN, −∞) is one
here.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

__all__ = ["pack", "safe_json"]


def pack(numbers: Any) -> dict[str, Any]:
    """Return numbers, in the order of C, as text that `unpack` of the engine turns back.

    >>> pack(np.zeros(8))
    {'doubles': 'AAAAAAAAAAA=', 'places': 'AAAAAAAAAAA=', 'width': 1}
    >>> sorted(pack([0.1, 0.2]))
    ['doubles']
    """
    flat = np.ascontiguousarray(numbers, dtype="<f8").ravel()
    distinct, places = np.unique(flat.view("<u8"), return_inverse=True)  # by bits: −0 is not 0
    width = 1 if len(distinct) <= 1 << 8 else 2 if len(distinct) <= 1 << 16 else 4
    if 8 * len(distinct) + width * len(flat) >= 8 * len(flat):
        return {"doubles": _text(flat)}
    return {
        "doubles": _text(distinct),
        "places": _text(places.astype(f"<u{width}")),
        "width": width,
    }


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
