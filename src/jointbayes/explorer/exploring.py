"""Write a fitted model as a page that recomputes its answers in the browser."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from jointbayes.errors import CostError
from jointbayes.explorer.columns import rows_for_page
from jointbayes.explorer.page import page_text
from jointbayes.explorer.tables import source_of, tables_of
from jointbayes.posterior import frame_of
from jointbayes.storage import replacing

__all__ = ["Captions", "explore", "write_explorer"]

PAGE_BYTES = 1 << 25
"""The largest page that is written: 32 MiB."""


@dataclass(frozen=True)
class Captions:
    """What things are called on the page, where the model does not know.

    Parameters
    ----------
    title
        Of the page; None for the name of the model.
    rows
        Of the rows; None for the index of a frame, or their numbers.
    features
        Of the features; None for those that the model knows.
    file
        The model file that the Python of the page loads.
    """

    title: str | None = None
    rows: Sequence[Any] | None = None
    features: Sequence[str] | None = None
    file: str | None = None


def explore(
    model: Any, path: str | os.PathLike[str], X: Any = None, title: str | None = None
) -> None:
    """Write one HTML file in which a fitted model can be asked, without a server or a network.

    The page holds the model's tables and recomputes exact answers: pick a row or type one, fix a
    label, and see the best label sets, the marginals, the reasons, and what to ask next.

    Parameters
    ----------
    model
        A fitted model whose answers a page can recompute exactly; others are refused.
    path
        Where to write the page.
    X
        Rows to choose from, as for ``predict``; at most the first 200 are kept.
    title
        What the page is called; None for the name of the model.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from jointbayes import LTAN, MultilabelFAN
    >>> X, Y = [["sun"], ["rain"]] * 10, [[1, 0], [0, 1]] * 10
    >>> page = Path(tempfile.mkdtemp()) / "weather.html"
    >>> explore(MultilabelFAN().fit(X, Y), page, X=X[:2])
    >>> "default-src 'none'" in page.read_text(encoding="utf-8")
    True

    A model that makes a network for every row is refused, with what to do:

    >>> explore(LTAN().fit(X, ["dry", "wet"] * 10), page)
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: explore: LTAN builds networks anew for each row, ...
    """
    write_explorer(model, path, X, Captions(title=title))


def write_explorer(model: Any, path: str | os.PathLike[str], X: Any, captions: Captions) -> None:
    """Write the page of a fitted model under given names, as a whole or not at all."""
    check_is_fitted(model)
    tables = tables_of(model)
    if captions.file is not None:
        tables["file"] = captions.file
    if captions.features is not None:
        for feature, name in zip(tables["features"], captions.features, strict=True):
            feature["name"] = str(name)
    if X is not None:
        columns = model._known_columns(X)
        index = captions.rows if captions.rows is not None else frame_of(X).index
        named = range(columns.shape[0]) if index is None else index
        tables["rows"] = rows_for_page(columns, source_of(model), named)
    text = page_text(tables, captions.title or type(model).__name__).encode()
    if len(text) > PAGE_BYTES:
        raise CostError(
            f"explore: the page of this model would have {len(text) / 1e6:,.0f} MB, which a "
            f"browser opens slowly (limit {PAGE_BYTES / 1e6:,.0f} MB); choose fewer features or "
            "labels"
        )
    with replacing(path) as file:
        file.write(text)
