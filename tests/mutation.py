"""Mutation score: which small faults in the core do the tests notice?

    python -m tests.mutation --out new.json [--each 12] [--seed 0] [--only GROUP] [--like old.json]

Each mutant changes one place of one function, runs the tests of its group, and is put back. Mutants
are drawn by a hash of what they change, not of where that is: the same ones are drawn after
functions have moved to other files. It edits sources in place: run it in a work tree of its own.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SECONDS = 300  # a mutant may loop forever: that counts as noticed
COMPILES = "tests/golden/test_golden.py::test_exported_models_give_the_same_answers"
# Sources and tests of each group, the quickest first; the golden cases come last.
GROUPS = {
    "policy": (
        "mdp/policy.py mdp/grid.py",
        "mdp/test_policy.py mdp/test_grid.py mdp/test_rollout.py mdp/test_mdp.py "
        "dag/test_program.py dag/test_dag.py",
    ),
    "solvers": ("solvers/exits solvers/descent", "solvers/exits solvers/descent"),
    "choosing": (
        "tuning/candidate_front.py tuning/policy_choice.py",
        "tuning/test_candidate_front.py tuning/test_policy_choice.py",
    ),
    "certifying": (
        "tuning/guarantee.py tuning/p_values.py",
        "tuning/test_p_values.py tuning/test_guarantee.py",
    ),
    "model file": (
        "serving/model_file",
        "serving/model_file/test_container.py serving/model_file/test_reading.py "
        "serving/model_file/test_model.py serving/model_file/test_refusals.py",
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


def noticed(mutant: Mutant, tests: list[str]) -> bool:
    """Do the tests fail with it?"""
    text = mutant.path.read_text()
    tree = ast.parse(text)
    place = list(places(tree))[mutant.number]
    place.put(changed(place.node))
    options = ["-x", "-q", "-p", "no:cacheprovider", f"--deselect={COMPILES}"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        mutant.path.write_text(ast.unparse(ast.fix_missing_locations(tree)))
        run = subprocess.run(command, capture_output=True, timeout=SECONDS, env=environment)
        return run.returncode != 0
    except subprocess.TimeoutExpired:
        return True
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
    for group, (sources, tests) in GROUPS.items():
        if asked.only not in {None, group}:
            continue
        found = drawn(sources, asked.seed)
        taken = [m for m in found if m.key in earlier[group]] if earlier else found[: asked.each]
        paths = [f"tests/{test}" for test in [*tests.split(), "golden"]]
        killed = results[group] = {}
        for mutant in taken:
            start = time.perf_counter()
            killed[mutant.key] = noticed(mutant, paths)
            word, took = "killed" if killed[mutant.key] else "ALIVE ", time.perf_counter() - start
            print(f"{word} {took:4.0f} s  {mutant.path.name} {mutant.key}", flush=True)
            asked.out.write_text(json.dumps(results, indent=1))
        print(f"{group}: {sum(killed.values())} of {len(taken)} ({len(found)} in all)", flush=True)


if __name__ == "__main__":
    main()
