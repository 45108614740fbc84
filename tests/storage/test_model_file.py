"""Model files: the same answers to the bit, and one sentence for every file that is not whole."""

from __future__ import annotations

import inspect
import io
import json
import shutil
import zipfile
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler

import jointbayes as jb
from jointbayes.errors import CostError, DataError
from jointbayes.storage import VERSION, read_notes, replacing
from jointbayes.storage.decode import decode
from jointbayes.storage.encode import encode
from jointbayes.storage.foreign import dump_foreign, load_foreign
from jointbayes.storage.names import find_class
from jointbayes.table import Table

MODELS = [
    thing
    for thing in (getattr(jb, name) for name in jb.__all__)
    if inspect.isclass(thing) and issubclass(thing, BaseEstimator)
]


def rows(n=80, seed=0):
    """Mixed columns with gaps, one class variable and three labels that depend on them."""
    rng = np.random.default_rng(seed)
    size, colour = rng.normal(size=n), rng.choice(["red", "blue", "green"], n).astype(object)
    flag = rng.integers(0, 2, n)
    y = np.where(size + flag > 0.5, "big", np.where(colour == "red", "red", "other"))
    Y = np.stack([size > 0, colour == "red", flag ^ (size > 1)], axis=1).astype(int)
    colour[::11], size[::13] = None, np.nan
    return Table.of(np.stack([size.astype(object), colour, flag.astype(object)], axis=1)), y, Y


def stored(model, tmp_path):
    jb.save(model, tmp_path / "a.model")
    return jb.load(tmp_path / "a.model")


def same(one, other):
    """Equal to the bit, types and order of axes in memory included."""
    if isinstance(one, list | tuple):
        assert len(one) == len(other)
        return all(same(a, b) for a, b in zip(one, other, strict=True))
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_a_loaded_model_answers_to_the_bit_and_learns_on(kind, tmp_path):
    X, y, Y = rows()
    several = kind().__sklearn_tags__().target_tags.multi_output
    labels = Y if several else y
    model = kind().fit(X[:60], labels[:60])
    again = stored(model, tmp_path)
    assert vars(again).keys() == vars(model).keys()
    assert repr(again) == repr(model)
    for step in range(2):
        assert same(again.predict(X), model.predict(X))
        if hasattr(model, "predict_proba"):
            assert same(again.predict_proba(X), model.predict_proba(X))
            assert same(again.posterior(X).log_prob(labels), model.posterior(X).log_prob(labels))
        if step or not hasattr(model, "partial_fit"):
            break
        for one in (model, again):
            one.partial_fit(X[60:], labels[60:])


@pytest.mark.parametrize(("name", "model"), [("iris", jb.TAN()), ("emotions", jb.MultilabelFAN())])
def test_real_data(name, model, shared, tmp_path):
    data = jb.load_dataset(name, data_dir=shared / "data")
    model.fit(data.X, data.Y)
    again = stored(model, tmp_path)
    assert same(again.predict_proba(data.X), model.predict_proba(data.X))
    assert same(again.explain(data.X).contributions, model.explain(data.X).contributions)


@pytest.mark.parametrize("loss", [jb.losses.FBeta(2), jb.losses.Weighted({"y0": 3}, 0.5)])
def test_a_loss_is_saved_with_its_model(loss, tmp_path):
    X, Y = np.arange(12.0)[:, None], np.array([[0, 1], [1, 1], [1, 0]] * 4)
    model = jb.BinaryRelevance(loss=loss).fit(X, Y)
    jb.save(model, tmp_path / "model.jb")
    loaded = jb.load(tmp_path / "model.jb")
    assert loaded.loss == loss
    assert (loaded.predict(X) == model.predict(X)).all()


def test_a_model_that_is_not_fitted_is_its_parameters(tmp_path):
    model = stored(jb.LabelDriven(jb.KDB(2), delta="auto", random_state=3), tmp_path)
    assert repr(model) == "LabelDriven(delta='auto', estimator=KDB(k=2), random_state=3)"


def test_equal_models_are_equal_files_and_what_was_there_is_replaced(tmp_path):
    X, y, _ = rows()
    for name in ("one", "other"):
        jb.save(jb.TAN(), tmp_path / name)
        jb.save(jb.TAN().fit(X, y), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "other"]


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        RandomForestClassifier(3, random_state=0),
        HistGradientBoostingClassifier(max_iter=3),
        KNeighborsClassifier(),
        MLPClassifier((3,), max_iter=300, tol=0.1, random_state=0),
        make_pipeline(StandardScaler(), GaussianNB()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_estimators_of_scikit_learn_are_read_back_by_an_explicit_list(estimator):
    X = np.random.default_rng(0).normal(size=(60, 3))
    estimator.fit(X, X[:, 0] > 0)
    again = load_foreign(dump_foreign(estimator, "estimator"))
    assert same(again.predict_proba(X), estimator.predict_proba(X))


def test_somebody_else_s_discretizer_inside_a_model(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2))
    cut = KBinsDiscretizer(4, encode="ordinal", strategy="uniform")
    model = jb.NaiveBayes(discretizer=cut).fit(X, X[:, 0] > 0)
    assert same(stored(model, tmp_path).predict_proba(X), model.predict_proba(X))


class Mine(BaseEstimator):
    """A class of the user's, which a reader could not know."""


def test_what_could_not_be_read_back_is_not_written(tmp_path):
    for model, words in [
        (jb.LabelDriven(random_state=np.random.default_rng(0)), r"random_state is a Generator"),
        (jb.NaiveBayes(discretizer=Mine()), r"NaiveBayes.discretizer cannot be stored"),
    ]:
        with pytest.raises(DataError, match=words):
            jb.save(model, tmp_path / "a.model")
    assert list(tmp_path.iterdir()) == []


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.tuples(st.integers()), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None)
@given(PLAIN)
def test_plain_values_survive(value):
    encoded = encode(value, "value")
    text = json.dumps(encoded.document, allow_nan=False)
    assert repr(decode(json.loads(text), encoded.members)) == repr(value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([1.5, np.nan, -np.inf]),
        np.asfortranarray(np.arange(6, dtype=np.uint8).reshape(2, 3)),
        np.array(["é", "longer"]),
        np.array(["a", None, 2, 2.5, True], dtype=object),
        np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
        np.empty((0, 3)),
        np.array(7),
    ],
    ids=lambda array: str(array.dtype),
)
def test_arrays_survive(array):
    encoded = encode(array, "array")
    again = decode(json.loads(json.dumps(encoded.document)), encoded.members)
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    assert again.flags.f_contiguous == array.flags.f_contiguous
    assert repr(again) == repr(array)


def test_shared_arrays_are_stored_once_and_sparse_ones_as_they_are():
    one = np.arange(3.0)
    assert len(encode([one, (one, one)], "value").members) == 1
    matrix = sparse.random(5, 4, 0.4, "csc", random_state=0)
    encoded = encode(matrix, "matrix")
    again = decode(encoded.document, encoded.members)
    assert again.format == "csc"
    assert (again != matrix).nnz == 0


# --- files that are not whole ------------------------------------------------------------------


@pytest.fixture
def model_file(tmp_path):
    X, y, _ = rows()
    jb.save(jb.TAN().fit(X, y), tmp_path / "tan.model", notes={"source": "here"})
    return tmp_path / "tan.model"


def test_every_cut_and_every_flipped_byte_is_refused(model_file):
    whole, model, (X, _, _) = model_file.read_bytes(), jb.load(model_file), rows()
    rng = np.random.default_rng(0)
    changed = [whole[:n] for n in rng.integers(0, len(whole), 30)]
    for position in rng.integers(0, len(whole), 60):
        flipped = bytearray(whole)
        flipped[position] ^= 0xFF
        changed.append(bytes(flipped))
    refused = 0
    for data in changed:
        model_file.write_bytes(data)
        try:
            again = jb.load(model_file)
        except DataError as error:
            refused += 1
            assert str(model_file) in str(error)
        else:  # a byte that means nothing, such as the date of a member
            assert same(again.predict_proba(X), model.predict_proba(X))
    assert refused > 60


def rewritten(path, change, *, honest=True):
    """Change the header of a model file, with or without the right digests."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["model.json"])
    change(header, members)
    members["model.json"] = json.dumps(header).encode()
    if honest:
        members["model.sha256"] = sha256(members["model.json"]).hexdigest().encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_a_changed_header_or_member_is_refused(model_file, tmp_path):
    def other_smoothing(header, _):
        header["model"]["estimator"][1]["smoothing"] = 2.0

    def other_array(_, members):
        members["arrays/0.npy"] = members["arrays/0.npy"][:-1] + b"\x01"

    def surplus(_, members):
        members["more.txt"] = b""

    for change, honest in [(other_smoothing, False), (other_array, True), (surplus, True)]:
        copy = shutil.copy(model_file, tmp_path / "changed.model")
        rewritten(copy, change, honest=honest)
        with pytest.raises(DataError, match="damaged or cut short"):
            jb.load(copy)


def test_a_newer_format_is_refused_with_both_versions(model_file):
    rewritten(model_file, lambda header, _: header.update(version=VERSION + 1))
    with pytest.raises(DataError, match=rf"version {VERSION + 1}.*up to {VERSION}.*newer"):
        jb.load(model_file)


@pytest.mark.parametrize(
    "document",
    [
        {"noun": ["os.system", {"command": "true"}]},
        {"noun": ["jointbayes.errors.require", {"module": "this"}]},
        {"noun": ["jointbayes.models.one_class.classifier.np.ndarray", {}]},
        {"estimator": ["sklearn.linear_model.LogisticRegression", {}]},
        {"estimator": ["jointbayes.graph.Dag", {}]},
        {"estimator": ["jointbayes.models.one_class.tan.TAN", {"__class__": 1}]},
        {"estimator": ["jointbayes.models.one_class.tan.TAN", {"predict": 1}]},
        {"noun": ["jointbayes.graph.Dag", {}]},
        {
            "noun": [
                "jointbayes.graph.Dag",
                {"parents": {"tuple": [{"tuple": [1]}, {"tuple": [0]}]}},
            ]
        },
        {"array": "99"},
        {"no such tag": 1},
        {"array": "0", "tuple": []},
    ],
    ids=str,
)
def test_a_forged_document_is_refused_in_a_sentence(model_file, document):
    rewritten(model_file, lambda header, _: header.update(model=document))
    with pytest.raises(DataError):
        jb.load(model_file)


def test_pickles_are_never_read(model_file):
    data = io.BytesIO()
    np.lib.format.write_array(data, np.array([{}], dtype=object), allow_pickle=True)

    def smuggle(header, members):
        members["arrays/0.npy"] = data.getvalue()
        header["sha256"]["arrays/0.npy"] = sha256(data.getvalue()).hexdigest()

    rewritten(model_file, smuggle)
    with pytest.raises(DataError, match="damaged"):
        jb.load(model_file)


def test_classes_outside_the_list_are_not_even_imported():
    for path in ("antigravity.Dag", "jointbayes.cli.main", "jointbayes.models", "no_such", 7):
        with pytest.raises(DataError, match="not a part of a model"):
            find_class(path)


def test_other_files(tmp_path, model_file):
    with pytest.raises(DataError, match="cannot be read"):
        jb.load(tmp_path / "absent.model")
    with pytest.raises(DataError, match="cannot be read"):
        jb.load(tmp_path)
    with pytest.raises(CostError, match="max_bytes=100"):
        jb.load(model_file, max_bytes=100)
    assert read_notes(model_file) == {"source": "here"}


def test_an_interrupted_write_changes_nothing(tmp_path):
    path = tmp_path / "kept.txt"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:
        file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def small_disk():
    """No file may grow beyond 400 bytes, as on a disk that is full."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_disk")
def test_a_full_disk_is_one_sentence(tmp_path):
    with pytest.raises(DataError, match=r"a.model cannot be written \(File too large\); nothing"):
        jb.save(jb.TAN(), tmp_path / "a.model")
    assert list(tmp_path.iterdir()) == []


def test_tables_that_follow_from_counts_are_made_again_to_the_bit(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 9, (300, 12)).astype(str), rng.integers(0, 2, 300)
    weights = rng.integers(1, 4, 300) / 4  # not whole: stored as they are
    for kind in (jb.AODE, jb.LTAN):
        model = kind(smoothing=0.5).fit(X, y)
        model.set_params(smoothing=7.0)  # what was learned before stays
        again = stored(model, tmp_path)
        assert same(again.predict_proba(X), model.predict_proba(X))
        size = (tmp_path / "a.model").stat().st_size
        assert same(
            stored(kind().fit(X, y, weights), tmp_path).predict_proba(X),
            kind().fit(X, y, weights).predict_proba(X),
        )
        assert size < (tmp_path / "a.model").stat().st_size
        named = json.dumps(encode(model, "model").document)
        assert '"made": ["' in named
        assert "log_child" not in named
        assert "log_pair" not in named


def test_parts_that_are_one_object_are_one_object_again(tmp_path):
    X, y, _ = rows()
    again = stored(jb.LTAN().fit(X, y), tmp_path)
    assert again.learned_.refiner.known is again.knowledge_
    assert again.learned_.refiner.pairs is again.learned_.experts.tables


@pytest.mark.parametrize(
    ("values", "bytes_each"),
    [
        (np.arange(2000.0) % 7, 1),
        (np.asfortranarray((np.arange(2000.0) % 300).reshape(50, 40)), 2),
        (np.arange(2000.0) * 2**20, 4),
        (np.arange(2000.0) - 1, 8),
        (np.arange(2000.0) / 2, 8),
        (np.where(np.arange(2000) == 5, -0.0, 1.0), 8),
        (np.where(np.arange(2000) == 5, np.nan, 1.0), 8),
        (np.full(2000, 2.0**40), 8),
    ],
)
def test_whole_numbers_take_few_bytes_and_come_back_as_they_were(values, bytes_each):
    encoded = encode(values, "values")
    (data,) = encoded.members.values()
    assert len(data) - 128 == bytes_each * values.size
    again = decode(encoded.document, encoded.members)
    assert (again.dtype, again.flags.f_contiguous) == (values.dtype, values.flags.f_contiguous)
    assert again.tobytes("K") == values.tobytes("K")


def test_only_what_has_a_recipe_is_made(model_file):
    for document in (
        {"made": ["Dag", {"tuple": []}]},
        {"made": ["os.system", {"tuple": ["true"]}]},
        {"made": ["PairTables", {"tuple": [1, 2]}]},
        {"made": ["PairTables", None]},
    ):
        rewritten(model_file, lambda header, _, new=document: header.update(model=new))
        with pytest.raises(DataError, match="cannot be loaded: "):
            jb.load(model_file)
