"""Data sets by name: only where the user says."""

from __future__ import annotations

import os

import pytest

import jointbayes as jb
from jointbayes.errors import DataError

ROWS = "a,class\n1,x\n2,y\n"


def place(folder, name="birds.csv"):
    folder.mkdir(parents=True)
    (folder / name).write_text(ROWS)
    return folder


def test_folders_of_the_environment_in_order(tmp_path, monkeypatch):
    first, second = place(tmp_path / "one" / "deep", "Emu.csv"), place(tmp_path / "two")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JOINTBAYES_DATA", f"{first.parent}{os.pathsep}{second}")
    assert jb.load_dataset("emu").source == str(first / "Emu.csv")
    assert jb.load_dataset("birds").source == str(second / "birds.csv")


def test_nothing_beside_the_current_folder_is_searched(tmp_path, monkeypatch):
    place(tmp_path / "shared" / "data")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.delenv("JOINTBAYES_DATA", raising=False)
    with pytest.raises(DataError, match=r"'birds' in .*work; give a path.*JOINTBAYES_DATA$") as e:
        jb.load_dataset("birds")
    assert "shared" not in str(e.value)


def test_no_more_than_three_places_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JOINTBAYES_DATA", os.pathsep.join(f"/no/{k}" for k in range(9)))
    with pytest.raises(DataError, match="/no/2 and 7 more; give a path"):
        jb.load_dataset("birds")
