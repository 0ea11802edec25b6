"""Exported headers, compiled and loaded."""

import ctypes
import itertools
import shutil
import subprocess

import numpy as np
import pytest

from mddag.ensemble.patches import PatchFeatures
from mddag.serving.export import export

COMPILERS = [path for path in map(shutil.which, ("gcc", "clang", "cc")) if path]
COMPILER = next(iter(COMPILERS), None)
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
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
