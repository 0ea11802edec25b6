"""Exported models in a program of their language: compiled together, then run on their rows."""

import ctypes
import itertools
import math
import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from mddag.ensemble.patches import PatchFeatures
from mddag.serving.export import export

DRIVERS = Path(__file__).parent / "drivers"
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]


@dataclass(frozen=True)
class Case:
    """A model under a name that all languages allow, and rows of it: float32, or uint8 patches."""

    name: str
    model: object
    rows: np.ndarray

    @property
    def of_patches(self):
        return isinstance(self.model.model.dag.ensemble.features, PatchFeatures)

    @property
    def has_probabilities(self):
        return bool(self.model._n_written)

    @property
    def n_features(self):
        return self.model.n_features_in_

    @property
    def wanted(self):
        """By row: class number or mean, evaluations, scores and, where there are, probabilities."""
        X, classes = self.rows, self.model.classes_
        first = self.model.predict(X) if classes is None else self.model.run(X).verdict
        columns = [first, self.model.n_evaluated(X), self.model.scores(X)]
        if self.has_probabilities:
            columns.append(self.model.predict_proba(X))
        return np.column_stack(columns).astype(np.float64)


class Program(ABC):
    """The contract: how a language exports, compiles and runs all cases at once.

    tools : programs that must be installed
    """

    language: str
    tools: tuple[str, ...]
    end: str

    def require(self):
        absent = [tool for tool in self.tools if shutil.which(tool) is None]
        if absent:
            pytest.skip(f"there is no {' and no '.join(absent)}")

    def file(self, case, folder):
        """Where a case is exported to."""
        return folder / f"{case.name}.{self.end}"

    def options(self, case):
        return {}

    @abstractmethod
    def build(self, folder, cases):
        """Compile what was exported; the command that runs it."""

    def answers(self, folder, cases, rounds=0):
        """By name of a case, what the program says of its rows, as Case.wanted."""
        command = self.made(folder, cases)
        self.run(command, rounds)
        return {case.name: self.read(folder, case) for case in cases}

    def made(self, folder, cases):
        """Export all cases and their rows, and compile them."""
        for case in cases:
            file = self.file(case, folder)
            file.parent.mkdir(exist_ok=True)
            case.model.export(file, self.language, **self.options(case))
            np.ascontiguousarray(case.rows).tofile(folder / f"{case.name}.rows")
        return self.build(folder, cases)

    def run(self, command, rounds=0):
        return called([*command, str(rounds)])

    def read(self, folder, case):
        numbers = np.fromfile(folder / f"{case.name}.out", np.float64)
        return numbers.reshape(len(case.rows), -1)


class C(Program):
    language, tools, end = "c", ("gcc",), "h"
    optimise = "-O1"
    extra = ()

    def options(self, case):
        return {"name": case.name}

    def build(self, folder, cases):
        marks = {
            "INCLUDES": (f'#include "{c.name}.h"' for c in cases),
            "DRIVES": (
                f"DRIVE({c.name}, {c.name.upper()}, {'WITH' if c.has_probabilities else 'WITHOUT'})"
                for c in cases
            ),
            "CALLS": (f"  {c.name}_drive(arguments[1], rounds);" for c in cases),
        }
        write(folder / "main.c", marks)
        flags = [*STRICT, "-Wno-shadow", self.optimise, *self.extra, "-o", folder / "main", "-lm"]
        called([self.tools[0], folder / "main.c", *flags])
        return [folder / "main", folder]


class Clang(C):
    tools = ("clang",)


class Java(Program):
    language, tools, end = "java", ("javac", "java"), "java"

    def build(self, folder, cases):
        def call(c):
            of = "bytes" if c.of_patches else "floats"
            odds = f"{c.name}::probabilities" if c.has_probabilities else "null"
            rows = f'{of}(folder, "{c.name}", {c.name}.N_FEATURES)'
            functions = f"{c.name}::predict, {c.name}::evaluations, {c.name}::scores, {odds}"
            return f'    drive(folder, "{c.name}", rounds, {rows}, {functions});'

        write(folder / "Main.java", {"CALLS": map(call, cases)})
        called(["javac", "-Xlint:all", "-Werror", "-d", folder, *folder.glob("*.java")])
        return ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=4", "-cp", folder, "Main", folder]


class Go(Program):
    language, tools, end = "go", ("go",), "go"

    def file(self, case, folder):
        return folder / case.name / "model.go"

    def options(self, case):
        return {"name": case.name}

    def build(self, folder, cases):
        def call(c):
            of, value = ("levels", "uint8") if c.of_patches else ("floats", "float32")
            m, x = c.name, f"x []{value}"
            odds = "nil"
            if c.has_probabilities:
                odds = f"func({x}) []float64 {{ p := {m}.Probabilities(x); return p[:] }}"
            return (
                f'\tdrive(folder, "{m}", rounds, {of}(folder, "{m}", {m}.NFeatures), '
                f"func({x}) float64 {{ return float64({m}.Predict(x)) }}, {m}.Evaluations, "
                f"func({x}) []float64 {{ f := {m}.Scores(x); return f[:] }}, {odds})"
            )

        marks = {
            "IMPORTS": (f'\t{c.name} "drive/{c.name}"' for c in cases),
            "CALLS": map(call, cases),
        }
        write(folder / "main.go", marks)
        (folder / "go.mod").write_text("module drive\n\ngo 1.18\n")
        called(["go", "build", "-o", "main", "."], cwd=folder)
        return [folder / "main", folder]


class Rust(Program):
    language, tools, end = "rust", ("rustc",), "rs"
    optimise = "0"

    def build(self, folder, cases):
        def call(c):
            of, m = "levels" if c.of_patches else "floats", c.name
            odds = f"v.extend({m}::probabilities(x)); " if c.has_probabilities else ""
            return (
                f'    drive(folder, "{m}", rounds, {of}(folder, "{m}", {m}::N_FEATURES), '
                f"|x| {m}::predict(x) as f64, |x| {{ let mut v = vec![{m}::evaluations(x) as f64]; "
                f"v.extend({m}::scores(x)); {odds}v }});"
            )

        marks = {"MODULES": (f"mod {c.name};" for c in cases), "CALLS": map(call, cases)}
        write(folder / "main.rs", marks)
        options = ["-D", "warnings", "-A", "unused", "-C", f"opt-level={self.optimise}"]
        called(["rustc", "--edition", "2021", *options, "-o", "main", "main.rs"], cwd=folder)
        return [folder / "main", folder]


class JavaScript(Program):
    language, tools, end = "javascript", ("node",), "mjs"

    def build(self, folder, cases):
        names = (f"{c.name}:{'bytes' if c.of_patches else 'floats'}" for c in cases)
        return ["node", DRIVERS / "main.mjs", folder, ",".join(names), self.end]


class Wasm(JavaScript):
    language, tools, end = "wasm", ("clang", "wasm-ld", "node"), "wasm"


def write(path, marks):
    """The driver of that name with lines in the place of its marks."""
    text = (DRIVERS / path.name).read_text()
    for mark, lines in marks.items():
        text = text.replace(f"@{mark}@", "\n".join(lines))
    assert not re.search(r"@[A-Z]+@", text)
    path.write_text(text)


def called(command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def assert_same_bits(case, got):
    """Classes or means, evaluations, scores and probabilities of all rows."""
    wanted = np.array(case.wanted)
    if case.name == "exp_link":  # numpy's exp may differ in the last bit
        assert (np.abs(got[:, 0] - wanted[:, 0]) <= np.spacing(wanted[:, 0])).all()
        calibration = case.model.model.calibration
        scores, exit_step = case.model.model.dag.exits(case.rows)
        wanted[:, 0] = [math.exp(v) for v in calibration.calibrated(scores, exit_step)[:, 0]]
    np.testing.assert_array_equal(got, wanted)


COMPILERS = [path for path in map(shutil.which, ("gcc", "clang", "cc")) if path]
COMPILER = next(iter(COMPILERS), None)
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
_numbers = itertools.count()


def compiled(model, folder, predicts="int", **options):
    """A function X -> labels, evaluations, scores that runs the exported code of `model`."""
    number = next(_numbers)
    header, source, library = (folder / f"m{number}.{end}" for end in ("h", "c", "so"))
    export(model, header, name="net", **options)
    source.write_text(
        f'#include "{header.name}"\n'
        f"void run(int n, const net_value *x, {predicts} *labels, int *n_evaluated, double *f) {{\n"
        "  for (; n-- > 0; x += NET_N_FEATURES, f += NET_N_SCORES) {\n"
        "    *labels++ = net_predict(x);\n"
        "    *n_evaluated++ = net_evaluations(x);\n"
        "    net_scores(x, f);\n"
        "  }\n}\n"
    )
    command = [COMPILER, *STRICT, "-O1", "-shared", "-fPIC", "-o", str(library), str(source), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    native = ctypes.CDLL(str(library)).run

    def run(X):
        dtype = np.int32 if options.get("integer_thresholds") else np.float32
        if isinstance(model.model.dag.ensemble.features, PatchFeatures):
            dtype = np.uint8
        rows = np.ascontiguousarray(X, dtype)
        labels = np.empty(len(rows), np.intc if predicts == "int" else np.float64)
        n_evaluated = np.empty(len(rows), np.intc)
        scores = np.empty((len(rows), model.model.dag.ensemble.n_scores))
        pointers = (a.ctypes.data_as(ctypes.c_void_p) for a in (rows, labels, n_evaluated, scores))
        native(len(rows), *pointers)
        return labels, n_evaluated, scores

    return run
