"""What a type checker sees of the lazy names: their own types, and the names there are."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import jointbayes
import jointbayes.models

ROOT = Path(jointbayes.__file__).parent
PROJECT = Path(__file__).parents[2]
USER = """\
import jointbayes as jb
from jointbayes.models import CTBN, Explanation
from jointbayes.posterior import Posterior

model = jb.TAN(smoothing=0.5).fit([[0], [1]], [0, 1])
reveal_type(model)  #: TAN
reveal_type(CTBN())  #: CTBN
reveal_type(jb.models.MLkNN())  #: MLkNN
reveal_type(jb.posterior(model, [[0]]))  #: Posterior
answer: Posterior = model.posterior([[0]])
reason: Explanation = model.explain([[0]])
reveal_type(jb.evaluate(model, [[0]], [0]))  #: Scores
reveal_type(jb.load_dataset("iris"))  #: Dataset
reveal_type(jb.Table.of([[0]]))  #: Table
reveal_type(jb.metrics.subset_accuracy([0], [0]))  #: float
"""


def stub_of(package) -> ast.Module:
    return ast.parse(Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))


def imported(package) -> dict[str, str]:
    """The names that a stub re-exports, and the module each comes from."""
    return {
        alias.asname: node.module
        for node in stub_of(package).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }


def defined(package) -> set[str]:
    return {node.name for node in stub_of(package).body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("package", [jointbayes, jointbayes.models], ids=lambda p: p.__name__)
def test_the_stub_lists_the_names_there_are_and_where(package):
    names = imported(package)
    assert sorted({*names, *defined(package)}) == package.__all__
    homes = {name: f"jointbayes.{home}" for name, home in package._HOME.items()}
    assert {name: names[name] for name in homes} == homes
    modules = names.keys() - homes.keys()
    assert {names[name] for name in modules} <= {"jointbayes"}


def test_a_call_of_the_stub_is_a_call():
    assert defined(jointbayes) == {"posterior"}
    assert callable(jointbayes.posterior)


def test_a_type_checker_sees_the_types_of_a_user_s_script(tmp_path):
    pytest.importorskip("mypy")
    if np.lib.NumpyVersion(np.__version__) < "2.2.0":
        pytest.skip("this numpy's own types are too old to check against")
    script = tmp_path / "script.py"
    script.write_text(USER, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--python-executable", sys.executable, str(script)]
    answer = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert "Success" in answer.stdout, answer.stdout + answer.stderr
    seen = re.findall(r':(\d+): note: Revealed type is "(?:builtins\.)?([\w.]+)"', answer.stdout)
    found = {int(line): kind.rpartition(".")[2] for line, kind in seen}
    lines = enumerate(USER.splitlines(), start=1)
    expected = {i: line.partition("#: ")[2] for i, line in lines if "#: " in line}
    assert found == expected


def test_stubs_are_shipped():
    assert (ROOT / "py.typed").exists()
    assert (ROOT / "__init__.pyi").exists()
    assert (ROOT / "models" / "__init__.pyi").exists()
