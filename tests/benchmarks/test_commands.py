"""Commands and files that texts name are there, and modules say what they are."""

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "benchmarks").rglob("*.py"))
PLACES = [
    *(ROOT / name for name in ("Makefile", "README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "benchmarks" / "results").rglob("*.md")),
    *sorted((ROOT / "src").rglob("*.py")),
    *MODULES,
]
TEXTS = [path for path in PLACES if "benchmarks" in path.read_text(encoding="utf-8")]


def by_place(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("text", TEXTS, ids=by_place)
def test_commands_and_files_are_there(text):
    words = text.read_text(encoding="utf-8")
    for name in re.findall(r"-m (benchmarks(?:\.\w+)+)", words):
        spec = find_spec(name)
        assert spec, f"there is no module {name}"
        if spec.submodule_search_locations:
            assert find_spec(f"{name}.__main__"), f"{name} is no command"
    for path in re.findall(r"\bbenchmarks/[\w/]+\.(?:py|csv|md|png)\b", words):
        # builds compares two builds on one machine: its table is not kept
        assert (ROOT / path).is_file() or path.endswith("/builds.csv"), f"there is no {path}"


@pytest.mark.parametrize("module", MODULES, ids=by_place)
def test_modules_say_what_they_are(module):
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))
