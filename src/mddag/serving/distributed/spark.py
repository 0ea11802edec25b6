"""Spark: ``mapInPandas``, with the bytes of the model as a broadcast variable.

Spark brings a broadcast variable to every executor once; a Python worker of it reads the bytes when
it has not loaded that model. Under Spark Connect there are no broadcast variables, so the function
carries the bytes. A Python worker that dies fails its task, which Spark runs again.

A column of whole numbers that holds nulls reaches Python as floats, which is Spark's way with
pandas; a kept column whose numbers would not survive that is refused by the worker that meets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mddag.serving.distributed.plan import EVALUATIONS, PREDICTION, Column, Plan, shares_of
from mddag.serving.distributed.sent_model import SentModel, loaded
from mddag.serving.predictor import Predictor

KINDS = {"boolean": "bools", "string": "strings", "void": "", "date": "dates", "timestamp": "dates"}
LABELS = {"b": "boolean", "i": "bigint", "u": "bigint", "f": "double", "U": "string", "O": "string"}
LARGEST_EXACT = 2**53  # whole numbers up to here are floats without loss


def columns_of(frame: Any) -> list[Column]:
    """The columns, by the schema."""
    from pyspark.sql.types import NumericType

    return [
        Column(
            field.name,
            field.dataType.simpleString(),
            "numbers"
            if isinstance(field.dataType, NumericType)
            else KINDS.get(field.dataType.typeName(), field.dataType.typeName()),
        )
        for field in frame.schema.fields
    ]


def scored(frame: Any, sent: SentModel, plan: Plan, predictor: Predictor) -> Any:
    """A Spark DataFrame of the answers."""
    digest, fetch = sent.digest, _fetcher(frame.sparkSession, sent)
    whole = _whole_kept(frame.schema, plan)

    def parts(frames: Iterator[Any]) -> Iterator[Any]:
        model = loaded(digest, fetch)
        for part in frames:
            part = part.set_axis(plan.taken, axis=1)
            _check_exact(part, whole)
            yield plan.scored(model, part)

    # Names with points are literal here; mapInPandas would take them for fields of a struct.
    taken = frame.selectExpr(*(f"{_quoted(name)} as c{i}" for i, name in enumerate(plan.taken)))
    return taken.mapInPandas(parts, _schema(frame.schema, plan, predictor))


def _fetcher(session: Any, sent: SentModel) -> Callable[[], bytes]:
    """What gives a worker the bytes."""
    try:
        broadcast = session.sparkContext.broadcast(sent.content)
    except AttributeError:  # Spark Connect
        content = sent.content
        return lambda: content
    return lambda: bytes(broadcast.value)


def _schema(given: Any, plan: Plan, predictor: Predictor) -> Any:
    """The columns of the result and their types."""
    from pyspark.sql.types import DoubleType, LongType, StructField, StructType

    classes = predictor.classes_
    label = "double" if classes is None else LABELS[classes.dtype.kind]
    fields = [given[name] for name in plan.keeps]
    fields.append(StructField(PREDICTION, _type_of(label)))
    if plan.proba:
        fields += [StructField(name, DoubleType()) for name in shares_of(predictor)]
    if plan.evaluations:
        fields.append(StructField(EVALUATIONS, LongType()))
    return StructType(fields)


def _type_of(name: str) -> Any:
    from pyspark.sql.types import BooleanType, DoubleType, LongType, StringType

    kinds = {"boolean": BooleanType, "bigint": LongType, "double": DoubleType, "string": StringType}
    return kinds[name]()


def _whole_kept(schema: Any, plan: Plan) -> list[str]:
    """Kept columns of whole numbers that may be too large for a float."""
    return [name for name in plan.keeps if schema[name].dataType.typeName() == "long"]


def _check_exact(part: Any, whole: list[str]) -> None:
    for name in whole:
        column = part[name]
        if column.dtype.kind == "f" and (column.abs() > LARGEST_EXACT).any():
            raise ValueError(
                f"column {name!r} is kept and has nulls, so its whole numbers become floats, but "
                f"some are beyond 2^53; fill the nulls, or cast the column to a string"
            )


def _quoted(name: str) -> str:
    """A name as Spark takes it literally, points included."""
    return "`" + name.replace("`", "``") + "`"
