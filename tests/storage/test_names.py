"""Names in model files: every class has one, and code can move, grow and be renamed under it."""

from __future__ import annotations

import importlib
import io
import json
import pkgutil
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from write_model_files import fitted_models, mixed_rows

import jointbayes as jb
from jointbayes.discretize import MDL, Median, Quantile, Width
from jointbayes.errors import DataError
from jointbayes.learners.joint_trees.binned import Bins
from jointbayes.learners.kernel import KernelClassifier
from jointbayes.learners.never_zero import NeverZero
from jointbayes.models import VotingForest
from jointbayes.models.layers.as_said import AsSaid
from jointbayes.storage import names, upgrades
from jointbayes.storage.decode import decode
from jointbayes.storage.encode import encode
from jointbayes.storage.foreign import dump_foreign, load_foreign
from jointbayes.storage.names import PLACES, find_class, is_estimator, is_noun

PACKAGE = Path(jb.__file__).parent


def all_estimators():
    """Every class of the package that could be fitted."""
    for module in pkgutil.walk_packages(jb.__path__, "jointbayes."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found, waiting = set(), [BaseEstimator]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        abstract = any(
            getattr(getattr(kind, name, None), "__isabstractmethod__", False) for name in dir(kind)
        )
        of_papers = kind.__module__.startswith("jointbayes.reproduction")
        if kind.__module__.startswith("jointbayes.") and not abstract and not of_papers:
            found.add(kind)
    return found


def named_in(document):
    """The names of all classes in a document."""
    if isinstance(document, list):
        for item in document:
            yield from named_in(item)
    elif isinstance(document, dict):
        for tag, content in document.items():
            if tag in ("noun", "estimator"):
                yield content[0]
                yield from (n for value in content[1].values() for n in named_in(value))
            else:
                yield from named_in(content)


def test_every_class_in_a_file_of_any_estimator_has_a_name_and_every_name_a_class():
    X, y, Y, _ = mixed_rows()
    numbers = np.random.default_rng(0).normal(size=(60, 2))
    models = [model for model, _ in fitted_models().values()]
    models += [kind().fit(numbers, y) for kind in (Bins, MDL, Median, Quantile, Width)]
    models += [kind().fit(X, Y) for kind in (jb.select.CFS, jb.select.MarkovBoundary)]
    models += [m.fit(numbers, y) for m in (NeverZero(GaussianNB()), KernelClassifier())]
    models += [AsSaid().fit(numbers, Y[:, :2])]
    assert all_estimators() <= {type(model) for model in models}
    for model in models:
        assert set(named_in(encode(model, "model").document)) <= PLACES.keys()
    for name in PLACES:
        kind = find_class(name)
        assert is_noun(kind) != is_estimator(kind)


def test_moving_a_file_of_models_breaks_no_saved_model(tmp_path):
    X, y, _, _ = mixed_rows()
    model = jb.TAN().fit(X[:, 1:].astype(str), y)
    jb.save(model, tmp_path / "before.model")
    np.save(tmp_path / "rows.npy", X[:, 1:].astype(str))
    here, there = "models.one_class.tan", "models.elsewhere.tan"
    copy = tmp_path / "moved" / "jointbayes"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "models" / "elsewhere").mkdir()
    (copy / "models" / "elsewhere" / "__init__.py").touch()
    (copy / "models" / "one_class" / "tan.py").rename(copy / "models" / "elsewhere" / "tan.py")
    for path in copy.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if here in text:
            path.write_text(text.replace(here, there), encoding="utf-8")
    program = (
        "import sys, numpy as np\n"
        "sys.meta_path[:] = [f for f in sys.meta_path if 'Redirecting' not in type(f).__name__]\n"
        f"sys.path.insert(0, {str(copy.parent)!r})\n"
        "import jointbayes as jb\n"
        f"model = jb.load({str(tmp_path / 'before.model')!r})\n"
        f"X = np.load({str(tmp_path / 'rows.npy')!r})\n"
        f"np.save({str(tmp_path / 'answers.npy')!r}, model.predict_proba(X))\n"
        "print(type(model).__module__)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ended.stdout.strip() == f"jointbayes.{there}", ended.stderr
    answers = np.load(tmp_path / "answers.npy")
    np.testing.assert_allclose(answers, model.predict_proba(X[:, 1:].astype(str)), rtol=1e-12)


# --- classes that change -----------------------------------------------------------------------


@dataclass(frozen=True)
class Grown:
    """A noun that has gained two fields."""

    size: int
    colour: str = "red"
    tags: tuple = field(default_factory=tuple)


class Learner(BaseEstimator):
    """An estimator that has gained a parameter."""

    def __init__(self, *, depth=1, unknown="refuse"):
        self.depth = depth
        self.unknown = unknown


class Strict(BaseEstimator):
    """An estimator one of whose parameters has no default."""

    def __init__(self, estimator):
        self.estimator = estimator


@pytest.fixture
def listed(monkeypatch):
    """The classes above may be in files."""
    own = dict.fromkeys(("Grown", "Learner", "Strict"), __name__)
    monkeypatch.setattr(names, "PLACES", {**PLACES, **own})
    find_class.cache_clear()
    yield monkeypatch
    find_class.cache_clear()


@pytest.mark.usefixtures("listed")
def test_a_class_may_gain_a_field_with_a_default():
    assert decode({"noun": ["Grown", {"size": 3}]}, {}) == Grown(3)
    assert decode({"noun": ["Grown", {"size": 3, "colour": "blue"}]}, {}) == Grown(3, "blue")
    for values in ({"colour": "blue"}, {"size": 3, "weight": 1}):
        with pytest.raises(DataError, match="describes Grown otherwise"):
            decode({"noun": ["Grown", values]}, {})


def test_a_class_may_get_another_name(listed):
    listed.setattr(names, "RENAMED", {"Small": "Grown"})
    for name in ("Small", "jointbayes.old.place.Small", "Grown"):
        assert decode({"noun": [name, {"size": 3}]}, {}) == Grown(3)


def test_fields_may_be_translated(listed):
    def in_metres(values):
        if "feet" not in values:
            return values
        return {"size": round(values["feet"] * 0.3048)}

    listed.setattr(upgrades, "UPGRADES", {"Grown": in_metres, "Learner": lambda v: {**v, "z_": 1}})
    assert decode({"noun": ["Grown", {"feet": 10}]}, {}) == Grown(3)
    assert decode({"noun": ["Grown", {"size": 5}]}, {}) == Grown(5)
    assert decode({"estimator": ["Learner", {"depth": 2}]}, {}).z_ == 1


@pytest.mark.usefixtures("listed")
def test_an_estimator_may_gain_a_parameter():
    model = decode({"estimator": ["Learner", {"depth": 7, "tree_": 1}]}, {})
    assert model.get_params() == {"depth": 7, "unknown": "refuse"}
    assert model.tree_ == 1
    assert decode({"estimator": ["Learner", {"unknown": "learn"}]}, {}).unknown == "learn"
    with pytest.raises(DataError, match=r"does not say estimator= of its Strict"):
        decode({"estimator": ["Strict", {}]}, {})


def test_what_a_file_says_beats_the_default(tmp_path):
    model = jb.MultilabelNB(empty="allow")
    jb.save(model, tmp_path / "a.model")
    assert jb.load(tmp_path / "a.model").empty == "allow"


# --- classes of ours inside files of skops -----------------------------------------------------


def rewritten(data, change):
    """A file of skops with another schema."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    text = members["schema.json"].decode()
    schema = json.loads(text)
    change(schema)
    members["schema.json"] = json.dumps(schema).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def nodes_of(schema, name):
    if isinstance(schema, list):
        return [node for item in schema for node in nodes_of(item, name)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("__class__") == name else []
    return own + [node for value in schema.values() for node in nodes_of(value, name)]


@pytest.fixture
def pipeline():
    X = np.random.default_rng(0).normal(size=(40, 3))
    forest = VotingForest(n_trees=3, random_state=0, n_jobs=1)
    return make_pipeline(StandardScaler(), forest).fit(X, (X[:, 0] > 0) * 1), X


def as_in_version_1(schema, place="jointbayes.models.voting_forest", name="VotingForest"):
    for node in nodes_of(schema, "VotingForest"):
        node["__module__"], node["__class__"] = place, name


def test_a_class_of_ours_in_a_pipeline_is_found_where_it_lives_now(pipeline):
    model, X = pipeline
    data = rewritten(dump_foreign(model, "model"), as_in_version_1)
    again = load_foreign(data)
    assert type(again[-1]) is VotingForest
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


def test_a_renamed_class_in_a_pipeline(pipeline, monkeypatch):
    monkeypatch.setattr(names, "RENAMED", {"OldForest": "VotingForest"})
    find_class.cache_clear()
    data = dump_foreign(pipeline[0], "model")
    again = load_foreign(rewritten(data, lambda s: as_in_version_1(s, name="OldForest")))
    assert type(again[-1]) is VotingForest


@pytest.mark.parametrize("place", ["jointbayes.cli.main", "jointbayes.os"])
def test_only_classes_of_models_are_found(pipeline, place):
    data = dump_foreign(pipeline[0], "model")
    with pytest.raises(DataError, match="not a part of a model"):
        load_foreign(rewritten(data, lambda s: as_in_version_1(s, place, "system")))


def test_a_parameter_that_a_pipeline_lacks_is_filled_in(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 3))
    Y = (X[:, :2] > 0) * 1
    forest = make_pipeline(StandardScaler(), VotingForest(n_trees=3, random_state=0))
    model = jb.BinaryRelevance(forest).fit(X, Y)
    jb.save(model, tmp_path / "a.model")

    def older(schema):
        as_in_version_1(schema)
        for node in nodes_of(schema, "VotingForest"):
            content = node["content"]["content"]
            place = list(content).index("n_jobs")
            del content["n_jobs"], node["content"]["key_types"]["content"][place]

    with zipfile.ZipFile(tmp_path / "a.model") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["model.json"])
    for name in [name for name in members if name.startswith("foreign/")]:
        members[name] = rewritten(members[name], older)
        header["sha256"][name] = sha256(members[name]).hexdigest()
    members["model.json"] = json.dumps(header).encode()
    members["model.sha256"] = sha256(members["model.json"]).hexdigest().encode()
    with zipfile.ZipFile(tmp_path / "old.model", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    again = jb.load(tmp_path / "old.model")
    assert again.estimator[-1].get_params()["n_jobs"] is None
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
