"""The header of an ARFF file: its relation, and the attributes with their kinds and values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jointbayes.datasets.fields import ARFF, unquote
from jointbayes.datasets.files import FileText, decode
from jointbayes.datasets.sparse import Attribute
from jointbayes.errors import DataError
from jointbayes.table.wording import shown

__all__ = ["Header", "read_header"]

_DATA = re.compile(rb"\n[ \t]*@[dD][aA][tT][aA]\b[^\n]*")
_TOKEN = r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\""""
_RELATION = re.compile(rf"({_TOKEN})\s*(?:%.*)?|(.*?)(?:\s%.*)?")
_ATTRIBUTE = re.compile(rf"\s*({_TOKEN}|[^\s{{]+)\s*(.*)", re.S)
_VALUE = re.compile(rf"\s*+({_TOKEN}|[^,}}'\"\s][^,}}]*+)?\s*+([,}}])")
_NUMERIC = ("numeric", "real", "integer")
# Lines of three words, the last a type of numbers: wide files have thousands, taken at once.
_TYPES = "|".join(case(word) for word in _NUMERIC for case in (str.lower, str.upper))
_PLAIN = re.compile(rf"(?:@(?:attribute|ATTRIBUTE)[ \t]+[^\s'\"%]+[ \t]+(?:{_TYPES})[ \t\r]*\n)+")


@dataclass(frozen=True)
class Header:
    """Relation, attributes, those that are more than numbers, and the byte where rows begin."""

    relation: str
    names: tuple[str, ...]
    declared: dict[int, Attribute]
    rows_start: int


def read_header(text: FileText) -> Header:
    """Read everything up to ``@data``.

    >>> header = read_header(FileText("w.arff", b'''% weather
    ... @relation 'two days' %50
    ... @attribute 'how warm' real
    ... @attribute sky {clear, 'half clear'}
    ... @data
    ... '''))
    >>> header.relation, header.names, header.declared[1].values
    ('two days', ('how warm', 'sky'), ('clear', 'half clear'))
    """
    end = _DATA.search(text.data)
    if end is None:
        raise DataError(
            f"{text.source} has no @data line, so it is not an ARFF file or a truncated one; "
            "fetch it again"
        )
    head = decode(text.data[: end.start() + 1])
    relation, number, at = "", 1, 0
    names: list[str] = []
    declared: dict[int, Attribute] = {}
    while at < len(head):
        plain = _PLAIN.match(head, at)
        if plain:
            found = plain[0].split()[1::3]
            names += found
            number, at = number + len(found), plain.end()
            continue
        stop = head.index("\n", at) + 1
        attribute = _declaration(text, number, head[at:stop].strip())
        if isinstance(attribute, Attribute):
            if attribute.kind != "numeric":
                declared[len(names)] = attribute
            names.append(attribute.name)
        relation = attribute if isinstance(attribute, str) else relation
        number, at = number + 1, stop
    if not names:
        raise DataError(f"{text.source} declares no @attribute before @data; add them")
    if len(set(names)) < len(names):
        raise _declared_again(text, head)
    return Header(relation, tuple(names), declared, end.end())


def _declared_again(text: FileText, head: str) -> DataError:
    """Say where an attribute is declared for the second time."""
    lines: dict[str, int] = {}
    for number, line in enumerate(head.splitlines(), start=1):
        attribute = _declaration(text, number, line.strip())
        if isinstance(attribute, Attribute):
            name = attribute.name
            if name in lines:
                break
            lines[name] = number
    again = f"is declared again, after line {lines[name]}; rename one"
    return _error(text, number, f"attribute {shown(name)} {again}")


def _declaration(text: FileText, number: int, line: str) -> Attribute | str | None:
    """Return an attribute, the name of the relation, or None for a comment."""
    if not line or line[0] == "%":
        return None
    keyword, *rest = line.split(None, 1)
    if keyword.lower() == "@attribute":
        return _attribute(text, number, rest[0] if rest else "")
    if keyword.lower() == "@relation":
        return _relation(rest[0] if rest else "")
    raise _error(
        text, number, f"{shown(line)} is neither @relation, @attribute nor @data; correct it"
    )


def _relation(rest: str) -> str:
    found = _RELATION.fullmatch(rest)
    return rest if found is None else unquote((found[1] or found[2]).encode(), ARFF)


def _attribute(text: FileText, line: int, rest: str) -> Attribute:
    found = _ATTRIBUTE.fullmatch(rest)
    if found is None or not found[2]:
        raise _error(
            text,
            line,
            f"@attribute {shown(rest)} lacks a name or a type; write @attribute NAME TYPE",
        )
    name, declared = unquote(found[1].encode(), ARFF), found[2]
    kind = declared.split(None, 1)[0].lower()
    if declared.startswith("{"):
        return Attribute(name, "nominal", _values(text, line, name, declared))
    if kind in _NUMERIC or kind.split("[")[0] in _NUMERIC:
        return Attribute(name, "numeric")
    if kind == "string":
        return Attribute(name, "string")
    if kind == "date":
        form = declared[len(kind) :].strip()
        return Attribute(name, "date", date_format=unquote(form.encode(), ARFF))
    raise _error(
        text, line,
        f"attribute {shown(name)} has the type {shown(declared)}; this reader knows numeric, real, "
        "integer, string, date and {value, …}",
    )  # fmt: skip


def _values(text: FileText, line: int, name: str, declared: str) -> tuple[str, ...]:
    if "'" not in declared and '"' not in declared and "}" in declared:
        found = (value.strip() for value in declared[1 : declared.index("}")].split(","))
        return tuple(dict.fromkeys(filter(None, found)))
    values, at = [], 1
    while True:
        one = _VALUE.match(declared, at)
        if one is None:
            raise _error(
                text, line,
                f"the values of attribute {shown(name)} are not closed by a brace, or a quote "
                f"is not closed, at {shown(declared[at : at + 60])}; correct them",
            )  # fmt: skip
        if one[1]:
            values.append(unquote(one[1].rstrip().encode(), ARFF))
        at = one.end()
        if one[2] == "}":
            return tuple(dict.fromkeys(values))


def _error(text: FileText, line: int, sentence: str) -> DataError:
    return DataError(f"{text.source}, line {line}: {sentence}")
