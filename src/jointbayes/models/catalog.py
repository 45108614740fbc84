"""Models by name: ``"tan"``, ``"KDB(k=2)"``, and parameters from text such as ``"k=2"``.

A model is written as it would be in Python, with class names in any case. Nothing of the text is
run: it is parsed, and only models, the base learners listed here, and plain values are understood.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

import jointbayes
from jointbayes.errors import ParameterError

__all__ = ["BASES", "make_model", "model_name", "model_names", "set_parameters"]

# What may stand for ``estimator=`` beside our models, and where it is.
BASES: Mapping[str, str] = {
    "BatchedLogistic": "jointbayes.models",
    "VotingForest": "jointbayes.models",
    "KernelClassifier": "jointbayes.models",
    "DecisionTreeClassifier": "sklearn.tree",
    "DummyClassifier": "sklearn.dummy",
    "ExtraTreesClassifier": "sklearn.ensemble",
    "GaussianNB": "sklearn.naive_bayes",
    "HistGradientBoostingClassifier": "sklearn.ensemble",
    "KNeighborsClassifier": "sklearn.neighbors",
    "LogisticRegression": "sklearn.linear_model",
    "RandomForestClassifier": "sklearn.ensemble",
}


def model_names() -> list[str]:
    """Return the names of all models.

    >>> {"NaiveBayes", "TAN", "MultilabelNB"} <= set(model_names())
    True
    """
    found = {name: getattr(jointbayes, name) for name in jointbayes.__all__ if name[0].isupper()}
    return [name for name, thing in found.items() if _is_model(thing)]


def make_model(text: str | BaseEstimator) -> Any:
    """Return the model that a text describes, not fitted; a model is returned as it is.

    >>> make_model("kdb"), make_model("LabelDriven(KDB(k=2), delta='auto')")
    (KDB(), LabelDriven(delta='auto', estimator=KDB(k=2)))
    >>> make_model("ctbn(batchedlogistic(words='keep'))")
    CTBN(estimator=BatchedLogistic(words='keep'))
    >>> make_model("nb")
    Traceback (most recent call last):
    ...
    jointbayes.errors.ParameterError: no model is called 'nb'; did you mean NaiveBayes?
    """
    if not isinstance(text, str):
        if _is_model(type(text)) or hasattr(text, "fit"):
            return text
        raise ParameterError(f"a model is a name or an estimator; found {text!r}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise _unreadable(text) from None
    if not isinstance(tree, ast.Name | ast.Call):
        raise _unreadable(text)
    return _build(tree, text)


def set_parameters(model: Any, settings: Iterable[str]) -> Any:
    """Set parameters from texts ``name=value``; a value is a Python literal, a model, or a word.

    >>> set_parameters(make_model("kdb"), ["k=2", "missing=ignore", "smoothing=0.5"])
    KDB(k=2, missing='ignore', smoothing=0.5)
    """
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise ParameterError(f"{setting!r} sets no parameter; write name=value, such as k=2")
        _check_parameter(model, name)
        model.set_params(**{name: _value(value)})
    return model


def model_name(model: Any) -> str:
    """Return what reports call a model: its class and the parameters that are not the default.

    >>> from jointbayes import KDB
    >>> model_name(KDB(k=2)), model_name(KDB())
    ('KDB(k=2)', 'KDB')
    """
    if not isinstance(model, BaseEstimator):
        return type(model).__name__
    text = " ".join(model.__repr__(N_CHAR_MAX=1 << 20).split())
    return text.removesuffix("()") if text.endswith("()") else text


def _is_model(thing: Any) -> bool:
    return (
        isinstance(thing, type) and issubclass(thing, BaseEstimator) and hasattr(thing, "predict")
    )


def _lookup(name: str) -> Any:
    """Return the class of that name in any case, importing no other; None if there is none."""
    for known in (*jointbayes.__all__, *BASES):
        if known.lower() == name.lower() and known[0].isupper():
            home = import_module(BASES[known]) if known in BASES else jointbayes
            thing = getattr(home, known)
            return thing if _is_model(thing) else None
    return None


def _find(name: str) -> Any:
    found = _lookup(name)
    if found is None:
        ours = model_names()
        known = {other.lower(): other for other in (*BASES, *ours)}
        initials = [n for n in ours if "".join(filter(str.isupper, n)).lower() == name.lower()]
        near = initials or [known[n] for n in get_close_matches(name.lower(), known, 3, 0.5)]
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(ours)}"
        raise ParameterError(f"no model is called {name!r}; {hint}")
    return found


def _build(tree: ast.expr, text: str) -> Any:
    """Return what a piece of text stands for: a model, or a plain value."""
    if isinstance(tree, ast.Name):
        return _find(tree.id)()
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        kind = _find(tree.func.id)
        positional = [_build(argument, text) for argument in tree.args]
        named = {word.arg: _build(word.value, text) for word in tree.keywords if word.arg}
        for name in named:
            _check_parameter(kind(), name)
        try:
            return kind(*positional, **named)
        except TypeError as error:
            raise ParameterError(f"{text!r} is not a model: {error}") from error
    try:
        return ast.literal_eval(tree)
    except ValueError:
        raise _unreadable(text) from None


def _value(text: str) -> Any:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return text
    if isinstance(tree, ast.Name):
        # "auto" is a value of many parameters: as one, the model of that name is written Auto.
        return text if text == "auto" or _lookup(text) is None else _build(tree, text)
    try:
        return _build(tree, text)
    except ParameterError:
        if isinstance(tree, ast.Call):
            raise
        return text


def _check_parameter(model: Any, name: str) -> None:
    known = list(model.get_params())
    if name not in known:
        near = get_close_matches(name, known, n=3, cutoff=0.5) or known
        raise ParameterError(
            f"{type(model).__name__} has no parameter {name!r}; did you mean {' or '.join(near)}?"
        )


def _unreadable(text: str) -> ParameterError:
    return ParameterError(f"{text!r} is not a model; write a name such as TAN, or KDB(k=2)")
