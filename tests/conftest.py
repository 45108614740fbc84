import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from jointbayes import cli

settings.register_profile("untimed", deadline=None)  # no test asserts a time
settings.load_profile("untimed")

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
if (SHARED / "data").is_dir():  # where data sets go by name, for all tests
    os.environ.setdefault("JOINTBAYES_DATA", str(SHARED / "data"))


@pytest.fixture(scope="session")
def shared():
    """The folder with papers' figures and data sets beside the repository; not part of it."""
    if not SHARED.is_dir():
        pytest.skip(f"no folder {SHARED}")
    return SHARED


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


@pytest.fixture
def ctrl_c():
    """Ctrl-C is heard, also where a shell that runs things in the background had it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
