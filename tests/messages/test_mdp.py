"""What is said of bad input: MDP, Grid, Policy and Curve."""

from dataclasses import replace

import numpy as np

from mddag import MDP, Curve, Grid, Policy
from mddag.policy.state import Stages
from tests.messages.message import check, each
from tests.messages.models import X, Y, curve, ensemble, fast, mdp, model, policy, votes


def stages(*given):
    return lambda: Stages(policy().grid, *given)


def swapped():
    return Policy(policy().grid, policy().actions, policy().order)


def foreign_stages():
    return replace(policy(), state=Stages(policy().grid, [0, 0]))


PROBLEMS = [
    ("votes", lambda: MDP(model(), Y), ValueError, "votes is a GradientBoostingClassifier"),
    ("price", lambda: MDP(votes(), Y, costs="dear"), ValueError, "costs is 'dear'"),
    ("weight", lambda: MDP(votes(), Y, weight=np.zeros(80)), ValueError, "weight is 0 for every"),
    ("unit", lambda: MDP(votes(), Y, unit=None), ValueError, "unit is None"),
    ("evaluate", lambda: mdp().evaluate(fast()), TypeError, "policy is an MDDAGClassifier"),
    ("most", lambda: mdp().counting("all"), ValueError, "most is 'all'"),
    ("arranged", lambda: mdp().arranged(policy()), TypeError, "arrangement is a Policy"),
]
POLICIES = [
    ("swapped", swapped, TypeError, "grid is an array of uint8 .*the second argument"),
    ("steps", lambda: Policy.constant(0, "six", policy().grid), ValueError, "n_steps is 'six'"),
    ("after nothing", lambda: policy().after(None), TypeError, "arrangement is None"),
    ("reads", stages("first"), ValueError, "reads is 'first'"),
    ("writes", stages([0, 1], np.zeros((2, 2))), ValueError, "writes is an array of float64"),
    ("cells of stages", lambda: Stages(3, [0]), TypeError, "grid is 3;"),
    ("foreign stages", foreign_stages, ValueError, "another grid|for 1 steps, .* has 6"),
    ("state", lambda: replace(policy(), state=X[0]), TypeError, "state is an array of float64"),
]
GRIDS = [
    ("edges", lambda: Grid("wide"), ValueError, "edges is 'wide'"),
    ("grid of", lambda: Grid.uniform(ensemble()), TypeError, "votes is an Ensemble"),
    ("n_cells", lambda: Grid.quantile(votes(), "many"), ValueError, "n_cells is 'many'"),
    ("weight", lambda: Grid.quantile(votes(), weight=3), ValueError, r"weight .*\(\); .*\(80,\)"),
]
CURVES = [
    ("by hand", lambda: Curve({}, ()), ValueError, "columns have no .*mddag.sweep"),
    ("sample", lambda: curve().envelope("all"), ValueError, "on is 'all'; .*'train'"),
    ("column", lambda: curve().envelope(x="time"), ValueError, "x is 'time'; .*'cost'"),
    ("csv", lambda: curve().to_csv(2), TypeError, "path is 2;"),
]


@each(PROBLEMS + POLICIES + GRIDS + CURVES)
def test_messages(call, error, words):
    check(call, error, words)
