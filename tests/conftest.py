import sys
from pathlib import Path

import pytest

from jointbayes import cli


@pytest.fixture(scope="session")
def shared():
    """The folder with papers' figures and data sets beside the repository; not part of it."""
    path = Path(__file__).resolve().parents[1].parent / "shared"
    if not path.is_dir():
        pytest.skip(f"no folder {path}")
    return path


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the program in this process; return exit code, output and errors."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["jointbayes", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code or 0, captured.out, captured.err

    return call
