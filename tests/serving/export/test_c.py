"""The exported C code decides as the Dag does, bit by bit."""

import subprocess
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.engine.dag import Dag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.tasks import Classification
from mddag.serving.export import export
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from tests import strategies
from tests.serving.export.cases import cases
from tests.serving.export.programs import (
    COMPILER,
    COMPILERS,
    STRICT,
    C,
    Clang,
    assert_same_bits,
    compiled,
    needs_compiler,
)
from tests.serving.model_file.kinds import whole_model

pytestmark = needs_compiler
LIMITS = np.finfo(np.float32)


def by_the_dag(dag, X):
    """Labels, evaluations and scores."""
    trace = dag.run(X)
    return trace.verdict, trace.n_evaluated, trace.scores


def assert_equal_runs(got, wanted):
    for mine, theirs in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def with_classes(ensemble):
    classes = np.arange(max(ensemble.n_scores, 2))
    return replace(ensemble, task=Classification(classes=classes))


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_random_models_equal_the_dag(tmp_path_factory, data):
    ensemble = with_classes(data.draw(strategies.ensembles()))
    policy = data.draw(strategies.policies(len(ensemble), ensemble.n_scores))
    if ensemble.n_scores == 1 and data.draw(st.booleans()):
        policy = data.draw(strategies.staged_policies(len(ensemble)))
    elif data.draw(st.booleans()):
        policy = data.draw(strategies.with_verdicts(policy))
    X = data.draw(strategies.rows(ensemble.n_features)).astype(np.float32)
    dag = Dag(ensemble, policy)
    run = compiled(Predictor(Model(dag)), tmp_path_factory.mktemp("c"))
    assert_equal_runs(run(X), by_the_dag(dag, X))


@given(st.data())
@settings(deadline=None, max_examples=15)
def test_whole_numbers_equal_the_dag(tmp_path_factory, data):
    ensemble = with_classes(data.draw(strategies.ensembles()))
    policy = data.draw(strategies.policies(len(ensemble), ensemble.n_scores))
    number = st.sampled_from([-(2**31) + 1, -3, -1, 0, 1, 2, 31, 32, 64, 2**31 - 1, None])
    size = 20 * ensemble.n_features
    flat = data.draw(st.lists(number, min_size=size, max_size=size))
    X = np.array(flat, float).reshape(20, -1)
    dag = Dag(ensemble, policy)
    model = Predictor(Model(dag))
    run = compiled(model, tmp_path_factory.mktemp("c"), integer_thresholds=True)
    missing = np.where(np.isnan(X), -(2.0**31), X)
    assert_equal_runs(run(missing), by_the_dag(dag, X))


@pytest.mark.parametrize("threshold", [1e300, -1e300, np.inf, -np.inf, 0.1, -0.1, 1e-60, 1e38])
def test_thresholds_beyond_float32(tmp_path, threshold):
    tree = TreeBuilder()
    left, right = tree.leaf([1.0]), tree.leaf([-1.0])
    stump = tree.finish(tree.split(0, threshold, left, right, missing_left=True))
    ensemble = Ensemble.from_trees([stump], features=Features(1), classes=[0, 1])
    near = np.float32(np.clip(threshold, LIMITS.min, LIMITS.max))
    values = [-np.inf, LIMITS.min, 0, -0.0, LIMITS.smallest_subnormal, LIMITS.max, np.inf, np.nan]
    steps = [near, np.nextafter(near, np.float32(1)), np.nextafter(near, np.float32(-1))]
    X = np.array([*values, *steps], np.float32)[:, None]
    labels, _, _ = compiled(Predictor(Model(mddag.compile(ensemble))), tmp_path)(X)
    went_left = np.isnan(X[:, 0]) | (X[:, 0].astype(float) <= threshold)
    np.testing.assert_array_equal(labels, went_left)


def test_a_header_may_be_included_twice_and_beside_another_and_used_in_part(tmp_path):
    for name in ("first", "second"):
        export(whole_model().dag, tmp_path / f"{name}.h", name=name)
    source = tmp_path / "both.c"
    source.write_text(
        '#include "first.h"\n#include "second.h"\n#include "first.h"\n'
        "int main(void) {\n  const float x[FIRST_N_FEATURES] = {0.0f, 1.0f};\n"
        "  return first_predict(x) != second_predict(x);\n}\n"
    )
    program = str(tmp_path / "both")
    subprocess.run([COMPILER, *STRICT, str(source), "-o", program], check=True)
    assert subprocess.run([program]).returncode == 0


MARKS = [*"?*/\\\n\r\"'é\0a ", "/*", "*/", "//", "??/", "%:"]
nasty = st.one_of(st.lists(st.sampled_from(MARKS), max_size=40).map("".join), st.text(max_size=80))
identifiers = st.one_of(
    st.sampled_from(["_math", "_MATH", "_stdint", "int", "uint8", "INT32", "model", "MODEL", "_"]),
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,20}", fullmatch=True),
)


@given(st.lists(nasty, min_size=3, max_size=3, unique=True), nasty, nasty, identifiers)
@settings(deadline=None, max_examples=40)
def test_labels_and_names_never_break_the_header(tmp_path_factory, labels, first, second, name):
    whole = whole_model().dag
    features = replace(whole.ensemble.features, names=(first + "0", second + "1"))
    task = Classification(classes=np.array(labels, object))
    ensemble = replace(whole.ensemble, task=task, features=features)
    folder = tmp_path_factory.mktemp("c")
    export(Dag(ensemble, whole.policy), folder / "m.h", name=name)
    header = (folder / "m.h").read_bytes()
    assert header.isascii()
    assert header.count(b"\n") == plain_header(whole, folder, name).count(b"\n")
    (folder / "m.c").write_text(
        f'#include "m.h"\nint main(void) {{\n  const float x[{name.upper()}_N_FEATURES] = {{0}};\n'
        f"  double scores[{name.upper()}_N_SCORES];\n  {name}_scores(x, scores);\n"
        f"  return {name}_predict(x) + {name}_evaluations(x) < 0;\n}}\n"
    )
    for compiler in COMPILERS[:2]:
        command = [compiler, *STRICT, "-fsyntax-only", str(folder / "m.c")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def plain_header(dag, folder, name):
    """The same model with labels of letters."""
    labels = np.array(["a", "b", "c"])
    export(
        Dag(replace(dag.ensemble, task=Classification(classes=labels)), dag.policy),
        folder / "plain.h",
        name=name,
    )
    return (folder / "plain.h").read_bytes()


@pytest.mark.parametrize(
    ("program", "extra"),
    [(C, []), (Clang, []), (C, ["-std=gnu99", "-O3", "-march=native", "-ffp-contract=fast"])],
)
def test_probabilities_and_all_else_equal_the_library(tmp_path, program, extra):
    """Also where the compiler may fuse products and sums."""
    made = program()
    made.require()
    made.extra = extra
    for case, got in zip(cases(), made.answers(tmp_path, cases()).values(), strict=True):
        assert_same_bits(case, got)


def test_the_tables_take_as_many_bytes_as_is_said(tmp_path):
    """Names and labels, which nothing uses here, are left out by the compiler."""
    for case in cases():
        done = case.model.export(tmp_path / "m.h")
        (tmp_path / "m.c").write_text(
            '#include "m.h"\nvoid f(const model_value *x, double *p);\n'
            "void f(const model_value *x, double *p) {\n  model_scores(x, p);\n"
            "  *p = (double)model_predict(x);\n"
            + ("  model_probabilities(x, p);\n" if case.has_probabilities else "")
            + "}\n"
        )
        command = [COMPILER, "-Os", "-fno-toplevel-reorder", "-c", "m.c", "-o", "m.o"]
        subprocess.run(command, cwd=tmp_path, check=True)
        named = subprocess.run(
            ["nm", "-S", "m.o"], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout
        sizes = [line.split() for line in named.splitlines()]
        held = {
            name: int(size, 16)
            for _, size, kind, name in (s for s in sizes if len(s) == 4)
            if kind == "r"
        }
        labels = ("model_classes", "model_feature_names", "model_categories")
        assert sum(n for name, n in held.items() if not name.startswith(labels)) == done.table_bytes
