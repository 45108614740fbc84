r"""The largest sums of tables, one variable eliminated after the other, by definition.

With T the sum of all that mentions variable v, over v and its separator s, each step passes on

(1)  m(s) = max_y T(y, s),   y*(s) the first y that reaches it,

and the best values follow backwards, from the variable that went last.
"""

from __future__ import annotations

import numpy as np

from jointbayes._kernels.arguments import INT64, array, takes
from jointbayes.arrays import Floats, Ints

__all__ = ["eliminate_maxima"]


@takes(
    cells=array("float64", axes=2),
    variables=INT64,
    cards=INT64,
    sizes=INT64,
    parts=INT64,
    sources=INT64,
    begins=INT64,
    separators=INT64,
    strides=INT64,
)
def eliminate_maxima(  # noqa: PLR0913, PLR0917  plain arrays for the compiled kernel
    cells: Floats,
    variables: Ints,
    cards: Ints,
    sizes: Ints,
    parts: Ints,
    sources: Ints,
    begins: Ints,
    separators: Ints,
    strides: Ints,
) -> tuple[Ints, Floats]:
    """Return the (n, d) codes of the largest sum of tables, and that sum (n,).

    ``cells`` (m, n) are those of all tables, one after the other; what eliminated variables pass on
    is numbered behind them. Step s eliminates ``variables[s]`` of ``cards[s]`` values, and passes
    on ``sizes[s]`` numbers; each of its ``cards[s] · sizes[s]`` cells is a sum of ``parts[s]``
    numbers that ``sources`` names. The variables of its separator stand in ``separators`` from
    ``begins[s]`` on, with how far apart their values are in ``strides``.
    """
    n = cells.shape[1]
    known, choices, start = [cells], [], 0
    score = np.zeros(n)
    for s, (card, size, count) in enumerate(zip(cards, sizes, parts, strict=True)):
        end = start + card * size * count
        table = np.zeros((card * size, n))
        every = np.concatenate(known)
        for part in sources[start:end].reshape(card * size, count).T:
            table += every[part]
        table = table.reshape(card, size, n)
        choices.append(table.argmax(axis=0))
        known.append(table.max(axis=0))
        score += known[-1][0] if begins[s] == begins[s + 1] else 0.0
        start = end
    codes, rows = np.zeros((n, len(variables)), dtype=np.int64), np.arange(n)
    for s in range(len(variables) - 1, -1, -1):
        own = slice(begins[s], begins[s + 1])
        codes[:, variables[s]] = choices[s][codes[:, separators[own]] @ strides[own], rows]
    return codes, score
