import numpy as np
import pytest

from mddag import Ensemble
from mddag.estimators.problem import Problem, chosen_solver, threads_of_learning
from mddag.losses import Squared, ZeroOne
from mddag.losses.of_means import OfMeans
from mddag.mdp.grid import Grid
from mddag.ordering import Given
from mddag.ordering.arrangement import by_lines, fitted_levels
from mddag.ordering.class_levels import by_log_odds
from mddag.solvers import Margin, Portfolio, Prefix, Residual, Sarsa


def ensemble(**settings):
    votes = [lambda X: X[:, 0], lambda X: 2 * X[:, 0], lambda X: -X[:, 0]]
    return Ensemble.from_callables(votes, n_features=1, **settings)


ROWS = np.linspace(-1, 1, 9)[:, None]


def backwards(votes, costs=None, weight=None):
    return np.arange(votes.tables.n_classifiers)[::-1]


def test_the_problem_of_a_classifier():
    problem = Problem.of(ensemble(classes=["a", "b"]), ROWS, np.array(list("aabbaabba")))
    assert problem.labels.tolist() == [0, 0, 1, 1, 0, 0, 1, 1, 0]
    assert (problem.loss, problem.unit, problem.costs) == (ZeroOne(), 1.0, None)
    assert problem.mdp(0.3).beta == 0.3
    soft = Problem.of(ensemble(classes=["a", "b"]), ROWS, np.tile([0.25, 0.75], (9, 1)))
    assert soft.mdp(0.0).losses(np.full((9, 1), -1.0)).tolist() == [0.75] * 9


def test_the_price_of_a_regressor_is_in_units_of_variance():
    targets = np.arange(9.0)
    problem = Problem.of(ensemble(kind="regressor"), ROWS, targets)
    assert problem.loss == Squared()
    assert problem.unit == pytest.approx(np.var(targets))
    assert problem.mdp(0.5).beta == pytest.approx(0.5 * np.var(targets))
    assert Problem.of(ensemble(kind="regressor"), ROWS, np.ones(9)).unit == 1.0


def test_losses_of_a_log_link_are_those_of_the_predictions():
    problem = Problem.of(ensemble(kind="regressor", link="exp"), ROWS, np.arange(9.0))
    assert problem.loss == OfMeans(Squared())
    scores = np.zeros((9, 1))
    np.testing.assert_allclose(problem.mdp(0.0).losses(scores), (1 - np.arange(9.0)) ** 2)


def test_a_problem_is_learned_on_the_grid_asked_for():
    problem = Problem.of(ensemble(classes=[0, 1]), ROWS, np.arange(9) % 2)
    for name, grid in (("quantile", Grid.quantile), ("uniform", Grid.uniform)):
        ordered = problem.ordered(Given(), Margin(), name)
        np.testing.assert_array_equal(ordered.grid.edges, grid(ordered.votes).edges)


def test_an_order_goes_with_votes_prices_and_policies():
    priced = ensemble(classes=[0, 1]).with_cost([1.0, 2.0, 3.0])
    problem = Problem.of(priced, ROWS, np.arange(9) % 2)
    ordered = problem.ordered(backwards, Margin())
    assert ordered.arrangement.order.tolist() == [2, 1, 0]
    assert ordered.costs.tolist() == [3.0, 2.0, 1.0]
    np.testing.assert_allclose(ordered.votes.scores(), problem.votes.scores(), atol=1e-12)
    policy = Margin().solve(ordered.mdp(0.01))
    outside = policy.after(ordered.arrangement)
    mine, theirs = ordered.mdp(0.01).rollout(policy), problem.mdp(0.01).rollout(outside)
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, b)


def test_rows_share_order_and_grid_of_the_learning_rows():
    problem = Problem.of(ensemble(classes=[0, 1]), ROWS, np.arange(9) % 2)
    learning = problem.rows(np.arange(6)).ordered(backwards, Margin())
    other = problem.rows(np.arange(6, 9)).like(learning)
    assert len(other) == 3
    assert other.grid is learning.grid
    assert other.arrangement.order.tolist() == [2, 1, 0]


def test_a_solver_that_arranges_by_itself_is_left_alone():
    class Orderly(Margin):
        arranges = True

    problem = Problem.of(ensemble(classes=[0, 1]), ROWS, np.arange(9) % 2)
    assert problem.ordered(backwards, Orderly()).arrangement.order.tolist() == [0, 1, 2]


def test_every_is_the_solvers():
    assert chosen_solver(Margin(), every=4).every == 4
    assert chosen_solver(Margin(every=2)).every == 2
    with pytest.raises(
        ValueError, match=r"every is 4, but Sarsa.* decides at each base classifier"
    ):
        chosen_solver(Sarsa(), every=4)
    with pytest.raises(ValueError, match="every is 0"):
        chosen_solver(Margin(), every=0)


def test_an_order_reaches_a_solver_that_orders_by_itself():
    assert chosen_solver(None, ordering=backwards).orderings == (backwards,)
    portfolio = Portfolio(every=2)
    assert chosen_solver(portfolio, ordering=backwards).orderings == (backwards,)
    assert portfolio.orderings is None
    with pytest.raises(ValueError, match=r"but Portfolio.* has orders of its own; give one"):
        chosen_solver(Portfolio(orderings=(Given(),)), ordering=backwards)


def test_what_cannot_order_is_refused():
    with pytest.raises(TypeError, match="ordering is 'best'; wanted a callable"):
        chosen_solver(None, ordering="best")
    with pytest.raises(TypeError, match=r"ordering is <class .*; wanted a callable"):
        chosen_solver(Portfolio(orderings=(Given,)))


def test_weights_go_with_their_rows_into_the_unit_the_order_and_the_grid():
    seen = []

    def watched(votes, costs=None, weight=None):
        seen.append(weight)
        return np.arange(votes.tables.n_classifiers)

    weight, targets = np.arange(1.0, 10.0), np.arange(9.0)
    problem = Problem.of(ensemble(kind="regressor"), ROWS, targets, weight=weight)
    mean = np.average(targets, weights=weight)
    assert problem.unit == pytest.approx(np.average((targets - mean) ** 2, weights=weight))
    some = problem.rows(np.array([8, 2]))
    assert some.weight.tolist() == [9.0, 3.0]
    ordered = some.ordered(watched, Margin())
    assert seen[0].tolist() == ordered.mdp(0.1).weight.tolist() == [9.0, 3.0]
    assert problem.like(ordered).mdp(0.1).weight is not None


@pytest.mark.parametrize(
    ("n_threads", "n_jobs", "threads"), [(None, None, 5), (None, 2, 2), (3, 2, 3), (3, None, 3)]
)
def test_jobs_are_threads_of_a_solver_that_has_no_use_for_them(n_threads, n_jobs, threads):
    assert threads_of_learning(n_threads, n_jobs, 5) == threads


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True])
def test_jobs_that_make_no_sense_are_refused(n_jobs):
    with pytest.raises(ValueError, match=r"n_jobs is .*; wanted a whole number of workers, -1 for"):
        threads_of_learning(None, n_jobs)


def test_a_solver_is_told_what_it_can_do():
    told = chosen_solver(Sarsa(), verbose=True, on_interrupt="return")
    assert (told.verbose, told.on_interrupt) == (True, "return")
    own = Sarsa(verbose=True, on_interrupt="return")
    assert chosen_solver(own) is own
    assert chosen_solver(Margin(), verbose=True, on_interrupt="return") == Margin()
    with pytest.raises(ValueError, match="on_interrupt is 1; wanted one of 'raise', 'return'"):
        chosen_solver(None, on_interrupt=1)


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
    problem = Problem.of(source, rows, rng.integers(0, n_classes, 300))
    ordered = problem.ordered(backwards, solver)
    wanted = fitted_levels(problem.votes, ordered.arrangement.order, levels=levels)
    np.testing.assert_array_equal(ordered.arrangement.rescaling.shift, wanted.shift)
    per_class = ordered.grid.n_cells // n_scores
    assert (per_class > 500) == (n_scores == 1 or isinstance(solver, Margin))
    outside = ordered.outside(solver.solve(ordered.mdp(0.01)))
    inside, theirs = (
        p.mdp(0.01).rollout(q)
        for p, q in ((ordered, solver.solve(ordered.mdp(0.01))), (problem, outside))
    )
    for a, b in zip(inside, theirs, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    if isinstance(solver, Margin):
        assert outside.grid.n_cells <= 3 * n_scores
