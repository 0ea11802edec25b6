"""docs/clusters.md from its beginning to its end, as a reader would type it into one session.

A block that begins with "# needs:" is left out where that package is not installed.
"""

import re
import shutil
from importlib.util import find_spec

import pytest

from tests.shipped import needed
from tests.test_docs import examples

PAGE = needed("docs") / "clusters.md"
PACKAGES = {"pyspark": "java", "ray": None, "mlflow": None}  # and the program that each needs


def is_there(package):
    program = PACKAGES[package]
    return find_spec(package) is not None and (program is None or shutil.which(program))


def blocks():
    """The blocks that can run here, and the packages of the others."""
    run, absent = [], []
    for block in examples(PAGE):
        wanted = re.match(r"# needs: pip install \"?(\w+)", block)
        if wanted and not is_there(wanted[1]):
            absent.append(wanted[1])
        else:
            run.append(block)
    return run, absent


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore:.*Any type hint is inferred:UserWarning")
def test_the_page_runs_from_beginning_to_end(tmp_path, monkeypatch):
    pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    run, absent = blocks()
    assert len(run) + len(absent) == 6
    session = {"__name__": "__main__"}
    for block in run:
        exec(block, session)
    assert (tmp_path / "scored").is_dir()
    assert (tmp_path / "scored_by_spark").is_dir() == ("pyspark" not in absent)
    assert (tmp_path / "scored_by_ray").is_dir() == ("ray" not in absent)
    assert (tmp_path / "fast").is_dir() == ("mlflow" not in absent)
