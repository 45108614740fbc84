"""``jointbayes evaluate``: measure a model by cross-validation."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from jointbayes.cli.html import Html, write_html
from jointbayes.cli.program import Json, Quiet, Seed, Settings, Unknown, app, examples
from jointbayes.cli.reader import Reading, reads_data

__all__: list[str] = []


@app.command(
    name="evaluate",
    epilog=examples(
        "evaluate TAN iris",
        "evaluate KDB train.arff --set k=2 --cv 5x2",
        "evaluate MultilabelNB emotions --metric f1 --metric hamming_loss --json",
    ),
)
@reads_data
def _evaluate(  # noqa: PLR0917  typer passes by name
    model: Annotated[str, typer.Argument(help="A model by its class name, in any case.")],
    reading: Reading,
    settings: Settings = [],  # noqa: B006  typer copies it
    unknown: Unknown = None,
    cv: Annotated[str, typer.Option(help="Folds (10), repeats of folds (5x2), or 66%.")] = "10",
    metric: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="A metric by name; may be repeated."),
    ] = None,
    rules: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="FILE", help="Rules; how many answers break one is counted."),
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option(help="Folds at a time.")] = 1,
    html: Html = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Measure a model by cross-validation: labels, probabilities, time and memory."""
    from jointbayes.cli.learning import described_model
    from jointbayes.report import as_json, show
    from jointbayes.report.evaluating import page_of_scores
    from jointbayes.rules import read
    from jointbayes.validation import evaluate

    estimator, dataset = described_model(model, settings, unknown), reading.load()
    scores = evaluate(
        estimator,
        dataset,
        cv=cv,
        metrics=metric or "usual",
        random_state=seed,
        n_jobs=jobs,
        progress="none" if quiet else "auto",
        rules=() if rules is None else read(rules),
    )
    if html is not None:
        write_html(scores, html)
    if json:
        typer.echo(as_json({"dataset": dataset.name, "cv": cv, "seed": seed, **scores.as_dict()}))
    else:
        show(page_of_scores(scores))
