"""``jointbayes explain``: why this answer, feature by feature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Optional

import typer

from jointbayes.cli.html import Html, write_html
from jointbayes.cli.program import Json, app, examples
from jointbayes.cli.reader import Reading, reads_data
from jointbayes.errors import DataError, ParameterError

__all__: list[str] = []


@app.command(
    name="explain",
    epilog=examples(
        "explain iris.model new.csv --row 7",
        "explain iris.model new.csv --row 7 --html why.html",
        "explain iris.model new.csv --row 7 --most 3 --json",
    ),
)
@reads_data
def _explain(
    model_file: Annotated[str, typer.Argument(help="A file that fit wrote.")],
    reading: Reading,
    row: Annotated[int, typer.Option(help="Which row, from 0; negative from the end.")] = 0,
    label: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="A label to explain, if there are several; may be repeated."),
    ] = None,
    most: Annotated[int, typer.Option(help="How many contributions to show.")] = 10,
    html: Html = None,
    json: Json = False,
) -> None:
    """Say what each feature of one row spoke for, and how loudly.

    The answer is weighed against the runner-up; of several labels, each against its next best
    value while the others stay as they are.
    """
    from jointbayes.cli.pages import explanation_page
    from jointbayes.cli.rows import load_model
    from jointbayes.report import as_json, show

    loaded = load_model(model_file, reading)
    n = loaded.X.shape[0]
    if not -n <= row < n:
        raise ParameterError(f"--row {row} is not there; {reading.file} has rows 0 to {n - 1}")
    if not hasattr(loaded.model, "explain"):
        raise DataError(f"{type(loaded.model).__name__} has no explanation by features")
    chosen = label or loaded.label_names
    if not set(chosen) <= set(loaded.label_names):
        odd = next(name for name in chosen if name not in loaded.label_names)
        known = ", ".join(loaded.label_names)
        raise ParameterError(f"--label {odd} is no label of the model; it has {known}")
    parts = _parts(loaded.model, loaded.X[[row]], loaded.label_names, most)
    report = {
        "model": type(loaded.model).__name__,
        "row": row % n,
        "labels": [part for part in parts if part["label"] in chosen],
    }
    if html is not None:
        from jointbayes.report.explaining import page_of_explanation

        write_html(page_of_explanation(report), html)
    if json:
        typer.echo(as_json(report))
    else:
        show(explanation_page(report))


def _parts(model: Any, X: Any, labels: Sequence[str], most: int) -> Iterator[dict[str, Any]]:
    """Yield the explanation of each label as plain values, the largest contributions first."""
    why = model.explain(X)
    seen = model.encoder_.decode(model.encoder_.encode(X))
    held = [column.decoded()[0] for column in seen.columns]
    contributions = why.contributions.reshape(len(labels), -1)
    for j, label in enumerate(labels):
        parts = contributions[j]
        order = sorted(range(len(parts)), key=lambda i: -abs(parts[i]))[:most]
        yield {
            "label": label,
            "answer": _plain(why.answer.ravel()[j]),
            "runner_up": _plain(why.runner_up.ravel()[j]),
            "log_odds": float(why.log_odds.ravel()[j]),
            "base": float(why.base.ravel()[j]),
            "remainder": float(why.remainder.ravel()[j]),
            "features": len(parts),
            "contributions": [
                {
                    "feature": why.feature_names[i],
                    "value": _plain(held[i]),
                    "log_odds": float(parts[i]),
                }
                for i in order
            ],
        }


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
