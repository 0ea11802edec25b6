"""Candidates that a solver gives, and those that a target takes."""

import numpy as np
import pytest

from mddag import Ensemble
from mddag.policy import Given
from mddag.solvers import QWYC, Descent, Margin, Portfolio, Prefix, Residual, Solver
from mddag.tuning.excess_loss import LabelLoss
from mddag.tuning.front import BETAS, PolicyFront
from mddag.tuning.problem import Problem, Split
from mddag.tuning.targets import Budget, MaxLoss, Price

N_STEPS = 20


def noisy(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    votes = 0.3 * (2 * labels - 1)[:, None] + rng.normal(size=(n, N_STEPS))
    return votes, labels


def problem_of(rows, labels, voters):
    ensemble = Ensemble.from_callables(voters, n_features=len(voters), classes=[0, 1])
    votes = ensemble.votes(rows)
    scores = votes.scores()
    split = Split(np.arange(1000), np.arange(1000, 2000), np.arange(0))
    return Problem(ensemble, votes, scores, ensemble.labels(scores), labels, True, split)


def front_of(solver, problem=None):
    if problem is None:
        voters = [lambda X, j=j: X[:, j] for j in range(N_STEPS)]
        problem = problem_of(*noisy(2000, 0), voters)
    loss = LabelLoss(problem, MaxLoss(0.1), "difference")
    return PolicyFront(problem, problem.mdp(problem.truth), solver, [loss], ordering=Given())


def bound(value):
    return MaxLoss(value, confidence=None)


class Priced(Solver):
    """A solver that knows nothing but the answer at one price."""

    def __init__(self, family):
        self.family = family

    def solve(self, mdp, selection=None):
        return self.family.solve(mdp, selection)


def test_a_front_begins_with_the_full_ensemble():
    first = front_of(Prefix()).full
    assert first.beta == 0
    assert first.n_evaluated.tolist() == [N_STEPS] * 2000
    assert not first.excesses.any()


def test_one_price_gives_one_policy():
    found = front_of(Margin())
    assert Price(0.01).choose(found).beta == 0.01
    assert len(found.candidates) == 2


@pytest.mark.parametrize("budget", [1, 4, 11, 20, 100])
def test_budgets_are_kept_and_used(budget):
    chosen = Budget(budget).choose(front_of(Margin()))
    assert chosen.cost("choose") <= budget
    assert budget < 4 or chosen.cost("choose") > min(budget, N_STEPS) / 3


@pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")  # of QWYC, which has no cheap one
@pytest.mark.parametrize("solver", [Margin(), Prefix(), Residual(), QWYC()])
@pytest.mark.parametrize("budget", [1.5, 4, 9, 15.5])
def test_a_family_gives_its_best_candidate_within_the_budget(solver, budget):
    """All of them compete, not only the corners of the convex hull, which prices can find."""
    front = front_of(solver)
    chosen = Budget(budget).choose(front)
    losses, costs = solver.candidates(front.learning.mdp).evaluate(front.selection)
    excess = np.append(losses - losses[0], front.nothing().lost("choose"))  # or quit at once
    cost = np.append(costs, 0.0)
    within = np.flatnonzero(cost <= budget)
    best = within[np.lexsort((cost[within], np.round(excess[within], 9)))[0]]
    assert chosen.lost("choose")[0] == pytest.approx(excess[best], abs=1e-9)
    assert chosen.cost("choose") == pytest.approx(cost[best], abs=1e-9)


def test_prices_alone_leave_a_part_of_the_budget():
    by_price, at_hand = (
        [Budget(b).choose(front_of(s)).lost("choose")[0] for b in np.arange(2, 16)]
        for s in (Priced(Prefix()), Prefix())
    )
    assert (np.array(at_hand) <= by_price).all()
    assert np.mean(at_hand) < np.mean(by_price) - 0.002


@pytest.mark.parametrize("value", [0.003, 0.02, 0.1])
def test_bounds_are_kept_with_few_evaluations(value):
    front = front_of(Margin())
    chosen = bound(value).choose(front)
    assert chosen.lost("choose") <= value
    assert chosen.cost("choose") < N_STEPS
    tested = front.sequence(value, None)
    assert all(c.lost("choose") <= value for c in tested[: tested.index(chosen)])


def test_prices_are_closer_where_candidates_cease_to_be_acceptable():
    front = front_of(Priced(Margin()))
    bound(0.05).choose(front)
    assert len(front.candidates) == 1 + len(BETAS) + 9
    tested = front.sequence(0.05, None)
    assert (np.diff([c.cost("seen") for c in tested]) <= 0).all()
    assert all(c.lost("seen") <= 0.05 for c in tested)


def test_a_solver_may_know_a_whole_path():
    class OnePass(Priced):
        def solve_path(self, mdp, betas, selection):
            seen.append((mdp.n_rows, selection.n_rows, len(betas)))
            return [self.solve(mdp.with_beta(beta)) for beta in betas]

    seen = []
    bound(0.05).choose(front_of(OnePass(Prefix())))
    assert seen == [(1000, 1000, len(BETAS))] + [(1000, 1000, 3)] * 3


def test_a_budget_for_all_does_not_buy_what_harms():
    """The second half of the voters is wrong, and labels know it."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 2000)
    rows = (2 * labels - 1)[:, None] * np.repeat([1.0, -0.8], 4) + rng.normal(size=(2000, 8))
    problem = problem_of(rows, labels, [lambda X, j=j: np.sign(X[:, j]) for j in range(8)])
    solver = Portfolio(members=(Margin(), Prefix()), orderings=(Given(),), sizes=())
    chosen = Budget(8).choose(front_of(solver, problem))
    assert chosen.cost("seen") <= 5
    assert chosen.lost("seen") < -0.1


def test_candidates_are_judged_once_and_their_front_is_fine():
    class Counted(Portfolio):
        def judged(self, mdp, betas, selection=None):
            seen.append(len(betas))
            return super().judged(mdp, betas, selection)

    seen = []
    front = front_of(Counted(members=(Margin(), Prefix()), orderings=(Given(),)))
    bound(0.05).choose(front)
    tested = front.sequence(0.05, None)
    assert seen == [len(BETAS)]
    assert front.ordered
    assert len(front.candidates) > 2 * len(BETAS)
    assert 1 < len(tested) < len(front.candidates)
    costs = np.array([c.cost("seen") for c in tested])
    assert (costs[1:] > 0.8 * costs[:-1]).all()


def test_the_front_of_a_family_is_fine_everywhere():
    front = front_of(Margin())
    front.near(lambda candidate: True)
    tested = front.sequence(1.0, None)
    costs = np.array([c.cost("seen") for c in tested])
    assert costs[-1] == 0  # the boldest threshold
    assert (costs[1:-1] > 0.8 * costs[:-2]).all()
    assert len(tested) > 2 * len(BETAS)
    betas = [c.beta for c in tested]
    assert min(betas) >= 0
    assert np.isfinite(betas).all()


def test_a_descent_keeps_a_budget():
    """Its policies depend on the price: it is no family, and solves price by price."""
    descent = Descent(n_starts=0, n_sweeps=1, n_cells=4, z=1.0, random_state=0)
    assert Budget(5).choose(front_of(descent)).cost("choose") <= 5
