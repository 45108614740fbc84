"""How fast the classifiers with one class variable are: the part of ``one_class.py speed``."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import jointbayes as jb
from jointbayes.codes import Codes
from jointbayes.counts import count_pairs
from jointbayes.validation.memory import peak_memory

HERE = Path(__file__).parent
PEERS = ("weka", "pyagrum")
# Measured before, on such a machine: a peer that is not installed keeps its figure, marked.
EARLIER = {
    ("100k × 50", "weka"): {"fit_s": 15.73, "predict_ms_per_1000": 13.4},
    ("100k × 50", "pyagrum"): {"fit_s": 41.26, "predict_ms_per_1000": 779.0},
    ("581k × 54", "weka"): {"fit_s": 174.0, "predict_ms_per_1000": 20.2},
    ("581k × 54", "pyagrum"): {"fit_s": 89.96, "predict_ms_per_1000": 848.0},
}
# AODE left Weka's main archive after 3.6, which no package index carries.
EARLIER_AODE = {"100k × 50": 37.5, "581k × 54": 56.0}
GROWTH = (10_000, 100_000, 1_000_000, 5_700_000)


@dataclass(frozen=True, eq=False)
class Sample:
    """Codes of training and test rows, drawn from a random tree of features below a class."""

    x_train: np.ndarray
    y_train: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray
    cards: tuple[int, ...]
    n_classes: int


def draw(n: int, cards: tuple[int, ...], n_classes: int, n_test: int = 100_000) -> Sample:
    rng = np.random.default_rng(0)
    y = rng.choice(n_classes, n + n_test, p=rng.dirichlet(np.full(n_classes, 5.0)))
    x = np.empty((n + n_test, len(cards)), dtype=np.uint8, order="F")
    for i, k in enumerate(cards):
        parent = int(rng.integers(0, i)) if i else 0
        context = y * (cards[parent] if i else 1) + (x[:, parent] if i else 0)
        steps = rng.dirichlet(np.full(k, 9.0), int(context.max()) + 1).cumsum(axis=1)
        x[:, i] = (rng.random(len(y))[:, None] > steps[context][:, :-1]).sum(axis=1)
    return Sample(x[:n], y[:n], x[n:], y[n:], cards, n_classes)


def frame(x: np.ndarray, cards: tuple[int, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            f"a{j}": pd.Categorical.from_codes(x[:, j], [f"v{v}" for v in range(k)])
            for j, k in enumerate(cards)
        }
    )


def wall(call: Callable[[], object], repeats: int = 5) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def measure_speed(peers_python: str) -> dict[str, Any]:
    shapes = {
        "100k × 50": draw(100_000, (5,) * 50, 5),
        "581k × 54": draw(581_012, (10,) * 10 + (2,) * 44, 7),
    }
    return {
        "title": "Speed of classifiers with one class variable",
        "shapes": [against_peers(name, sample, peers_python) for name, sample in shapes.items()],
        "growth": [growth(n) for n in GROWTH],
    }


def against_peers(name: str, sample: Sample, peers_python: str) -> dict[str, Any]:
    ours = measure_ours(sample)
    out = {"shape": name, "ours": ours, "peers": []}
    print(name, json.dumps(ours), flush=True)
    for peer in PEERS:
        figures = measure_peer(peer, sample, peers_python)
        if figures is None:
            figures = {"peer": peer, "of_this_run": False, **EARLIER[name, peer]}
        figures["fit_ratio"] = figures["fit_s"] / ours["tan_fit_s"]
        predict = ours["tan_predict_ms_per_1000"]
        figures["predict_ratio"] = figures["predict_ms_per_1000"] / predict
        out["peers"].append(figures)
        print(name, json.dumps(figures), flush=True)
    aode = {
        "peer": "Weka 3.6 AODE",
        "of_this_run": False,
        "predict_ms_per_1000": EARLIER_AODE[name],
    }
    aode["predict_ratio"] = EARLIER_AODE[name] / ours["aode_predict_ms_per_1000"]
    out["peers"].append(aode)
    print(name, json.dumps(aode), flush=True)
    return out


def measure_ours(sample: Sample) -> dict[str, float]:
    X, X_test = frame(sample.x_train, sample.cards), frame(sample.x_test, sample.cards)
    codes = Codes.of(sample.x_train, sample.cards, sample.y_train)
    tan, aode = jb.TAN().fit(X, sample.y_train), jb.AODE().fit(X, sample.y_train)
    counting = wall(lambda: count_pairs(codes))
    from_codes = wall(lambda: tan._deduce(tan._remember(codes, None)))
    from_frame = wall(lambda: jb.TAN().fit(X, sample.y_train))
    per_1000 = 1e6 / len(X_test)
    return {
        "count_pairs_s": counting,
        "tan_fit_s": from_frame,
        "tan_fit_from_codes_over_counting": from_codes / counting,
        "tan_fit_from_frame_over_counting": from_frame / counting,
        "tan_predict_ms_per_1000": wall(lambda: tan.predict(X_test)) * per_1000,
        "tan_accuracy": tan.score(X_test, sample.y_test),
        "aode_fit_s": wall(lambda: jb.AODE().fit(X, sample.y_train)),
        "aode_predict_ms_per_1000": wall(lambda: aode.predict(X_test), 3) * per_1000,
        "aode_accuracy": aode.score(X_test, sample.y_test),
    }


def measure_peer(peer: str, sample: Sample, python: str) -> dict[str, Any] | None:
    """Return the figures of a peer, or None where it cannot run."""
    if not python:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, **vars(sample))
        done = subprocess.run(
            [python, str(HERE / "one_class_peers.py"), peer, str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        print(f"{peer} did not run: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def growth(n: int) -> dict[str, float]:
    """Fit TAN to n rows of 11 features in a fresh process; return its time and memory."""
    code = f"import one_class_speed as s; s.print_growth({n})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=HERE, capture_output=True, text=True, check=True
    )
    record = dict(json.loads(done.stdout))
    print(json.dumps(record), flush=True)
    return record


def print_growth(n: int) -> None:
    sample = draw(n, (5,) * 11, 2, n_test=0)
    X = frame(sample.x_train, sample.cards)
    jb.TAN().fit(X[:1000], sample.y_train[:1000])
    with peak_memory() as peak:  # starts the peak anew: drawing the data took more than learning
        jb.TAN().fit(X, sample.y_train)
    seconds = wall(lambda: jb.TAN().fit(X, sample.y_train), 3)
    record = {"rows": n, "fit_s": seconds, "ns_per_row": seconds / n * 1e9}
    print(json.dumps({**record, "bytes_per_row": (peak.bytes or 0) / n}))
