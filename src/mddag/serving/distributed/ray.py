"""Ray: ``map_batches``, with the bytes of the model in the object store.

The object store brings an object to a node once, and its processes share the memory. A batch is a
task: where the process that runs it dies, Ray runs the task again elsewhere. Batches are Arrow
tables, so kept columns go along as they are, nulls and large whole numbers included.
"""

from __future__ import annotations

from typing import Any

from mddag.serving.distributed.pandas_types import pandas_kind
from mddag.serving.distributed.plan import Column, Plan
from mddag.serving.distributed.sent_model import SentModel, loaded
from mddag.serving.predictor import Predictor


def columns_of(dataset: Any) -> list[Column]:
    """The columns, by the schema; Ray reads a first block where it does not know it yet."""
    schema = dataset.schema()
    if schema is None:
        raise ValueError("the dataset has no rows, so its columns are not known; give it rows")
    types = zip(schema.names, schema.types, strict=True)
    return [Column(name, str(dtype), _kind(dtype)) for name, dtype in types]


def scored(dataset: Any, sent: SentModel, plan: Plan, predictor: Predictor) -> Any:
    """A Ray Dataset of the answers."""
    import ray

    kept_there = [ray.put(sent.content)]  # in a list, for Ray would put a plain reference's value
    return dataset.select_columns(plan.taken).map_batches(
        _batch,
        batch_format="pyarrow",
        zero_copy_batch=True,
        fn_kwargs={"digest": sent.digest, "content": kept_there, "plan": plan},
    )


def _batch(table: Any, *, digest: str, content: list[Any], plan: Plan) -> Any:
    import pyarrow
    import ray

    model = loaded(digest, lambda: bytes(ray.get(content[0])))
    answers = plan.answers(model, table.select(list(plan.reads)).to_pandas())
    kept = {name: table.column(name) for name in plan.keeps}
    return pyarrow.table({**kept, **{n: pyarrow.array(a) for n, a in answers.items()}})


def _kind(dtype: Any) -> str:
    """What a column of an Arrow type holds; datasets of pandas blocks have pandas types."""
    import pyarrow

    if not isinstance(dtype, pyarrow.DataType):
        return "" if isinstance(dtype, type) else pandas_kind(dtype)
    tests = {
        "bools": pyarrow.types.is_boolean,
        "numbers": lambda t: pyarrow.types.is_integer(t) or pyarrow.types.is_floating(t),
        "strings": lambda t: pyarrow.types.is_string(t) or pyarrow.types.is_large_string(t),
        "dates": lambda t: pyarrow.types.is_date(t) or pyarrow.types.is_timestamp(t),
        "": lambda t: any(
            test(t)
            for test in (
                pyarrow.types.is_dictionary,
                pyarrow.types.is_decimal,
                pyarrow.types.is_null,
            )
        ),
    }
    return next((kind for kind, test in tests.items() if test(dtype)), str(dtype))
