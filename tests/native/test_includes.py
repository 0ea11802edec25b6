"""The plan of native/: a folder includes from folders below its own alone.

So every kernel can be read and compiled without those above it. `module.cpp` has the same plan as a
table of contents; bindings may include anything."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[2] / "native"
LAYERS = [
    {"internal", "levels"},
    {"ensemble", "haar"},
    {"mdp"},
    {"boosting", "solvers", "exits", "walk", "blocks/kernels"},
    {"blocks/ranks"},
    {"blocks/plan"},
    {"blocks/run"},
    {"scan/kernels"},
    {"scan"},
    {"bindings"},
]
FILES = sorted(p for p in NATIVE.rglob("*") if p.suffix in (".cpp", ".hpp") and p.parent != NATIVE)


def folder(path: Path) -> str:
    return path.relative_to(NATIVE).parent.as_posix()


def layer(name: str) -> int:
    return next(i for i, names in enumerate(LAYERS) if name in names)


def included(path: Path) -> list[Path]:
    names = re.findall(r'^#include "(.+)"$', path.read_text(), re.MULTILINE)
    return [NATIVE / name for name in names]


def may_include(here: str, there: str) -> bool:
    """Within blocks the folders are in layers; no other folder but bindings includes from there."""
    if here == there:
        return True
    if there.startswith("blocks/") and not here.startswith(("blocks/", "bindings")):
        return False
    if here.startswith("blocks/") and there in ("boosting", "solvers", "exits", "walk"):
        return False
    return layer(there) < layer(here)


def test_every_folder_has_a_layer():
    assert {folder(path) for path in FILES} == set().union(*LAYERS)
    assert [path.name for path in NATIVE.glob("*.*")] == ["module.cpp"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(NATIVE)))
def test_includes_go_downwards(path):
    for target in included(path):
        assert target.exists(), f"{path.name} includes {target.relative_to(NATIVE)}, which is none"
        assert may_include(folder(path), folder(target)), (
            f"{path.name} of {folder(path)} reaches up or sideways to {target.relative_to(NATIVE)}"
        )


@pytest.mark.parametrize("file", ["vectors.cpp", "vbmi.cpp"])
@pytest.mark.parametrize("kernels", ["blocks/kernels", "scan/kernels"])
def test_files_for_one_level_include_only_kernels(kernels, file):
    """A function compiled for one level must not be the copy that the linker keeps for all."""
    seen, left = set(), [NATIVE / kernels / file]
    while left:
        path = left.pop()
        if path not in seen:
            seen.add(path)
            left += included(path)
    others = {path for path in seen if folder(path) != kernels}
    assert {path.relative_to(NATIVE).as_posix() for path in others} <= {"levels/simd.hpp"}


def test_levels_have_the_same_names_everywhere():
    """The list in level.hpp is that of the build, and machine.hpp has every level."""
    level = (NATIVE / "levels" / "level.hpp").read_text()
    machine = (NATIVE / "levels" / "machine.hpp").read_text()
    build = (NATIVE.parent / "CMakeLists.txt").read_text()
    names = set(re.search(r"enum class Level \{ (.+) \};", level)[1].split(", "))
    assert set(re.findall(r"X\((\w+)\)", level)) - {"X"} == names
    assert set(re.findall(r"machine_runs_(\w+)\(\) {", machine)) == names
    assert set(re.findall(r"add_level\((\w+)", build)) - {"level"} == names - {"scalar"}


def test_every_folder_of_kernels_has_one_file_of_bindings():
    kernels = {name.split("/")[0] for names in LAYERS for name in names} - {"internal", "bindings"}
    assert {path.stem for path in (NATIVE / "bindings").glob("*.cpp")} == kernels


# Kernels know a state by the members that native/mdp/state.hpp lists.
#
# A second one, whose chains of SKIP do not fold, goes through them unchanged (state.cpp).


COMPILER = os.environ.get("CXX", "c++")


@pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"there is no {COMPILER}")
@pytest.mark.skipif("MDDAG_SANITIZE" in os.environ, reason="the program is not built for it")
def test_a_state_that_does_not_fold_goes_through_the_kernels(tmp_path):
    here, program = Path(__file__).parent, tmp_path / "state"
    command = [COMPILER, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread"]
    command += [f"-I{here.parents[1] / 'native'}", str(here / "state.cpp"), "-o", str(program)]
    subprocess.run(command, check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("0\n", 0)
