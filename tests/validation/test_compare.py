"""compare: tidy rows, and a store that survives being killed at any moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import jointbayes as jb
from jointbayes.errors import DataError, ParameterError
from jointbayes.statistics import friedman, nemenyi
from jointbayes.validation import Folds, compare, evaluate
from jointbayes.validation.identity import fingerprint
from jointbayes.validation.store import open_store

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, (40, 3)).astype(str)
y = np.where(X[:, 0] == X[:, 1], "same", "other")
Y = np.stack([X[:, 0] == "0", X[:, 1] == X[:, 0]], axis=1).astype(int)
DATA = {"plain": (X, y), "noisy": (X[::-1], y)}
MODELS = ["tan", "NaiveBayes", "KDB(k=2)"]
CLOCK = ("fit_seconds", "predict_seconds", "peak_bytes")


def timeless(found):
    return [{k: v for k, v in record.items() if k not in CLOCK} for record in found.records]


def test_rows_tables_and_ranks_are_those_of_evaluate():
    found = compare(MODELS, DATA, cv=3, random_state=2)
    assert found.models == ("TAN", "NaiveBayes", "KDB(k=2)")
    assert [(r["dataset"], r["model"], r["fold"]) for r in found.records] == [
        (d, m, f) for d in DATA for m in found.models for f in range(3)
    ]
    for name, model in zip(found.models, MODELS, strict=True):
        for dataset, (rows, labels) in DATA.items():
            alone = evaluate(model, rows, labels, cv=3, random_state=2)
            assert found.metrics == tuple(alone)
            for metric in alone:
                assert found.score(metric, dataset, name) == alone[metric]
                assert found.table(metric)[dataset][name] == alone[metric].mean
    accuracy = found.table("subset_accuracy")
    assert found.ranks("subset_accuracy")["TAN"] == np.mean(
        [1 + sum(v > row["TAN"] for v in row.values())
         + sum(v == row["TAN"] for v in row.values()) / 2 - 0.5 for row in accuracy.values()]
    )  # fmt: skip
    assert friedman(found.score_table("log_loss")).n_datasets == 2
    assert nemenyi(found.score_table("fit_seconds")).names[0] in found.models
    frame = found.to_pandas()
    assert frame.shape == (len(found.records), len(found.records[0]))


def test_a_failure_is_recorded_and_stops_nothing(tmp_path):
    data = {"several": (X, Y), "one": (X, y), "short": (X[:1], y[:1])}
    found = compare(["tan", "multilabelnb"], data, cv=2, store=tmp_path / "run.jsonl")
    errors = {(r["dataset"], r["model"]): r["error"] for r in found.records}
    assert errors["several", "TAN"].startswith("TAN has one class variable, and there are 2 labels")
    assert errors["several", "MultilabelNB"] is None
    assert errors["one", "TAN"] is None
    assert errors["short", "TAN"].startswith("1 rows cannot be cut into 2 parts")
    assert [r["fold"] for r in found.failures] == [0, 1, None, None]
    assert found.table("subset_accuracy").keys() == {"several", "one"}
    assert found.table("subset_accuracy")["several"]["TAN"] is None
    assert set(found.ranks("subset_accuracy")) == {"TAN", "MultilabelNB"}  # over "one" alone


class Breaks(DummyClassifier):
    """A model that works only after it was mended."""

    mended = False

    def fit(self, X, y):
        if not Breaks.mended:
            raise RuntimeError("out of\nluck")
        return super().fit(X, y)


def test_failed_cells_are_tried_again(tmp_path):
    Breaks.mended = False
    first = compare([Breaks()], DATA, cv=2, store=tmp_path / "run.jsonl")
    assert {r["error"] for r in first.records} == {"RuntimeError: out of luck"}
    Breaks.mended = True
    assert compare([Breaks()], DATA, cv=2, store=tmp_path / "run.jsonl").failures == ()


class Counted(jb.MultilabelNB):
    """Says how often it has learned."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counted.fits += 1
        return super().fit(X, y, sample_weight)


def test_models_that_are_only_asked_in_other_ways_learn_once():
    settings = [{}, {"loss": "hamming"}, {"empty": "allow"}, {"loss": "?"}, {"ess": 1.0}]
    models = {str(own): Counted(**own) for own in settings}
    found = compare(models, {"both": (X, Y)}, cv=2, metrics=["hamming_accuracy", "log_loss"])
    assert Counted.fits == 4  # two folds, for each prior
    assert {r["model"] for r in found.failures} == {"{'loss': '?'}"}
    for own in settings[:3]:
        alone = evaluate(jb.MultilabelNB(**own), X, Y, cv=2, metrics="hamming_accuracy")
        assert found.score("hamming_accuracy", "both", str(own)) == alone["hamming_accuracy"]
    first = {**models, "{}": Counted(loss="?")}
    assert len(compare(first, {"both": (X, Y)}, cv=2).failures) == 4


def test_an_infinite_loss_ranks_last_and_survives_the_store(tmp_path):
    rows = X.astype(float)
    labels = np.where(np.arange(len(X)) == 3, "once", y)
    data = {"rare": (rows, labels)}
    options = {"cv": KFold(2), "metrics": ["log_loss"], "store": tmp_path / "run.jsonl"}
    found = compare({"a": "tan", "b": DummyClassifier(strategy="prior")}, data, **options)
    assert found.table("log_loss") == {"rare": {"a": np.inf, "b": np.inf}}
    assert found.ranks("log_loss") == {"a": 1.5, "b": 1.5}
    assert found.as_dict()["records"][0]["log_loss"] == "inf"
    again = compare({"a": "tan", "b": DummyClassifier(strategy="prior")}, data, **options)
    assert again.records == found.records
    json.loads((tmp_path / "run.jsonl").read_text().splitlines()[1], parse_constant=pytest.fail)


def test_data_sets_by_name_are_looked_for_before_anything_is_begun(tmp_path):
    store = tmp_path / "run.jsonl"
    with pytest.raises(DataError, match=r"no file or data set 'no such set'.*JOINTBAYES_DATA"):
        compare(["tan"], ["no such set"], store=store)
    assert not store.exists()


def test_a_file_that_cannot_be_read_is_a_failure_of_its_cells(tmp_path):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("a,class\n" + "x,yes\ny,no\n" * 5)
    bad.write_text("a,class\n1\n")
    found = compare("naivebayes", [str(bad), good], cv=2)
    assert found.datasets == ("bad", "good")
    assert "line 2" in found.failures[0]["error"]
    assert found.table("subset_accuracy") == {"good": {"NaiveBayes": 1.0}}


@pytest.mark.parametrize(
    ("models", "datasets", "words"),
    [
        ([], DATA, "models is empty"),
        (["tan"], [], "datasets is empty"),
        (["tan", "TAN"], DATA, "models holds 'TAN' twice"),
        (["tan"], [X], "datasets holds a ndarray"),
        (["tam"], DATA, "did you mean TAN"),
    ],
)
def test_arguments_are_checked(models, datasets, words):
    with pytest.raises(ParameterError, match=words):
        compare(models, datasets)
    with pytest.raises(ParameterError, match="no metric is called"):
        compare(["tan"], DATA, metrics=["accurracy"])


@pytest.mark.parametrize("kind", [tuple, list])
def test_one_calling_convention(kind):
    dataset = jb.Dataset.of(X, y, name="made")
    want = compare("tan", {"made": (X, y)}, cv=2)
    for datasets in (dataset, kind([dataset]), {"made": dataset}):
        assert timeless(compare("tan", datasets, cv=2)) == timeless(want)
    assert compare("tan", kind([(X, y)]), cv=2).datasets == ("data",)
    assert compare("tan", kind([(X, y), [X, y], dataset]), cv=2).datasets == (
        *("data0", "data1"),
        "made",
    )


# --- a model is what it is ----------------------------------------------------------------------


class Plain:
    """A classifier whose repr says nothing."""

    def __init__(self, always):
        self.always = always

    def fit(self, X, y):  # noqa: ARG002  scikit-learn's signature
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.always)

    def get_params(self, deep=True):  # noqa: ARG002  scikit-learn's signature
        return {"always": self.always}

    def set_params(self, **given):
        vars(self).update(given)
        return self


def masks(p=1500):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (100, p)).astype(float)
    none, one = np.zeros((2, p), dtype=bool)
    one[700] = True
    return rows, (rows[:, 700] == 1).astype(int), none, one


def test_models_that_are_printed_alike_are_not_confused(tmp_path):
    rows, labels, none, one = masks()
    options = {"cv": 2, "metrics": "subset_accuracy"}
    pairs = [
        [jb.NaiveBayes(categorical_features=mask, discretizer="median") for mask in (none, one)],
        [Plain(0), Plain(1)],
        [make_pipeline(FunctionTransformer(lambda x, k=k: x[:, [k]]), DummyClassifier())
         for k in (0, 700)],
    ]  # fmt: skip
    for first, second in pairs[:2]:
        found = [compare({"m": m}, [(rows, labels)], **options) for m in (first, second)]
        alone = [one.table("subset_accuracy")["data"]["m"] for one in found]
        assert alone[0] != alone[1]
        both = compare({"a": first, "b": second}, [(rows, labels)], **options)
        assert list(both.table("subset_accuracy")["data"].values()) == alone
        store = tmp_path / f"{type(first).__name__}.jsonl"
        for model, want in zip((first, second), alone, strict=True):
            found = compare({"m": model}, [(rows, labels)], **options, store=store)
            assert found.table("subset_accuracy") == {"data": {"m": want}}
    for first, second in pairs:
        assert fingerprint(first) != fingerprint(second)


def test_a_model_is_the_same_in_every_process():
    code = (
        "import numpy as np, jointbayes as jb; from jointbayes.validation.identity import *;"
        "from sklearn.preprocessing import FunctionTransformer;"
        "print(fingerprint(jb.CTBN(jb.BinaryRelevance(jb.TAN(categorical_features=np.arange(3)))),"
        "{'a', 'b', 'c'}, np.random.default_rng(0), FunctionTransformer(np.log), print))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    seen = {
        subprocess.check_output(
            [sys.executable, "-c", code], env={**environment, "PYTHONHASHSEED": str(seed)}
        )
        for seed in (1, 2)
    }
    assert len(seen) == 1


def test_a_thing_that_holds_itself_has_a_fingerprint():
    holder = jb.TAN()
    holder.extra = holder
    assert fingerprint(holder) != fingerprint(jb.TAN())
    assert fingerprint(jb.discretize.Median()) != fingerprint(jb.discretize.Median().fit([[1.0]]))


# --- the store ---------------------------------------------------------------------------------


def test_finished_cells_are_not_done_again_and_others_are(tmp_path):
    store = tmp_path / "run.jsonl"
    first = compare(MODELS, DATA, cv=2, store=store)
    lines = store.read_bytes()
    assert compare(MODELS, DATA, cv=2, store=store) == first  # to the last digit of its seconds
    assert store.read_bytes() == lines
    wider = compare([*MODELS, "aode"], DATA, cv=2, store=store)
    assert [r for r in wider.records if r["model"] != "AODE"] == list(first.records)
    for other in (
        {"random_state": 1},
        {"metrics": "f1_macro"},
        {"cv": Folds(2, stratify="none", random_state=0)},
    ):
        before = len(store.read_bytes().splitlines())
        compare(["tan"], {"plain": DATA["plain"]}, **{"cv": 2, **other}, store=store)
        assert len(store.read_bytes().splitlines()) == before + 2
    before = len(store.read_bytes().splitlines())
    compare(["tan"], {"plain": (X, np.roll(y, 1))}, cv=2, store=store)
    assert len(store.read_bytes().splitlines()) == before + 2


def test_a_store_cut_at_any_byte_resumes_to_the_same(tmp_path):
    store = tmp_path / "run.jsonl"
    whole = timeless(compare(["tan", "naivebayes"], DATA, cv=2, store=store))
    data = store.read_bytes()
    first = data.index(b"\n") + 1
    cuts = [0, 1, first - 1, first, len(data) - 1, *RNG.integers(0, len(data), 10)]
    for cut in cuts:
        store.write_bytes(data[:cut])
        assert timeless(compare(["tan", "naivebayes"], DATA, cv=2, store=store)) == whole
        keys = [json.loads(line)["key"] for line in store.read_bytes().splitlines()[1:]]
        assert len(keys) == len(set(keys)) == len(whole)


KILLER = """
import os, random, signal, sys, time
import numpy as np
import sklearn.metrics
from jointbayes import TAN, NaiveBayes, KDB
from jointbayes.validation import compare
store, rounds = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
X = rng.integers(0, 3, (40, 3)).astype(str)
y = np.where(X[:, 0] == X[:, 1], "same", "other")
def run(store):
    data = {"a": (X, y), "b": (X[::-1], y)}
    compare(["tan", "naivebayes", "kdb(k=2)"], data, cv="3x4", store=store)
def child(store):
    process = os.fork()
    if not process:
        run(store)
        os._exit(0)
    return process
random.seed(0)
for attempt in range(rounds):
    process = child(store)
    goal = random.randrange(4000)  # bytes; a cell has about 300
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        if os.path.exists(store) and os.path.getsize(store) >= goal:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            break
    else:
        continue
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_killed_twenty_times_at_random_moments_nothing_is_lost_or_doubled(tmp_path):
    store = tmp_path / "run.jsonl"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLER, str(store), "20"]
    subprocess.run(command, env=environment, check=True)
    kept = store.read_bytes().rpartition(b"\n")[0].splitlines()
    models, data = ["tan", "naivebayes", "kdb(k=2)"], {"a": (X, y), "b": (X[::-1], y)}
    resumed = compare(models, data, cv="3x4", store=store)
    assert store.read_bytes().splitlines()[: len(kept)] == kept
    keys = [json.loads(line)["key"] for line in store.read_bytes().splitlines()[1:]]
    assert len(keys) == len(set(keys)) == len(resumed.records) == 3 * 2 * 12
    assert timeless(resumed) == timeless(compare(models, data, cv="3x4"))


class Interrupts(DummyClassifier):
    """A model that is stopped by Ctrl-C at its third fit."""

    fits = 0

    def fit(self, X, y):
        Interrupts.fits += 1
        if Interrupts.fits == 3:
            signal.raise_signal(signal.SIGINT)
        return super().fit(X, y)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_leaves_a_store_that_resumes(tmp_path):
    store = tmp_path / "run.jsonl"
    Interrupts.fits = 0
    with pytest.raises(KeyboardInterrupt):
        compare([Interrupts()], DATA, cv=2, store=store)
    assert len(store.read_bytes().splitlines()) == 3
    assert len(compare([Interrupts()], DATA, cv=2, store=store).records) == 4
    assert Interrupts.fits == 5


def test_a_full_disk_is_one_sentence_and_the_store_stays_whole(tmp_path):
    resource = pytest.importorskip("resource")
    store = tmp_path / "run.jsonl"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(
            DataError, match=r"cannot be written \(File too large\).*can be resumed"
        ):
            compare(["tan"], DATA, cv=4, store=store)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    lines = store.read_bytes()
    assert lines.endswith(b"\n")
    assert 2 <= lines.count(b"\n") < 9
    assert len(compare(["tan"], DATA, cv=4, store=store).records) == 8


def test_files_that_are_no_store_are_left_alone(tmp_path):
    path = tmp_path / "thesis.txt"
    for content in (b"all my work", b"all\nmy\nwork", b'{"format": "other"}\n', b"\n"):
        path.write_bytes(content)
        with pytest.raises(DataError, match="is not a store of a comparison"):
            compare(["tan"], DATA, cv=2, store=path)
        assert path.read_bytes() == content
    path.write_text('{"format": "jointbayes comparison", "version": 2}\n')
    with pytest.raises(DataError, match="format version 2, and this jointbayes reads up to 1"):
        compare(["tan"], DATA, cv=2, store=path)
    path.write_text('{"format": "jointbayes comparison", "version": 1}\nnonsense\n')
    with pytest.raises(DataError, match="line 2: this is not a cell"):
        compare(["tan"], DATA, cv=2, store=path)
    with pytest.raises(DataError, match="cannot be opened"):
        compare(["tan"], DATA, cv=2, store=tmp_path)


def test_one_run_at_a_time_writes_to_a_store(tmp_path):
    pytest.importorskip("fcntl")
    refused = pytest.raises(DataError, match="another run is writing")
    with open_store(tmp_path / "run.jsonl"), refused:
        compare(["tan"], DATA, cv=2, store=tmp_path / "run.jsonl")


def test_fingerprints_tell_apart_what_differs():
    table = jb.Table.of(X)
    things = [
        X,
        X.T,
        X[:, ::-1],
        y,
        y.tolist(),
        X.astype(int),
        X.astype(float),
        table,
        table[1:],
        None,
        "None",
        1,
        1.0,
    ]
    assert len({fingerprint(thing) for thing in things}) == len(things)
    assert fingerprint(table) == fingerprint(jb.Table.of(X.copy()))
