"""Mutation score: which small faults in the core do the tests notice?

    python -m tests.mutation --out new.json [--each 12] [--seed 0] [--only GROUP] [--like old.json]

Each mutant changes one place of one function, runs those tests of its group that enter the
function, and is put back. Mutants are drawn by a hash of what they change, not of where that is:
the same ones are drawn after functions have moved to other files. Sources are edited in place: run
it in a work tree of its own.
"""

from __future__ import annotations

import argparse
import ast
import copy
import cProfile
import hashlib
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import scipy.stats  # noqa: F401  # imported once, for all children
import sklearn.ensemble  # noqa: F401

SECONDS = 200  # of the processor: a mutant may loop forever, which counts as noticed
COMPILES = "tests/golden/test_golden.py::test_exported_models_give_the_same_answers"
# Sources and tests of each group, the quickest first; the golden cases come last.
GROUPS = {
    "policy": (
        "policy/policy.py policy/grid.py",
        "policy/test_policy.py policy/test_grid.py policy/test_mdp.py engine/test_program.py "
        "engine/test_dag.py",
    ),
    "solvers": (
        "solvers/exits.py solvers/descent.py",
        "solvers/test_exits.py solvers/test_descent.py",
    ),
    "choosing": (
        "tuning/front.py",
        "tuning/test_policy_front.py tuning/test_policy_choice.py",
    ),
    "certifying": (
        "tuning/guarantee.py",
        "tuning/test_guarantee.py",
    ),
    "model file": (
        "serving/model_file",
        "serving/model_file/test_container.py serving/model_file/test_model.py "
        "serving/model_file/test_refusals.py",
    ),
}
PAIRS = (
    "Lt LtE,Gt GtE,Eq NotEq,Is IsNot,In NotIn,Add Sub,Mult Div,BitAnd BitOr,And Or,LShift RShift"
)
SWAPS = dict([pair.split() for pair in PAIRS.split(",")])
SWAPS |= {new: old for old, new in SWAPS.items()} | {"FloorDiv": "Mult", "Pow": "Mult"}
LEFT_OUT = {"annotation", "returns", "decorator_list"}


class Mutant(NamedTuple):
    """One change: what it is, and the number of the file's node."""

    key: str
    path: Path
    number: int


class Place(NamedTuple):
    """A node: the function it is in, the name of its parent's field, and where in a list."""

    function: str
    parent: ast.AST
    field: str
    index: int | None

    @property
    def node(self) -> ast.AST:
        value = getattr(self.parent, self.field)
        return value if self.index is None else value[self.index]

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def changed(node: ast.AST) -> ast.AST | None:
    """The node with its fault, or None where it gets none."""
    new = copy.deepcopy(node)
    match new:
        case ast.Compare():
            new.ops[0] = getattr(ast, SWAPS[type(new.ops[0]).__name__])()
        case ast.BinOp() | ast.BoolOp() if type(new.op).__name__ in SWAPS:
            new.op = getattr(ast, SWAPS[type(new.op).__name__])()
        case ast.Constant(value=bool()):
            new.value = not new.value
        case ast.Constant(value=int() | float()):
            new.value += 1
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            return new.operand
        case ast.If() | ast.While() | ast.IfExp():
            new.test = ast.UnaryOp(ast.Not(), new.test)
        case ast.Raise() | ast.AugAssign() | ast.Expr(value=ast.Call()):
            return ast.Pass()
        case _:
            return None
    return new


def places(tree: ast.AST, name: str = "", inside: bool = False) -> Iterator[Place]:
    """The nodes in functions, without annotations and the texts of messages."""
    for field, value in ast.iter_fields(tree):
        for i, child in enumerate(value if isinstance(value, list) else [value]):
            if field in LEFT_OUT or not isinstance(child, ast.AST) or type(child) is ast.JoinedStr:
                continue
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            named = f"{name}.{child.name}" if function or type(child) is ast.ClassDef else name
            if inside:
                yield Place(name, tree, field, i if isinstance(value, list) else None)
            yield from places(child, named, inside or function)


def mutants(path: Path) -> Iterator[Mutant]:
    """All mutants of a file."""
    seen: dict[str, int] = {}
    for number, place in enumerate(places(ast.parse(path.read_text()))):
        new = changed(place.node)
        if new is not None:
            texts = [ast.unparse(ast.fix_missing_locations(n)).split() for n in (place.node, new)]
            key = " ".join([place.function + ":", *texts[0], "->", *texts[1]])[:300]
            seen[key] = seen.get(key, 0) + 1
            yield Mutant(f"{key} #{seen[key]}", path, number)


class Recorder:
    """A plugin of pytest: the functions that each test enters, and how long it takes."""

    def __init__(self) -> None:
        self.tests: dict[str, tuple[float, list[str]]] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        start, profile = time.process_time(), cProfile.Profile()
        profile.enable()
        yield
        profile.disable()
        codes = [entry.code for entry in profile.getstats() if not isinstance(entry.code, str)]
        entered = {(c.co_filename.partition("/src/mddag/")[2], c.co_name) for c in codes}
        names = sorted(" ".join(pair) for pair in entered if pair[0])
        self.tests[item.nodeid] = time.process_time() - start, names


def ran(tests: list[str], plugins: list[object], after: Callable[[], None] = lambda: None) -> bool:
    """Do tests pass in a child process? It has the libraries, and reads the package anew."""
    if (child := os.fork()) == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1), os.dup2(quiet, 2)
        options = ["-x", "-q", "-p", "no:cacheprovider", f"--deselect={COMPILES}"]
        failed = pytest.main([*options, *tests], plugins=plugins)
        after()
        os._exit(bool(failed))
    return os.waitpid(child, 0)[1] == 0


def recorded(tests: list[str]) -> dict[str, tuple[float, list[str]]]:
    """The tests that pass as the sources are, the quickest first."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
        recorder = Recorder()

        def write() -> None:
            Path(file.name).write_text(json.dumps(recorder.tests))

        if not ran(tests, [recorder], write):
            raise SystemExit(f"the tests fail before any change: {' '.join(tests)}")
        return dict(sorted(json.load(file).items(), key=lambda test: test[1][0]))


def noticed(mutant: Mutant, tests: dict[str, tuple[float, list[str]]]) -> bool:
    """Does a test fail with it that enters the function?"""
    text = mutant.path.read_text()
    tree = ast.parse(text)
    place = list(places(tree))[mutant.number]
    place.put(changed(place.node))
    name = mutant.key.partition(":")[0].rpartition(".")[2]
    entered = f"{mutant.path.relative_to('src/mddag')} {name}"
    those = [test for test, (_, functions) in tests.items() if entered in functions]
    try:
        mutant.path.write_text(ast.unparse(ast.fix_missing_locations(tree)))
        return bool(those) and not ran(those, [])
    finally:
        mutant.path.write_text(text)


def drawn(sources: str, seed: int) -> list[Mutant]:
    """All mutants of the sources, in the order of the draw."""
    paths = [Path("src/mddag", source) for source in sources.split()]
    files = [
        f for path in paths for f in ([path] if path.is_file() else sorted(path.rglob("*.py")))
    ]
    found = [mutant for file in files for mutant in mutants(file)]
    return sorted(found, key=lambda m: hashlib.sha256(f"{seed} {m.key}".encode()).digest())


def main() -> None:
    parser = argparse.ArgumentParser(description="The mutation score of the core.")
    parser.add_argument("--each", type=int, default=12, help="mutants of each group")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=GROUPS, help="one group")
    parser.add_argument("--like", type=Path, help="results: their mutants, where they still exist")
    parser.add_argument(
        "--out", type=Path, required=True, help="results: written after each mutant"
    )
    asked = parser.parse_args()
    earlier = json.loads(asked.like.read_text()) if asked.like else {}
    results: dict[str, dict[str, bool]] = {}
    for group, (sources, folders) in GROUPS.items():
        if asked.only not in {None, group}:
            continue
        found = drawn(sources, asked.seed)
        taken = [m for m in found if m.key in earlier[group]] if earlier else found[: asked.each]
        paths = [f"tests/{test}" for test in [*folders.split(), "golden"]]
        tests = recorded(paths)
        killed = results[group] = {}
        for mutant in taken:
            start = time.perf_counter()
            killed[mutant.key] = noticed(mutant, tests)
            word, took = "killed" if killed[mutant.key] else "ALIVE ", time.perf_counter() - start
            print(f"{word} {took:4.0f} s  {mutant.path.name} {mutant.key}", flush=True)
            asked.out.write_text(json.dumps(results, indent=1))
        print(f"{group}: {sum(killed.values())} of {len(taken)} ({len(found)} in all)", flush=True)


if __name__ == "__main__":
    main()
