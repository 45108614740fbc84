"""Change numbers in model files, sign the files again, and ask what they hold.

    python tests/storage/change_model_files.py FOLDER SECONDS FIRST_SEED

A file that was changed on purpose is refused with a sentence, or answers; it never ends the process
and never raises anything else. Each change runs in a process of its own and has a number, from
which `attempt` makes it again.
"""

from __future__ import annotations

import collections
import io
import json
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from hashlib import sha256
from pathlib import Path

import numpy as np
from write_model_files import answers_of, mixed_rows, rows_for, word_rows

import jointbayes as jb
from jointbayes.errors import JointBayesError

NUMBERS = (-1, 0, 1, 2, 3, 7, 255, 256, 5000, 2**15, 2**30, 2**31 - 1, 2**31, 2**62, -(2**31))
REALS = (0.0, -1.0, 1.0, 0.5, -700.0, 1e5, 1e300, -1e300, 5e-324, np.nan, np.inf, -np.inf)
SECONDS = 20


def changed_array(array, rng):
    """Return an array with other numbers, another shape, another type or another layout."""
    match rng.integers(8):
        case 0 | 1 | 2 if array.size and array.dtype.kind in "biuf":
            array = array.copy()
            where = tuple(rng.integers(0, array.shape)) if array.ndim else ()
            array[where] = number_for(array.dtype, rng)
        case 3 if array.size and array.dtype.kind in "biuf":
            array = np.full_like(array, number_for(array.dtype, rng))
        case 4 if array.dtype.kind in "biuf":
            kinds = [np.int8, np.uint8, np.int32, np.int64, np.float32, np.float64, ">f8", bool]
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                array = array.astype(kinds[rng.integers(len(kinds))])
        case 5:
            array = (
                (array[:-1], array[None], array.ravel(), array[..., :0], array[:0])[rng.integers(5)]
                if array.ndim
                else array[None]
            )
        case 6:
            array = (
                (
                    array.T,
                    np.asfortranarray(array),
                    array[::-1],
                    np.concatenate([array.ravel()] * 2),
                )[rng.integers(4)]
                if array.ndim
                else array[None]
            )
        case _ if array.ndim:
            array = rng.permutation(array.ravel()).reshape(array.shape)
    return array


def number_for(dtype, rng):
    if dtype.kind == "f":
        return REALS[rng.integers(len(REALS))]
    if dtype.kind == "b":
        return bool(rng.integers(2))
    return np.array(NUMBERS[rng.integers(len(NUMBERS))]).astype(dtype)


def changed_number(document, rng):
    """Change one number somewhere in the header, in place."""
    places = []

    def walk(node):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            if isinstance(value, dict | list):
                walk(value)
            elif isinstance(value, int | float):
                places.append((node, key))

    walk(document)
    if places:
        node, key = places[rng.integers(len(places))]
        real = isinstance(node[key], float)
        node[key] = (
            float(rng.normal() * 10.0 ** rng.integers(-3, 6))
            if real
            else (NUMBERS[rng.integers(len(NUMBERS))])
        )


def changed_archive(data, rng):
    """Return the bytes of an archive, in which one array is another."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    arrays = [name for name in members if name.endswith(".npy")]
    if not arrays:
        return data
    name = arrays[rng.integers(len(arrays))]
    members[name] = changed_member(members[name], rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def changed_member(data, rng):
    out = io.BytesIO()
    np.save(out, changed_array(np.load(io.BytesIO(data)), rng))
    return out.getvalue()


def changed_file(data, rng):
    """Return a model file with one to three changes, signed again."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members.pop("model.json"))
    del members["model.sha256"]
    for _ in range(rng.integers(1, 4)):
        names = sorted(members)
        name = names[rng.integers(len(names))] if names and rng.random() < 0.85 else None
        if name is None:
            changed_number(header["model"], rng)
        else:
            change = changed_archive if name.endswith(".skops") else changed_member
            members[name] = change(members[name], rng)
    header["sha256"] = {name: sha256(content).hexdigest() for name, content in members.items()}
    text = json.dumps(header).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("model.json", text)
        archive.writestr("model.sha256", sha256(text).hexdigest())
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def attempt(path, seed, scratch):
    """Change one file, load it and ask it; say what came of it."""
    scratch.write_bytes(changed_file(path.read_bytes(), np.random.default_rng(seed)))
    X = rows_for(path.stem)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = jb.load(scratch)
        except JointBayesError:
            return "refused"
        try:
            answers_of(model, X[:7])
            if hasattr(model, "partial_fit"):
                labels = word_rows()[1] if "words" in path.stem else mixed_rows()[2]
                known = mixed_rows()[1] if hasattr(model, "knowledge_") else labels
                known = mixed_rows()[3] if "many" in path.stem else known
                known = word_rows()[1][:, 0] if "sparse" in path.stem else known
                model.partial_fit(X, known)
        except JointBayesError:
            return "sentence"
        except ValueError as error:
            if "features, but" in str(error):  # as scikit-learn says it, and every model with it
                return "sentence"
            raise
    return "answered"


def in_a_process(path, seed, scratch):
    """Return the same from a process of its own, which may crash or never end."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        try:
            said = attempt(path, seed, scratch)
        except BaseException:
            said = "raised " + traceback.format_exc(limit=-6)
        os.write(write, said.encode()[:60000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return said if os.WIFEXITED(status) else f"crashed by signal {os.WTERMSIG(status)}"


def main(folder, seconds, seed):
    files = sorted(folder.glob("*.jb"))
    found, start = collections.Counter(), time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        while time.monotonic() - start < seconds:
            path = files[seed % len(files)]
            said = in_a_process(path, seed, Path(scratch) / "changed.jb")
            found[said.split()[0]] += 1
            if said.startswith(("raised", "crashed")):
                print(path.stem, seed, said, flush=True)  # noqa: T201
            seed += 1
    print(json.dumps(found), "next", seed)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
