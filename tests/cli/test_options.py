"""Options that become a Layout."""

import pytest

from mddag.cli.exits import UsageError
from mddag.cli.options import LAYOUT, checked_threads, layout_of
from mddag.cli.tables import Layout

DEFAULTS = {name: default for name, (_, default) in LAYOUT.items()}


def test_the_defaults_are_those_of_the_layout():
    assert layout_of(**DEFAULTS) == Layout()


def test_columns_to_drop_and_formats():
    found = layout_of(**DEFAULTS | {"drop": ["a", "b"], "format": "csv"})
    assert (found.drop, found.format) == (("a", "b"), "csv")
    with pytest.raises(UsageError, match="--format is 'xlsx'; wanted one of csv, parquet"):
        layout_of(**DEFAULTS | {"format": "xlsx"})


def test_threads():
    assert checked_threads(-1) == -1
    with pytest.raises(UsageError, match="--threads is 0"):
        checked_threads(0)
