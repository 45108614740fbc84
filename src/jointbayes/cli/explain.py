"""``jointbayes explain``: why this answer, feature by feature."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from jointbayes.cli.program import Json, app, examples
from jointbayes.cli.reader import Reading, reads_data
from jointbayes.errors import DataError, ParameterError

__all__: list[str] = []


@app.command(
    name="explain",
    epilog=examples(
        "explain iris.model new.csv --row 7", "explain iris.model new.csv --row 7 --most 3 --json"
    ),
)
@reads_data
def _explain(
    model_file: Annotated[str, typer.Argument(help="A file that fit wrote.")],
    reading: Reading,
    row: Annotated[int, typer.Option(help="Which row, from 0; negative from the end.")] = 0,
    most: Annotated[int, typer.Option(help="How many contributions to show.")] = 10,
    json: Json = False,
) -> None:
    """Say what each feature of one row spoke for, and how loudly."""
    from jointbayes.cli.pages import explanation_page
    from jointbayes.cli.rows import load_model
    from jointbayes.report import as_json, show

    loaded = load_model(model_file, reading)
    n = loaded.X.shape[0]
    if not -n <= row < n:
        raise ParameterError(f"--row {row} is not there; {reading.file} has rows 0 to {n - 1}")
    if not hasattr(loaded.model, "explain"):
        raise DataError(f"{type(loaded.model).__name__} has no explanation by features")
    report = _report(loaded.model, loaded.X[[row]], row % n, loaded.label_names[0])
    report["contributions"] = report["contributions"][:most]
    if json:
        typer.echo(as_json(report))
    else:
        show(explanation_page(report))


def _report(model: Any, X: Any, row: int, label: str) -> dict[str, Any]:
    """Return an explanation of one row as plain values, the largest contributions first."""
    why = model.explain(X)
    seen = model.encoder_.decode(model.encoder_.encode(X))
    held = {column.name: column.decoded()[0] for column in seen.columns}
    parts = why.contributions[0]
    order = sorted(range(len(parts)), key=lambda j: -abs(parts[j]))
    names = why.feature_names
    return {
        "model": why.name,
        "row": row,
        "label": label,
        "answer": _plain(why.answer[0]),
        "runner_up": _plain(why.runner_up[0]),
        "log_odds": float(why.log_odds[0]),
        "base": float(why.base[0]),
        "remainder": float(why.remainder[0]),
        "features": len(parts),
        "contributions": [
            {"feature": names[j], "value": _plain(held[names[j]]), "log_odds": float(parts[j])}
            for j in order
        ],
    }


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
