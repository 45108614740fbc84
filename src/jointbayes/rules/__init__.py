"""Rules: what is known about labels whatever the row, for ``posterior.subject_to``."""

from jointbayes.rules.files import read
from jointbayes.rules.rule import (
    Automaton,
    Rule,
    at_least,
    at_most,
    compile_rules,
    count_broken,
    exactly,
    exclusive,
    forbid,
    hierarchy,
    implies,
)

__all__ = [
    "Automaton",
    "Rule",
    "at_least",
    "at_most",
    "compile_rules",
    "count_broken",
    "exactly",
    "exclusive",
    "forbid",
    "hierarchy",
    "implies",
    "read",
]
