"""What `import mddag` does and does not do."""

import ast
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
    assert getattr(mddag, name).__name__.split(".")[-1] == name
    assert name in dir(mddag)


def test_a_package_of_interchangeable_members_loads_by_its_name():
    assert fresh("import mddag; print(mddag.losses.ZeroOne())") == "ZeroOne(weights=None)"
    assert "score" in fresh("import mddag; print(dir(mddag.distributed))")


def test_the_version_is_that_of_the_package():
    pyproject = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert f'version = "{mddag.__version__}"' in pyproject


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="sparsifi"):
        _ = mddag.sparsifi


def test_the_stub_names_what_the_core_has():
    stub = ast.parse((Path(mddag.__file__).parent / "_core.pyi").read_text())
    named = {n.name for n in stub.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    named |= {n.target.id for n in stub.body if isinstance(n, ast.AnnAssign)}
    assert named == {name for name in dir(_core) if not name.startswith("_")}
