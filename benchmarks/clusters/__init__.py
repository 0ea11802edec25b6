"""How many rows per second do Dask, Spark and Ray score, with one worker and with two?

    make bench-clusters
    python -m benchmarks.clusters [--rows 1000000] [--repeats 5] [--only dask spark ray]

A sparse DAG of 300 boosted trees, budget 20, and rows of 20 features in parquet files, 16 parts.
Each engine reads the files, scores them by ``mddag.distributed.score`` and adds up the predictions,
so reading is in the time. Rows and model are kept in out/clusters. "local" is pandas and
``predict`` in one process, part by part, without an engine. Workers are processes with one thread.
One run before the clock starts: processes and imports are not in the time. The sum must be that of
the local run.

Seconds are told as median (lowest-highest), rows per second are those of the fastest run, for other
programs can but slow it down; processor time is of all processes of the engine, which other
programs hardly change.
"""
