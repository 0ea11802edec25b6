"""What is said of bad input: compile, Dag and Trace."""

import numpy as np

import mddag
from mddag import Dag, Policy, Trace
from mddag.policy.state import Stages
from mddag.solvers import Margin
from tests.messages.message import check, each
from tests.messages.models import X, ensemble, fast, policy, trace


def staged():
    """A policy of two score columns."""
    state = Stages(policy().grid, [0, 0, 0, 1, 1, 1, 1])
    return Policy(policy().actions, state.grid, policy().order, state=state)


ROWS = [
    ("compile", lambda: mddag.compile(fast()), TypeError, "ensemble is an MDDAGClassifier"),
    (
        "compile with a solver",
        lambda: mddag.compile(ensemble(), Margin()),
        TypeError,
        "policy is a Margin",
    ),
    (
        "another ensemble",
        lambda: mddag.compile(ensemble().truncated(3), policy()),
        ValueError,
        "the policy is for 6 base classifiers",
    ),
    (
        "executor",
        lambda: mddag.compile(ensemble(), policy(), executor="gpu"),
        ValueError,
        "executor is 'gpu'",
    ),
    (
        "expected_evaluations",
        lambda: Dag(ensemble(), policy(), None, 99.0),
        ValueError,
        "expected_evaluations is 99.0,",
    ),
    (
        "stages in blocks",
        lambda: mddag.compile(ensemble(), staged(), executor="blocks"),
        ValueError,
        "'blocks' knows one score column,",
    ),
    ("row", lambda: trace().path(80), IndexError, "there is no row 80"),
    ("path of", lambda: trace().path("first"), TypeError, "i is 'first'"),
    ("groups", lambda: trace().edges([1, 2]), ValueError, r"groups has shape \(2,\)"),
    ("too few", lambda: trace().uses(1), ValueError, "wanted n_classifiers to be the size"),
    (
        "trace by hand",
        lambda: Trace(X, [0], np.zeros(0, int), [], []),
        ValueError,
        "indptr is a list, .*wanted",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
