"""The architecture as a test: a module imports only from its own stage and the stages before it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import jointbayes

ROOT = Path(jointbayes.__file__).parent
ORDER = (
    "errors arrays checks budgets climbing seeds threads doors _kernels table datasets labels "
    "rules codes discretize encoding design counts information description graph structure "
    "independence select network inference posterior losses decision estimator learners models "
    "auditing synthetic metrics statistics validation trying storage scale plots explorer "
    "reproduction report cli __main__"
).split()
MODULES = [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def stage(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def own_imports(path: Path) -> set[str]:
    """The stages a file imports from, function bodies included; the package itself is none."""
    reached = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            module = node.module or ""
            whole = module == "jointbayes"
            names = [f"{module}.{alias.name}" for alias in node.names] if whole else [module]
        else:
            assert not isinstance(node, ast.ImportFrom), f"{path}: write imports in full"
            continue
        reached |= {name.split(".")[1] for name in names if name.startswith("jointbayes.")}
    return reached


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_only_point_left(path):
    assert stage(path) in ORDER, f"{stage(path)} has no place in the pipeline"
    allowed = set(ORDER[: ORDER.index(stage(path)) + 1])
    assert own_imports(path) <= allowed


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_is_one_idea(path):
    assert path.stem not in {"utils", "util", "helpers", "common", "misc", "core"}
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_no_file_imports_itself_by_way_of_others():
    """Not even where a type checker alone would see it, or only when a function is called."""
    graph = {module_of(p): files_imported(p) for p in MODULES}
    while graph:
        leaves = [name for name, needs in graph.items() if not needs & graph.keys()]
        assert leaves, f"these files import each other in a circle: {sorted(graph)}"
        for name in leaves:
            del graph[name]


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("jointbayes", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def files_imported(path: Path) -> set[str]:
    """The modules a file names; a package stands for the file that says what it exports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jointbayes."):
            whole = {f"{node.module}.{alias.name}" for alias in node.names} & KNOWN
            found |= whole or {node.module}
    return found - {module_of(path)}


KNOWN = {module_of(path) for path in MODULES}
