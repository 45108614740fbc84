"""The command line: one file per verb; each parses, makes one public call, and prints.

Every verb reads its data with the same options. Data goes to standard output, everything else to
standard error. What goes wrong is told in one sentence, with exit code 1 (2 for a wrong command
line, 130 when interrupted); ``--debug`` shows where it arose.
"""

from jointbayes.cli import (
    audit,
    compare,
    describe,
    evaluate,
    explain,
    explore,
    fit,
    predict,
    reproduce,
    trying,
)
from jointbayes.cli.program import app, main

__all__ = [
    "app",
    "audit",
    "compare",
    "describe",
    "evaluate",
    "explain",
    "explore",
    "fit",
    "main",
    "predict",
    "reproduce",
    "trying",
]
