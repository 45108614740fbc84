"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from jointbayes.errors import DataError

__all__ = ["write_whole"]


def write_whole(text: str, path: str | os.PathLike[str]) -> Path:
    """Write a text into a temporary file beside ``path``, then rename it.

    >>> place = Path(tempfile.mkdtemp()) / "report.html"
    >>> write_whole("whole", place).read_text(), sorted(p.name for p in place.parent.iterdir())
    ('whole', ['report.html'])
    """
    place = Path(path)
    try:
        handle, draft = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(draft).chmod(0o644)
            Path(draft).replace(place)
        except BaseException:
            Path(draft).unlink()
            raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"{place} cannot be written: {reason}; give another path") from error
    return place
