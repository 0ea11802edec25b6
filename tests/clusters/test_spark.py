"""Spark with two Python workers: scoring equals that made here, and a worker that is killed loses
nothing."""

import os
import signal
import threading

import pytest

import mddag
from tests.clusters.scored_rows import KEEP, check, model, table
from tests.clusters.slow_parts import N_PARTS, marks, slow_part, wait_for_marks

pytest.importorskip("pyspark.sql", reason="Spark is not installed: make test-clusters")


def test_scores_equal_local_ones(spark):
    frame = spark.createDataFrame(table()).repartition(5)
    scored = mddag.distributed.score(frame, model(), keep=KEEP, proba=True, evaluations=True)
    check(scored.toPandas())


def test_numbers_and_bools_as_labels(spark):
    rows = table()[["size", "age"]].fillna(0.0)
    for labels in (rows["size"] > 0, (rows["size"] > 0) + 3):
        boost = mddag.AdaBoostMHClassifier(n_rounds=5).fit(rows, labels)
        scored = mddag.distributed.score(spark.createDataFrame(rows), boost)
        assert scored.toPandas()["prediction"].tolist() == boost.predict(rows).tolist()


def test_a_kept_number_that_a_float_cannot_hold_is_refused(spark):
    frame = spark.createDataFrame(table()).selectExpr("*", "if(size > 0, key, null) as gaps")
    frame = frame.coalesce(1)
    with pytest.raises(Exception, match="fill the nulls, or cast the column"):
        mddag.distributed.score(frame, model(), keep=["gaps"]).collect()
    texts = frame.selectExpr("*", "string(gaps) as text")
    scored = mddag.distributed.score(texts, model(), keep=["key", "text"]).toPandas()
    given = scored.dropna()
    assert given["text"].astype("int64").tolist() == given["key"].tolist()
    assert 0 < len(given) < len(scored)


def test_a_killed_worker_loses_nothing(spark, tmp_path):
    folder = str(tmp_path)

    def read(frames):
        for frame in frames:
            for number in frame["id"]:
                yield slow_part(int(number), folder)

    numbers = spark.range(N_PARTS).repartition(N_PARTS, "id")
    schema = spark.createDataFrame(table()).schema
    scored = mddag.distributed.score(numbers.mapInPandas(read, schema), model(), keep=KEEP)
    found = []
    running = threading.Thread(target=lambda: found.append(scored.toPandas()))
    running.start()
    wait_for_marks(tmp_path, 5)
    victim = marks(tmp_path)[-1][1]
    os.kill(victim, signal.SIGKILL)
    running.join()
    check(found[0])
    assert any(pid != victim for _, pid in marks(tmp_path))
