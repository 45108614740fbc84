"""The tests stand in the rooms of what they test."""

from __future__ import annotations

from pathlib import Path

import jointbayes

ROOT = Path(jointbayes.__file__).parent
TESTS = Path(__file__).parents[1]
OF_THEIR_OWN = {"house", "oracles"}


def rooms() -> set[str]:
    """The folders of the package with code in them, as their tests name them."""
    folders = {path.parent.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py")} - {"."}
    return {name.replace("_kernels", "kernels") for name in folders}


def test_every_folder_of_the_package_has_its_tests():
    for room in sorted(rooms()):
        assert any((TESTS / room).rglob("test_*.py")), f"tests/{room} has no tests"


def test_every_folder_of_tests_is_about_something_there_is():
    files = {path.stem for path in ROOT.glob("*.py")}
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}
    assert folders - OF_THEIR_OWN <= rooms() | files
