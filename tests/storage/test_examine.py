"""A model file that was changed on purpose is refused with a sentence, or answers; no more."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import jointbayes as jb
from jointbayes.checks import check_indices, check_log_probabilities
from jointbayes.errors import DataError
from jointbayes.models import VotingForest
from jointbayes.storage.encode import encode
from jointbayes.storage.examine import examine
from jointbayes.storage.foreign import dump_foreign, load_foreign
from jointbayes.storage.foreign_trees import check_foreign

HERE = Path(__file__).parent
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = (X > 0).astype(int)
y = Y[:, 0] + Y[:, 1]


def tampered(model, path, change):
    """Save a model, give ``change`` every array of the file, and sign the file again."""
    jb.save(model, path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header, changes = json.loads(members.pop("model.json")), 0
    del members["model.sha256"]
    for name in [name for name in members if name.endswith(".npy")]:
        array = change(np.load(io.BytesIO(members[name])))
        if array is not None:
            out = io.BytesIO()
            np.save(out, array)
            members[name] = out.getvalue()
            changes += 1
    assert changes
    header["sha256"] = {name: sha256(data).hexdigest() for name, data in members.items()}
    text = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", text)
        archive.writestr("model.sha256", sha256(text).hexdigest())
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def nodes_of_a_forest(array):
    return array.ndim == 2 and array.shape[1] == 4 and array.dtype == np.int32


def leaf_of_class_5000(array):
    if nodes_of_a_forest(array):
        array[array[:, 0] < 0, 3] = 5000
        return array
    return None


def node_that_is_its_own_child(array):
    if nodes_of_a_forest(array):
        array[0, 3] = 0
        return array
    return None


def feature_99(array):
    if nodes_of_a_forest(array):
        array[0, 0] = 99
        return array
    return None


@pytest.mark.parametrize("change", [leaf_of_class_5000, node_that_is_its_own_child, feature_99])
def test_a_forest_that_points_elsewhere_is_refused(change, tmp_path):
    model = jb.LabelPowerset(VotingForest(n_trees=5, random_state=0)).fit(X, Y)
    path = tampered(model, tmp_path / "forest.model", change)
    with pytest.raises(DataError, match=r"forest.model cannot be loaded: its VotingForest cannot"):
        jb.load(path)


def test_offsets_outside_the_tables_are_refused(tmp_path):
    def far_away(array):
        starts = array.ndim == 1 and array.dtype == np.int64 and len(array) == 3
        if starts and array[0] == 0 and (np.diff(array) > 0).all():
            array[1] = 2**30
            return array
        return None

    model = jb.AODE().fit(X, y)
    model.learned_ = replace(model.learned_, origin=None)  # so that the file holds the tables
    path = tampered(model, tmp_path / "aode.model", far_away)
    with pytest.raises(DataError, match="start is not where values begin"):
        jb.load(path)


@pytest.mark.parametrize(
    "kind",
    [jb.NaiveBayes, jb.TAN, jb.AODE, jb.ATAN, jb.LKDB, jb.LTAN, jb.MultilabelNB, jb.NaiBX],
    ids=lambda kind: kind.__name__,
)
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_table_that_holds_no_probabilities_is_refused(kind, number, tmp_path):
    def poisoned(array):
        if array.dtype == np.float64 and array.size:
            array.flat[0] = number
            return array
        return None

    labels = Y if kind().__sklearn_tags__().target_tags.multi_output else y
    path = tampered(kind().fit(X, labels), tmp_path / "a.model", poisoned)
    with pytest.raises(DataError, match="cannot be right"):
        jb.load(path)


def test_changed_files_neither_crash_nor_raise_anything_else(tmp_path):
    """Numbered changes of files of every kind of model, in a process that may not end early."""
    program = (
        "import sys, collections, json\n"
        "from pathlib import Path\n"
        f"sys.path.insert(0, {str(HERE)!r})\n"
        "from change_model_files import attempt\n"
        f"files = sorted(Path({str(HERE / 'files_v1')!r}).glob('*.jb'))\n"
        "found = collections.Counter()\n"
        "for seed in range(200):\n"
        f"    path, scratch = files[seed % len(files)], Path({str(tmp_path)!r}) / 'changed.jb'\n"
        "    print(path.stem, seed, file=sys.stderr)\n"
        "    found[attempt(path, seed, scratch)] += 1\n"
        "print(json.dumps(found))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=600
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    found = json.loads(ended.stdout)
    assert sum(found.values()) == 200
    assert found["refused"] > 100
    assert found["answered"] > 20  # some numbers may be any number


def test_what_is_not_an_estimator_is_neither_saved_nor_loaded(tmp_path):
    for thing in ([1, 2], jb.TAN, {"a": 1}, np.ones(2)):
        with pytest.raises(DataError, match="a model file holds an estimator, and this is a"):
            jb.save(thing, tmp_path / "a.model")
    header = {
        "format": "jointbayes model",
        "version": 2,
        "jointbayes": "0.1.0",
        "sha256": {},
        "notes": {},
        "model": {"noun": ["Dag", {"parents": {"tuple": []}}]},
    }
    text = json.dumps(header).encode()
    with zipfile.ZipFile(tmp_path / "dag.model", "w") as archive:
        archive.writestr("model.json", text)
        archive.writestr("model.sha256", sha256(text).hexdigest())
    with pytest.raises(DataError, match=r"dag.model cannot be loaded: .* and this is a Dag"):
        jb.load(tmp_path / "dag.model")


def test_fields_are_of_their_annotated_type():
    from jointbayes.counts import SingleCounts

    for n_c, cards in [(np.ones(2, np.float32), (2,)), (np.ones(2), [2]), (None, (2,))]:
        with pytest.raises(DataError, match="not what belongs there"):
            examine(SingleCounts(n_c, np.ones((2, 2)), cards))


def test_models_of_all_kinds_are_found_sound():
    for model in (jb.TAN(), jb.TAN().fit(X, y), jb.CTBN().fit(X, Y), jb.MLkNN().fit(X, Y)):
        examine(model)
    assert encode(jb.TAN(), "model").members == {}


def test_trees_of_scikit_learn_are_followed_only_if_they_end():
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    trees = [tree.tree_ for tree in forest.estimators_]
    for tree in trees:
        check_foreign(tree)
    trees[0].children_left[0] = 0
    with pytest.raises(DataError, match="a tree holds 0"):
        check_foreign(trees[0])
    forest.estimators_.pop(0)
    trees[1].feature[0] = 99
    with pytest.raises(DataError, match="a tree holds 99"):
        examine(forest)
    boosted = HistGradientBoostingClassifier(max_iter=2).fit(X, Y[:, 0])
    examine(boosted)
    boosted._predictors[0][0].nodes["left"][0] = 0
    with pytest.raises(DataError, match="a tree holds 0"):
        examine(boosted)


@pytest.mark.parametrize("algorithm", ["kd_tree", "ball_tree"])
def test_trees_of_neighbours_hold_every_row_once(algorithm):
    model = KNeighborsClassifier(algorithm=algorithm, leaf_size=5).fit(X, y)
    examine(model)
    _, rows, nodes, _ = model._tree.get_arrays()
    np.asarray(rows)[0] = 5000
    with pytest.raises(DataError, match="does not hold every row once"):
        examine(model)
    model = KNeighborsClassifier(algorithm=algorithm, leaf_size=5).fit(X, y)
    nodes = np.asarray(model._tree.get_arrays()[2])
    nodes["is_leaf"][-1] = 0
    with pytest.raises(DataError, match="nodes of a tree"):
        examine(model)


def test_an_estimator_of_scikit_learn_that_cannot_answer_is_refused():
    model = LogisticRegression().fit(X, y)
    load_foreign(dump_foreign(model, "model"))
    model.coef_ = model.coef_[:, :2]
    with pytest.raises(DataError, match="its LogisticRegression cannot answer"):
        load_foreign(dump_foreign(model, "model"))
    words = make_pipeline(CountVectorizer(), MultinomialNB()).fit(["a word", "some words"], [0, 1])
    again = load_foreign(dump_foreign(words, "model"))  # is not asked about rows of numbers
    assert again.predict(["word"]).tolist() == [0]


def test_checks_name_what_is_wrong():
    with pytest.raises(DataError, match=r"features holds -1, which is not within 0 … 3"):
        check_indices("features", [2, -1], 4)
    with pytest.raises(DataError, match=r"features holds float64, not whole numbers"):
        check_indices("features", [2.0], 4)
    check_log_probabilities("table", np.array([0.0, -745.0, -np.inf]), (3,))
    for wrong in (0.1, np.nan, np.inf, -800.0):
        with pytest.raises(DataError, match="not a logarithm"):
            check_log_probabilities("table", np.array([wrong]), (1,))


@pytest.mark.parametrize("inference", ["beam", "sample", "exact"])
def test_a_search_that_would_fill_the_memory_is_refused(inference, tmp_path):
    X, Y = np.arange(12.0)[:, None], np.array([[0, 1], [1, 1], [1, 0]] * 4)
    chain = jb.ClassifierChain(inference=inference).fit(X, Y)
    chain.width = 2**31
    jb.save(chain, tmp_path / "model.jb")
    with pytest.raises(DataError, match=r"width=2147483648.* an integer from 1 to 1048576"):
        jb.load(tmp_path / "model.jb")
