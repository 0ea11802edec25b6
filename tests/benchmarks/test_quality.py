"""Baselines are what their walks say, and costs at equal error; boxes that are hits."""

import numpy as np
import pytest
from sklearn.datasets import make_hastie_10_2
from sklearn.ensemble import GradientBoostingClassifier

import mddag
from benchmarks.costs.curves import path_groups
from benchmarks.costs.report import best_at, cost_at
from benchmarks.detection.matching import curve, matched
from benchmarks.quality.curves import chosen, reading
from benchmarks.quality.nodes import depths_of, walk, walked
from benchmarks.quality.report import gathered
from benchmarks.quality.rivals import measured, with_margin
from benchmarks.quality.rows import SHARES, Sample, parts
from benchmarks.quality.times import of_methods
from mddag import as_ensemble
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.solvers import Portfolio
from tests.engine.test_dag import stumps


def rows(n_classes=2, n=400):
    X, y = make_hastie_10_2(n, random_state=0)
    radius = (X**2).sum(axis=1)
    return X, (np.digitize(radius, np.quantile(radius, [0.3, 0.6])) if n_classes > 2 else y > 0) * 1


def ensemble(X, y, n_rounds=8):
    model = GradientBoostingClassifier(
        n_estimators=n_rounds, max_leaf_nodes=6, max_depth=None, random_state=0
    )
    return as_ensemble(model.fit(X, y))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("every", [1, 3])
def test_a_margin_rule_ends_where_its_policy_quits(n_classes, every):
    X, y = rows(n_classes)
    model = ensemble(X, y, 12)
    whole = walk(model, model.votes(X), y)
    margin = float(np.quantile(whole.margin, 0.6))
    by_walk = whole.ended(np.minimum(whole.first_above(margin, every), 9))
    small, policy = with_margin(model, 9, margin, every)
    assert by_walk == pytest.approx(
        measured(policy, small.votes(X), Sample(X, y), depths_of(small))
    )
    dag = mddag.compile(small, policy)
    assert dag.run(X).n_evaluated.mean() == pytest.approx(by_walk[1])
    assert 1 < by_walk[1] < 9


def visited(tree, x):
    """The splits on the way of one row, node by node."""
    at, n = 0, 0
    while tree["feature"][at] >= 0:
        node = tree[at]
        at, n = node["left"] if x[node["feature"]] <= node["threshold"] else node["right"], n + 1
    return n


@pytest.mark.parametrize("n_classes", [2, 3])
def test_nodes_of_a_policy_are_those_of_its_paths(n_classes):
    X, y = rows(n_classes)
    model = ensemble(X, y)
    votes = model.votes(X)
    policy = Portfolio(random_state=0).solve(mddag.MDP(votes, y, beta=0.005))
    found = walked(policy, votes, depths_of(model))
    trace = mddag.compile(model, policy).run(X)
    np.testing.assert_array_equal(found.evaluations, trace.n_evaluated)
    np.testing.assert_array_equal(found.winners, trace.verdict)
    for i in range(0, len(X), 37):
        trees = [t for j in trace.path(i) for t in range(*model.tables.rounds[j : j + 2])]
        assert found.nodes[i] == sum(visited(model.tree(t).records, X[i]) for t in trees)


@pytest.mark.parametrize(
    ("name", "n_classes", "n_columns"), [("ringnorm", 2, 20), ("waveform", 3, 21)]
)
def test_parts_of_made_sets(name, n_classes, n_columns):
    made = parts(name, seed=1, shrink=10)
    assert made.n_classes == n_classes
    assert made.train.X.shape == (800, n_columns)
    seen = [set(map(bytes, getattr(made, part).X)) for part in SHARES]
    assert len(set.union(*seen)) == sum(map(len, seen))  # no row is in two parts
    shares = np.bincount(made.policy.y) / len(made.policy.y)
    np.testing.assert_allclose(shares, 1 / n_classes, atol=0.01)


def line_readings(method, seed, cost):
    return {"data": "adult", "library": "LightGBM", "unit": "nodes", "tolerance": 0.002,
            "method": method, "seed": seed, "cost": cost, "full_cost": 100.0}  # fmt: skip


def test_ratios_are_paired_by_seed():
    (case,) = gathered(
        [
            line_readings("best rival", 0, 10),
            line_readings("best rival", 1, 20),
            line_readings("train", 0, 5),
            line_readings("train", 1, 10),
        ]
    )
    ratio = case.ratio("train", "best rival")
    assert ratio.mean == pytest.approx(0.5)
    assert ratio.error == pytest.approx(0)
    assert case.mean("full") == pytest.approx(100)
    assert not case.ratio("sparsify", "best rival")


FULL = (500.0, 0.1)


@pytest.mark.parametrize(
    ("points", "read", "at"),
    [
        ([(10, 0.2), (50, 0.102), (80, 0.1)], 50, 1),  # at the tolerance is within it
        ([(10, 0.112), (50, 0.092)], 30, 1),  # halfway between the two
        ([(10, 0.112), (20, 0.2), (50, 0.092)], 30, 2),  # from the best before it
        ([(50, 0.09), (80, 0.1)], 50, 0),  # the cheapest is good enough
        ([(10, 0.122)], 10 + 490 * 20 / 22, 1),  # rows drawn for the full model
        ([(600, 0.09)], 500, 1),  # dearer than the full model
        ([], 500, 0),
    ],
)
def test_the_cost_within_the_tolerance(points, read, at):
    assert reading(points, FULL, 0.002) == (pytest.approx(read), at)


def test_each_ratio_of_costs_has_the_least_error_on_policy_rows():
    costs = np.array([2.0, 2.01, 90.0, 91.0, 400.0])
    errors = np.array([0.11, 0.105, 0.104, 0.101, 0.1])
    assert chosen(costs, errors, 500.0, 0.12) == [1, 3, 4]


def test_every_method_is_timed_on_its_fastest_engine():
    X, y = rows()
    model = ensemble(X, y)
    methods = {"full": (model, None), "margin": with_margin(model, 6, 0.5)}
    full, margin = of_methods(methods, X)
    assert (full["method"], margin["method"]) == ("full", "margin")
    for line in (full, margin):
        assert float(line["one_row_us"]) > 0
        assert float(line["batch_ns"]) > 0
        assert line["engine"]


FACES = np.array([[0, 0, 10, 10], [20, 0, 30, 10]])


def test_a_face_is_hit_once():
    boxes = np.array([[0, 0, 10, 10], [1, 0, 11, 10], [20, 1, 30, 11], [50, 50, 60, 60]])
    assert matched(boxes, FACES).tolist() == [True, False, True, False]
    assert matched(boxes, FACES[:0]).tolist() == [False] * 4


def test_the_curve_counts_over_all_pictures():
    found = [(FACES, np.array([3.0, 1.0])), (np.array([[50, 50, 60, 60]]), np.array([2.0]))]
    of_all = curve(found, [FACES, FACES[:1]])
    assert of_all.scores.tolist() == [3.0, 2.0, 1.0]
    assert of_all.is_hit.tolist() == [True, False, True]
    assert (of_all.at(2.0), of_all.at(0.0)) == ((1, 1), (2, 1))
    assert (of_all.hits_with(0), of_all.hits_with(1)) == (1, 2)
    assert of_all.average_precision == pytest.approx((1 + 2 / 3) / 3)


# Costs at equal error.


def test_the_cost_is_read_between_points_of_the_edge():
    curve = np.array([[0.0, 1.0], [0.4, 0.5], [0.9, 0.6], [2.0, 0.1]])
    assert cost_at(curve, 0.2) == pytest.approx(0.75)
    assert cost_at(curve, 0.4) == pytest.approx(0.5)
    assert np.isnan(cost_at(curve[1:], 0.2))


def row(method, seed, knob, error, cost):
    keys = ("set", "seed", "method", "knob", "error", "cost", "waves", "macro_f1")
    values = ("adult", seed, method, knob, error, cost, 1, 0)
    return dict(zip(keys, map(str, values), strict=True))


def test_the_best_variant_counts_and_never_more_than_all():
    rows = [row("full", s, 0, 10, 20) for s in (0, 1)]
    rows += [row("cascade, labels", s, 0, 10.2, 8) for s in (0, 1)]
    rows += [row("cascade, teacher", s, 0, 10.2, 6 + 4 * s) for s in (0, 1)]
    rows += [row(method, s, 0, 30, 1) for s in (0, 1) for method in ("static", "static, chains")]
    assert best_at(rows, "adult", "cascade", 0.2) == pytest.approx((0.4, 0.4, 0.3))
    assert best_at(rows, "adult", "static", 0.2) == pytest.approx((1.0, 1.0, 1.0))


def test_a_row_pays_for_the_columns_on_its_paths():
    ensemble = stumps(4, seed=0)
    prices = FeaturePrices.of(ensemble.features, np.ones(2))
    read = np.unique(ensemble.nodes["feature"][ensemble.nodes["feature"] >= 0])
    found = path_groups(ensemble, prices, np.zeros((3, 2)))
    assert found[:, read].all()
    assert found.sum() == 3 * len(read)
