"""The option ``--html``: the same results as a page with plots."""

from __future__ import annotations

from typing import Annotated, Any, Optional

import typer

__all__ = ["Html", "write_html", "write_text"]

Html = Annotated[
    Optional[str],  # noqa: UP045  older typer reads no unions
    typer.Option("--html", metavar="FILE", help="Also write a page with plots to this file."),
]


def write_html(result: Any, path: str) -> None:
    """Write the page of a result, or a page, and say where it is, on standard error."""
    from jointbayes.report.showing import write_page

    write_page(result, path)
    typer.echo(f"Wrote {path}", err=True)


def write_text(text: str, path: str) -> None:
    """Write a file that is there as a whole or not at all."""
    from jointbayes.storage import replacing

    with replacing(path) as file:
        file.write(text.encode())
    typer.echo(f"Wrote {path}", err=True)
