"""What is said of bad input: MDP, Grid, Policy, states, calibrations, Curve, Dag and Trace."""

from dataclasses import replace

import numpy as np

import mddag
from mddag import MDP, Curve, Dag, Grid, Policy
from mddag.ensemble.votes import Votes
from mddag.losses import Squared
from mddag.policy.calibration import Calibration
from mddag.policy.policy import SKIP
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
    (lambda: MDP(model(), Y), "votes is a GradientBoostingClassifier"),
    (lambda: MDP(votes(), Y, costs="dear"), "costs is 'dear'"),
    (lambda: MDP(votes(), Y, weight=np.zeros(80)), "weight is 0 for every"),
    (lambda: MDP(votes(), Y, unit=None), "unit is None"),
    (lambda: mdp().evaluate(fast()), TypeError, "policy is an MDDAGClassifier"),
    (lambda: mdp().counting("all"), "most is 'all'"),
    (lambda: mdp().arranged(policy()), TypeError, "arrangement is a Policy"),
]
POLICIES = [
    (swapped, TypeError, "grid is an array of uint8 .*the second argument"),
    (lambda: Policy.constant(0, "six", policy().grid), "n_steps is 'six'"),
    (lambda: policy().after(None), TypeError, "arrangement is None"),
    (stages([0, 1], np.zeros((2, 2))), "writes is an array of float64"),
    (lambda: Stages(3, [0]), TypeError, "grid is 3;"),
    (foreign_stages, "another grid|for 1 steps, .* has 6"),
    (lambda: replace(policy(), state=X[0]), TypeError, "state is an array of float64"),
]
GRIDS = [
    (lambda: Grid("wide"), "edges is 'wide'"),
    (lambda: Grid.uniform(ensemble()), TypeError, "votes is an Ensemble"),
    (lambda: Grid.quantile(votes(), "many"), "n_cells is 'many'"),
    (lambda: Grid.quantile(votes(), weight=3), r"weight .*\(\); .*\(80,\)"),
]
CURVES = [
    (lambda: Curve({}, ()), "columns have no .*mddag.sweep"),
    (lambda: curve().envelope("all"), "on is 'all'; .*'train'"),
    (lambda: curve().envelope(x="time"), "x is 'time'; .*'cost'"),
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
        "the policy is for 6 base classifiers",
    ),
    (lambda: mddag.compile(ensemble(), policy(), executor="gpu"), "executor is 'gpu'"),
    (lambda: Dag(ensemble(), policy(), None, 99.0), "expected_evaluations is 99.0,"),
    (
        lambda: mddag.compile(ensemble(), staged(), executor="blocks"),
        "'blocks', but the policy's state, a Stages",
    ),
    (lambda: trace().path("first"), TypeError, "i is 'first'"),
    (lambda: trace().uses(1), "wanted n_classifiers to be the size"),
]
test_messages = rejected(PROBLEMS + POLICIES + GRIDS + CURVES + DAGS)


# What problems, policies, states, grids and calibrations take, and how they refuse the rest.


VOTES = np.array([[1.0, -2.0, 0.5], [-1.0, 0.5, 0.25], [0.5, 0.5, 0.5], [-2.0, 1.0, 0.0]])
LABELS, GRID = np.array([1, 0, 1, 0]), Grid(np.array([0.0]))


def problem(votes=VOTES, labels=LABELS, **changes):
    return lambda: MDP(votes, labels, **changes)


def shaped(*shape):
    return problem(np.zeros(shape), np.zeros(shape[0], int))


def with_vote(vote):
    votes = VOTES.copy()
    votes[2, 1] = vote
    return votes


def acting(actions=((0, 0), (0, 0)), order=(0, 1), **changes):
    return lambda: Policy(np.array(actions), GRID, np.array(order), **changes)


def leaps(leaps, **changes):
    given = {"state": Stages(GRID, np.zeros(13, int)), "leaps": leaps, **changes}
    return lambda: Policy(np.full((12, 2), SKIP), GRID, np.arange(12), **given)


def reading(*parts):
    return lambda: Stages(GRID, *parts)


def calibration(groups, factors, offsets):
    return lambda: Calibration(groups, factors, offsets)


def cells(n_scores, shape):
    return lambda: Grid(np.zeros(1), n_scores).cells(np.zeros(shape))


SOFT = [[0.5, 0.5], [1, 0], [2, -1], [0, 1]], [[0.5, 0.5], [1, 0], [np.nan, 0], [0, 1]]
CODED = Votes.from_dense(VOTES, bias=np.inf)
MDPS = [
    *[(problem(beta=b), f"beta is {b!r}") for b in (-0.1, np.nan, np.inf, "0.1", None)],
    (problem(labels=[0, 1, 2, 0], loss=Squared()), r"class 2 \(row 2\)"),
    (problem(labels=[0, -1, 1, 0], loss=Squared()), r"class -1 \(row 1\)"),
    (problem(labels=[3, 5, 7, 9], loss=Squared()), "floats stand for regression"),
    (problem(labels=1), r"labels have shape \(\)"),
    (problem(labels=[0.5, np.nan, 0, 0], loss=Squared()), "label of row 1 is nan"),
    (problem(labels=np.ones((4, 3)) / 3), "soft targets have 3 columns"),
    (problem(labels=SOFT[0]), r"row 2 is \[2.0, -1.0\]"),
    (problem(labels=SOFT[1]), "soft target of row 2"),
    (problem(labels=LABELS.astype(float)), TypeError, "this loss wants class numbers"),
    (problem(with_vote(np.nan)), "the vote of base classifier 1 on row 2 is nan"),
    (problem(Votes.from_dense(with_vote(np.inf))), "a leaf of base classifier 1 votes"),
    (problem(CODED), "bias of the votes is"),
    (shaped(4, 0), "votes are of 0 base classifiers on 4 rows"),
    (shaped(0, 3, 2), "votes are of 3 base classifiers on 0 rows"),
    (shaped(4), r"votes have shape \(4,\); wanted \(n, N\)"),
    (shaped(4, 3, 0), r"votes have shape \(4, 3, 0\); wanted \(n, N\)"),
    (problem(np.full((4, 2), 1e200)), r"the largest of the votes and the bias is 1e.200"),
    (problem(np.full((4, 2), 1e-200)), "the largest of the votes and the bias is 1e-200"),
    (problem(weight=np.ones(3)), r"weight has shape \(3,\)"),
    (problem(weight=[1, 1, -1, 1]), r"weight\[2\] is -1.0"),
    (problem(costs=np.ones(4)), r"costs has shape \(4,\)"),
    (problem(costs=[1, np.nan, 1]), r"costs\[1\] is nan"),
    (problem(grid=Grid(np.zeros(1), 2)), r"grid is for 2 score"),
    (problem(loss=lambda f, y: f), r"returned shape \(4, 1\)"),
    (problem(loss=lambda f, y: np.full(4, np.nan)), "is nan on row 0"),
    (problem(actions="eval"), "actions are 'eval'"),
    (problem(actions=("eval", ["skip"])), r"actions are \('eval', \['skip'\]\)"),
]
TABLES = [
    (acting(order=(1, 2)), r"each of 0\.\.1 once"),
    (acting(order=(0.5, 1)), "order is float64"),
    (acting(((0, 0, 0), (0, 0, 0))), r"actions have shape \(2, 3\); wanted \(2, 2\)"),
    (acting(((0, 1), (7, 2))), "the action at step 1 in cell 0 is 7; wanted EVAL"),
    (acting(verdict=np.zeros((2, 2), int)), r"verdict .*shape \(2, 2\)"),
    (acting(verdict=np.zeros((3, 2))), "verdict is an array of float64"),
    (acting(verdict=np.full((3, 2), -2)), "decision 0 in cell 0 is -2"),
    (leaps(np.zeros((12, 2), int)), "decision 0 in cell 0 leads to decision 0"),
    (leaps(np.full((12, 2), 13)), "leads to decision 13"),
    (leaps(np.full((12, 3), 12)), r"leaps are .*\(12, 3\)"),
    (leaps(np.full((12, 2), 0.5)), "leaps are an array of float64"),
    (leaps(np.full((12, 2), 12), state=None), "leaps are given; wanted .* of Stages"),
    (
        leaps(np.full((12, 2), 12), verdict=np.zeros((13, 2), int)),
        "leaps are given; .* without verdicts",
    ),
    (reading([0.5]), "reads is a list"),
    (reading([]), "reads is"),
    (reading([0, -1]), "step 1 reads column -1"),
    (reading([0, 2**16]), "step 1 reads column 65536"),
    (reading([0, 1], [[True]]), "step 1 reads column 1"),
]
EDGES = [
    (lambda: Grid([1.0, 0.0]), r"edges of shape \(2,\) .*strictly increasing"),
    (lambda: Grid([0.0, 1, 2, np.nan]), r"edges of shape \(4,\) .*strictly increasing"),
    (lambda: Grid([0.0, 1, 2, 3, np.inf]), r"edges of shape \(5,\) are not finite"),
    (lambda: Grid([[0.0, 1.0]]), r"edges of shape \(1, 2\) .*strictly increasing"),
    (lambda: Grid(0.0), r"edges of shape \(\) .*strictly increasing"),
    (lambda: Grid(np.zeros(1), 0), "n_scores is 0"),
    (lambda: Grid.uniform(Votes.from_dense(VOTES), 1), "n_cells is 1; .* 2 or more"),
    (cells(3, (4, 2)), r"scores have shape \(4, 2\); wanted \(n, 3\)"),
    (cells(1, (4,)), r"scores have shape \(4,\)"),
]
CALIBRATIONS = [
    (calibration([0, 2], [1.0, 1.0], [0.0, 0.5]), "exit step 1 is in group 2"),
    (calibration([-1], [1.0], [0.0]), "exit step 0 is in group -1"),
    (calibration([0.0], [1.0], [0.0]), r"groups are float64 \(1,\); wanted"),
    (calibration([[0]], [1.0], [0.0]), r"groups are int64 \(1, 1\)"),
    (calibration([0], [1.0], [0.0, 0.0]), r"have shapes \(1,\) and \(2,\); wanted one"),
    (calibration([0], [0.0], [0.0]), "factors hold others than positive numbers"),
    (calibration([0], [np.inf], [0.0]), "hold others than positive numbers"),
    (calibration([0], [1.0], [np.nan]), "offsets others than finite ones"),
]

test_messages_of_parts = rejected(MDPS + TABLES + EDGES + CALIBRATIONS)
