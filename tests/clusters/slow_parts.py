"""Parts of the table that take a while and leave a mark, so that a worker can be killed in between.

A mark is a file named by the part and the process that read it: marks tell who did what, and how
often.
"""

import os
import signal
import threading
import time
from pathlib import Path

from tests.clusters.scored_rows import N_ROWS, table

N_PARTS = 12
SECONDS = 0.15  # of a part


def slow_part(number, folder):
    """Rows of a part; its mark is written first."""
    Path(folder, f"{number}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(SECONDS)
    size = N_ROWS // N_PARTS
    return table()[number * size : (number + 1) * size].reset_index(drop=True)


def marks(folder):
    """(part, process) of every reading, in the order of time."""
    names = sorted((path.name for path in Path(folder).iterdir()), key=lambda n: n.split("-")[2])
    return [tuple(map(int, name.split("-")[:2])) for name in names]


def wait_for_marks(folder, n, ready=lambda: True):
    """Until `n` parts are begun and something is `ready`; nothing here takes a minute."""
    end = time.monotonic() + 60
    while len(marks(folder)) < n or not ready():
        assert time.monotonic() < end, "the cluster did not begin"
        time.sleep(0.02)


def result_despite_a_kill(compute, folder):
    """What `compute` returns, though the process of the latest part is killed in mid-run."""
    found = []
    running = threading.Thread(target=lambda: found.append(compute()))
    running.start()
    wait_for_marks(folder, 5)
    victim = marks(folder)[-1][1]
    os.kill(victim, signal.SIGKILL)
    running.join()
    assert any(pid != victim for _, pid in marks(folder))
    return found[0]
