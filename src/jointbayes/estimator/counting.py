"""Learning from counts, which add: at once, or batch by batch.

A model whose knowledge is counts learns in three steps and can so take rows as they come. It
fills three hooks::

    _look(rows) -> encoder              how columns are read: cuts, categories
    _tally(encoder, rows) -> knowledge  what is remembered; that of two batches adds
    _know(encoder, knowledge, space)    learn from all that is remembered

and its `_learn` and `partial_fit` are the functions below.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from jointbayes.errors import ParameterError
from jointbayes.estimator.ranges import check_parameters
from jointbayes.estimator.reading import Labelled, read_labelled
from jointbayes.labels import learn_labels
from jointbayes.threads import governed_by

__all__ = ["add_counts", "learn_batch", "learn_counts"]


def learn_counts(model: Any, rows: Labelled) -> None:
    """Let a model learn from rows alone."""
    encoder = model._look(rows)
    model._know(encoder, model._tally(encoder, rows), rows.space)


def learn_batch(model: Any, X: Any, y: Any, classes: Any, sample_weight: Any) -> Any:
    """Let a model learn from a further batch, or from the first; return the model.

    Labels, cuts and categories are those of the first batch. A batch that is refused leaves no
    trace.
    """
    check_parameters(model)
    with governed_by(model):
        if not model.__sklearn_is_fitted__():
            first = partial(learn_labels, classes=classes)
            rows = read_labelled(model, X, y, sample_weight, first, reset=True)
            model._begin(rows)
        else:
            further = partial(model._further_labels, classes=classes)
            rows = read_labelled(model, X, y, sample_weight, further, reset=False)
            allowed = model.space_.allows_empty or rows.space.allows_empty
            rows = replace(rows, space=replace(rows.space, allows_empty=allowed))
            model._learn_more(rows)
    model._adopt(rows.space)
    return model


def add_counts(model: Any, rows: Labelled) -> None:
    """Let a model learn from what it remembers and from further rows."""
    batch = model._tally(model.encoder_, rows)
    if _kind(batch) is not _kind(model.knowledge_):
        raise ParameterError(
            f"{type(model).__name__} was given other parameters than for the batches before, "
            "and remembers too little of those; set them back, or fit again"
        )
    model._know(model.encoder_, model.knowledge_ + batch, rows.space)


def _kind(knowledge: Any) -> type:
    """Return what a sum with this knowledge is."""
    return getattr(knowledge, "counted_as", type(knowledge))
