"""Every kernel with threads, on so many rows that all of them take part: no result changes.

Under the thread sanitizer (`make sanitize`) it is also said whether they keep out of each other's
way, which results alone cannot tell.
"""

from dataclasses import replace

import numpy as np
import pytest

import mddag
from mddag import AdaBoostMHClassifier, Grid
from mddag.detection import Haar
from mddag.engine.dag import Dag
from mddag.ensemble.patches import haar_values
from mddag.learners import Stump, Tree
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.policy.state import Stages
from mddag.ranking import UrgencyExits
from mddag.solvers import Descent
from tests import rankings
from tests.detection.problems import random_classifier, random_picture

N_ROWS, N_COLUMNS = 20_000, 8


def rows(dtype=np.float64):
    return np.random.default_rng(0).normal(size=(N_ROWS, N_COLUMNS)).astype(dtype)


@pytest.fixture(scope="module", params=[2, 3], ids=["two classes", "three classes"])
def labels(request):
    return np.digitize(rows()[:, :3].sum(axis=1), [-1.0, 1.0][: request.param - 1])


@pytest.fixture(scope="module")
def ensemble(labels):
    learner = Tree(n_leaves=5)
    return AdaBoostMHClassifier(learner, n_rounds=12).fit(rows()[:1000], labels[:1000]).ensemble_


@pytest.fixture(scope="module")
def policy(ensemble):
    rng, n_scores = np.random.default_rng(0), ensemble.n_scores
    grid = Grid(np.linspace(-1, 1, 40) if n_scores == 1 else np.linspace(0, 1, 40), n_scores)
    actions = rng.choice([EVAL, SKIP, QUIT], (6, grid.n_cells), p=[0.8, 0.1, 0.1])
    return Policy(actions, grid, np.arange(len(ensemble)), every=2)


def assert_same_by_threads(compute):
    """`compute(n_jobs)` gives arrays that do not depend on the number."""
    wanted = compute(1)
    for _ in range(3):
        for mine, theirs in zip(compute(4), wanted, strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("order", ["C", "F"])
def test_leaf_codes_and_scores(ensemble, order):
    X = np.asarray(rows(np.float32), order=order)
    assert_same_by_threads(
        lambda n: (ensemble.scores(X, n_jobs=n), ensemble.votes(X, n_jobs=n).codes)
    )


@pytest.mark.parametrize("executor", ["walk", "blocks"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_policies(ensemble, policy, executor, dtype):
    X = rows(dtype)
    # New for each call: what is made when rows first come is then made while all threads wait.
    assert_same_by_threads(lambda n: Dag(ensemble, policy, executor).exits(X, n_jobs=n))


def test_paths(ensemble, policy):
    def run(n):
        trace = Dag(ensemble, policy).run(rows(), n_jobs=n)
        return trace.scores, trace.indices, trace.exit_step, trace.cost

    assert_same_by_threads(run)


def staged(policy):
    """The same decisions on two columns, with verdicts."""
    reads = np.arange(policy.n_steps + 1) // 3 % 2
    verdict = np.random.default_rng(0).integers(
        -1, 2, (len(policy.actions) + 1, policy.grid.n_cells)
    )
    return replace(policy, state=Stages(policy.grid, reads), verdict=verdict)


def test_stages(ensemble, policy):
    if ensemble.n_scores > 1:
        pytest.skip("stages decide on one score")

    def run(n):
        trace = Dag(ensemble, staged(policy)).run(rows(), n_jobs=n)
        return trace.scores, trace.indices, trace.exit_step, trace.cost, trace.verdict

    assert_same_by_threads(run)
    mdp = mddag.MDP(ensemble.votes(rows()), np.zeros(len(rows()), int))
    assert_same_by_threads(lambda n: mdp.rollout(staged(policy), n_jobs=n))


@pytest.mark.parametrize("executor", ["walk", "blocks", "all"])
def test_all_base_classifiers(ensemble, executor):
    X, everything = rows(np.float32), mddag.compile(ensemble).policy

    def scores(n):
        return (Dag(ensemble, everything, executor).scores(X, n_jobs=n),)

    assert_same_by_threads(scores)


def test_rollouts_and_sweeps(ensemble, labels):
    mdp = mddag.MDP(ensemble.votes(rows()), labels, beta=0.01)
    policies = {n: Descent(n_starts=1, random_state=0, n_jobs=n).solve(mdp) for n in (1, 4)}
    assert_same_by_threads(lambda n: (policies[n].actions,))
    assert_same_by_threads(lambda n: mdp.rollout(policies[1], n_jobs=n))


@pytest.mark.parametrize("learner", [Stump(), Tree(n_leaves=6)], ids=repr)
@pytest.mark.parametrize("max_bins", [64, 2000], ids=["narrow columns", "wide columns"])
def test_boosting(labels, learner, max_bins):
    def boosted(n):
        model = AdaBoostMHClassifier(
            learner, n_rounds=4, max_bins=max_bins, early_stopping=3, random_state=0, n_jobs=n
        )
        model.fit(rows(), labels)
        return model.ensemble_.nodes["threshold"], model.ensemble_.tables.values

    assert_same_by_threads(boosted)


def test_patches():
    patches = np.random.default_rng(0).integers(0, 256, (3000, 8, 6), np.uint8)
    labels = (patches[:, :, :3].mean(axis=(1, 2)) > patches[:, :, 3:].mean(axis=(1, 2))).astype(int)

    def boosted(n):
        model = AdaBoostMHClassifier(Haar(200, random_state=0), n_rounds=4, n_jobs=n)
        ensemble = model.fit(patches, labels).ensemble_
        trace = Dag(ensemble, mddag.compile(ensemble).policy).run(patches, n_jobs=n)
        scores = Dag(ensemble, mddag.compile(ensemble).policy, "windows").scores(patches, n_jobs=n)
        values = haar_values(patches, ensemble.features.rectangles, n)
        return ensemble.nodes["threshold"], trace.scores, trace.indices, scores, values

    assert_same_by_threads(boosted)


@pytest.mark.parametrize("skips", [False, True])
def test_scans(skips):
    rng = np.random.default_rng(0)
    classifier = random_classifier(rng, (9, 12), 12, 4, skips=skips)
    picture = random_picture(rng, 700, 500)

    def scanned(n):
        hits = classifier.scan(picture, n_jobs=n)
        return hits.boxes, hits.scores, hits.places, [hits.n_windows, hits.n_evaluated]

    assert_same_by_threads(scanned)


def test_queries():
    X, _, qid = rankings.documents(2000, seed=41)
    family = UrgencyExits().fit(rankings.problem())
    dag = mddag.compile(rankings.ensemble(), family.policy(1e-3))
    assert dag.by_query.has_kernel
    assert_same_by_threads(
        lambda n: (dag.scores(X, qid=qid, n_jobs=n), dag.n_evaluated(X, qid, n_jobs=n))
    )
