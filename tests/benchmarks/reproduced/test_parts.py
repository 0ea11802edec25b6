"""Every part has a committed table; nothing is run here."""

from pathlib import Path

import pytest

from benchmarks.places import ROOT

parts = pytest.importorskip("benchmarks.reproduced.parts").parts  # needs CatBoost and others


def test_tables_are_committed():
    for name, part in parts(Path("unused")).items():
        assert (ROOT / part.table).is_file(), name


def test_problems_of_quality_have_parts_of_their_own():
    names = parts(Path("unused"))
    assert "quality/letter A-M N-Z/CatBoost" in names
