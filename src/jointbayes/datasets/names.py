"""From a name to a path: data sets go by their file's name, without suffix and in any case.

Places are searched in order: ``data_dir``, the directories in the environment variable
``JOINTBAYES_DATA``, the current one, and the data sets that ship with the package; all but the
current one with the directories in them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from jointbayes.datasets.files import without_suffixes
from jointbayes.errors import DataError
from jointbayes.table.wording import shown

__all__ = ["FORMATS", "SHIPPED", "find_file"]

FORMATS = (
    ".arff", ".csv", ".tsv", ".tab", ".data", ".dat", ".txt",
    ".parquet", ".pq", ".svmlight", ".libsvm", ".svm",
)  # fmt: skip
SHIPPED = Path(__file__).parent / "shipped"
"""The data sets that come with the package; README.md beside them says whose they are."""


def find_file(
    name_or_path: str | os.PathLike[str], data_dir: str | os.PathLike[str] | None
) -> Path:
    """Return the file a path or a name means.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> for name in ("Birds.arff", "thyroid-L7.arff.xz"):
    ...     _ = (place / name).write_text("")
    >>> find_file("birds", place).name, find_file("thyroid", place).name
    ('Birds.arff', 'thyroid-L7.arff.xz')
    """
    path = Path(name_or_path).expanduser()
    places = list(_places(data_dir))
    candidates = [path] if path.is_absolute() else [path, *(place / path for place in places)]
    for candidate in candidates:
        if _exists(candidate, is_file=True):
            return candidate
    if path.is_absolute() or _exists(path, is_file=False) or not path.name:
        return path  # reading it says what is wrong with it
    return _by_name(str(name_or_path), places)


def _exists(path: Path, *, is_file: bool) -> bool:
    try:
        return path.is_file() if is_file else path.exists()
    except ValueError:  # a null byte in the name: there is no such file
        return False


def _places(data_dir: str | os.PathLike[str] | None) -> Iterator[Path]:
    if data_dir is not None:
        if not Path(data_dir).expanduser().is_dir():
            raise DataError(
                f"data_dir {shown(data_dir)} is not a directory; give one with data files"
            )
        yield Path(data_dir).expanduser()
    for named in filter(None, os.environ.get("JOINTBAYES_DATA", "").split(os.pathsep)):
        yield Path(named).expanduser()
    yield Path()
    yield SHIPPED


def _files(place: Path) -> list[Path]:
    """Return the data files of a place, and of the directories in it."""
    entries = _within(place)
    if place != Path():
        entries = [path for entry in entries for path in (_within(entry) or [entry])]
    return [p for p in entries if without_suffixes(p.name, ()).lower().endswith(FORMATS)]


def _within(place: Path) -> list[Path]:
    try:
        return sorted(place.iterdir()) if place.is_dir() else []
    except OSError:
        return []


def _by_name(name: str, places: list[Path]) -> Path:
    wanted = name.lower()
    known: dict[str, str] = {}
    for place in places:
        files = _files(place)
        for match in (_is_file_name, _is_stem, _begins_stem):
            found = [p for p in files if match(p, wanted)]
            exact = [p for p in found if without_suffixes(p.name, FORMATS) == name]
            found = exact if len(exact) == 1 else found
            if len(found) == 1:
                return found[0]
            if found:
                several = ", ".join(p.name for p in found)
                raise DataError(f"{shown(name)} may be any of {several}; give the whole name")
        known |= {_stem(p): without_suffixes(p.name, FORMATS) for p in files}
    near = [known[stem] for stem in get_close_matches(wanted, known, n=3, cutoff=0.5)]
    hint = f" (did you mean {' or '.join(near)}?)" if near else ""
    looked = list(dict.fromkeys(str(p.resolve()) for p in places if p != SHIPPED))
    more = f" and {len(looked) - 3} more" if len(looked) > 3 else ""
    ours = ", ".join(map(_stem, _files(SHIPPED)))
    raise DataError(
        f"there is no file or data set {shown(name)}{hint} in {', '.join(looked[:3])}{more}; give "
        f"a path, the name of one that comes with jointbayes ({ours}), "
        "or the folder that holds it by data_dir (--data-dir) or the environment variable "
        "JOINTBAYES_DATA"
    )


def _stem(path: Path) -> str:
    return without_suffixes(path.name, FORMATS).lower()


def _is_file_name(path: Path, wanted: str) -> bool:
    return path.name.lower() == wanted or without_suffixes(path.name, ()).lower() == wanted


def _is_stem(path: Path, wanted: str) -> bool:
    return _stem(path) == wanted


def _begins_stem(path: Path, wanted: str) -> bool:
    return _stem(path).startswith(tuple(wanted + mark for mark in "-_."))
