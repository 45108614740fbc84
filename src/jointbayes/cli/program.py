"""The program around the verbs: options of all, errors, exit codes."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Optional

import typer

import jointbayes
from jointbayes.errors import JointBayesError, MissingExtraError
from jointbayes.table.wording import visible

__all__ = ["Json", "Quiet", "Seed", "Settings", "Unknown", "app", "examples", "main", "tell"]


def examples(*commands: str) -> str:
    r"""Return examples for the end of a help page, one a line.

    >>> examples("describe iris")
    'Examples:\n\njointbayes describe iris'
    """
    return "\n\n".join(["Examples:", *(f"jointbayes {command}" for command in commands)])


app = typer.Typer(
    name="jointbayes",
    help="Joint label distributions with Bayesian networks, and the decisions that cost least.",
    epilog=examples("evaluate TAN iris", "fit TAN iris -o iris.jb", "predict --help"),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Write JSON instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]
Seed = Annotated[int, typer.Option(help="Seed of the folds, and of a model that has none.")]
Settings = Annotated[
    list[str],
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter, such as k=2; may be repeated."),
]


Unknown = Annotated[
    Optional[str],  # noqa: UP045  older typer reads no unions
    typer.Option(help="Labels that are not known: refuse, or learn from those that are."),
]


def main() -> None:
    """Run the command line and leave with its exit code."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        app(arguments, prog_name="jointbayes")
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if len(arguments) < len(sys.argv) - 1:
            raise
        tell(_sentence(error))
        sys.exit(1)


def tell(text: str) -> None:
    """Say something on standard error; nothing in it can command the terminal."""
    typer.echo(f"jointbayes: {visible(text)}", err=True)


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, JointBayesError | MissingExtraError):
        return text
    return f"{type(error).__name__}: {text} (--debug shows where)"


@app.callback(invoke_without_command=True)
def _common(
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    debug: Annotated[  # noqa: ARG001  main takes it out; it stands here for the help
        bool, typer.Option("--debug", help="Show where an error arose.")
    ] = False,
) -> None:
    if version:
        typer.echo(jointbayes.__version__)
        raise typer.Exit
