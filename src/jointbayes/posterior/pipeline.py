"""The posterior of whatever ends in a model: of a model itself, or of a scikit-learn Pipeline."""

from __future__ import annotations

from typing import Any

from jointbayes.errors import ParameterError
from jointbayes.posterior.posterior import Posterior

__all__ = ["posterior_of"]


def posterior_of(model: Any, X: Any) -> Posterior:
    """Return the joint distribution of the labels given each row; also ``jb.posterior(model, X)``.

    A Pipeline has no method of that name: X goes through all its steps but the last, which is
    asked for its posterior.

    Parameters
    ----------
    model
        A fitted model, or a fitted scikit-learn Pipeline whose last step is one.
    X
        Rows as `predict` takes them.

    Examples
    --------
    >>> import jointbayes as jb
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, Y = [[0.0], [0.1], [0.9], [1.0]], [[0, 1], [0, 1], [1, 0], [1, 0]]
    >>> pipeline = make_pipeline(StandardScaler(), jb.MultilabelNB(discretizer="median"))
    >>> jb.posterior(pipeline.fit(X, Y), [[0.0], [1.0]]).map().tolist()
    [[0, 1], [1, 0]]
    """
    from sklearn.pipeline import Pipeline

    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            if step is not None and step != "passthrough":
                X = step.transform(X)
        return posterior_of(model.steps[-1][1], X)
    if not hasattr(model, "posterior"):
        raise ParameterError(
            f"{type(model).__name__} is not a model with a posterior; give one of "
            "jointbayes, or a Pipeline that ends in one"
        )
    answer: Posterior = model.posterior(X)
    return answer
