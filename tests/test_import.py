"""What `import mddag` does and does not do."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import mddag
from mddag import _core

HEAVY = ["sklearn", "matplotlib", "scipy", "pandas", "treelite", "xgboost", "lightgbm", "catboost"]


def fresh(code: str) -> str:
    """What a new interpreter prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_import_is_light():
    loaded = fresh(f"import sys, mddag; print([m for m in {HEAVY} if m in sys.modules])")
    assert loaded == "[]"


def test_an_ensemble_needs_no_scikit_learn():
    loaded = fresh(
        f"import sys, mddag; mddag.Ensemble; print([m for m in {HEAVY} if m in sys.modules])"
    )
    assert loaded == "[]"


@pytest.mark.parametrize("name", mddag.__all__)
def test_every_public_name_loads(name):
    assert getattr(mddag, name).__name__ == name
    assert name in dir(mddag)


FAMILIES = {
    "cascades": "mddag.detection.cascades",
    "datasets": "mddag.datasets",
    "distributed": "mddag.serving.distributed",
    "learners": "mddag.learners",
    "losses": "mddag.losses",
    "metrics": "mddag.metrics",
    "mlflow": "mddag.serving.mlflow",
    "ordering": "mddag.ordering",
    "solvers": "mddag.solvers",
}


def test_dir_shows_the_public_names_alone():
    shown = [name for name in dir(mddag) if not name.startswith("__")]
    assert shown == sorted([*mddag.__all__, *FAMILIES])
    assert {"__all__", "__doc__", "__version__"} <= set(dir(mddag))
    stars = fresh("before = set(dir()); from mddag import *; print(sorted(set(dir()) - before))")
    assert ast.literal_eval(stars) == sorted([*mddag.__all__, "before"])


@pytest.mark.parametrize("home", FAMILIES.values())
def test_dir_of_a_family_shows_its_members_and_their_files(home):
    module = importlib.import_module(home)
    folder = Path(module.__file__).parent
    files = {path.stem for path in folder.iterdir()}
    shown = {name for name in dir(module) if not name.startswith("_")}
    assert set(module.__all__) <= shown <= {*module.__all__, *files}


@pytest.mark.parametrize(("family", "home"), FAMILIES.items())
def test_families_are_at_hand(family, home):
    assert fresh(f"import mddag; print(mddag.{family}.__name__)") == home
    member = importlib.import_module(home).__all__[0]
    code = f"from mddag.{family} import {member}; print({member}.__module__)"
    assert fresh(code).startswith("mddag.")
    assert fresh(f"import mddag.{family}; print({member!r} in dir(mddag.{family}))") == "True"


def test_the_version_is_that_of_the_package():
    pyproject = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert f'version = "{mddag.__version__}"' in pyproject


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'sparsifi'"):
        _ = mddag.sparsifi


def test_the_stub_names_what_the_core_has():
    stub = ast.parse((Path(mddag.__file__).parent / "_core.pyi").read_text())
    named = {n.name for n in stub.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    named |= {n.target.id for n in stub.body if isinstance(n, ast.AnnAssign)}
    assert named == {name for name in dir(_core) if not name.startswith("_")}
