"""The rows of all files of this folder together."""

import importlib
from pathlib import Path

from tests.messages.message import said

FILES = sorted(p.stem for p in Path(__file__).parent.glob("test_*.py") if p.stem != "test_count")
ROWS = {name: importlib.import_module(f"tests.messages.{name}").ROWS for name in FILES}


def test_there_are_more_than_two_hundred_messages():
    assert len({said(row[1], row[2]) for rows in ROWS.values() for row in rows}) > 200


def test_no_id_stands_for_two_rows():
    for name, rows in ROWS.items():
        assert len({row[0] for row in rows}) == len(rows), name
