"""Which two values make a binary label, and which of them means *relevant*.

0 and 1, −1 and 1, False and True, and the words for no and yes below, in any case, are pairs whose
positive value is obvious. Any other two values are two values of a many-valued variable: nothing is
positive because it sorts last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jointbayes.arrays import Values

__all__ = ["Pair", "classes_by_pair", "pairs_of"]

Pair = tuple[Any, Any]
"""The negative and the positive value."""

NUMBERS: tuple[Pair, ...] = ((0, 1), (-1, 1))

WORDS: tuple[Pair, ...] = tuple(
    (negative, positive)
    for line in (
        "0/1 -1/1 -/+ no/yes n/y false/true f/t off/on absent/present negative/positive neg/pos",
        "nein/ja n/j falsch/wahr f/w aus/an aus/ein abwesend/anwesend negativ/positiv",
        "non/oui n/o faux/vrai f/v éteint/allumé absent/présent absente/présente négatif/positif "
        "négative/positive negatif/positif",
        "no/sí no/si n/s falso/verdadero apagado/encendido ausente/presente negativo/positivo "
        "negativa/positiva",
        "no/sì falso/vero spento/acceso assente/presente",
        "não/sim nao/sim falso/verdadeiro desligado/ligado",
        "nee/ja neen/ja onwaar/waar uit/aan afwezig/aanwezig negatief/positief",
    )
    for negative, positive in (words.split("/") for words in line.split())
)
"""English, German, French, Spanish, Italian, Portuguese and Dutch."""


def pairs_of(values: Values) -> tuple[Pair, ...]:
    """Return the pairs that hold all of one or two distinct values, likelier ones first.

    >>> pairs_of(np.array(["Nein", "Ja"]))
    (('nein', 'ja'),)
    >>> pairs_of(np.array([1])), pairs_of(np.array(["approved", "rejected"]))
    (((0, 1), (-1, 1)), ())
    """
    if not 1 <= len(values) <= 2:
        return ()
    found = {_folded(value) for value in values.tolist()}
    if all(isinstance(value, bool) for value in found):
        return ((False, True),)
    if all(isinstance(value, int | float) for value in found):
        return tuple(pair for pair in NUMBERS if found <= set(pair))
    if len(found) < len(values):  # Yes and yes are two values, whatever they mean
        return ()
    return tuple(pair for pair in WORDS if found <= set(pair))


def classes_by_pair(values: Values, pair: Pair) -> Values:
    """Return [negative, positive] as the values are written; one that is absent is written alike.

    >>> classes_by_pair(np.array(["Ja"]), ("nein", "ja")).tolist()
    ['Nein', 'Ja']
    >>> classes_by_pair(np.array([False]), (0, 1)).tolist()
    [False, True]
    """
    if values.dtype.kind in "biuf":
        return np.array(pair, dtype=values.dtype)
    written = {_folded(value): value for value in values.tolist()}
    known = next(iter(written.values()))
    both = [written.get(word, _like(known, word)) for word in pair]
    return np.array(both, dtype=object if values.dtype.kind == "O" else values.dtype.kind)


def common_pair(columns: Sequence[tuple[Pair, ...]], own: tuple[Pair, ...]) -> Pair:
    """Return the pair of a column: the only one, or the first that another column is sure of.

    >>> common_pair([((-1, 1),), ((0, 1), (-1, 1))], ((0, 1), (-1, 1)))
    (-1, 1)
    """
    sure = [pairs[0] for pairs in columns if len(pairs) == 1]
    return next((pair for pair in own if pair in sure), own[0])


def _folded(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


def _like(known: Any, word: Any) -> Any:
    if not isinstance(known, str) or not isinstance(word, str):
        return word
    if known.isupper() and len(known) + len(word) > 2:
        return word.upper()
    return word.capitalize() if known[:1].isupper() else word
