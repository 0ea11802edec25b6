"""Models to write to files: a fixed one with everything in it, and random ones."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from mddag.detection.haar import haar_features
from mddag.engine.dag import Dag
from mddag.engine.dag import compile as compile_dag
from mddag.engine.purchases import Purchases
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.patches import PatchFeatures
from mddag.ensemble.tasks import Classification, Ranking, Regression
from mddag.metrics import NDCG, LetorNDCG, MeanNDCG
from mddag.policy.calibration import Calibration
from mddag.policy.grid import Grid
from mddag.policy.mdp import Evaluation
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.policy.state import Stages
from mddag.ranking.states import Gap, Readings, Urgency
from mddag.serving.model_file import Model
from mddag.serving.model_file.container import pack, unpack
from mddag.serving.result import MeasuredBound, MeasuredMetric, Result
from tests import strategies
from tests.native.blocks.forests import random_ensemble, random_tree

RESULT = Result(
    kind="classifier",
    target="max_loss",
    value=0.02,
    made_by="sparsify",
    rows="certifying",
    n_rows=500,
    n_classifiers=2,
    n_evaluated=1.25,
    evaluation=Evaluation(0.25, 1.5, 0.2515, 1.0),
    full_evaluation=Evaluation(0.2, 1.5, 0.2015, 2.0),
    metrics=(MeasuredMetric("accuracy", 0.75, 0.744), MeasuredMetric("ROC AUC", 0.9, 0.89)),
    difference=0.016,
    bounds=(MeasuredBound("accuracy", 0.006, True),),
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
        "result": RESULT,
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
    return Model(Dag(ensemble, policy), Calibration.one_group(factor, len(ensemble)))


def rewritten(change):
    """A file with a right checksum whose metadata and tensors `change` has changed."""
    metadata, tensors = unpack(whole_model().to_bytes())
    change(metadata, tensors)
    return pack(metadata, tensors)


CHECKS = (2, 4, 8, 11)


def readings(rng, checks=CHECKS, cells=3):
    """Near to what a solver fits: weights of about 1, spreads that shrink."""
    n = len(checks)
    return Readings(
        checks,
        np.tril(rng.normal(1.0, 0.2, (n, n))),
        rng.normal(size=n),
        np.sort(rng.normal(size=(n, cells - 1)), axis=1),
        rng.uniform(0.2, 1.0, (n, cells)) / np.arange(1, n + 1)[:, None],
        np.linspace(-3.0, 3.0, 7),
        np.sort(rng.uniform(0.0, 3.0, 7)),
        0.5,
    )


def ranker(seed, state, edges, skips=0.0):
    """Decisions for two steps at once, on check points; `state` of a grid and readings."""
    rng = np.random.default_rng(seed)
    thresholds = [rng.normal(size=5) for _ in range(4)]
    trees = random_ensemble(rng, [2, 8, 5] * 3 + [20, 3], thresholds)
    grid = Grid(np.array(edges))
    actions = np.full((6, grid.n_cells), EVAL, np.uint8)
    for c in CHECKS[:-1]:
        actions[c // 2, : rng.integers(1, grid.n_cells)] = QUIT
    if skips:
        actions[3][rng.random(grid.n_cells) < skips] = SKIP
    looked_at = state(grid, readings(rng))
    policy = Policy(actions, grid, rng.permutation(11), 2, state=looked_at)
    return Model(Dag(replace(trees, task=Ranking()), policy, None, 6.0))


def by_gap():
    return ranker(22, lambda grid, known: Gap(grid, known, 3), [-1.0, -0.3, 0.2])


def by_urgency():
    return ranker(23, lambda grid, known: Urgency(grid, known, NDCG(5)), [0.01, 0.05, 0.2])


def by_letor_urgency():
    """All positions count, with gains that are labels."""
    metric = LetorNDCG(None, "linear")
    return ranker(24, lambda grid, known: Urgency(grid, known, metric), [0.005, 0.1])


def by_mean_urgency():
    """The metric is a mean over cuts; a decision skips."""
    state = lambda grid, known: Urgency(grid, known, MeanNDCG())  # noqa: E731
    return ranker(21, state, [0.001, 0.01, 0.1], skips=0.5)


RANKERS = {made.__name__: made for made in (by_gap, by_urgency, by_letor_urgency, by_mean_urgency)}

N_FEATURES = 9  # more than a tile of the engine


def thresholds(rng):
    return [rng.normal(size=5) for _ in range(N_FEATURES)]


def random_policy(rng, ensemble, n_edges, every=1, skips=0.2, quits=0.1):
    """Any action in any cell but at the first decision, steps in any order."""
    n_steps = len(ensemble)
    low = -2.0 if ensemble.n_scores == 1 else 0.1
    grid = Grid(np.linspace(low, 2.0, n_edges), ensemble.n_scores)
    shape = (-(-n_steps // every), grid.n_cells)
    actions = rng.choice([EVAL, SKIP, QUIT], size=shape, p=[1 - skips - quits, skips, quits])
    actions[0] = EVAL  # all rows begin in one cell
    return Policy(actions, grid, rng.permutation(n_steps), every)


def random_classifier(rng, n_leaves, edges, n_scores=1):
    ensemble = random_ensemble(rng, n_leaves, edges, n_scores)
    return replace(ensemble, task=Classification(classes=np.arange(max(n_scores, 2))))


def stumps():
    """Evaluate-all: one step function for each feature."""
    rng = np.random.default_rng(0)
    return Model(compile_dag(random_classifier(rng, [2] * 40, thresholds(rng)[:4])))


def trees():
    """Of all sizes up to more leaves than a byte counts, with a policy that decides at each."""
    rng = np.random.default_rng(1)
    ensemble = random_classifier(rng, [1, 2, 3, 5, 8, 9, 20, 64, 257], thresholds(rng))
    return Model(Dag(ensemble, random_policy(rng, ensemble, 5)))


def classes():
    """Three classes; trees for all of them and for one, in base classifiers of several."""
    rng = np.random.default_rng(2)
    score = [-1, 0, 1, 2, -1, 2, 0, -1, 1]
    edges = thresholds(rng)
    members = [random_tree(rng, 2 + t, edges, 3 if k < 0 else 1) for t, k in enumerate(score)]
    ensemble = Ensemble.from_trees(
        members,
        features=Features(N_FEATURES, tuple(f"x{i}" for i in range(N_FEATURES))),
        bias=rng.normal(size=3),
        score=score,
        rounds=[0, 1, 4, 4, 6, 9],
        cost=[1.0, 3.0, 0.0, 2.0, 0.5],
        classes=np.array(["a", "b", "c"]),
    )
    policy = random_policy(rng, ensemble, 3, skips=0.1)
    calibration = Calibration([0, 0, 0, 1, 1, 1], [0.5, 2.0], [0.0, 0.0])
    return Model(Dag(ensemble, policy), calibration)


def nominal():
    """Splits by categories, beside numeric ones."""
    rng = np.random.default_rng(3)
    members = []
    for t in range(6):
        tree = TreeBuilder()
        leaves = [tree.leaf(rng.normal(size=1)) for _ in range(3)]
        inner = tree.split(0, rng.normal(), leaves[0], leaves[1], bool(t % 2))
        chosen = rng.choice(70, size=8, replace=False)
        members.append(tree.finish(tree.nominal_split(1 + t % 2, chosen, inner, leaves[2], t > 2)))
    towns = {1: tuple(f"t{i}" for i in range(70)), 2: (1, 2.5, True, "other")}
    ensemble = Ensemble.from_trees(
        members, features=Features(3, None, towns), bias=0.1, classes=[False, True]
    )
    return Model(Dag(ensemble, random_policy(rng, ensemble, 4)))


def regressor():
    """With a log link, calibrated by exit."""
    rng = np.random.default_rng(4)
    ensemble = random_ensemble(rng, [4] * 8, thresholds(rng), 1)
    ensemble = replace(ensemble, task=Regression(link="exp"))
    policy = random_policy(rng, ensemble, 6, skips=0.0)
    calibration = Calibration([0] * 4 + [1] * 5, [1.0, 0.5], [0.1, -0.1])
    return Model(Dag(ensemble, policy, None, 3.5), calibration)


def calibrated():
    """Two classes with labels, and probabilities by exit."""
    rng = np.random.default_rng(5)
    ensemble = random_ensemble(rng, [3, 8] * 5, thresholds(rng))
    ensemble = replace(
        ensemble,
        features=Features(N_FEATURES, missing=False),
        task=Classification(classes=np.array([-1, 1], np.int8)),
    )
    policy = random_policy(rng, ensemble, 30, skips=0.0)
    groups = np.minimum(np.arange(11) // 3, 2)
    return Model(Dag(ensemble, policy), Calibration(groups, [0.5, 1.0, 2.0], np.zeros(3)))


def every_two():
    """Decisions about two steps at once, the last about one; most cells alike."""
    rng = np.random.default_rng(6)
    ensemble = random_classifier(rng, [2, 8, 30] * 3, thresholds(rng))
    return Model(Dag(ensemble, random_policy(rng, ensemble, 4, every=2, skips=0.0)))


def skips():
    """Decisions about three steps that skip as often as they evaluate, four classes."""
    rng = np.random.default_rng(7)
    ensemble = random_classifier(rng, [4, 8, 2] * 5, thresholds(rng), 4)
    return Model(Dag(ensemble, random_policy(rng, ensemble, 2, every=3, skips=0.45)))


def patches():
    """Columns that are computed from pixels."""
    rng = np.random.default_rng(8)
    features = PatchFeatures.of((6, 5), haar_features((6, 5))[::60])
    edges = [rng.normal(size=3) / 4 for _ in range(features.n)]
    members = [random_tree(rng, n, edges, 1) for n in [2, 3, 8] * 3]
    ensemble = Ensemble.from_trees(members, features=features, classes=[0, 1])
    return Model(Dag(ensemble, random_policy(rng, ensemble, 5)))


def verdicts():
    """Three classes; where a row quits may say which it is."""
    rng = np.random.default_rng(8)
    ensemble = random_classifier(rng, [4, 8, 2] * 3, thresholds(rng), 3)
    policy = random_policy(rng, ensemble, 3)
    verdict = rng.integers(-1, 3, (len(policy.actions) + 1, policy.grid.n_cells))
    return Model(Dag(ensemble, replace(policy, verdict=verdict)))


def stages():
    """Three score columns, of which steps read one and write some."""
    rng = np.random.default_rng(9)
    ensemble = random_classifier(rng, [2, 8, 30] * 3, thresholds(rng))
    policy = random_policy(rng, ensemble, 4, every=2)
    state = Stages(policy.grid, np.repeat([0, 1, 2], [3, 3, 4]), rng.random((9, 3)) < 0.6)
    verdict = rng.integers(-1, 2, (len(policy.actions) + 1, policy.grid.n_cells))
    return Model(Dag(ensemble, replace(policy, state=state, verdict=verdict)))


def prices():
    """Four groups of features with prices, one of them computed from two others."""
    rng = np.random.default_rng(11)
    ensemble = random_classifier(rng, [2, 2, 3] * 4, thresholds(rng))
    groups = {"form": [0, 1, 8], "bank": [2, 3, 8], "lab": [4, 5, 6]}
    costs = {"form": 0, "bank": 2.5, "lab": 7, 7: 1}
    of = FeaturePrices.of(ensemble.features, costs, groups, wave_cost=0.5)
    policy = random_policy(rng, ensemble, 9, skips=0.3, quits=0.15)
    return Model(Dag(ensemble, policy, purchases=Purchases.of(of, ensemble)))


KINDS = {
    made.__name__: made
    for made in (
        stumps,
        trees,
        classes,
        nominal,
        regressor,
        calibrated,
        every_two,
        skips,
        patches,
        verdicts,
        stages,
        prices,
        whole_model,
    )
} | RANKERS
