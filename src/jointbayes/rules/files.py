"""Rules in a file: one a line.

A line of two names is *child, parent*; all such lines make one hierarchy. Any other begins with
what the rule is, and a colon; what is counted stands before it, and no names stand for all labels::

    # what a picture shows
    beach, outdoor
    implies: boat, water
    exclusive: day, night
    at most 3:
    at least 1: indoor, outdoor
    exactly 1: day, dusk, night
    forbid: weather=snow, month=july

Blank lines and what follows a # are not read. A name with a comma, a colon or a # in it stands in
double quotes.
"""

from __future__ import annotations

import ast
import csv
import os
import re
from pathlib import Path
from typing import Any

from jointbayes.errors import DataError
from jointbayes.rules.rule import (
    Rule,
    at_least,
    at_most,
    exactly,
    exclusive,
    forbid,
    hierarchy,
    implies,
)

__all__ = ["parse_rules", "read"]

_COUNTED = {"at most": at_most, "at least": at_least, "exactly": exactly}
_LINE = re.compile(
    r"(?P<kind>implies|exclusive|forbid|(?:at[ _]most|at[ _]least|exactly)\s+(?P<k>\d+))"
    r"\s*:(?P<rest>.*)",
    re.IGNORECASE,
)
_REMARK = re.compile(r"""((?:[^#"]|"[^"]*")*)#.*""")


def read(path: str | os.PathLike[str]) -> list[Rule]:
    r"""Return the rules of a file; see `jointbayes.rules.files` for how they are written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rules.txt"
    ...     _ = path.write_text("beach,outdoor\nat most 3:\n")
    ...     read(path)
    [hierarchy({'beach': 'outdoor'}), at_most(3)]
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{os.fspath(path)} is not a text in UTF-8; save it as such") from error
    except OSError as error:
        reason = error.strerror or error
        raise DataError(
            f"{os.fspath(path)} cannot be read ({reason}); give a file with a rule in each line"
        ) from error
    return parse_rules(text, os.fspath(path))


def parse_rules(text: str, source: str = "rules") -> list[Rule]:
    r"""Return the rules of a text.

    >>> parse_rules("exactly 1: day, night  # but not both\nforbid: weather=snow, hot=1")
    [exactly(1, 'day', 'night'), forbid({'weather': 'snow', 'hot': 1})]
    >>> parse_rules("boat")
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: rules, line 1: 'boat' names 1 label; give two with a comma between
    """
    found: list[Rule] = []
    parents: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        said = _REMARK.sub(r"\1", line).strip()
        place = f"{source}, line {number}: {said!r}"
        rule = _LINE.fullmatch(said)
        if rule is not None:
            found.append(_rule(rule, place))
        elif said:
            child, parent = _two(_names(said), place)
            if parents.get(child, parent) != parent:
                raise DataError(f"{place} gives {child!r} a second parent; write it as implies: …")
            parents[child] = parent
    return [*([hierarchy(parents)] if parents else []), *found]


def _rule(line: re.Match[str], place: str) -> Rule:
    kind, names = line["kind"].lower().replace("_", " "), _names(line["rest"])
    if kind == "implies":
        return implies(*_two(names, place))
    if kind == "exclusive":
        return exclusive(*names)
    if kind == "forbid":
        pairs = [name.partition("=") for name in names]
        if not pairs or not all(equals for _, equals, _ in pairs):
            raise DataError(f"{place} does not say which values; write forbid: label=value, …")
        return forbid({name.strip(): _value(value.strip()) for name, _, value in pairs})
    return _COUNTED[kind.removesuffix(line["k"]).strip()](int(line["k"]), *names)


def _names(text: str) -> list[str]:
    (fields,) = list(csv.reader([text.strip()], skipinitialspace=True)) or [[]]
    return [field.strip() for field in fields if field.strip()]


def _two(names: list[str], place: str) -> tuple[str, str]:
    if len(names) != 2:
        many = f"{len(names)} label{'' if len(names) == 1 else 's'}"
        raise DataError(f"{place} names {many}; give two with a comma between")
    return names[0], names[1]


def _value(text: str) -> Any:
    """Return a number or True or False as such, and anything else as the word that it is."""
    try:
        found = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
    return found if isinstance(found, bool | int | float) else text
