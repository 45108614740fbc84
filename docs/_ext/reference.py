"""Writes the pages of the API reference: every public name of jointbayes stands on one of them.

The pages are made from `jointbayes.__all__` and those of its modules when the site is built, so a
new name needs no line anywhere.
"""

from __future__ import annotations

import inspect
import reprlib
from pathlib import Path
from typing import Any

import jointbayes as jb

FAMILIES = {
    "one_class": "Models of one class variable",
    "label_driven": "Models that look twice at doubtful rows",
    "networks": "Networks of labels and features",
    "conditional": "Trees and chains of labels",
    "forests": "Forests",
    "layers": "Joint layers",
    "auto": "Automatic choice",
    "naibx": "NaiBX",
    "powersets": "Label sets as classes",
    "relevance": "Label by label",
    "wrappers": "Models around models",
}
COMMON = """```{eval-rst}
.. autoclass:: jointbayes.estimator.classifier.Classifier
   :members:
   :inherited-members: object
```"""
FIRST = ("datasets", "models", "posterior", "losses", "rules")


def pages() -> dict[str, str]:
    """Return the text of every page of the reference by the name of its file."""
    modules = [name for name in jb.__all__ if inspect.ismodule(_thing(jb, name))]
    verbs = [n for n in jb.__all__ if n not in modules and not _is_model(_thing(jb, n))]
    written = {"functions": _page("Functions and data", [_entry("jointbayes", n) for n in verbs])}
    written["models"] = _models()
    written["posterior"] = _module("posterior")
    for name in sorted(modules, key=lambda n: (n not in FIRST, n)):
        if name not in written:
            written[name] = _module(name)
    listed = "\n".join(written)
    written["index"] = (
        "# API reference\n\nEvery public name of `import jointbayes as jb`, with examples that the "
        f"test suite runs.\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    )
    return written


def _thing(home: Any, name: str) -> Any:
    return getattr(home, name)


def _is_model(thing: Any) -> bool:
    return inspect.isclass(thing) and hasattr(thing, "predict")


def _models() -> str:
    """Return the page of models, by family; what is no model of the top comes last."""
    families: dict[str, list[str]] = {family: [] for family in FAMILIES}
    rest = []
    for name in jb.models.__all__:
        parts = _thing(jb.models, name).__module__.split(".")
        at_top = name in jb.__all__ and parts[1] == "models"
        families.setdefault(parts[2], []).append(name) if at_top else rest.append(name)
    blocks = [
        "Every model has `fit`, `predict`, `predict_proba`, `score` and what else scikit-learn "
        "asks for, and `posterior(X)`: P(labels | row), from which all answers follow. "
        "[Which model](../which_model.md) helps to choose."
    ]
    blocks.append(f"## What every model has\n\n{COMMON}")
    for family, names in families.items():
        if names:
            blocks.append(f"## {FAMILIES.get(family, family)}")
            blocks += [_entry("jointbayes", name, "###") for name in names]
    blocks.append("## Beside the models")
    blocks += [_entry("jointbayes.models", name, "###") for name in rest]
    return _page("Models", blocks)


def _module(name: str) -> str:
    module = _thing(jb, name)
    lead = (inspect.getdoc(module) or "").split("\n\n")[0].replace("\n", " ").replace("``", "`")
    blocks = []
    for member in module.__all__:
        at_top = member in jb.__all__ and _thing(jb, member) is _thing(module, member)
        blocks.append(
            f"## {member}\n\nSee [`jb.{member}`](functions.md#{member.lower()})."
            if at_top
            else _entry(f"jointbayes.{name}", member)
        )
    return _page(f"jb.{name}", [lead, *blocks])


def _page(title: str, blocks: list[str]) -> str:
    return f"# {title}\n\n" + "\n\n".join(blocks) + "\n"


def _entry(home: str, name: str, mark: str = "##") -> str:
    """Return the heading and the directive of one public name."""
    owner = jb if home == "jointbayes" else _thing(jb, home.partition(".")[2])
    thing = _thing(owner, name)
    if inspect.isclass(thing):
        directive, options = "autoclass", ":members:\n"
    elif inspect.isfunction(thing) or inspect.isbuiltin(thing):
        directive, options = "autofunction", ""
    else:
        shown = reprlib.repr(thing).replace("\\n", " ")
        return f"{mark} {name}\n\nA constant: `{shown}`."
    body = "".join(f"   {line}\n" for line in options.splitlines())
    body = f".. {directive}:: {home}.{name}\n{body}"
    return f"{mark} {name}\n\n```{{eval-rst}}\n{body}```"


def write(app: Any) -> None:
    """Write the pages below the sources, where they are ignored by git."""
    place = Path(app.srcdir) / "reference"
    place.mkdir(exist_ok=True)
    for name, text in pages().items():
        path = place / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def is_foreign(_app: Any, _what: str, _name: str, thing: Any, skip: bool, _options: Any) -> bool:  # noqa: FBT001
    """Leave out what scikit-learn documents itself."""
    return skip or str(getattr(thing, "__module__", "")).startswith("sklearn")


def own_signature(_app: Any, what: str, _name: str, thing: Any, *_: Any) -> Any:
    """Show the parameters of a class as its ``__init__`` has them, without their types."""
    if what != "class" or not _is_model(thing):
        return None
    parameters = list(inspect.signature(thing.__init__).parameters.values())[1:]
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    return str(inspect.Signature(bare)), None


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx to have the pages before it looks for sources."""
    app.connect("config-inited", lambda app, _: write(app))
    app.connect("autodoc-skip-member", is_foreign)
    app.connect("autodoc-process-signature", own_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
