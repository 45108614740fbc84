"""Rules: what is known about labels whatever the row, for ``posterior.subject_to``.

A rule says which label vectors are possible. It is written with the names of labels, and looked up
in a `LabelSpace` it is one or more *automata*, each of which reads some labels one after the other,
remembers a small number, and accepts the vector or not. So a limit on the number of labels costs a
counter, not a table over all of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from jointbayes.arrays import Labels, Mask
from jointbayes.errors import DataError, ParameterError
from jointbayes.labels import LabelSpace
from jointbayes.labels.space import shown
from jointbayes.rules.lines import read_parents

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
]


@dataclass(frozen=True, eq=False)
class Automaton:
    """Reads labels one by one, from state 0 on, and accepts what it has read or not.

    In what order it reads them makes no difference. Two that do the same are equal.

    Parameters
    ----------
    labels
        Which labels it reads.
    steps
        For each of them the state after it, by (state before, value of the label).
    accepts
        By state, whether it accepts at the end.

    Examples
    --------
    Not both of two labels: the state counts them.

    >>> count = np.array([[0, 1], [1, 2], [2, 2]])
    >>> rule = Automaton((0, 1), (count, count), np.array([True, True, False]))
    >>> rule.obeys(np.array([[1, 0], [1, 1]])).tolist()
    [True, False]
    """

    labels: tuple[int, ...]
    steps: tuple[Labels, ...]
    accepts: Mask

    @cached_property
    def _content(self) -> tuple[object, ...]:
        return (self.labels, tuple(s.tobytes() for s in self.steps), self.accepts.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Automaton) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    def states(self, codes: Labels) -> list[Labels]:
        """Return the state (…) after each label of vectors (…, d)."""
        state, seen = np.zeros(codes.shape[:-1], dtype=np.intp), []
        for j, step in zip(self.labels, self.steps, strict=True):
            state = step[state, codes[..., j]]
            seen.append(state)
        return seen

    def obeys(self, codes: Labels) -> Mask:
        """Return whether vectors (…, d) are accepted."""
        return self.accepts[self.states(codes)[-1]]


@dataclass(frozen=True, repr=False)
class Rule:
    """What label vectors must obey; made by the functions of this module.

    Parameters
    ----------
    kind
        The function that made it.
    labels
        The names of labels that it took.
    values
        The values that it forbids, or the parents of a hierarchy.
    k
        How many labels it counts to.

    Examples
    --------
    >>> implies("beach", "outdoor"), at_most(2)
    (implies('beach', 'outdoor'), at_most(2))
    """

    kind: str
    labels: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    k: int | None = None

    def __repr__(self) -> str:
        if self.values:
            return f"{self.kind}({dict(zip(self.labels, self.values, strict=True))!r})"
        arguments = self.labels if self.k is None else (self.k, *self.labels)
        return f"{self.kind}({', '.join(map(repr, arguments))})"


def implies(a: str, b: str) -> Rule:
    """Where label ``a`` is relevant, ``b`` is.

    >>> from jointbayes.posterior import Independent
    >>> space = LabelSpace(("beach", "outdoor"), (np.array([0, 1]),) * 2)
    >>> post = Independent([np.log([[0.2, 0.8]]), np.log([[0.7, 0.3]])], space)
    >>> after = post.subject_to(implies("beach", "outdoor"))
    >>> post.map().tolist(), after.map().tolist(), after.marginals()[1].round(3).tolist()
    ([[1, 0]], [[1, 1]], [[0.318, 0.682]])
    """
    return Rule("implies", (a, b))


def hierarchy(parents: Mapping[str, str] | str | os.PathLike[str]) -> Rule:
    """Where a child is relevant its parent is: ``{child: parent, …}``, or a file that says so.

    The file has a line *child, parent* for each child, as in `jointbayes.rules.files`.

    >>> hierarchy({"beach": "outdoor"})
    hierarchy({'beach': 'outdoor'})
    """
    found = read_parents(parents) if isinstance(parents, str | os.PathLike) else parents
    if not isinstance(found, Mapping) or not found:
        raise ParameterError(
            f"hierarchy({parents!r}): give a dict of child: parent, or a file of lines child, "
            "parent; not an empty one"
        )
    return Rule("hierarchy", tuple(found), tuple(found.values()))


def exclusive(*labels: str) -> Rule:
    """At most one of the labels is relevant; of all labels if none is named.

    >>> exclusive("day", "night")
    exclusive('day', 'night')
    """
    return Rule("exclusive", labels)


def at_most(k: int, *labels: str) -> Rule:
    """At most ``k`` of the labels are relevant; of all labels if none is named.

    >>> at_most(3)
    at_most(3)
    """
    return Rule("at_most", labels, k=_whole(k))


def at_least(k: int, *labels: str) -> Rule:
    """At least ``k`` of the labels are relevant; of all labels if none is named.

    >>> at_least(1, "day", "night")
    at_least(1, 'day', 'night')
    """
    return Rule("at_least", labels, k=_whole(k))


def exactly(k: int, *labels: str) -> Rule:
    """Exactly ``k`` of the labels are relevant; of all labels if none is named.

    >>> exactly(1, "day", "night")
    exactly(1, 'day', 'night')
    """
    return Rule("exactly", labels, k=_whole(k))


def forbid(values: Mapping[str, Any]) -> Rule:
    """Forbid labels to have these values all at once: ``{name: value, …}``, values of any kind.

    >>> forbid({"weather": "snow", "month": "july"})
    forbid({'weather': 'snow', 'month': 'july'})
    """
    if not isinstance(values, Mapping) or not values:
        raise ParameterError(f"forbid({values!r}): give a dict of name: value, not empty")
    return Rule("forbid", tuple(values), tuple(values.values()))


def compile_rules(rules: Sequence[Any], space: LabelSpace) -> tuple[Automaton, ...]:
    """Return the automata of rules for labels of a space.

    >>> space = LabelSpace(("a", "b", "c"), (np.array([0, 1]),) * 3)
    >>> [automaton.labels for automaton in compile_rules([implies("c", "a"), at_most(2)], space)]
    [(2, 0), (0, 1, 2)]
    """
    if not rules:
        raise ParameterError("subject_to: give at least one rule of jb.rules")
    for rule in rules:
        if not isinstance(rule, Rule):
            raise ParameterError(f"subject_to: {rule!r} is not a rule; make one by jb.rules")
    return tuple(automaton for rule in rules for automaton in _automata(rule, space))


def count_broken(rules: Sequence[Rule], codes: Labels, space: LabelSpace) -> Labels:
    """Return (n,) how many of the rules each of the (n, d) label vectors breaks.

    >>> space = LabelSpace(("a", "b", "c"), (np.array([0, 1]),) * 3)
    >>> rules = [implies("c", "a"), at_most(1)]
    >>> count_broken(rules, np.array([[0, 1, 1], [1, 0, 0]]), space).tolist()
    [2, 0]
    """
    broken = np.zeros(len(codes), dtype=np.intp)
    for rule in rules:
        obeyed = [automaton.obeys(codes) for automaton in compile_rules([rule], space)]
        broken += ~np.all(obeyed, axis=0)
    return broken


def _automata(rule: Rule, space: LabelSpace) -> list[Automaton]:
    k = rule.k or 0
    if rule.kind == "implies":
        return [_implication(rule.labels[0], rule.labels[1], space)]
    if rule.kind == "hierarchy":
        pairs = zip(rule.labels, rule.values, strict=True)
        return [_implication(child, parent, space) for child, parent in pairs]
    if rule.kind == "forbid":
        places = [_place(space, name) for name in rule.labels]
        said = zip(places, rule.values, strict=True)
        codes = [int(space.take([j]).encode(np.asarray([value]))[0, 0]) for j, value in said]
        return [_never(list(zip(places, codes, strict=True)), space)]
    limits = {"exclusive": (0, 1), "at_most": (0, k), "at_least": (k, None), "exactly": (k, k)}
    return [_counter(rule.labels, *limits[rule.kind], space)]


def _implication(a: str, b: str, space: LabelSpace) -> Automaton:
    if a == b:
        raise ParameterError(f"a rule says that {a!r} implies itself; leave it out")
    return _never([(_relevant(space, a), 1), (_relevant(space, b), 0)], space)


def _never(pairs: Sequence[tuple[int, int]], space: LabelSpace) -> Automaton:
    """Refuse vectors in which all labels have the given codes: state 0 is "all so far"."""
    steps = []
    for j, code in pairs:
        other = np.ones((2, space.cards[j]), dtype=np.intp)
        other[0, code] = 0
        steps.append(other)
    return Automaton(tuple(j for j, _ in pairs), tuple(steps), np.array([False, True]))


def _counter(names: Sequence[str], least: int, most: int | None, space: LabelSpace) -> Automaton:
    """Count relevant labels, up to one more than matters."""
    labels = tuple(dict.fromkeys(_relevant(space, name) for name in names or space.names))
    top = least if most is None else most + 1
    states = np.arange(top + 1)
    step = np.stack([states, np.minimum(states + 1, top)], axis=1)
    accepts = (states >= least) & (states <= (top if most is None else most))
    return Automaton(labels, (step,) * len(labels), accepts)


def _place(space: LabelSpace, name: str) -> int:
    if name not in space.names:
        raise DataError(
            f"a rule names the label {name!r}; there are {', '.join(map(str, space.names))}"
        )
    return space.names.index(name)


def _relevant(space: LabelSpace, name: str) -> int:
    j = _place(space, name)
    if not space.binary_labels[j]:
        raise DataError(
            f"a rule counts label {name!r} as relevant or not, and it has the values "
            f"{shown(tuple(space.classes[j]))}; use jb.rules.forbid, or say what is positive by "
            f"jb.labels.binarize"
        )
    return j


def _whole(k: Any) -> int:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
        raise ParameterError(f"a rule counts to {k!r}; give a whole number, and not a negative one")
    return int(k)
