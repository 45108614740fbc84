"""Lines of a file of rules: what each says without remarks, the names in it, and its place."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from pathlib import Path

from jointbayes.errors import DataError

__all__ = ["add_parent", "names_in", "read_parents", "read_text", "said_by_line", "two_names"]

_REMARK = re.compile(r"""((?:[^#"]|"[^"]*")*)#.*""")


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file of rules, or say why there is none."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{os.fspath(path)} is not a text in UTF-8; save it as such") from error
    except OSError as error:
        reason = error.strerror or error
        raise DataError(
            f"{os.fspath(path)} cannot be read ({reason}); give a file with a rule in each line"
        ) from error


def said_by_line(text: str, source: str) -> Iterator[tuple[str, str]]:
    r"""Yield what each line says, and where it says so, for messages.

    >>> list(said_by_line("# rules\n\nbeach, outdoor # always", "r.txt"))
    [('beach, outdoor', "r.txt, line 3: 'beach, outdoor'")]
    """
    for number, line in enumerate(text.splitlines(), 1):
        said = _REMARK.sub(r"\1", line).strip()
        if said:
            yield said, f"{source}, line {number}: {said!r}"


def names_in(text: str) -> list[str]:
    """Return names with commas between them; one with a comma in it stands in double quotes.

    >>> names_in('"snow, fresh", outdoor')
    ['snow, fresh', 'outdoor']
    """
    (fields,) = list(csv.reader([text.strip()], skipinitialspace=True)) or [[]]
    return [field.strip() for field in fields if field.strip()]


def two_names(names: list[str], place: str) -> tuple[str, str]:
    """Return the two names, or refuse the line."""
    if len(names) != 2:
        many = f"{len(names)} label{'' if len(names) == 1 else 's'}"
        raise DataError(f"{place} names {many}; give two with a comma between")
    return names[0], names[1]


def add_parent(parents: dict[str, str], said: str, place: str) -> None:
    """Take down a line of child, parent."""
    child, parent = two_names(names_in(said), place)
    if parents.get(child, parent) != parent:
        raise DataError(f"{place} gives {child!r} a second parent; write it as implies: …")
    parents[child] = parent


def read_parents(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the hierarchy of a file that has nothing but lines of child, parent."""
    parents: dict[str, str] = {}
    for said, place in said_by_line(read_text(path), os.fspath(path)):
        add_parent(parents, said, place)
    return parents
