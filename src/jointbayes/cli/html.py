"""The option ``--html``: the same results as a page with plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

import typer

if TYPE_CHECKING:
    from jointbayes.report import Page

__all__ = ["Html", "write_html", "write_text"]

Html = Annotated[
    Optional[str],  # noqa: UP045  older typer reads no unions
    typer.Option("--html", metavar="FILE", help="Also write a page with plots to this file."),
]


def write_html(page: Page, path: str) -> None:
    """Write a page as one HTML file and say where it is, on standard error."""
    from jointbayes.report.html import as_html

    write_text(as_html(page), path)


def write_text(text: str, path: str) -> None:
    """Write a file that is there as a whole or not at all."""
    from jointbayes.storage import replacing

    with replacing(path) as file:
        file.write(text.encode())
    typer.echo(f"Wrote {path}", err=True)
