"""Small clusters on this machine: processes that are started for a test file, and ended."""

import os
import shutil
import sys

import pytest

from tests.shipped import ROOT


@pytest.fixture(scope="module")
def dask_client():
    """Two worker processes of Dask."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def spark():
    """Spark with two threads, each with a Python worker of its own."""
    sql = pytest.importorskip("pyspark.sql", reason="Spark is not installed: make test-clusters")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none")
    os.environ["PYSPARK_PYTHON"] = sys.executable  # that of workers is else the first on the path
    session = (
        sql.SparkSession.builder.master("local[2, 4]")  # a task may fail three times
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executorEnv.PYTHONPATH", str(ROOT))  # wherever Java was started
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def ray():
    """Ray with two processors."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: make test-clusters")
    pytest.importorskip("ray.data", reason="Ray Data is not installed: make test-clusters")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_AUTH_MODE"] = "disabled"  # it would write a token to the home folder
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()
