"""Files that are replaced: whole at any time, whoever else writes to the same path."""

from __future__ import annotations

import secrets
import stat
import threading

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.errors import DataError
from jointbayes.storage import replacing


def test_two_threads_that_save_to_one_path_leave_one_of_the_two_files(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    models = [
        jb.TAN(smoothing=m).fit(rng.integers(0, 3, (300, p)).astype(str), y)
        for m, p in ((1.0, 4), (2.0, 10))
    ]
    alone = []
    for model in models:
        jb.save(model, tmp_path / "alone.model")
        alone.append((tmp_path / "alone.model").read_bytes())
    path, errors = tmp_path / "same.model", []
    for _ in range(60):
        gate = threading.Barrier(2)

        def go(model, gate=gate):
            gate.wait()
            try:
                jb.save(model, path)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=go, args=(model,)) for model in models]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert path.read_bytes() in alone
    assert errors == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["alone.model", "same.model"]


def test_what_lies_at_the_name_of_the_part_is_neither_written_to_nor_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda _: "guessed")
    victim, planted = tmp_path / "victim", tmp_path / ".m.jb.guessed.part"
    victim.write_text("precious")
    planted.symlink_to(victim)
    with pytest.raises(DataError, match=r"m.jb cannot be written \(File exists\); nothing"):
        jb.save(jb.TAN(), tmp_path / "m.jb")
    assert victim.read_text() == "precious"
    assert planted.is_symlink()


def test_names_of_parts_are_never_the_same(tmp_path):
    with replacing(tmp_path / "a"), replacing(tmp_path / "a"), replacing(tmp_path / "a"):
        assert len(list(tmp_path.iterdir())) == 3
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with replacing(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_the_file_is_as_readable_as_any_other_and_its_name_may_be_long(tmp_path):
    plain, replaced = tmp_path / "plain", tmp_path / ("n" * 250)
    plain.write_text("")
    with replacing(replaced) as file:
        file.write(b"new")
    assert stat.S_IMODE(replaced.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
