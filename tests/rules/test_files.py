"""Rules in files."""

from __future__ import annotations

import pytest

from jointbayes import rules
from jointbayes.rules.files import parse_rules

TEXT = """\
# what a picture shows
beach, outdoor
"snow, fresh",outdoor   # a name with a comma

implies: boat, water
exclusive: day, night
At most 3:
at_least 1: indoor, outdoor
exactly 1: day, dusk, night
forbid: weather=snow, hot=1, "a=b"=x
"""


def test_every_kind_of_line():
    assert parse_rules(TEXT) == [
        rules.hierarchy({"beach": "outdoor", "snow, fresh": "outdoor"}),
        rules.implies("boat", "water"),
        rules.exclusive("day", "night"),
        rules.at_most(3),
        rules.at_least(1, "indoor", "outdoor"),
        rules.exactly(1, "day", "dusk", "night"),
        rules.forbid({"weather": "snow", "hot": 1, "a": "b=x"}),
    ]


def test_a_file_is_read(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("﻿beach,outdoor\r\nat most 2:\r\n", encoding="utf-8")
    assert rules.read(path) == [rules.hierarchy({"beach": "outdoor"}), rules.at_most(2)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("beach", r"line 1: 'beach' names 1 label; give two"),
        ("a, b, c", "names 3 labels"),
        ("implies: a, b, c", "names 3 labels"),
        ("forbid: a", "does not say which values"),
        ("forbid:", "does not say which values"),
        ("a, b\na, c", "line 2: 'a, c' gives 'a' a second parent"),
        ("at most: a", "names 1 label"),
    ],
)
def test_a_line_that_is_not_a_rule_is_refused_by_number(line, words):
    with pytest.raises(ValueError, match=words):
        parse_rules(line)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match=r"none.txt cannot be read \(No such file"):
        rules.read(tmp_path / "none.txt")


def test_a_hierarchy_comes_from_a_dict_or_from_a_file(tmp_path):
    path = tmp_path / "parents.csv"
    path.write_text("beach,outdoor\n\nsand, beach  # below it\n", encoding="utf-8")
    same = rules.hierarchy({"beach": "outdoor", "sand": "beach"})
    assert rules.hierarchy(path) == rules.hierarchy(str(path)) == same == rules.read(path)[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not an empty one"),
        ("beach", "line 1: 'beach' names 1 label"),
        ("a,b\na,c", "line 2: 'a,c' gives 'a' a second parent"),
        ("a,b,c", "names 3 labels"),
    ],
)
def test_a_file_that_is_no_hierarchy_is_refused(tmp_path, text, words):
    path = tmp_path / "parents.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        rules.hierarchy(path)
