"""What a column of a pandas frame holds, by its type."""

import pandas as pd
import pytest

from mddag.serving.distributed.pandas_types import pandas_kind


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        ("float32", "numbers"),
        ("uint8", "numbers"),
        ("Int64", "numbers"),
        ("bool", "bools"),
        ("boolean", "bools"),
        ("object", ""),
        ("category", ""),
        ("string", "strings"),
        ("string[pyarrow]", "strings"),
        ("datetime64[ns]", "dates"),
        ("timedelta64[ns]", "timedelta64[ns]"),
    ],
)
def test_kinds(dtype, kind):
    assert pandas_kind(pd.Series([], dtype=dtype).dtype) == kind
