"""What is asked of Ray, without a cluster; tests/clusters runs it."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from mddag.serving.distributed.ray import _kind, columns_of


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (pa.int8(), "numbers"),
        (pa.float32(), "numbers"),
        (pa.bool_(), "bools"),
        (pa.string(), "strings"),
        (pa.large_string(), "strings"),
        (pa.timestamp("ms"), "dates"),
        (pa.date32(), "dates"),
        (pa.dictionary(pa.int8(), pa.string()), ""),
        (pa.decimal128(5), ""),
        (pa.null(), ""),
        (pa.list_(pa.int8()), "list<item: int8>"),
        (np.dtype(np.float64), "numbers"),
        (object, ""),
    ],
)
def test_kinds(dtype, kind):
    assert _kind(dtype) == kind


def test_columns_by_name():
    schema = SimpleNamespace(names=["a"], types=[pa.int64()])
    (column,) = columns_of(SimpleNamespace(schema=lambda: schema))
    assert (column.name, column.told, column.kind) == ("a", "int64", "numbers")


def test_a_dataset_without_rows_is_refused():
    with pytest.raises(ValueError, match="no rows, so its columns are not known"):
        columns_of(SimpleNamespace(schema=lambda: None))
