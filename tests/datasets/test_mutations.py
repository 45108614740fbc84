"""Damaged files are read or refused in one sentence; nothing foreign escapes, and nothing hangs.

``python tests/datasets/test_mutations.py MINUTES [SEED]`` goes on for as long as it is told, with
the public data sets among the originals, and prints what it found.
"""

from __future__ import annotations

import io
import os
import random
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import pandas as pd
import pytest

import jointbayes as jb
from jointbayes.datasets.files import read_bytes
from jointbayes.errors import JointBayesError

ARFF = """% weather
@relation 'two days: -C 1'
@attribute class {0,1}
@attribute 'how warm' real
@attribute sky {clear, 'half clear', "it's dark"}
@attribute note string
@attribute day date "dd.MM.yyyy HH:mm"
@data
1,21.5,'half clear','no\\, twice',"01.02.2020 12:30"
0,?,"it's dark",plain,?
0,-1e3,clear,?,31.12.1999 00:00
"""
SPARSE = """@relation s
@attribute a numeric
@attribute b {0,1}
@attribute c {red,blue}
@attribute d string
@attribute e date yyyy-MM-dd
@attribute class {0,1}
@data
{0 1.5,2 blue,5 1}
{1 1,3 'a b',4 2020-01-01}
{}
"""
MESSY = (
    "Nr;Betrag (€);Datum;Text;Tags;dringend\n"
    "T-1;73,61;31.12.2020;die Tür klemmt sehr, leider;a|b;ja\n"
    "T-2;1.204,5;1.1.2021;die Lampe ist zu dunkel;b;nein\n"
    'T-3;;;"mehr; als eines";a;ja\n'
)
ORIGINALS: dict[str, bytes] = {
    "dense.arff": ARFF.encode(),
    "sparse.arff": SPARSE.encode(),
    "messy.csv": MESSY.encode("cp1252"),
    "plain.csv": b'colour,size,day,class\nred,1,2020-01-31,a\n"bl""ue",2.5e3,2020-02-01,b\n?,,,a\n',
    "plain.tsv": b"colour\tsize\tclass\nred\t1\ta\nblue\t2\tb\n",
    "blanks.txt": b"a b class\n1 2 x\n3  4 y\n",
    "pairs.svm": b"1 0:1 3:2\n2,3 1:5 # note\n-1 qid:4 2:.25\n",
    "words.data": b"yes 1:2 7:1\nno 2:1\n",
}
XML = b"<?xml version='1.0' encoding='utf-8'?><labels><label name='class'/></labels>"
TOKENS = [
    *b"\0 \x1a \x80 \x9d \xff \xc3 \xef\xbb\xbf \xff\xfe , ; | : = \" ' \\ % { } @ # ? -".split(),
    b"\n", b"\r\n", b"\t",
    b" ", b"\n" * 500, b" " * 3000, b"'" * 50, b"{" * 50, b"--1", b"1e400", b"-inf", b"nan", b"1_0",
    b"9" * 30, b"9" * 5000, b"-C " + b"9" * 4500, b"2000000000:1", b"99999999999 1", b"0x1f",
    "²".encode(), "٣".encode(), "\u202e\x1b[31m".encode(), b"31.02.2020", b"1,234", b"1.234.567,8",
    b"@attribute x date 'MM-MM'\n", b"@attribute x {a", b"@data\n", b"MM", b"yyyy", b"'",
    b"encoding='upf-8'",
    b"<!DOCTYPE", b"x" * 70_000, b"," * 70_000, b"1 " * 35_000, b"\\" * 2001, b"\xed\xa0\x80",
]  # fmt: skip
OPTIONS: list[dict[str, object]] = [
    {}, {}, {}, {"target": "none", "identifiers": "keep"}, {"target": -1}, {"target": "0:2"},
    {"nominal": "all"}, {"header": "none"}, {"delimiter": ";"}, {"decimal": ","}, {"dates": "dmy"},
    {"encoding": "cp1252"}, {"encoding": "utf-16"}, {"missing_labels": "drop"}, {"split": -1},
    {"text": 3}, {"text": "Text=5"}, {"sequences": 0}, {"positive": "class=1"}, {"split": "Tags=|"},
]  # fmt: skip


def mutated(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 6])):
        at, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        end = min(end, at + rng.choice([1, 4, 40, 4000]))
        kind = rng.randrange(7)
        if kind == 0:
            data = data[:at] + data[end:]
        elif kind == 1:
            data = data[:at] + rng.choice(TOKENS) + data[at:]
        elif kind == 2:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        elif kind == 3:
            data = data[:at] + data[at:end] * rng.choice([2, 3, 50]) + data[end:]
        elif kind == 4:
            other = rng.choice(others)
            here = rng.randrange(len(other) + 1)
            data = data[:at] + other[here : here + 200] + data[at:]
        elif kind == 5:
            data = data[:at] + rng.choice(TOKENS) + data[end:]
        else:
            lines = data.split(b"\n")
            rng.shuffle(lines)
            data = b"\n".join(lines)
    return data


def attempt(rng: random.Random, folder: Path, originals: dict[str, bytes]) -> str:
    """Make one damaged file and read it; return what is wrong with how it ended, or nothing."""
    name = rng.choice(sorted(originals))
    path = folder / name
    path.write_bytes(mutated(rng, originals[name], list(originals.values())))
    xml = path.with_suffix(".xml")
    xml.unlink(missing_ok=True)
    if name.endswith(".arff") and rng.random() < 0.2:
        xml.write_bytes(mutated(rng, XML, [XML]))
    options = rng.choice(OPTIONS)
    start = time.process_time()
    try:
        data = jb.load_dataset(path, **options)
        assert len(repr(data)) < 1000
        data._repr_html_()
    except JointBayesError as error:
        sentence = str(error)
        if "\n" in sentence or len(sentence) > 500 + len(str(folder)):
            return f"{name} {options}: a message of {len(sentence)} characters: {sentence[:80]!r}"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {str(error)[:80]}"
        return f"{name} {options}: {what} ({Path(where.filename).name}:{where.lineno})"
    took = time.process_time() - start
    return f"{name} {options}: {took:.1f} s" if took > 10 else ""


def with_parquet() -> dict[str, bytes]:
    frame = pd.DataFrame({
        "size": [1.0, None], "n": [1, 2], "ok": [True, False], "name": ["é", None],
        "kind": pd.Categorical(["a", "b"]), "day": pd.to_datetime(["2020-01-01", None]),
        "class": ["a", "b"],
    })  # fmt: skip
    data = io.BytesIO()
    frame.to_parquet(data)
    return {**ORIGINALS, "table.parquet": data.getvalue()}


# The first ones are those that once ended in an error that is not ours.
@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_are_read_or_refused_in_a_sentence(tmp_path, seed):
    originals, rng = with_parquet(), random.Random(seed)
    assert [fault for _ in range(10) if (fault := attempt(rng, tmp_path, originals))] == []


def main(minutes: float, seed: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    warnings.simplefilter("error")
    originals = with_parquet()
    for place in filter(None, os.environ.get("JOINTBAYES_DATA", "").split(os.pathsep)):
        for path in sorted(Path(place).rglob("*.xz")):
            data = read_bytes(path)
            if len(data) < 300_000:
                originals[path.name.removesuffix(".xz")] = data
    tries, found, end = 0, set(), time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            fault = attempt(random.Random(seed + tries), Path(folder), originals)
            if fault and (kind := fault.partition("}: ")[2][:40]) not in found:
                found.add(kind)
                print(seed + tries, fault, flush=True)  # noqa: T201
            tries += 1
    print(f"{tries:,} files, {len(originals)} originals, {len(found)} kinds of faults")  # noqa: T201


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
