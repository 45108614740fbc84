"""Which attributes of an ARFF file are labels: MULAN's xml beside it, or MEKA's ``-C n``.

The xml wins: some public files carry a ``-C n`` in the relation name although their labels stand
elsewhere.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from jointbayes.datasets.files import PACKED, as_text, decode, read_bytes, without_suffixes
from jointbayes.errors import DataError, ParameterError
from jointbayes.table.wording import shown

__all__ = ["label_columns"]

_COUNT = re.compile(r"(?:^|\s)-C\s+(-?)([0-9]+)(?=\s|$)", re.I)
_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]*)["']""", re.A)


def label_columns(path: Path, relation: str, names: tuple[str, ...]) -> list[int] | None:
    """Return the positions of the labels, or None where nobody says.

    >>> label_columns(Path("none.arff"), "flare: -C 2", ("c", "m", "x")), label_columns(
    ...     Path("none.arff"), "flare: -C -2", ("x", "c", "m"))
    ([0, 1], [1, 2])
    """
    beside = without_suffixes(path.name, (".arff",)) + ".xml"
    for name in (beside, *(beside + suffix for suffix in PACKED)):
        xml = path.with_name(name)
        if xml.is_file():
            return _from_xml(xml, path, names)
    found = _COUNT.search(relation)
    if found is None:
        return None
    count = int(found[2][:10])  # ten digits are too many labels already
    if not 0 < count <= len(names):
        raise DataError(
            f"{path}: the relation says -C {found[1]}{found[2][:10]}, but the file has "
            f"{len(names)} attributes; correct it, or name the labels with target="
        )
    return list(range(len(names)))[-count:] if found[1] else list(range(count))


def _from_xml(xml: Path, path: Path, names: tuple[str, ...]) -> list[int]:
    text = _text_of(xml)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise DataError(
            f"{xml} declares entities, which a list of labels has no use for; drop them"
        )
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise DataError(f"{xml} is not xml ({error}); correct or remove it") from None
    labels = [e.get("name", "") for e in root.iter() if e.tag.rpartition("}")[2] == "label"]
    if not labels:
        raise DataError(f"{xml} lists no <label name=…>; correct or remove it")
    wanted = set(labels)
    position = {name: j for j, name in enumerate(names) if name in wanted}
    for label in labels:
        if label not in position:
            raise DataError(
                f"{xml} lists the label {shown(label)}, which {path} does not declare; correct one"
            )
    return sorted({position[label] for label in labels})


def _text_of(xml: Path) -> str:
    """Return the file's text in the encoding that it declares."""
    data = read_bytes(xml)
    declared = _ENCODING.match(data)
    try:
        return decode(as_text(str(xml), data, decode(declared[1]) if declared else "auto").data)
    except ParameterError:
        name = shown(declared[1] if declared else "")
        raise DataError(
            f"{xml} declares the encoding {name}, which is not known; correct it"
        ) from None
