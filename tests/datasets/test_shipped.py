"""The data sets that come with the package: there without any folder, small, and as documented."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.datasets.names import SHIPPED

# rows, features, labels, values that are missing
SETS = {"flags": (194, 19, 7, 0), "zoo": (101, 16, 1, 0), "thyroid": (9172, 29, 7, 14629)}


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No folder of data sets: what is found came with the package."""
    monkeypatch.delenv("JOINTBAYES_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def missing(table):
    frame = table.to_pandas()
    return int(frame.isna().to_numpy().sum())


@pytest.mark.parametrize("name", SETS)
def test_shipped_sets_are_as_their_readme_says(name):
    data = jb.load_dataset(name)
    rows, features, labels, holes = SETS[name]
    assert data.X.shape == (rows, features)
    assert np.asarray(data.Y).reshape(rows, -1).shape[1] == labels == len(data.label_names)
    assert missing(data.X) == holes
    assert f"| `{name}` | {rows} | {features}, " in (SHIPPED / "README.md").read_text("utf-8")


def test_they_are_all_listed_and_small():
    files = sorted(path.name for path in SHIPPED.iterdir())
    assert files == sorted(["README.md", *(f"{name}.arff.xz" for name in SETS)])
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 200_000


@pytest.mark.parametrize("name", SETS)
def test_what_is_shipped_is_what_the_field_uses(shared, name):
    """Rows, numbers and labels are those of the editions in use; only codes became words."""
    ours, theirs = jb.load_dataset(name), jb.load_dataset(name, data_dir=shared / "data")
    assert theirs.source != ours.source
    a, b = ours.X.to_pandas(), theirs.X.to_pandas()
    assert list(a) == list(b)
    for column in a:
        pairs = a[[column]].assign(theirs=b[column]).drop_duplicates()
        assert len(pairs) == a[column].nunique(dropna=False) == b[column].nunique(dropna=False)
    Y, Z = (np.asarray(d.Y).reshape(len(a), -1).astype(str) for d in (ours, theirs))
    for mine, other in zip(Y.T, Z.T, strict=True):
        assert len(set(zip(mine, other, strict=True))) == len(set(mine)) == len(set(other))


def test_a_file_of_the_user_comes_first(alone):
    (alone / "zoo.csv").write_text("legs,type\n4,mammal\n2,bird\n", encoding="utf-8")
    assert len(np.asarray(jb.load_dataset("zoo").Y)) == 2


def test_a_name_that_is_not_there_hears_which_ship():
    with pytest.raises(jb.errors.DataError, match=r"comes with jointbayes \(flags, thyroid, zoo\)"):
        jb.load_dataset("birds")


def test_the_number_of_colours_is_mostly_that_of_the_labels():
    data = jb.load_dataset("flags")
    counts = np.asarray(data.Y, dtype=int).sum(axis=1)
    assert (counts == data.X.to_pandas()["colours"]).sum() == 180
