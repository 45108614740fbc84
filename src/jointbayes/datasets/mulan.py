"""Which attributes of an ARFF file are labels: MULAN's xml beside it, or MEKA's ``-C n``.

The xml wins: some public files carry a ``-C n`` in the relation name although their labels stand
elsewhere.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from jointbayes.datasets.files import PACKED, read_text, shown, without_suffixes
from jointbayes.errors import DataError

__all__ = ["label_columns"]

_COUNT = re.compile(r"(?:^|\s)-C\s+(-?\d+)(?=\s|$)", re.I)


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
    count = int(found[1])
    if not 0 < abs(count) <= len(names):
        raise DataError(
            f"{path}: the relation says -C {count}, but the file has {len(names)} attributes; "
            "correct it, or name the labels with target="
        )
    return list(range(len(names)))[:count] if count > 0 else list(range(len(names)))[count:]


def _from_xml(xml: Path, path: Path, names: tuple[str, ...]) -> list[int]:
    text = read_text(xml)
    if b"<!DOCTYPE" in text.data or b"<!ENTITY" in text.data:
        raise DataError(
            f"{xml} declares entities, which a list of labels has no use for; drop them"
        )
    try:
        root = ElementTree.fromstring(text.data)
    except ElementTree.ParseError as error:
        raise DataError(f"{xml} is no xml ({error}); correct or remove it") from None
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
