"""What is said of bad input: compile, Dag and Trace."""

import numpy as np

import mddag
from mddag import Dag, Policy, Trace
from mddag.mdp.stages import Stages
from mddag.solvers import Margin
from tests.messages.message import check, each
from tests.messages.models import X, ensemble, fast, policy, trace


def staged():
    """A policy of two score columns."""
    state = Stages(policy().grid, [0, 0, 0, 1, 1, 1, 1])
    return Policy(policy().actions, state.grid, policy().order, state=state)


ROWS = [
    (
        "compile",
        lambda: mddag.compile(fast()),
        TypeError,
        "ensemble is an MDDAGClassifier; wanted an E",
    ),
    (
        "compile with a solver",
        lambda: mddag.compile(ensemble(), Margin()),
        TypeError,
        "policy is a Margin; wanted a Policy, such as solver.solve",
    ),
    (
        "another ensemble",
        lambda: mddag.compile(ensemble().truncated(3), policy()),
        ValueError,
        r"the policy is for 6 base classifiers and 1 score\(s\), but got 3",
    ),
    (
        "executor",
        lambda: mddag.compile(ensemble(), policy(), executor="gpu"),
        ValueError,
        "executor is 'gpu'; wanted",
    ),
    (
        "expected_evaluations",
        lambda: Dag(ensemble(), policy(), None, 99.0),
        ValueError,
        "expected_evaluations is 99.0, but there are 6",
    ),
    (
        "stages in blocks",
        lambda: mddag.compile(ensemble(), staged(), executor="blocks"),
        ValueError,
        "'blocks' knows one score column, but the policy's state is a Stages; wanted 'walk'",
    ),
    ("instance", lambda: trace().path(80), IndexError, "there is no instance 80; wanted"),
    ("path of", lambda: trace().path("first"), TypeError, "i is 'first'; wanted the number of an"),
    ("groups", lambda: trace().edges([1, 2]), ValueError, r"groups has shape \(2,\); wanted one"),
    ("too few", lambda: trace().uses(1), ValueError, "wanted n_classifiers to be the size"),
    (
        "trace by hand",
        lambda: Trace(X, [0], np.zeros(0, int), [], []),
        ValueError,
        r"indptr is a list, .*wanted arrays \(n, K\), \(n \+ 1,\)",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
