"""Workers answer requests; one that cannot run is absent, with a reason."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.speed.pipe import Absent, Process

ROOT = Path(__file__).parents[2]


@pytest.fixture
def worker(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it is found whatever the working directory is
    process = Process(sys.executable, "benchmarks.speed.worker", "Mddag")
    yield process
    process.end()


def test_what_fails_is_absent_and_the_worker_goes_on(worker):
    with pytest.raises(Absent, match="PackageNotFoundError"):
        worker.ask("version", package="no such package")
    assert worker.ask("version", package="numpy") == np.__version__


def test_a_worker_that_has_ended(worker):
    worker.process.kill()
    with pytest.raises(Absent, match="its process ended"):
        worker.ask("version", package="numpy")
    worker.end()
    with pytest.raises(Absent, match="its process was ended"):
        worker.ask("version", package="numpy")


@pytest.mark.parametrize("module", ["worker", "builds_worker"])
def test_workers_of_other_environments_import_little(module):
    """Their environments have numpy and the library of a contestant, and no mddag."""
    code = f"""
import sys
for name in ("mddag", "sklearn", "scipy", "pandas", "matplotlib"):
    sys.modules[name] = None  # importing it fails
if {module!r} == "builds_worker":
    sys.modules["lightgbm"] = sys  # which every build has
import benchmarks.speed.{module}
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
