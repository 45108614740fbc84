"""Parameters that models share are said once and shown in full."""

from __future__ import annotations

import inspect
import pydoc

import pytest

import jointbayes.models
from jointbayes.estimator.parameters import MEANING, SEE, documented

USERS = [jointbayes.models.MLkNN, jointbayes.models.RAkEL]


def one(name):
    return f"A model.\n\n    Parameters\n    ----------\n    {name}\n        {SEE}\n    "


@pytest.mark.parametrize("name", MEANING)
def test_a_meaning_takes_the_place_of_the_sentence(name):
    kind = documented(type("Model", (), {"__doc__": one(name)}))
    lines = inspect.getdoc(kind).splitlines()
    assert SEE not in kind.__doc__
    assert " ".join(line.strip() for line in lines[lines.index(name) + 1 :]) == MEANING[name]
    assert max(map(len, kind.__doc__.splitlines())) <= 100


def test_what_stands_around_it_stays():
    text = (
        one("loss").replace("    loss", "    k\n        Its own.\n    loss") + "\n    >>> 1\n    1"
    )
    kind = documented(type("Model", (), {"__doc__": text}))
    before, after = text.split(f"    loss\n        {SEE}")
    assert kind.__doc__.startswith(before)
    assert kind.__doc__.endswith(after)


def test_a_name_without_a_meaning_is_refused():
    with pytest.raises(KeyError, match="'colour' has no meaning that models share"):
        documented(type("Model", (), {"__doc__": one("loss, colour")}))


def test_a_class_without_a_docstring_is_left_alone():
    assert documented(type("Model", (), {"__doc__": None})).__doc__ is None


@pytest.mark.parametrize("kind", USERS, ids=lambda c: c.__name__)
def test_help_shows_the_whole_text(kind):
    lines = pydoc.render_doc(kind, renderer=pydoc.plaintext).splitlines()
    shown = " ".join(line.strip(" |") for line in lines)
    assert SEE not in shown
    for name in ("categorical_features", "loss", "empty", "label_names_"):
        assert MEANING[name] in shown
