"""Scripts of the gallery draw; all scripts and the Makefile find what they name, which may move."""

import importlib
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shipped import needed

SCRIPTS = sorted((needed("examples") / "gallery").glob("plot_*.py"))


@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")  # of few rows, which are quick
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_picture_is_drawn(script, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    plt.close("all")
    runpy.run_path(str(script))
    assert plt.get_fignums()
    plt.close("all")


# Benchmarks, experiments and examples find all they import from the library, which may move.


ROOT = Path(__file__).parents[2]
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


def test_the_makefile_names_tests_that_exist():
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    lists = re.findall(r"_TESTS := \$\(addprefix tests/,(.*?)\)\n", text)
    assert len(lists) == 2
    named = [f"tests/{name}" for names in lists for name in names.split()]
    for path in [*named, *re.findall(r"(?<= )tests/[\w/]+\.\w+", text)]:
        assert (ROOT / path).exists(), path
    for module in re.findall(r"-m ((?:benchmarks|tests)[\w.]*)", text):
        path = ROOT.joinpath(*module.split("."))
        assert path.is_dir() or path.with_suffix(".py").exists(), module
    for script in re.findall(r"python ((?:docs|examples|experiments)/\S+)", text):
        assert (ROOT / script).exists(), script
