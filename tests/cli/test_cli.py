"""The command line as its users meet it: exit codes, one sentence, no stack traces."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import jointbayes

FLOWERS = "petal,colour,class\n1.4,white,a\n4.7,?,b\n1.3,white,a\n"


@pytest.fixture
def flowers(tmp_path):
    path = tmp_path / "flowers.csv"
    path.write_text(FLOWERS)
    return path


def test_describe(run, flowers):
    code, out, err = run("describe", flowers)
    assert (code, err) == (0, "")
    assert "1 nominal, 1 numeric" in out
    assert "1 of 6 values" in out


def test_describe_as_json(run, flowers):
    code, out, _ = run("describe", flowers, "--json", "--target", "colour", "--nominal", "petal")
    summary = json.loads(out)
    assert code == 0
    assert summary["labels"] == {"colour": 1}
    assert summary["features"] == {"nominal": 2}
    assert summary["missing_labels"] == 1


def test_the_reader_s_options(run, flowers):
    flowers.write_text("1.4;white;a\n4.7;-;b\n1.3;white;a\n")
    options = ["--header", "petal,colour,kind", "--missing", "-", "--delimiter", ";", "--json"]
    _, out, _ = run("describe", "flowers", "--data-dir", flowers.parent, *options)
    summary = json.loads(out)
    assert (summary["labels"], summary["missing_values"]) == ({"kind": 2}, 1)
    _, out, _ = run("describe", flowers, "--header", "none", "--target", "0:2", "--json")
    assert list(json.loads(out)["labels"]) == ["x0", "x1"]


def test_a_fault_is_one_sentence_and_exit_code_1(run, flowers):
    flowers.write_text(FLOWERS + "1,2\n")
    code, out, err = run("describe", flowers)
    assert (code, out) == (1, "")
    assert err.startswith(f"jointbayes: {flowers}, line 5: the row has 2 fields")
    assert err.count("\n") == 1


def test_a_wrong_command_line_is_exit_code_2(run):
    assert run("describe")[0] == 2
    assert run("no-such-command")[0] == 2


def test_version_and_help(run):
    assert run("--version")[1].strip() == jointbayes.__version__
    code, out, _ = run("describe", "--help")
    assert code == 0
    assert "--missing-labels" in out


def program(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "jointbayes.cli", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, **options
    )


def test_debug_shows_where_and_otherwise_nothing_does(flowers):
    flowers.write_text("")
    plain, debug = program("describe", flowers), program("describe", flowers, "--debug")
    assert "Traceback" not in plain.stderr
    assert "Traceback" in debug.stderr
    assert plain.returncode == debug.returncode == 1


def test_in_a_pipe_there_are_no_colours_and_80_columns(flowers):
    out = program("describe", flowers).stdout
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80
