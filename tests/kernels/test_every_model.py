"""Every model on columns of many values and with numpy's numbers, whatever kernels it runs on."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import wide_columns
from wide_columns import CASES, NAMES, answer_of, data_of, model_of

from jointbayes import _kernels


@pytest.fixture(scope="module")
def by_definition(tmp_path_factory):
    """The answers of the same models, learned and asked in a process without compiled kernels."""
    path = tmp_path_factory.mktemp("answers") / "answers.pickle"
    environment = os.environ | {"JOINTBAYES_KERNELS": "reference"}
    subprocess.run(
        [sys.executable, str(Path(wide_columns.__file__)), str(path)], check=True, env=environment
    )
    return pickle.loads(path.read_bytes())


@pytest.mark.skipif(not _kernels.COMPILED, reason="the definitions are what runs")
@pytest.mark.parametrize(("name", "n_values"), CASES)
def test_a_column_of_many_values_is_learned_as_the_definitions_say(name, n_values, by_definition):
    found = answer_of(model_of(name), *data_of(name, n_values))
    expected = by_definition[name, n_values]
    assert isinstance(found, str) == isinstance(expected, str)
    if isinstance(found, str):
        assert found == expected
        assert f"{n_values}" in found
    else:
        np.testing.assert_allclose(found[0], expected[0], atol=1e-9)
        np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("name", NAMES)
def test_numpy_s_numbers_are_python_s(name):
    plain = model_of(name, n_jobs=2)
    numbers = {
        key: (np.int64 if type(value) is int else np.float64)(value)
        for key, value in plain.get_params(deep=False).items()
        if type(value) in (int, float)
    }
    if name == "LKDB":
        plain, numbers = model_of(name, k=2, n_jobs=2), numbers | {"k": np.uint8(2)}
    X, y = data_of(name, 300)
    expected, found = answer_of(plain, X, y), answer_of(model_of(name, **numbers), X, y)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
