"""The rows of one call: targets, soft targets, prices in nodes."""

import numpy as np
import pytest

import mddag
from mddag import Ensemble
from mddag.ensemble.costs import LeafDepths
from mddag.solvers import Prefix
from mddag.tuning.problem import Problem
from mddag.tuning.targets import WITH_CERTIFYING
from tests.tuning.small_models import FAST

ENSEMBLE = Ensemble.from_callables([lambda X: X[:, 0]], n_features=1, classes=["no", "yes"])
ROWS = np.linspace(-1, 1, 100)[:, None]


def problem(y=None, weight=None, n=100, ensemble=ENSEMBLE, rows=ROWS, **settings):
    random = np.random.RandomState(0)
    settings |= {"shares": WITH_CERTIFYING, "random": random, "weight": weight}
    return Problem.of(ensemble, rows[:n], y, **settings)


def test_without_y_the_model_is_the_truth():
    assert (problem().truth == problem().full).all()
    found = problem(np.full(100, "no"))
    assert (found.truth == "no").all()
    assert (found.full == "yes").sum() == 50


def test_bad_rows_raise():
    with pytest.raises(ValueError, match="inconsistent numbers"):
        problem(["no"])
    with pytest.raises(ValueError, match=r"X has 2 row\(s\), too few .*; give at least 3"):
        problem(n=2)
    for row in range(100):  # in whichever part it is
        with pytest.raises(ValueError, match=rf"y contains the label 'maybe' \(row {row}\)"):
            problem(np.where(np.arange(100) == row, "maybe", "yes"))


def test_soft_targets_are_calibrated_and_agree_with_the_full_ensemble():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(100) < 1 / (1 + np.exp(-5 * ROWS[:, 0])), "yes", "no")
    found = problem(y)
    targets = found.soft_targets()
    assert (ENSEMBLE.classes[targets.argmax(axis=1)] == found.full).all()
    assert np.log(targets[-1, 1] / targets[-1, 0]) == pytest.approx(5, rel=0.6)


@pytest.mark.parametrize("price", [0.0, 0.1, 1.0])
def test_a_changed_label_costs_its_price_in_addition_to_its_loss(price):
    found = problem(np.where(ROWS[:, 0] > 0.2, "yes", "no"))
    loss = np.abs(found.soft_targets() @ [-1.0, 1.0])
    targets = found.soft_targets(price)
    assert np.abs(targets @ [-1.0, 1.0]) == pytest.approx((1 - price) * loss + price)
    assert targets.sum(axis=1) == pytest.approx(1)
    assert (ENSEMBLE.classes[targets.argmax(axis=1)] == found.full).all()


def test_weights_count_in_soft_targets():
    rng = np.random.default_rng(0)
    y = np.where(ROWS[:, 0] + 0.5 * rng.normal(size=100) > 0, "yes", "no")
    right = (y == "yes") == (ROWS[:, 0] > 0)

    def last(weight):
        return problem(y, weight).soft_targets()[-1, 1]

    assert last(np.where(right, 1.0, 0.1)) > last(None) > last(np.where(right, 0.1, 1.0))
    assert last(np.full(100, 3.0)) == last(None)


@pytest.mark.parametrize("weight", [None, np.arange(1.0, 201.0)], ids=["equal", "weighted"])
def test_prices_are_mean_nodes_of_rows_that_do_not_certify(hastie, weight):
    model, X, y, _, _ = hastie
    given = {"ensemble": mddag.as_ensemble(model), "rows": X, "n": 200, "counts_nodes": True}
    found = problem(y[:200], weight, **given)
    nodes, seen = LeafDepths.of(found.ensemble).of_rows(found.votes.codes), found.split.seen
    weights = None if weight is None else weight[seen]
    np.testing.assert_allclose(found.mean_nodes(), np.average(nodes[seen], axis=0, weights=weights))
    np.testing.assert_array_equal(found.nodes.everything(), nodes.sum(axis=1))


def test_a_budget_is_in_nodes(hastie):
    model, X, y, X_new, _ = hastie
    fast = mddag.sparsify(model, X, y, budget=30, objective="nodes", **FAST)
    assert fast.result_.n_nodes <= 30 < fast.result_.n_nodes_full
    assert fast.n_nodes(X_new).mean() == pytest.approx(30, rel=0.2)
    assert f"{fast.result_.n_nodes:.1f} of" in str(fast)
    by_evaluations = mddag.sparsify(model, X, y, budget=30, **FAST)
    assert by_evaluations.result_.n_nodes is None
    assert by_evaluations.n_nodes(X_new).mean() > 40


def test_nodes_are_kept_in_the_model_file(hastie, tmp_path):
    model, X, y, X_new, _ = hastie
    fast = mddag.sparsify(model, X, y, max_disagreement=0.05, objective="nodes", **FAST)
    fast.save(tmp_path / "fast.mddag")
    served = mddag.load(tmp_path / "fast.mddag")
    assert served.model.result == fast.result_
    np.testing.assert_array_equal(served.n_nodes(X_new), fast.n_nodes(X_new))


def test_a_node_has_a_price(hastie):
    model, X, y, _, _ = hastie
    cheap, expensive = (
        mddag.sparsify(model, X, y, beta=beta, objective="nodes", **FAST) for beta in (1e-5, 1e-2)
    )
    assert expensive.result_.n_nodes < cheap.result_.n_nodes
    assert not expensive.ensemble_.priced  # prices were for learning


def test_a_budget_below_every_policy_warns(hastie):
    model, X, y, _, _ = hastie
    with pytest.warns(mddag.DoubtfulResult, match=r"budget=0.5, but policies"):
        mddag.sparsify(model, X, y, budget=0.5, objective="nodes", solver=Prefix())
