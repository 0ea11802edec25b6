"""Benchmarks and experiments find all they import from the library, which may move."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [file for folder in ("benchmarks", "experiments") for file in (ROOT / folder).rglob("*.py")]
MODULES = sorted(".".join(file.relative_to(ROOT).with_suffix("").parts) for file in FILES)


@pytest.mark.parametrize("module", MODULES)
def test_imports(module):
    try:
        assert importlib.import_module(module).__name__ == module
    except ModuleNotFoundError as missing:
        if missing.name.partition(".")[0] in ("mddag", "benchmarks", "experiments"):
            raise
        pytest.skip(f"without {missing.name}")
