"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from jointbayes.errors import DataError

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes the place of ``path`` only when all went well.

    The bytes go to a file beside it, reach the disk, and are then renamed. Whatever interrupts
    that leaves the old file as it was; a full disk is told in one sentence. Each call has a file
    of its own, under a name that nobody can guess and that nothing had before: of two that replace
    one path at once, the later one wins, and a link planted there is not followed.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "answer.txt"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"42")
    ...     path.exists()
    False
    >>> path.read_bytes(), len(list(path.parent.iterdir()))
    (b'42', 1)
    """
    target = Path(path).expanduser().resolve()  # a link stays, what it points to is replaced
    part = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file, _removed(part):
            yield file
            file.flush()
            os.fsync(file.fileno())
            file.close()  # before it is renamed, which some systems refuse for open files
            part.replace(target)
    except OSError as error:
        reason = error.strerror or error
        raise DataError(f"{path} cannot be written ({reason}); nothing was changed") from error


@contextmanager
def _removed(part: Path) -> Iterator[None]:
    """Remove a file at the end, if it is still there."""
    try:
        yield
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
