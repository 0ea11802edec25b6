"""What is said of bad input: MDP, Grid, Policy and Curve."""

from dataclasses import replace

import numpy as np

from mddag import MDP, Curve, Grid, Policy
from mddag.mdp.state import Stages
from tests.messages.message import check, each
from tests.messages.models import X, Y, curve, ensemble, fast, mdp, model, policy, votes

ROWS = [
    ("votes", lambda: MDP(model(), Y), ValueError, "votes is a GradientBoostingClassifier; wanted"),
    ("an Ensemble", lambda: MDP(ensemble(), Y), TypeError, "votes is an Ensemble"),
    (
        "labels",
        lambda: MDP(votes(), Y[:3]),
        ValueError,
        r"labels have shape \(3,\) for votes on 80",
    ),
    ("words", lambda: MDP(votes(), np.full(80, "a")), ValueError, "labels have dtype <U1; wanted"),
    ("class 2", lambda: MDP(votes(), Y + 1), ValueError, "labels contain class 2"),
    ("shares", lambda: MDP(votes(), np.ones((80, 2))), ValueError, "wanted probabilities that sum"),
    (
        "price",
        lambda: MDP(votes(), Y, costs="dear"),
        ValueError,
        "costs is 'dear'; wanted one number",
    ),
    ("weight", lambda: MDP(votes(), Y, weight=np.zeros(80)), ValueError, "weight is 0 for every"),
    ("cells", lambda: MDP(votes(), Y, grid=8), TypeError, "grid is an int; wanted a Grid"),
    (
        "evaluate",
        lambda: mdp().evaluate(fast()),
        TypeError,
        "policy is an MDDAGClassifier; wanted a",
    ),
    (
        "swapped",
        lambda: Policy(policy().grid, policy().actions, policy().order),
        TypeError,
        r"grid is an array of uint8 .*wanted a Grid, the second argument of Policy\(actions, grid",
    ),
    (
        "shape",
        lambda: Policy(policy().actions[:2], policy().grid, policy().order),
        ValueError,
        r"actions have shape \(2, 1024\); wanted \(6, 1024\)",
    ),
    (
        "action",
        lambda: Policy.constant(7, 6, policy().grid),
        ValueError,
        "the action at step 0 in cell 0 is 7; wanted EVAL",
    ),
    (
        "verdict",
        lambda: replace(policy(), verdict=np.zeros(6)),
        ValueError,
        r"verdict is an array of float64 .*wanted integers \(7, 1024\): a class for each decision",
    ),
    (
        "class of a verdict",
        lambda: replace(policy(), verdict=np.full((7, 1024), 2)),
        ValueError,
        "verdict of decision 0 in cell 0 is 2; wanted a class from 0 to 1, or -1",
    ),
    (
        "reads",
        lambda: Stages(policy().grid, "first"),
        ValueError,
        r"reads is 'first'; wanted integers \(N \+ 1,\)",
    ),
    (
        "writes",
        lambda: Stages(policy().grid, [0, 1], np.zeros((2, 2))),
        ValueError,
        r"writes is an array of float64 .*wanted bools \(1, C\)",
    ),
    (
        "stages of another policy",
        lambda: replace(policy(), state=Stages(policy().grid, [0, 0])),
        ValueError,
        "from another grid|the state is for 1 steps, but the order has 6",
    ),
    ("cells of stages", lambda: Stages(3, [0]), TypeError, "grid is 3; wanted a Grid"),
    (
        "too long a prefix",
        lambda: Policy.prefix(7, 6, policy().grid),
        ValueError,
        "cannot evaluate the first 7 of 6 steps",
    ),
    (
        "steps",
        lambda: Policy.constant(0, "six", policy().grid),
        ValueError,
        "n_steps is 'six'; wanted",
    ),
    ("edges", lambda: Grid("wide"), ValueError, "edges is 'wide'; wanted a sorted array"),
    ("falling edges", lambda: Grid([1.0, 0.0]), ValueError, "not finite and strictly increasing"),
    ("scores", lambda: Grid([0.0], n_scores=0), ValueError, "n_scores is 0; wanted a whole number"),
    (
        "grid of",
        lambda: Grid.uniform(ensemble()),
        TypeError,
        "votes is an Ensemble; wanted Votes, such",
    ),
    ("n_cells", lambda: Grid.quantile(votes(), "many"), ValueError, "n_cells is 'many'; wanted"),
    (
        "cells of",
        lambda: policy().grid.cells(X),
        ValueError,
        r"scores have shape \(80, 3\); wanted",
    ),
    (
        "curve by hand",
        lambda: Curve({}, ()),
        ValueError,
        "columns have no .*mddag.sweep makes curves",
    ),
    ("sample", lambda: curve().envelope("all"), ValueError, "on is 'all'; wanted one of 'train'"),
    ("column", lambda: curve().envelope(x="time"), ValueError, "x is 'time'; wanted one of 'cost'"),
    ("csv", lambda: curve().to_csv(2), TypeError, "path is 2; wanted a str"),
    ("unit", lambda: MDP(votes(), Y, unit=None), ValueError, "unit is None; wanted a finite num"),
    ("most", lambda: mdp().counting("all"), ValueError, "most is 'all'; wanted a whole number"),
    (
        "arranged by a policy",
        lambda: mdp().arranged(policy()),
        TypeError,
        "arrangement is a Policy; wanted an Arrangement, such as",
    ),
    ("after nothing", lambda: policy().after(None), TypeError, "arrangement is None; wanted an A"),
    (
        "a grid for a state",
        lambda: replace(policy(), state=policy().grid.edges),
        TypeError,
        "state is an array of float64 .*; wanted a State, such as Score",
    ),
    (
        "weight of the rows of a grid",
        lambda: Grid.quantile(votes(), weight=3),
        ValueError,
        r"weight has shape \(\); wanted one number per row, \(80,\)",
    ),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
