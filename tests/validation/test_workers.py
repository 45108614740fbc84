"""Processes: none outlives its master, and what is said of the rest of a run is alive."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from jointbayes.validation.progress import Pace

RUN = """
import sys, time
import numpy as np
from sklearn.dummy import DummyClassifier
from jointbayes.validation import compare

class Slow(DummyClassifier):
    fits = 0

    def fit(self, X, y):
        Slow.fits += 1
        time.sleep(0.01 if Slow.fits < 2 else 600)  # a worker that is busy hears of nothing
        return super().fit(X, y)

X, y = np.zeros((60, 1)), np.arange(60) % 2
compare({"slow": Slow()}, {"data": (X, y)}, cv="60x2", store=sys.argv[1], n_jobs=2)
"""


def members(session):
    """The processes of a session that are not dead yet."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, own = (place / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(own) == session and state not in "ZX":
            found.append(int(place.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs the list of processes")
@pytest.mark.parametrize("cells", [0, 1])
def test_a_killed_run_leaves_no_worker_behind(tmp_path, cells):
    store = tmp_path / "run.jsonl"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(store)], env=environment, start_new_session=True
    )
    while not store.exists() or store.read_bytes().count(b"\n") < 1 + cells:
        assert process.poll() is None
        time.sleep(0.01)
    if not cells:  # while workers are being started
        while len(members(process.pid)) < 3:
            assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    for _ in range(600):
        left = members(process.pid)
        if not left:
            break
        time.sleep(0.1)
    for worker in left:
        os.kill(worker, signal.SIGKILL)
    assert not left


def pace_of(reports, total=10):
    """A pace after reports (time, done), and the hand of its clock."""
    now = [0.0]
    pace = Pace(lambda: now[0])
    for when, done in reports:
        now[0] = when
        pace.report(done, total)
    return pace, now


def test_what_is_left_counts_down_between_steps_and_never_stands_still():
    pace, now = pace_of([(0, 0), (100, 1), (200, 2)])
    said = []
    for when in range(200, 1000, 50):  # one step of 100 s that takes 800
        now[0] = when
        said.append(pace.seconds_left())
    assert said[0] == 100 * 8
    assert said[:3] == [800, 750, 700]
    assert all(a != b for a, b in pairwise(said))
    assert said[-1] == 750 * 7  # seven more, each as slow as this one has been


def test_steps_of_an_earlier_run_took_no_time_of_this_one():
    pace, _ = pace_of([(0, 8), (30, 9)])
    assert pace.seconds_left() == 30
    pace, _ = pace_of([(0, 8)])
    assert pace.seconds_left() is None
    pace, _ = pace_of([(0, 0), (5, 1)], total=None)
    assert pace.seconds_left() is None
