"""How much memory this process holds, and held at most; 0 where there is no Linux to count it."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["forget", "held", "peak"]

STATUS = Path("/proc/self/status")


def held() -> int:
    """Return the bytes that this process holds."""
    return 1024 * _status("VmRSS")


def peak() -> int:
    """Return the most bytes that it has held since the last `forget`."""
    return 1024 * _status("VmHWM")


def forget() -> None:
    """Start to look for a peak anew."""
    if STATUS.exists():
        STATUS.with_name("clear_refs").write_text("5", encoding="ascii")


def _status(key: str) -> int:
    text = STATUS.read_text(encoding="ascii") if STATUS.exists() else ""
    found = re.search(rf"{key}:\s+(\d+) kB", text)
    return int(found[1]) if found else 0
