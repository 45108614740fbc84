"""Every data set beside the repository loads with the counts its README gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jointbayes as jb

pytestmark = pytest.mark.usefixtures("shared")

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def table_rows(folder: str) -> list[list[str]]:
    """The cells of every table row of a README that names a file."""
    readme = SHARED / folder / "README.md"
    lines = readme.read_text(encoding="utf-8").splitlines() if readme.is_file() else []
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if len(row) > 5 and ".xz`" in " ".join(row[:3])]


def file_of(row: list[str]) -> str:
    return re.search(r"`([^`]+)\.xz`", " ".join(row[:3]))[1]


MULTILABEL = [row for row in table_rows("multilabel") if len(row) == 10]
MULTIDIMENSIONAL = [row for row in table_rows("multilabel") if len(row) == 8]
UCI = table_rows("uci")

# What the files do not say of themselves, as their READMEs do.
OPTIONS = {
    "bridges.data.version2.csv": {"header": "none", "target": range(8, 13)},
    "edm.arff": {"target": [-2, -1]},
    "sf1.arff": {"target": [-3, -2, -1]},
    "wq.arff": {"target": range(16, 30)},
    "census-income.data": {
        "header": "none",
        "missing": ["?"],
        "nominal": [j for j in range(41) if j + 1 not in (1, 6, 17, 18, 19, 25, 31, 40)],
    },
    "covtype.csv": {"nominal": range(10, 54)},
    "hypothyroid.data": {"header": "none", "target": 0},
    "lung-cancer.data": {"header": "none", "target": 0, "nominal": "all"},
    "musk1.data": {"header": "none", "identifiers": [0, 1]},
    "poker-hand-part.csv": {"nominal": "all"},
    "promoters.data": {"header": "none", "target": 0, "sequences": 2},
}
# How many of the features the READMEs count are identifiers.
IDENTIFIERS = {"genbase.arff": 1, "bridges.data.version2.csv": 1, "zoo.arff": 1}


def load(folder: str, file: str) -> jb.Dataset:
    return jb.load_dataset(SHARED / folder / f"{file}.xz", **OPTIONS.get(file, {}))


def counted(file: str, dataset: jb.Dataset) -> int:
    return dataset.X.shape[1] + IDENTIFIERS.get(file, 0)


def test_the_readmes_list_every_file():
    listed = {file_of(row) for row in [*MULTILABEL, *MULTIDIMENSIONAL, *UCI]}
    assert listed == {p.name.removesuffix(".xz") for p in SHARED.glob("*/*.xz")}


@pytest.mark.parametrize("row", MULTILABEL, ids=file_of)
def test_multilabel(row):
    file = file_of(row)
    dataset = load("multilabel", file)
    summary = jb.describe(dataset)
    rows, features, labels = map(int, row[2:5])
    assert dataset.Y.shape == (rows, labels)
    assert (dataset.X.shape[0], counted(file, dataset)) == (rows, features)
    assert summary.cardinality == pytest.approx(float(row[5]), abs=1e-3)
    assert len(summary.labels) == len(dataset.label_names) == labels
    assert set(dataset.Y.ravel().tolist()) == {0, 1}
    assert (summary.missing_values, summary.missing_labels) == (0, 0)
    assert dataset.is_sparse == ("sparse" in row[7])


@pytest.mark.parametrize("row", MULTIDIMENSIONAL, ids=file_of)
def test_multidimensional(row):
    file = file_of(row)
    dataset = load("multilabel", file)
    summary = jb.describe(dataset)
    rows, features = map(int, row[2:4])
    labels = int(re.match(r"\d+", row[4])[0])
    assert dataset.Y.shape == (rows, labels)
    assert counted(file, dataset) == features
    missing = re.search(r"(\d+) missing", row[6])
    total = summary.missing_values + summary.missing_labels
    assert total == (int(missing[1]) if missing else 0)


def test_bridges_and_thyroid_values():
    bridges = jb.describe(load("multilabel", "bridges.data.version2.csv"))
    assert list(bridges.labels.values()) == [2, 3, 3, 3, 7]
    assert bridges.missing_labels == 31
    thyroid = jb.describe(load("multilabel", "thyroid-L7.arff"))
    assert thyroid.features == {"nominal": 22, "numeric": 7}
    assert list(thyroid.labels.values()) == [5, 5, 3, 2, 4, 4, 2]


@pytest.mark.parametrize("row", UCI, ids=file_of)
def test_uci(row):
    file = file_of(row)
    dataset = load("uci", file)
    summary = jb.describe(dataset)
    features, numeric, nominal = map(int, re.match(r"(\d+) \((\d+) / (\d+)\)", row[4]).groups())
    assert len(dataset) == int(row[3])
    assert counted(file, dataset) == features
    kinds = {"numeric": numeric, "nominal": nominal - IDENTIFIERS.get(file, 0)}
    assert summary.features == {kind: k for kind, k in kinds.items() if k}
    assert (summary.missing_values, summary.missing_labels) == (int(row[7]), 0)
    assert dataset.Y.ndim == 1
    assert len(summary.counts) == int(row[5])


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("multilabel/genbase.arff", ("protein",)),
        ("multilabel/bridges.data.version2.csv", ("x0",)),
        ("uci/zoo.arff", ("animal",)),
        ("uci/promoters.data", ("x1",)),
    ],
)
def test_identifiers_are_found_and_can_be_kept(file, names):
    folder, name = file.split("/")
    without = load(folder, name)
    assert without.identifiers == names
    options = OPTIONS.get(name, {}) | {"identifiers": "keep"}
    kept = jb.load_dataset(SHARED / folder / f"{name}.xz", **options)
    assert kept.X.shape[1] == without.X.shape[1] + 1
    assert names[0] in kept.feature_names


def test_names_without_suffix_in_any_case(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert jb.load_dataset("corel5K").name == "Corel5k"
    assert jb.load_dataset("thyroid", data_dir=SHARED).name == "thyroid-L7"
    monkeypatch.setenv("JOINTBAYES_DATA", str(SHARED))
    assert jb.load_dataset("IRIS.arff").name == "iris"
    with pytest.raises(jb.errors.DataError, match=r"waveform-21\.csv\.xz, waveform-5000\.arff\.xz"):
        jb.load_dataset("waveform")
    with pytest.raises(jb.errors.DataError, match=r"did you mean emotions.*JOINTBAYES_DATA"):
        jb.load_dataset("emotoins")
