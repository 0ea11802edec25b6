"""What is said of bad input: MDP, Grid, Policy, Curve, Dag and Trace."""

from dataclasses import replace

import numpy as np

import mddag
from mddag import MDP, Curve, Dag, Grid, Policy
from mddag.policy.state import Stages
from mddag.solvers import Margin
from tests.messages.models import (
    X,
    Y,
    curve,
    ensemble,
    fast,
    mdp,
    model,
    policy,
    rejected,
    trace,
    votes,
)


def stages(*given):
    return lambda: Stages(policy().grid, *given)


def swapped():
    return Policy(policy().grid, policy().actions, policy().order)


def foreign_stages():
    return replace(policy(), state=Stages(policy().grid, [0, 0]))


PROBLEMS = [
    (lambda: MDP(model(), Y), ValueError, "votes is a GradientBoostingClassifier"),
    (lambda: MDP(votes(), Y, costs="dear"), ValueError, "costs is 'dear'"),
    (lambda: MDP(votes(), Y, weight=np.zeros(80)), ValueError, "weight is 0 for every"),
    (lambda: MDP(votes(), Y, unit=None), ValueError, "unit is None"),
    (lambda: mdp().evaluate(fast()), TypeError, "policy is an MDDAGClassifier"),
    (lambda: mdp().counting("all"), ValueError, "most is 'all'"),
    (lambda: mdp().arranged(policy()), TypeError, "arrangement is a Policy"),
]
POLICIES = [
    (swapped, TypeError, "grid is an array of uint8 .*the second argument"),
    (lambda: Policy.constant(0, "six", policy().grid), ValueError, "n_steps is 'six'"),
    (lambda: policy().after(None), TypeError, "arrangement is None"),
    (stages("first"), ValueError, "reads is 'first'"),
    (stages([0, 1], np.zeros((2, 2))), ValueError, "writes is an array of float64"),
    (lambda: Stages(3, [0]), TypeError, "grid is 3;"),
    (foreign_stages, ValueError, "another grid|for 1 steps, .* has 6"),
    (lambda: replace(policy(), state=X[0]), TypeError, "state is an array of float64"),
]
GRIDS = [
    (lambda: Grid("wide"), ValueError, "edges is 'wide'"),
    (lambda: Grid.uniform(ensemble()), TypeError, "votes is an Ensemble"),
    (lambda: Grid.quantile(votes(), "many"), ValueError, "n_cells is 'many'"),
    (lambda: Grid.quantile(votes(), weight=3), ValueError, r"weight .*\(\); .*\(80,\)"),
]
CURVES = [
    (lambda: Curve({}, ()), ValueError, "columns have no .*mddag.sweep"),
    (lambda: curve().envelope("all"), ValueError, "on is 'all'; .*'train'"),
    (lambda: curve().envelope(x="time"), ValueError, "x is 'time'; .*'cost'"),
    (lambda: curve().to_csv(2), TypeError, "path is 2;"),
]


def staged():
    """A policy of two score columns."""
    state = Stages(policy().grid, [0, 0, 0, 1, 1, 1, 1])
    return Policy(policy().actions, state.grid, policy().order, state=state)


DAGS = [
    (lambda: mddag.compile(fast()), TypeError, "ensemble is an MDDAGClassifier"),
    (lambda: mddag.compile(ensemble(), Margin()), TypeError, "policy is a Margin"),
    (
        lambda: mddag.compile(ensemble().truncated(3), policy()),
        ValueError,
        "the policy is for 6 base classifiers",
    ),
    (lambda: mddag.compile(ensemble(), policy(), executor="gpu"), ValueError, "executor is 'gpu'"),
    (lambda: Dag(ensemble(), policy(), None, 99.0), ValueError, "expected_evaluations is 99.0,"),
    (
        lambda: mddag.compile(ensemble(), staged(), executor="blocks"),
        ValueError,
        "'blocks', but the policy's state, a Stages",
    ),
    (lambda: trace().path(80), IndexError, "there is no row 80"),
    (lambda: trace().path("first"), TypeError, "i is 'first'"),
    (lambda: trace().edges([1, 2]), ValueError, r"groups has shape \(2,\)"),
    (lambda: trace().uses(1), ValueError, "wanted n_classifiers to be the size"),
]
test_messages = rejected(PROBLEMS + POLICIES + GRIDS + CURVES + DAGS)
