"""One meaning for a word: classes, public functions, types of arrays, files."""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from pathlib import Path

import jointbayes

ROOT = Path(jointbayes.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

# Words that still name several classes; strike out what is mended.
SEVERAL: set[str] = set()

# Array types that still have a name outside arrays.py; strike out what is mended.
ALIASES = {
    ("_kernels/forest.py", "Ints"),
    ("codes.py", "CodeArray"),
    ("design/label_columns.py", "Labels"),
    ("models/one_class/lkdb.py", "Selection"),
}
OTHER = (
    "base common core extra general helper helpers lib misc other stuff tools util utils".split()
)


def trees() -> dict[str, ast.Module]:
    read = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in FILES}
    return {name: ast.parse(text) for name, text in read.items()}


def test_a_class_has_its_name_for_itself():
    homes = defaultdict(list)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(name)
    several = {word: where for word, where in homes.items() if len(where) > 1}
    assert several.keys() == SEVERAL, several


def test_a_public_function_has_its_name_for_itself():
    homes = defaultdict(set)
    for module in jointbayes.__all__:
        value = getattr(jointbayes, module)
        if inspect.ismodule(value):
            for name in value.__all__:
                if inspect.isfunction(getattr(value, name)):
                    homes[name].add((module, getattr(value, name)))
    several = {
        name: {module for module, _ in where}
        for name, where in homes.items()
        if len({function for _, function in where}) > 1
    }
    assert not several


def test_a_public_name_is_not_that_of_a_module():
    """Which would hide it, or be hidden, as soon as the module is imported."""
    stages = {path.name.removesuffix(".py") for path in ROOT.iterdir()}
    names = {n for n in jointbayes.__all__ if not inspect.ismodule(getattr(jointbayes, n))}
    assert not names & stages


def test_types_of_arrays_have_names_in_one_file():
    found = set()
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.Assign) and is_array_type(node.value):
                found |= {(name, target.id) for target in node.targets}
    outside = {(name, alias) for name, alias in found if name != "arrays.py"}
    assert len(found - outside) >= 5
    assert outside == ALIASES


def is_array_type(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return is_array_type(node.left) or is_array_type(node.right)
    return isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("NDArray")


def test_no_file_is_named_for_what_is_left_over():
    for path in FILES:
        words = path.stem.strip("_").split("_")
        assert not set(words) & set(OTHER), path.relative_to(ROOT)
