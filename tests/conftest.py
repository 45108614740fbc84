from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared():
    """The folder with papers' figures and data sets beside the repository; not part of it."""
    path = Path(__file__).resolve().parents[1].parent / "shared"
    if not path.is_dir():
        pytest.skip(f"no folder {path}")
    return path
