"""One function per engine: a cluster of `n_workers`, as a function that scores a folder.

Each is a context manager that starts the processes and ends them; what it gives returns the sum of
the predictions of all rows of the folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import mddag

Run = Callable[[], int]


@contextmanager
def local(folder: Path, model: Path, n_workers: int) -> Iterator[Run]:
    """No engine: this process, part by part."""
    import pandas as pd

    predictor = mddag.load(model)

    def run() -> int:
        parts = sorted(folder.glob("*.parquet"))
        return sum(int(predictor.predict(pd.read_parquet(part)).sum()) for part in parts)

    yield run


@contextmanager
def dask(folder: Path, model: Path, n_workers: int) -> Iterator[Run]:
    import dask.dataframe as dd
    import distributed

    cluster = distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=None, memory_limit=0
    )
    with cluster, distributed.Client(cluster):

        def run() -> int:
            frame = dd.read_parquet(str(folder))
            return int(mddag.distributed.score(frame, model)["prediction"].sum().compute())

        yield run


@contextmanager
def spark(folder: Path, model: Path, n_workers: int) -> Iterator[Run]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{n_workers}]")
    for name, value in {"ui.enabled": "false", "driver.host": "127.0.0.1"}.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def run() -> int:
        frame = session.read.parquet(str(folder))
        scored = mddag.distributed.score(frame, model)
        return int(scored.agg({"prediction": "sum"}).collect()[0][0])

    yield run
    session.stop()


@contextmanager
def ray(folder: Path, model: Path, n_workers: int) -> Iterator[Run]:
    import logging

    import ray

    logging.getLogger("ray.data").setLevel(logging.ERROR)
    os.environ["RAY_USAGE_STATS_ENABLED"], os.environ["RAY_AUTH_MODE"] = "0", "disabled"
    ray.init(num_cpus=n_workers, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def run() -> int:
        dataset = ray.data.read_parquet(str(folder))
        scored = mddag.distributed.score(dataset, model)
        batches = scored.iter_batches(batch_size=None)  # its own sum is a shuffle, of seconds
        return sum(int(batch["prediction"].sum()) for batch in batches)

    yield run
    ray.shutdown()


ENGINES = {"local": local, "dask": dask, "spark": spark, "ray": ray}
PACKAGES = {"local": "mddag", "dask": "distributed", "spark": "pyspark", "ray": "ray"}
