"""``jointbayes fit``: learn a model and write it to a file."""

from __future__ import annotations

from typing import Annotated

import typer

from jointbayes.cli.program import Json, Quiet, Settings, Unknown, app, examples, tell
from jointbayes.cli.reader import Reading, reads_data

__all__: list[str] = []


@app.command(
    name="fit",
    epilog=examples(
        "fit TAN iris.csv -o iris.jb",
        "fit KDB train.arff --set k=2 --target 5 -o kdb.jb",
        "fit MultilabelNB emotions -o emotions.jb",
        "fit TAN 'logs/*.parquet' --target label -o logs.jb",
    ),
)
@reads_data
def _fit(
    model: Annotated[str, typer.Argument(help="A model by its class name, in any case.")],
    reading: Reading,
    output: Annotated[str, typer.Option("--output", "-o", help="The model file to write.")],
    settings: Settings = [],  # noqa: B006  typer copies it
    unknown: Unknown = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Learn a model from a file and write it to a model file.

    Several files (a pattern or a folder), Arrow files and large ones are read part by part, twice,
    and never as a whole; models whose knowledge is counts can learn so.
    """
    from jointbayes.cli.learning import described_model, labels_for, model_notes
    from jointbayes.cli.parts import comes_in_parts, fit_parts
    from jointbayes.models.catalog import model_name
    from jointbayes.report import as_json
    from jointbayes.storage import save
    from jointbayes.validation.progress import ProgressKind, progress_bar

    estimator = described_model(model, settings, unknown)
    progress: ProgressKind = "none" if quiet else "auto"
    if comes_in_parts(reading.file):
        notes = fit_parts(estimator, reading, progress)
        learned = f"{notes['files']:,} files" if notes["files"] > 1 else notes["dataset"]
    else:
        dataset = reading.load()
        labels = labels_for(estimator, dataset)
        with progress_bar(progress) as show:
            show(f"fitting {model_name(estimator)}", 0, None)
            estimator.fit(dataset.X, labels)
        notes = model_notes(dataset, reading.ids)
        learned = f"{len(dataset):,} rows of {dataset.name}"
    save(estimator, output, notes=notes)
    if json:
        typer.echo(as_json({"model": model_name(estimator), "file": output, **notes}))
    elif not quiet:
        tell(f"{model_name(estimator)}, learned from {learned}, is in {output}")
