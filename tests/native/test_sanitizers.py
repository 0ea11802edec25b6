"""The sanitizers of `make sanitize` see faults: only then does their silence mean something.

Kernels check nothing, their Python callers do; called directly, they can be made to do wrong.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FAULTS = {
    # `out` has room for one of a thousand rows.
    ("address", "heap-buffer-overflow"): """
_core.leaf_codes(ensemble.native, np.zeros((1000, 1)), np.zeros((1, 1), np.uint8), 1)
""",
    # Rows that begin at an odd address.
    ("undefined", "misaligned address"): """
rows = np.zeros(81, np.uint8)[1:].view(np.float64).reshape(10, 1)
_core.leaf_codes(ensemble.native, rows, np.zeros((10, 1), np.uint8), 1)
""",
    # Two callers write to the same scores.
    ("thread", "data race"): """
rows, scores, both = np.zeros((20_000, 1)), np.zeros((20_000, 1)), threading.Barrier(2)
def add():
    both.wait()
    for _ in range(100):
        _core.add_scores(ensemble.native, ensemble.tables.native, rows, scores, 1)
threads = [threading.Thread(target=add) for _ in range(2)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
""",
}
PREPARED = """
import threading
import numpy as np
from mddag import Ensemble, _core
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder

tree = TreeBuilder()
stump = tree.finish(tree.split(0, 0.0, tree.leaf([1.0]), tree.leaf([-1.0]), missing_left=True))
ensemble = Ensemble.from_trees([stump], features=Features(1), classes=[0, 1])
"""
ACTIVE = os.environ.get("MDDAG_SANITIZE", "").split(",")


@pytest.mark.parametrize(("sanitizer", "report"), FAULTS)
def test_a_fault_is_reported(sanitizer, report):
    if sanitizer not in ACTIVE:
        pytest.skip(f"this build does not have the {sanitizer} sanitizer; make sanitize has it")
    command = [sys.executable, "-c", PREPARED + FAULTS[sanitizer, report]]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert report in done.stderr


@pytest.mark.skipif("thread" not in ACTIVE, reason="make sanitize runs this")
def test_a_race_between_threads_of_the_pool_is_reported(tmp_path):
    here = Path(__file__).parent
    alone = os.environ | {"LD_PRELOAD": ""}  # neither the compiler nor its program is Python
    program = str(tmp_path / "race")
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O1", "-g", "-fsanitize=thread"]
    command += [
        f"-I{here.parents[1] / 'native'}",
        str(here / "race.cpp"),
        "-o",
        program,
        "-pthread",
    ]
    subprocess.run(command, check=True, env=alone)
    race, own = (
        subprocess.run([program, *arguments], capture_output=True, text=True, env=alone)
        for arguments in ([], ["own"])
    )
    assert "ThreadSanitizer: data race" in race.stderr
    assert race.returncode != 0
    assert (own.stdout, own.stderr, own.returncode) == ("2\n", "", 0)
