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
import os
import re
from typing import Any

from jointbayes.errors import DataError
from jointbayes.rules.lines import add_parent, names_in, read_text, said_by_line, two_names
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


def read(path: str | os.PathLike[str]) -> list[Rule]:
    r"""Return the rules of a file; see `jointbayes.rules.files` for how they are written.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rules.txt"
    ...     _ = path.write_text("beach,outdoor\nat most 3:\n")
    ...     read(path)
    [hierarchy({'beach': 'outdoor'}), at_most(3)]
    """
    return parse_rules(read_text(path), os.fspath(path))


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
    for said, place in said_by_line(text, source):
        rule = _LINE.fullmatch(said)
        if rule is not None:
            found.append(_rule(rule, place))
        else:
            add_parent(parents, said, place)
    return [*([hierarchy(parents)] if parents else []), *found]


def _rule(line: re.Match[str], place: str) -> Rule:
    kind, names = line["kind"].lower().replace("_", " "), names_in(line["rest"])
    if kind == "implies":
        return implies(*two_names(names, place))
    if kind == "exclusive":
        return exclusive(*names)
    if kind == "forbid":
        pairs = [name.partition("=") for name in names]
        if not pairs or not all(equals for _, equals, _ in pairs):
            raise DataError(f"{place} does not say which values; write forbid: label=value, …")
        return forbid({name.strip(): _value(value.strip()) for name, _, value in pairs})
    return _COUNTED[kind.removesuffix(line["k"]).strip()](int(line["k"]), *names)


def _value(text: str) -> Any:
    """Return a number or True or False as such, and anything else as the word that it is."""
    try:
        found = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
    return found if isinstance(found, bool | int | float) else text
