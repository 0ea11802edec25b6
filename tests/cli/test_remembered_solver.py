"""Solvers that take their policies from check points."""

import numpy as np
import pytest

import mddag
from mddag.cli.check_points import CheckPoints
from mddag.cli.remembered_solver import RememberedSolver, remembered
from mddag.solvers import Descent, Margin, Portfolio, Sarsa


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 5))
    y = (X.sum(axis=1) + rng.normal(size=700) > 0).astype(int)
    model = mddag.AdaBoostMHClassifier(n_rounds=12, random_state=0).fit(X[:200], y[:200])
    return model.ensemble_, X[200:], y[200:]


def curve_of(problem, solver):
    ensemble, X, y = problem
    return mddag.sweep(ensemble, X, y, betas=[0.01, 0.001], solver=solver)


@pytest.mark.parametrize("made", [Portfolio, lambda: Sarsa(n_episodes=2000), Descent])
def test_the_result_is_that_of_the_solver_also_from_check_points(problem, made, tmp_path):
    plain = curve_of(problem, made())
    first = curve_of(problem, remembered(made(), CheckPoints(tmp_path)))
    files = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    assert files
    again = curve_of(problem, remembered(made(), CheckPoints(tmp_path)))
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == files
    for name in plain.columns:
        assert (plain.columns[name] == first.columns[name]).all(), name
        assert (plain.columns[name] == again.columns[name]).all(), name
    for policy, other in zip(plain.policies, again.policies, strict=True):
        assert (policy.jump_table == other.jump_table).all()


def test_half_of_the_parts_are_enough(problem, tmp_path):
    plain = curve_of(problem, remembered(Portfolio(), CheckPoints(tmp_path)))
    for file in sorted(tmp_path.iterdir())[::2]:
        file.unlink()
    again = curve_of(problem, remembered(Portfolio(), CheckPoints(tmp_path)))
    for name in plain.columns:
        assert (plain.columns[name] == again.columns[name]).all(), name


def test_what_is_wrapped(tmp_path):
    kept = CheckPoints(tmp_path)
    margin = Margin()
    assert remembered(margin, kept) is margin
    wrapped = remembered(Sarsa(), kept)
    assert isinstance(wrapped, RememberedSolver)
    assert (wrapped.name, repr(wrapped)) == ("Sarsa", repr(Sarsa()))
    seeded = wrapped.with_seed(np.random.RandomState(0))
    assert seeded.solver.random_state is not None
    assert seeded.random_state == seeded.solver.random_state
    wrapped.check()
    assert wrapped.levels(1) == Sarsa().levels(1)
    assert isinstance(wrapped.with_order(None), RememberedSolver)
