"""What is asked of Spark, without a Java machine; tests/clusters runs it."""

from types import SimpleNamespace

import pandas as pd
import pytest

from mddag.serving.distributed.plan import Plan
from mddag.serving.distributed.sent_model import SentModel
from mddag.serving.distributed.spark import (
    LARGEST_EXACT,
    _check_exact,
    _fetcher,
    _quoted,
    _schema,
    _whole_kept,
    columns_of,
)
from tests.clusters.scored_rows import model


def frame_of(text):
    types = pytest.importorskip("pyspark.sql.types", reason="Spark is not installed")
    fields = (part.split(" ") for part in text.split(", "))
    kinds = {
        "bigint": types.LongType(),
        "double": types.DoubleType(),
        "string": types.StringType(),
        "date": types.DateType(),
        "boolean": types.BooleanType(),
        "list": types.ArrayType(types.LongType()),
    }
    schema = types.StructType([types.StructField(name, kinds[kind]) for name, kind in fields])
    return SimpleNamespace(schema=schema)


def test_columns_by_name_and_kind():
    frame = frame_of("a bigint, b double, c string, d date, e boolean, f list")
    kinds = [column.kind for column in columns_of(frame)]
    assert kinds == ["numbers", "numbers", "strings", "dates", "bools", "array"]
    assert columns_of(frame)[5].told == "array<bigint>"


def test_the_schema_of_the_result():
    frame = frame_of("key bigint, size double")
    plan = Plan(("size",), ("key",), proba=True, evaluations=True)
    fields = _schema(frame.schema, plan, model().predictor()).fields
    told = {field.name: field.dataType.simpleString() for field in fields}
    assert told == {
        "key": "bigint",
        "prediction": "string",
        "p_no": "double",
        "p_yes": "double",
        "n_evaluated": "bigint",
    }
    assert _whole_kept(frame.schema, plan) == ["key"]


def test_names_are_quoted():
    assert _quoted("a.b`c") == "`a.b``c`"


def test_floats_that_stand_for_large_whole_numbers_are_refused():
    _check_exact(pd.DataFrame({"key": [1.0, None, LARGEST_EXACT]}), ["key"])
    _check_exact(pd.DataFrame({"key": [2**60, 7]}), ["key"])
    with pytest.raises(ValueError, match=r"'key' is kept and has nulls.*fill the nulls, or cast"):
        _check_exact(pd.DataFrame({"key": [2.0**60, None]}), ["key"])


def test_bytes_are_broadcast_or_go_with_the_function():
    sent = SentModel("hash", b"bytes")
    sets = []

    def broadcast(value):
        sets.append(value)
        return SimpleNamespace(value=value)

    context = SimpleNamespace(broadcast=broadcast)
    assert _fetcher(SimpleNamespace(sparkContext=context), sent)() == b"bytes"
    assert sets == [b"bytes"]
    assert _fetcher(SimpleNamespace(), sent)() == b"bytes"  # Spark Connect has no context
    assert len(sets) == 1
