"""Models to write to files: a fixed one with everything in it, and random ones."""

import numpy as np
from hypothesis import strategies as st

from mddag.engine.dag import Dag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.policy.calibration import Calibration
from mddag.policy.grid import Grid
from mddag.policy.mdp import Evaluation
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.serving.model_file import Model
from mddag.serving.model_file.container import pack, unpack
from mddag.serving.summary import Summary
from tests import strategies

SUMMARY = Summary(
    kind="classifier",
    knob="max_loss",
    value=0.02,
    n_classifiers=2,
    rows="certifying",
    n_rows=500,
    n_evaluated=1.25,
    measured_against="labels",
    full=0.25,
    sparse=0.256,
    difference=0.016,
    lost=0.006,
    confidence=0.9,
    speed=0.75,
    speed_one=1.5,
)


def whole_model(**changes):
    """Three trees, one of them nominal, two base classifiers, three classes, decisions every 2."""
    trees = []
    for t, votes in enumerate([[0.5, -0.25, 0.125], [1.0], [-1.5]]):
        tree = TreeBuilder()
        left, right = tree.leaf(np.array(votes)), tree.leaf(-np.array(votes))
        if t == 1:
            root = tree.nominal_split(1, np.array([0, 40]), left, right, missing_left=False)
        else:
            root = tree.split(0, t - 0.5, left, right, missing_left=True)
        trees.append(tree.finish(root))
    ensemble = Ensemble.from_trees(
        trees,
        features=Features(2, ("size", "tøwn"), {1: ("ulm", 7, 2.5, True)}, missing=False),
        bias=[0.0, 0.1, 0.2],
        score=[-1, 2, 0],
        rounds=[0, 2, 3],
        cost=[1.5, 0.0],
        classes=np.array(["a", "b", "ccc"]),
    )
    policy = Policy(
        np.array([[EVAL, EVAL, SKIP, QUIT, EVAL, EVAL]], np.uint8),
        Grid(np.array([0.25]), 3),
        np.array([1, 0]),
        every=2,
    )
    parts = {
        "dag": Dag(ensemble, policy, expected_evaluations=1.0),
        "calibration": Calibration([0, 0, 1], [1.5, 2.5], [0.0, 0.0]),
        "beta": 0.001,
        "evaluation": Evaluation(0.25, 1.5, 0.2515, 1.0),
        "full": Evaluation(0.2, 1.5, 0.2015, 2.0),
        "measured_against": "labels",
        "summary": SUMMARY,
    }
    return Model(**(parts | changes))


@st.composite
def models(draw):
    """A random Model over a random ensemble."""
    ensemble = draw(strategies.ensembles())
    policy = draw(strategies.policies(len(ensemble), ensemble.n_scores))
    if ensemble.n_scores == 1 and draw(st.booleans()):
        policy = draw(strategies.staged_policies(len(ensemble)))
    elif draw(st.booleans()):
        policy = draw(strategies.with_verdicts(policy))
    factor = draw(st.floats(0.1, 10))
    return Model(Dag(ensemble, policy), Calibration.one_group(factor, len(ensemble)), 0.5)


def rewritten(change):
    """A file with a right checksum whose metadata and tensors `change` has changed."""
    metadata, tensors = unpack(whole_model().to_bytes())
    change(metadata, tensors)
    return pack(metadata, tensors)
