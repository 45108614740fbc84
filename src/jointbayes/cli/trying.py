"""``jointbayes try``: a baseline, the likely models, a leaderboard, and what to use."""

from __future__ import annotations

import inspect
from typing import Annotated, Optional

import typer

from jointbayes.cli.html import Html, write_html
from jointbayes.cli.program import Json, Quiet, Seed, app, examples, tell
from jointbayes.cli.reader import Reading, reads_data
from jointbayes.datasets import Dataset, load_dataset
from jointbayes.table.wording import listed

__all__: list[str] = []


@app.command(
    name="try",
    epilog=examples(
        "try table.csv --target happy,sad",
        "try emotions --loss f1 --html tried.html --save emotions.jb",
    ),
)
@reads_data
def _try(  # noqa: PLR0917  typer passes by name
    reading: Reading,
    loss: Annotated[
        str, typer.Option(help="What counts: subset, hamming, f1 or jaccard.")
    ] = "subset",
    cv: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Folds, the same for everybody; 5, and 3 from 1,000 rows on."),
    ] = None,
    time: Annotated[
        float, typer.Option(help="Seconds it should take at most; 0 for as many as it needs.")
    ] = 60.0,
    output: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--save", metavar="FILE", help="Write the recommended model to this file."),
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Threads; every core unless given."),
    ] = None,
    html: Html = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Try the likely models on a table, and say what to use and why.

    A baseline, scikit-learn's forest and logistic regression, and the likely models answer for the
    same folds; each is tested against the best. The recommended model then learns all rows.
    """
    from jointbayes.cli.learning import check_classes, check_known, model_notes
    from jointbayes.report import as_json, show
    from jointbayes.report.leaderboard import page_of_tryout
    from jointbayes.storage import save
    from jointbayes.trying import try_models

    dataset = reading.load()
    check_known(dataset)
    check_classes(dataset)
    if not quiet:
        tell(_read(dataset))
    found = try_models(
        dataset,
        loss=loss,
        cv=cv,
        time_limit=time or None,
        random_state=seed,
        n_jobs=jobs,
        progress="none" if quiet else "auto",
    )
    if output is not None:
        save(found.model, output, notes=model_notes(dataset, reading.ids))
        tell(f"{found.name}, learned from {len(dataset):,} rows, is in {output}")
    page = page_of_tryout(found, _lines(reading, found.code, output))
    if html is not None:
        write_html(page, html)
    if json:
        typer.echo(as_json(found.as_dict()))
    else:
        show(page)


def _read(dataset: Dataset) -> str:
    rows, features = dataset.X.shape
    names, count = dataset.label_names, len(dataset.label_names)
    target = f"{count} labels, {listed(names, 4)}" if count > 1 else f"the class {names[0]}"
    return f"{dataset.name}: {rows:,} rows, {features:,} features, {target}"


def _lines(reading: Reading, made: str, saved: str | None) -> str:
    """Return the lines of Python that read the same rows and have the same model."""
    known = inspect.signature(load_dataset).parameters
    asked = {
        name: value
        for name, value in reading.options.items()
        if value and name in known and value != known[name].default
    }
    options = "".join(f", {name}={value!r}" for name, value in asked.items())
    model = f"jb.load({saved!r})" if saved else f"{made}.fit(data)"
    return (
        f"import jointbayes as jb\ndata = jb.load_dataset({reading.file!r}{options})\n"
        f"model = {model}\nmodel.posterior(data.X[:5]).to_frame('top_k', 3)"
    )
