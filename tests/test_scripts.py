"""Benchmarks, experiments and examples find all they import from the library, which may move."""

import importlib
import subprocess
import sys
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


@pytest.mark.parametrize("name", ["demo.py", "find_faces.py", "costly_features"])
def test_examples_start_in_any_folder(name, tmp_path):
    """As a user calls them: by their path."""
    pytest.importorskip("skimage")
    command = [sys.executable, ROOT / "examples" / name, "--help"]
    told = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "usage" in told.stdout
