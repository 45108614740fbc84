"""Threads that cannot be started: the work is done all the same, by those that there are."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# A thread gets a stack as large as the limit was when the process began. The limit of all memory,
# set when everything is imported, is below one of 64 GiB, and below two of 5 GiB.
SCRIPT = """
import resource
import numpy as np
from jointbayes import _kernels
from jointbayes.threads import each

rng = np.random.default_rng(0)
x = np.asfortranarray(rng.integers(0, 9, (5000, 12)).astype(np.uint8))
y = rng.integers(0, 3, 5000).astype(np.uint8)
start = np.arange(0, 9 * 13, 9)
expected = _kernels.pair_information(x, y, start, 3, None, 1)
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
for design in ("bits", "groups", "plain"):
    _kernels.count_pairs(x, y, start, 3, None, 4, design)
print((_kernels.pair_information(x, y, start, 3, None, 4) == expected).all())
print(each(abs, [-1, 2, -3], n_jobs=2))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="stacks are limited otherwise there")
@pytest.mark.parametrize("stack", [5 << 30, 64 << 30])
def test_work_is_done_where_one_thread_can_be_started_or_none(stack):
    import resource  # of Unix alone

    def limit():
        resource.setrlimit(resource.RLIMIT_STACK, (stack, resource.RLIM_INFINITY))

    if resource.getrlimit(resource.RLIMIT_STACK)[1] not in (resource.RLIM_INFINITY, -1):
        pytest.skip("the stack may not be raised here")
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        preexec_fn=limit,
    )
    assert answer.stdout.split("\n") == ["True", "[1, 2, 3]", ""], answer.stderr
