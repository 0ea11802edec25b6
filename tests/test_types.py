"""What an editor and mypy know of the package: results of public functions have precise types."""

import ast
import functools
import inspect
import subprocess
import sys

import pytest

from tests.shipped import ROOT
from tests.test_docstrings import MEMBERS, PUBLIC

pytest.importorskip("mypy")

# Dicts for JSON and parameters of any kind, and what a state or value function carries for itself.
ANYTHING_GOES = {
    "mddag._utils.checks.Parameters.get_params",
    "mddag.inspection.explanation.explanation.Explanation.to_dict",
    "mddag.policy.state.State.start",
    "mddag.solvers.values.Value.start",
}
HEAD = """
from typing import assert_type

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

import mddag
from mddag.metrics import NDCG, RocAuc

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
model, number_model = GradientBoostingClassifier(), GradientBoostingRegressor()
X = np.zeros((9, 3))
y = qid = np.zeros(9, int)
"""

# Scripts of users. Where a function returns Any, assert_type fails.
SCRIPTS = {
    "sparsify": """
fast = mddag.sparsify(model, X, y, max_loss=0.005, metric=RocAuc())
assert_type(fast.n_evaluated(X), Counts)
assert_type(fast.n_nodes(X), Counts)
assert_type(fast.trace(X), mddag.Trace)
assert_type(fast.trace(X).path(0), NDArray[np.int32])
assert_type(fast.explain(X[0]), mddag.Explanation)
assert_type(fast.predictor(), mddag.Predictor)
assert_type(fast.policy_, mddag.Policy)
assert_type(fast.dag_, mddag.Dag)
assert_type(fast.dag_.expected_speedup, float)
assert_type(fast.ensemble_, mddag.Ensemble)
assert_type(fast.report("report.html", X, y), None)
assert_type(fast.save("model.mddag"), None)
fast.export("model.h", "c")
if isinstance(fast, mddag.MDDAGClassifier):
    assert_type(fast.predict_proba(X), Floats)
    assert_type(fast.decision_function(X), Floats)
""",
    "train": """
fast = mddag.train(number_model, X, y, budget=20)
assert_type(fast.n_evaluated(X), Counts)
assert_type(fast.trace(X).scores, Floats)
""",
    "acquire": """
fast = mddag.acquire(model, X, y, feature_costs=np.ones(3), budget=3.0)
assert_type(fast.feature_cost(X), Floats)
assert_type(fast.groups_bought(X), NDArray[np.bool_])
assert_type(fast.save("model.mddag"), None)
""",
    "load": """
served = mddag.load("model.mddag")
assert not isinstance(served, mddag.Detector)
assert_type(served.predict_one(X[0]), bool | int | float | str)
assert_type(served.predict_proba_one(X[0]), Floats)
assert_type(served.run(X), mddag.Trace)
assert_type(served.n_evaluated(X), Counts)
""",
    "sweep": """
curve = mddag.sweep(model, X, y)
assert_type(curve, mddag.Curve)
assert_type(curve.policies[0], mddag.Policy)
assert_type(curve.envelope(), NDArray[np.intp])
assert_type(mddag.TradeoffDisplay.from_curve(curve), mddag.TradeoffDisplay)
""",
    "ranking.sparsify": """
fast = mddag.ranking.sparsify(number_model, X, y, qid=qid, metric=NDCG(10), max_loss=0.002)
assert_type(fast, mddag.MDDAGRanker)
assert_type(fast.predict(X, qid), Floats)
assert_type(fast.rank(X, qid), NDArray[np.intp])
assert_type(fast.n_evaluated(X, qid), Counts)
""",
    "compile": """
ensemble = mddag.as_ensemble(model)
dag = mddag.compile(ensemble)
assert_type(dag.scores(X), Floats)
assert_type(dag.run(X).n_evaluated, Counts)
mdp = mddag.MDP(ensemble.votes(X), y, beta=0.01)
policy = mddag.solvers.Descent().solve(mdp)
assert_type(mdp.evaluate(policy).loss, float)
""",
    "misspelled": """
mddag.compile(mddag.as_ensemble(model)).expected_sped_up
""",
}


@functools.cache
def messages():
    """What mypy says of each script, in one run; its cache is that of `make lint`."""
    folder = ROOT / "build" / "scripts"
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: folder / f"{name.replace('.', '_')}_script.py" for name in SCRIPTS}
    for name, file in files.items():
        file.write_text(HEAD + SCRIPTS[name])
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml"]
    told = subprocess.run([*command, *files.values()], cwd=ROOT, capture_output=True, text=True)
    assert told.returncode in (0, 1), told.stdout + told.stderr
    return {
        name: [line for line in told.stdout.splitlines() if f"{file.name}:" in line]
        for name, file in files.items()
    }


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_a_users_script(name):
    found = messages()[name]
    if name == "misspelled":
        assert len(found) == 1
        assert "expected_sped_up" in found[0]
    else:
        assert not found, "\n".join(found)


def is_vague(annotation):
    """Whether a type has Any in it, other than as the type of an array's numbers or labels."""
    if isinstance(annotation, ast.Subscript) and getattr(annotation.value, "id", "") == "NDArray":
        return False
    if isinstance(annotation, ast.Name):
        return annotation.id == "Any"
    return any(is_vague(child) for child in ast.iter_child_nodes(annotation))


def returned(documented):
    """The type that a public function, method or property returns, as it is written."""
    if isinstance(documented, property):
        documented = documented.fget
    documented = getattr(documented, "func", getattr(documented, "__func__", documented))
    return inspect.signature(inspect.unwrap(documented)).return_annotation


def test_no_public_result_is_any():
    functions = {n: f for n, f in {**PUBLIC, **MEMBERS}.items() if not inspect.isclass(f)}
    types = {name: returned(function) for name, function in functions.items()}
    untyped = [name for name, given in types.items() if not isinstance(given, str)]
    assert not untyped
    vague = {name for name, given in types.items() if is_vague(ast.parse(given, mode="eval"))}
    assert vague <= ANYTHING_GOES
