"""Spark with two Python workers: scoring equals that made here, and a worker that is killed loses
nothing."""

import pytest

import mddag
from mddag.serving.model_file import Model
from tests.clusters.scored_rows import (
    KEEP,
    N_PARTS,
    check,
    model,
    result_despite_a_kill,
    slow_part,
    table,
)

pytest.importorskip("pyspark.sql", reason="Spark is not installed: make test-clusters")
pytestmark = [  # of the engine's own code
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def test_scores_equal_local_ones(spark):
    frame = spark.createDataFrame(table()).repartition(5)
    scored = mddag.distributed.score(frame, model(), keep=KEEP, proba=True, evaluations=True)
    check(scored.toPandas())


def test_numbers_and_bools_as_labels(spark):
    rows = table()[["size", "age"]].fillna(0.0)
    for labels in (rows["size"] > 0, (rows["size"] > 0) + 3):
        boost = mddag.AdaBoostMHClassifier(n_rounds=5).fit(rows, labels)
        everything = mddag.Predictor(Model(mddag.compile(mddag.as_ensemble(boost))))
        scored = mddag.distributed.score(spark.createDataFrame(rows), everything)
        assert scored.toPandas()["prediction"].tolist() == boost.predict(rows).tolist()


def test_kept_numbers_with_gaps_stay_as_they_are(spark):
    frame = spark.createDataFrame(table()).selectExpr("*", "if(size > 0, key, null) as gaps")
    scored = mddag.distributed.score(frame.coalesce(1), model(), keep=["key", "gaps"]).collect()
    positive = dict(zip(table()["key"].tolist(), (table()["size"] > 0).tolist(), strict=True))
    assert len(scored) == len(positive)
    for row in scored:
        assert row.gaps == (row.key if positive[row.key] else None)


def test_a_killed_worker_loses_nothing(spark, tmp_path):
    folder = str(tmp_path)

    def read(frames):
        for frame in frames:
            for number in frame["id"]:
                yield slow_part(int(number), folder)

    numbers = spark.range(N_PARTS).repartition(N_PARTS, "id")
    schema = spark.createDataFrame(table()).schema
    scored = mddag.distributed.score(numbers.mapInPandas(read, schema), model(), keep=KEEP)
    check(result_despite_a_kill(scored.toPandas, tmp_path))
