"""Frame: where the rows of a posterior came from, so that its answers go back the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows, Values
from jointbayes.errors import require
from jointbayes.labels import LabelSpace

__all__ = ["Frame", "frame_of", "marginal_columns", "ranked_columns", "vector_columns"]


@dataclass(frozen=True, eq=False)
class Frame:
    """The library whose frames the rows came in, and the names that it gave them.

    Parameters
    ----------
    library
        "pandas" or "polars".
    index
        The index of the rows, where they had one.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = frame_of(pd.DataFrame({"x": [1, 2]}, index=["mon", "tue"]))
    >>> frame.take(slice(1, 2)).build({"p": np.array([0.5])}).to_dict()
    {'p': {'tue': 0.5}}
    """

    library: str = "pandas"
    index: Any = None

    def take(self, rows: Rows) -> Frame:
        """Return the frame of some of the rows."""
        return self if self.index is None else replace(self, index=self.index[rows])

    def build(self, columns: Mapping[str, Values]) -> Any:
        """Return columns as a frame of the library, the rows named as they were."""
        library = require(self.library, extra=self.library, purpose="to_frame")
        if self.library == "polars":
            return library.DataFrame({name: _plain(own) for name, own in columns.items()})
        return library.DataFrame(dict(columns), index=self.index)


def frame_of(X: Any) -> Frame:
    """Return the frame of the rows of X; pandas without names unless they come in a frame.

    >>> frame_of(np.zeros((2, 1))).library
    'pandas'
    """
    package = type(X).__module__.partition(".")[0]
    if package == "pandas":
        return Frame("pandas", X.index)
    return Frame("polars") if package == "polars" else Frame()


def marginal_columns(space: LabelSpace, marginals: list[Floats]) -> dict[str, Floats]:
    """Return one column P(relevant) for each binary label, and one per value for the others.

    >>> space = LabelSpace(("mood",), (np.array(["calm", "happy"]),), single=True)
    >>> list(marginal_columns(space, [np.array([[0.3, 0.7]])]))
    ['mood=calm', 'mood=happy']
    """
    columns = {}
    for name, classes, p, sets in zip(
        space.names, space.classes, marginals, space.binary_labels, strict=True
    ):
        if sets and not space.single:
            columns[name] = p[:, 1]
        else:
            columns |= {f"{name}={c}": own for c, own in zip(classes.tolist(), p.T, strict=True)}
    return columns


def vector_columns(space: LabelSpace, codes: Labels) -> dict[str, Values]:
    """Return the values of label vectors (n, d), label by label.

    >>> space = LabelSpace(("mood",), (np.array(["calm", "happy"]),))
    >>> vector_columns(space, np.array([[1], [0]]))["mood"].tolist()
    ['happy', 'calm']
    """
    return {
        name: classes[column]
        for name, classes, column in zip(space.names, space.classes, codes.T, strict=True)
    }


def ranked_columns(space: LabelSpace, codes: Labels, log_p: Floats) -> dict[str, Values]:
    """Return lists of vectors (n, m, d) below each other, with probability, row and rank.

    >>> space = LabelSpace(("mood",), (np.array(["calm", "happy"]),))
    >>> columns = ranked_columns(space, np.array([[[1], [0]]]), np.log([[0.75, 0.25]]))
    >>> [columns[name].tolist() for name in ("mood", "row", "rank")]
    [['happy', 'calm'], [0, 0], [1, 2]]
    """
    n, m, d = codes.shape
    row, rank = np.divmod(np.arange(n * m), m)
    labels = vector_columns(space, codes.reshape(n * m, d))
    return labels | {"probability": np.exp(log_p).ravel(), "row": row, "rank": rank + 1}


def _plain(values: Values) -> Any:
    return values.tolist() if values.dtype.kind in "OUS" else values
