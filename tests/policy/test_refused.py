"""What problems, policies, states, grids and calibrations take, and how they refuse the rest."""

import numpy as np

from mddag.ensemble.votes import Votes
from mddag.losses import Squared
from mddag.policy.calibration import Calibration
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.policy.policy import SKIP, Policy
from mddag.policy.state import Stages
from tests.messages.models import rejected

VOTES = np.array([[1.0, -2.0, 0.5], [-1.0, 0.5, 0.25], [0.5, 0.5, 0.5], [-2.0, 1.0, 0.0]])
LABELS, GRID = np.array([1, 0, 1, 0]), Grid(np.array([0.0]))


def mdp(votes=VOTES, labels=LABELS, **changes):
    return lambda: MDP(votes, labels, **changes)


def shaped(*shape):
    return mdp(np.zeros(shape), np.zeros(shape[0], int))


def with_vote(vote):
    votes = VOTES.copy()
    votes[2, 1] = vote
    return votes


def policy(actions=((0, 0), (0, 0)), order=(0, 1), **changes):
    return lambda: Policy(np.array(actions), GRID, np.array(order), **changes)


def leaps(leaps, **changes):
    given = {"state": Stages(GRID, np.zeros(13, int)), "leaps": leaps, **changes}
    return lambda: Policy(np.full((12, 2), SKIP), GRID, np.arange(12), **given)


def stages(*parts):
    return lambda: Stages(GRID, *parts)


def calibration(groups, factors, offsets):
    return lambda: Calibration(groups, factors, offsets)


def cells(n_scores, shape):
    return lambda: Grid(np.zeros(1), n_scores).cells(np.zeros(shape))


SOFT = [[0.5, 0.5], [1, 0], [2, -1], [0, 1]], [[0.5, 0.5], [1, 0], [np.nan, 0], [0, 1]]
CODED = Votes.from_dense(VOTES, bias=np.inf)
MDPS = [
    *[(mdp(beta=b), ValueError, f"beta is {b!r}") for b in (-0.1, np.nan, np.inf, "0.1", None)],
    (mdp(labels=[0, 1, 2, 0], loss=Squared()), ValueError, r"class 2 \(row 2\)"),
    (mdp(labels=[0, -1, 1, 0], loss=Squared()), ValueError, r"class -1 \(row 1\)"),
    (mdp(labels=[3, 5, 7, 9], loss=Squared()), ValueError, "floats stand for regression"),
    (mdp(labels=1), ValueError, r"labels have shape \(\)"),
    (mdp(labels=[0.5, np.nan, 0, 0], loss=Squared()), ValueError, "label of row 1 is nan"),
    (mdp(labels=np.ones((4, 3)) / 3), ValueError, "soft targets have 3 columns"),
    (mdp(labels=SOFT[0]), ValueError, r"row 2 is \[2.0, -1.0\]"),
    (mdp(labels=SOFT[1]), ValueError, "soft target of row 2"),
    (mdp(labels=LABELS.astype(float)), TypeError, "this loss wants class numbers"),
    (mdp(with_vote(np.nan)), ValueError, "the vote of base classifier 1 on row 2 is nan"),
    (mdp(with_vote(-np.inf)), ValueError, "the vote of base classifier 1 on row 2 is -inf"),
    (mdp(Votes.from_dense(with_vote(np.inf))), ValueError, "a leaf of base classifier 1 votes"),
    (mdp(CODED), ValueError, "bias of the votes is"),
    (shaped(4, 0), ValueError, "votes are of 0 base classifiers on 4 rows"),
    (shaped(0, 3, 2), ValueError, "votes are of 3 base classifiers on 0 rows"),
    (shaped(4), ValueError, r"votes have shape \(4,\); wanted \(n, N\)"),
    (shaped(4, 3, 0), ValueError, r"votes have shape \(4, 3, 0\); wanted \(n, N\)"),
    (shaped(4, 3, 2, 1), ValueError, r"votes have shape \(4, 3, 2, 1\); wanted \(n, N\)"),
    (mdp(np.full((4, 2), 1e200)), ValueError, r"the largest of the votes and the bias is 1e.200"),
    (mdp(np.full((4, 2), 1e-200)), ValueError, "the largest of the votes and the bias is 1e-200"),
    (mdp(weight=np.ones(3)), ValueError, r"weight has shape \(3,\)"),
    (mdp(weight=[1, 1, -1, 1]), ValueError, r"weight\[2\] is -1.0"),
    (mdp(costs=np.ones(4)), ValueError, r"costs has shape \(4,\)"),
    (mdp(costs=[1, np.nan, 1]), ValueError, r"costs\[1\] is nan"),
    (mdp(grid=Grid(np.zeros(1), 2)), ValueError, r"grid is for 2 score"),
    (mdp(loss=lambda f, y: f), ValueError, r"returned shape \(4, 1\)"),
    (mdp(loss=lambda f, y: np.full(4, np.nan)), ValueError, "is nan on row 0"),
    (mdp(actions="eval"), ValueError, "actions are 'eval'"),
    (mdp(actions=("eval", ["skip"])), ValueError, r"actions are \('eval', \['skip'\]\)"),
]
POLICIES = [
    (policy(order=(1, 2)), ValueError, r"each of 0\.\.1 once"),
    (policy(order=(0.5, 1)), ValueError, "order is float64"),
    (policy(((0, 0, 0), (0, 0, 0))), ValueError, r"actions have shape \(2, 3\); wanted \(2, 2\)"),
    (policy(((0, 1), (7, 2))), ValueError, "the action at step 1 in cell 0 is 7; wanted EVAL"),
    (policy(verdict=np.zeros((2, 2), int)), ValueError, r"verdict .*shape \(2, 2\)"),
    (policy(verdict=np.zeros((3, 2))), ValueError, "verdict is an array of float64"),
    (policy(verdict=np.full((3, 2), -2)), ValueError, "decision 0 in cell 0 is -2"),
    (leaps(np.zeros((12, 2), int)), ValueError, "decision 0 in cell 0 leads to decision 0"),
    (leaps(np.full((12, 2), 13)), ValueError, "leads to decision 13"),
    (leaps(np.full((12, 3), 12)), ValueError, r"leaps are .*\(12, 3\)"),
    (leaps(np.full((12, 2), 0.5)), ValueError, "leaps are an array of float64"),
    (leaps(np.full((12, 2), 12), state=None), ValueError, "leaps are given; wanted .* of Stages"),
    (
        leaps(np.full((12, 2), 12), verdict=np.zeros((13, 2), int)),
        ValueError,
        "leaps are given; .* without verdicts",
    ),
    (stages([0.5]), ValueError, "reads is a list"),
    (stages([]), ValueError, "reads is"),
    (stages([0, -1]), ValueError, "step 1 reads column -1"),
    (stages([0, 2**16]), ValueError, "step 1 reads column 65536"),
    (stages([0, 1], [[True]]), ValueError, "step 1 reads column 1"),
]
GRIDS = [
    (lambda: Grid([1.0, 0.0]), ValueError, r"edges of shape \(2,\) .*strictly increasing"),
    (lambda: Grid([0.0, 0.0, 1.0]), ValueError, r"edges of shape \(3,\) .*strictly increasing"),
    (lambda: Grid([0.0, 1, 2, np.nan]), ValueError, r"edges of shape \(4,\) .*strictly increasing"),
    (lambda: Grid([0.0, 1, 2, 3, np.inf]), ValueError, r"edges of shape \(5,\) are not finite"),
    (lambda: Grid([[0.0, 1.0]]), ValueError, r"edges of shape \(1, 2\) .*strictly increasing"),
    (lambda: Grid(0.0), ValueError, r"edges of shape \(\) .*strictly increasing"),
    (lambda: Grid(np.zeros(1), 0), ValueError, "n_scores is 0"),
    (lambda: Grid.uniform(Votes.from_dense(VOTES), 1), ValueError, "n_cells is 1; .* 2 or more"),
    (cells(3, (4, 2)), ValueError, r"scores have shape \(4, 2\); wanted \(n, 3\)"),
    (cells(1, (4,)), ValueError, r"scores have shape \(4,\)"),
]
CALIBRATIONS = [
    (calibration([0, 2], [1.0, 1.0], [0.0, 0.5]), ValueError, "exit step 1 is in group 2"),
    (calibration([-1], [1.0], [0.0]), ValueError, "exit step 0 is in group -1"),
    (calibration([0.0], [1.0], [0.0]), ValueError, r"groups are float64 \(1,\); wanted"),
    (calibration([[0]], [1.0], [0.0]), ValueError, r"groups are int64 \(1, 1\)"),
    (calibration([0], [1.0], [0.0, 0.0]), ValueError, r"have shapes \(1,\) and \(2,\); wanted one"),
    (calibration([0], [0.0], [0.0]), ValueError, "factors hold others than positive numbers"),
    (calibration([0], [np.inf], [0.0]), ValueError, "hold others than positive numbers"),
    (calibration([0], [1.0], [np.nan]), ValueError, "offsets others than finite ones"),
]

test_messages = rejected(MDPS + POLICIES + GRIDS + CALIBRATIONS)
