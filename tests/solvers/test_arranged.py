import numpy as np
import pytest

from mddag import Ensemble
from mddag.mdp.grid import Grid
from mddag.mdp.policy_rows import mdp_of
from mddag.ordering import Given
from mddag.ordering.arrangement import by_lines, fitted_levels
from mddag.ordering.class_levels import by_log_odds
from mddag.solvers import Margin, Portfolio, Prefix, Residual
from mddag.solvers.arranged import arranged_for

ROWS = np.linspace(-1, 1, 9)[:, None]


def backwards(votes, costs=None, weight=None):
    return np.arange(votes.tables.n_classifiers)[::-1]


def mdp_on_rows(costs=(1.0, 1.0, 1.0), weight=None):
    voters = [lambda X: X[:, 0], lambda X: 2 * X[:, 0], lambda X: -X[:, 0]]
    source = Ensemble.from_callables(voters, n_features=1, classes=[0, 1]).with_cost(costs)
    return mdp_of(source, source.votes(ROWS), np.arange(9) % 2, weight=weight)


def test_the_grid_is_the_one_asked_for():
    for name, grid in (("quantile", Grid.quantile), ("uniform", Grid.uniform)):
        ordered = arranged_for(Margin(), mdp_on_rows(), Given(), name).mdp
        np.testing.assert_array_equal(ordered.grid.edges, grid(ordered.votes).edges)


def test_an_order_goes_with_votes_prices_and_policies():
    mdp = mdp_on_rows(costs=[1.0, 2.0, 3.0])
    ordered = arranged_for(Margin(), mdp, backwards)
    assert ordered.arrangement.order.tolist() == [2, 1, 0]
    assert ordered.mdp.costs.tolist() == [3.0, 2.0, 1.0]
    np.testing.assert_allclose(ordered.mdp.votes.scores(), mdp.votes.scores(), atol=1e-12)
    policy = Margin().solve(ordered.mdp)
    mine, theirs = ordered.mdp.rollout(policy), mdp.rollout(ordered.for_source(policy))
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, b)


def test_other_rows_take_order_and_grid_of_the_learning_rows():
    mdp = mdp_on_rows()
    learning = arranged_for(Margin(), mdp.rows(np.arange(6)), backwards)
    other = learning.like(mdp.rows(np.arange(6, 9)))
    assert other.n_instances == 3
    assert other.grid is learning.mdp.grid


def test_a_solver_that_arranges_by_itself_is_left_alone():
    mdp = mdp_on_rows()
    given = arranged_for(Portfolio(), mdp, backwards)
    assert given.mdp is mdp
    assert given.arrangement.order.tolist() == [0, 1, 2]


def test_weights_go_into_the_order():
    seen = []

    def watched(votes, costs=None, weight=None):
        seen.append(weight.tolist())
        return np.arange(votes.tables.n_classifiers)

    mdp = mdp_on_rows(weight=np.arange(1.0, 10.0)).rows(np.array([8, 2]))
    assert arranged_for(Margin(), mdp, watched).mdp.weight.tolist() == [9.0, 3.0]
    assert seen == [[9.0, 3.0]]


@pytest.mark.parametrize(
    ("n_classes", "solver", "levels"),
    [
        (2, Margin(), by_lines),
        (3, Margin(), by_log_odds),
        (3, Prefix(), by_log_odds),
        (3, Residual(), by_lines),
    ],
)
def test_levels_of_several_classes_are_log_odds(n_classes, solver, levels):
    n_scores = 1 if n_classes == 2 else n_classes
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 6))
    voters = [
        lambda X, j=j: np.stack([X[:, j] - 0.1 * k * X[:, k] for k in range(n_scores)], axis=1)
        for j in range(6)
    ]
    source = Ensemble.from_callables(voters, n_features=6, bias=np.zeros(n_scores))
    mdp = mdp_of(source, source.votes(rows), rng.integers(0, n_classes, 300))
    ordered = arranged_for(solver, mdp, backwards)
    wanted = fitted_levels(mdp.votes, ordered.arrangement.order, levels=levels)
    np.testing.assert_array_equal(ordered.arrangement.rescaling.shift, wanted.shift)
    per_class = ordered.mdp.grid.n_cells // n_scores
    assert (per_class > 500) == (n_scores == 1 or isinstance(solver, Margin))
    inside = solver.solve(ordered.mdp)
    outside = ordered.for_source(inside)
    for a, b in zip(ordered.mdp.rollout(inside), mdp.rollout(outside), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    if isinstance(solver, Margin):
        assert outside.grid.n_cells <= 3 * n_scores
