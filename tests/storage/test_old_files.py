"""Files of earlier versions load, and answer as they did; where the code lives does not matter."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn
from write_model_files import answers_of, rows_for

import jointbayes as jb

FOLDER = Path(__file__).parent / "files_v1"
FILES = sorted(FOLDER.glob("*.jb"))
FOREIGN = ("CTBN_LogisticRegression", "ClassifierChain_GaussianNB", "ILFCompo_trees")


@pytest.fixture(scope="module")
def answers():
    with np.load(FOLDER / "answers.npz") as found:
        return dict(found)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_version_1_answers_as_it_did(path, answers):
    if path.stem in FOREIGN and sklearn.__version__ < "1.9":
        pytest.skip("the file holds estimators of scikit-learn 1.9")
    model = jb.load(path)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*[Tt]rying to unpickle.*")
        found = answers_of(model, rows_for(path.stem))
    assert {f"{path.stem}.{what}" for what in found} <= answers.keys()
    for what, value in found.items():
        before = answers[f"{path.stem}.{what}"]
        if value.dtype.kind == "f":
            np.testing.assert_allclose(value, before, rtol=1e-12, atol=1e-300)
        else:
            assert (value == before).all()
