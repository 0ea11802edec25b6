"""Candidates that a search finds, and the one that a bound or a budget takes."""

import numpy as np
import pytest

from mddag import Ensemble
from mddag.policy import Given
from mddag.policy.grid import Grid
from mddag.policy.mdp import mdp_of
from mddag.policy.policy import EVAL, Policy
from mddag.solvers import QWYC, Descent, Margin, Portfolio, Prefix, Residual, Solver
from mddag.solvers.preparation import arranged_for
from mddag.tuning.excess_loss import ExcessLoss
from mddag.tuning.front import BETAS, Candidate, CandidateSearch

POLICY = Policy.constant(EVAL, 3, Grid(np.empty(0), 1))
ROWS = np.arange(4)


def candidate(cost, lost, counted=None):
    excess = np.full(4, lost)
    return Candidate(0.1, POLICY, np.full(4, cost, np.int32), excess, counted)


class Known(CandidateSearch):
    """Candidates that need no search."""

    def __init__(self, candidates, weight=None):
        self.candidates, self.weight = candidates, weight

    def _search(self, acceptable):
        pass


def front(*candidates):
    return Known([candidate(100, 0.0), *candidates])


def test_the_cheapest_before_the_first_that_fails():
    some = front(candidate(5, 0.01), candidate(50, 0.0), candidate(20, 0.005), candidate(2, 0.2))
    assert some.within_loss(0.01, ROWS, ROWS).cost[0] == 5
    assert some.within_loss(0.006, ROWS, ROWS).cost[0] == 20


def test_the_full_ensemble_is_left_where_all_fail():
    some = front(candidate(9, 0.5))
    assert some.within_loss(0.1, ROWS, ROWS) is some.everything


def test_what_is_counted_is_the_cost():
    one = candidate(5, 0.0, counted=np.full(4, 70))
    other = candidate(9, 0.0, counted=np.full(4, 30))
    assert one.cost[0] == 70
    laid = front(other, one).laid_out(0.1, lambda c: True, ROWS)
    assert [c.cost[0] for c in laid] == [100, 70, 30]


def test_rows_count_by_their_weight():
    some = front(Candidate(0.1, POLICY, np.full(4, 9, np.int32), np.array([1.0, 0, 0, 0])))
    assert some.within_loss(0.1, ROWS, ROWS) is some.everything
    some.weight = np.array([0.1, 1, 1, 1])
    assert some.within_loss(0.1, ROWS, ROWS).cost[0] == 9


N_STEPS = 20


def noisy(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    votes = 0.3 * (2 * labels - 1)[:, None] + rng.normal(size=(n, N_STEPS))
    return votes, labels


def searched(solver, **settings):
    rows, labels = noisy(2000, 0)
    voters = [lambda X, j=j: X[:, j] for j in range(N_STEPS)]
    ensemble = Ensemble.from_callables(voters, n_features=N_STEPS, classes=[0, 1])
    votes = ensemble.votes(rows)
    mdp = mdp_of(ensemble, votes, labels)
    learning = arranged_for(solver, mdp.rows(np.arange(1000)), Given())
    selection = learning.like(mdp.rows(np.arange(1000, 2000)))
    full = ensemble.labels(votes.scores())
    excess = ExcessLoss(ensemble, "difference", labels, full, np.arange(2000))
    return CandidateSearch(ensemble, votes, excess, solver, learning, selection, **settings)


EVERY_ROW = np.arange(2000)
CHOOSING = np.arange(1000, 2000)


class Priced(Solver):
    """A solver that knows nothing but the answer at one price."""

    def __init__(self, family):
        self.family = family

    def solve(self, mdp, selection=None):
        return self.family.solve(mdp, selection)


def test_a_ladder_begins_with_the_full_ensemble():
    first = searched(Prefix()).candidates[0]
    assert first.beta == 0
    assert first.n_evaluated.tolist() == [N_STEPS] * 2000
    assert not first.excess.any()


def test_one_price_gives_one_policy():
    found = searched(Margin())
    assert found.learned(0.01).beta == 0.01
    assert len(found.candidates) == 2


@pytest.mark.parametrize("budget", [0.5, 4, 11, 20, 100])
def test_budgets_are_kept_and_used(budget):
    chosen = searched(Margin()).within_budget(budget, EVERY_ROW)
    assert chosen.n_evaluated.mean() <= budget
    assert budget < 4 or chosen.n_evaluated.mean() > min(budget, N_STEPS) / 3


@pytest.mark.parametrize("solver", [Margin(), Prefix(), Residual(), QWYC()])
@pytest.mark.parametrize("budget", [1.5, 4, 9, 15.5])
def test_a_family_gives_its_best_candidate_within_the_budget(solver, budget):
    """All of them compete, not only the corners of the convex hull, which prices can find."""
    found = searched(solver)
    chosen = found.within_budget(budget, CHOOSING)
    candidates = solver.candidates(found.learning.mdp)
    losses, costs = candidates.evaluate(found.selection)
    full = losses[0]
    excess = np.append(
        losses - full, found.candidates[-1].excess[CHOOSING].mean()
    )  # or quit at once
    cost = np.append(costs, 0.0)
    within = np.flatnonzero(cost <= budget)
    best = within[np.lexsort((cost[within], np.round(excess[within], 9)))[0]]
    assert chosen.excess[CHOOSING].mean() == pytest.approx(excess[best], abs=1e-9)
    assert chosen.n_evaluated[CHOOSING].mean() == pytest.approx(cost[best], abs=1e-9)


def test_prices_alone_leave_a_part_of_the_budget():
    budgets = np.arange(2, 16)
    by_price, at_hand = (
        [searched(s).within_budget(b, CHOOSING).excess[CHOOSING].mean() for b in budgets]
        for s in (Priced(Prefix()), Prefix())
    )
    assert (np.array(at_hand) <= by_price).all()
    assert np.mean(at_hand) < np.mean(by_price) - 0.002


@pytest.mark.parametrize("bound", [0.003, 0.02, 0.1])
def test_bounds_are_kept_with_few_evaluations(bound):
    found = searched(Margin())
    chosen = found.within_loss(bound, EVERY_ROW, EVERY_ROW)
    assert chosen.excess.mean() <= bound
    allowed = [c for c in found.candidates if c.excess.mean() <= bound]
    assert chosen.n_evaluated.mean() == min(c.n_evaluated.mean() for c in allowed)
    assert chosen.n_evaluated.mean() < N_STEPS


def test_luck_on_the_rows_that_judge_does_not_help():
    found = searched(Margin())
    few = EVERY_ROW[:40]

    def harmless(c):
        return bool(c.excess[few].mean() <= 0.02)

    chosen = found.within_loss(0.02, EVERY_ROW, few)
    laid = found.laid_out(0.02, harmless, EVERY_ROW)
    before = laid[: [c.beta == chosen.beta for c in laid].index(True)]
    assert all(map(harmless, before))


def test_prices_are_closer_where_candidates_cease_to_be_careful():
    found = searched(Priced(Margin()))
    laid = found.laid_out(0.05, lambda c: bool(c.excess.mean() < 0.05), EVERY_ROW)
    assert len(found.candidates) == 1 + len(BETAS) + 9
    assert laid[0] is found.candidates[0]
    assert (np.diff([c.n_evaluated.mean() for c in laid]) <= 0).all()
    assert all(c.excess.mean() <= 0.05 for c in laid)


def test_a_solver_may_know_a_whole_path():
    class OnePass(Priced):
        def solve_path(self, mdp, betas, selection):
            seen.append((mdp.n_instances, selection.n_instances, len(betas)))
            return [self.solve(mdp.with_beta(beta)) for beta in betas]

    seen = []
    searched(OnePass(Prefix())).within_loss(0.05, EVERY_ROW, EVERY_ROW)
    assert seen == [(1000, 1000, len(BETAS))] + [(1000, 1000, 3)] * 3


def test_a_budget_for_all_does_not_buy_what_harms():
    """The second half of the voters is wrong, and labels know it."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 2000)
    rows = (2 * labels - 1)[:, None] * np.repeat([1.0, -0.8], 4) + rng.normal(size=(2000, 8))
    voters = [lambda X, j=j: np.sign(X[:, j]) for j in range(8)]
    ensemble = Ensemble.from_callables(voters, n_features=8, classes=[0, 1])
    solver = Portfolio(members=(Margin(), Prefix()), orderings=(Given(),), sizes=())
    votes = ensemble.votes(rows)
    mdp = mdp_of(ensemble, votes, labels)
    learning = arranged_for(solver, mdp.rows(np.arange(1000)))
    selection = learning.like(mdp.rows(np.arange(1000, 2000)))
    full = ensemble.labels(votes.scores())
    excess = ExcessLoss(ensemble, "difference", labels, full, EVERY_ROW)
    search = CandidateSearch(ensemble, votes, excess, solver, learning, selection)
    chosen = search.within_budget(8, EVERY_ROW)
    assert chosen.n_evaluated.mean() <= 5
    assert chosen.excess.mean() < -0.1


def test_candidates_are_judged_once_and_their_front_is_fine():
    class Counted(Portfolio):
        def judged(self, mdp, betas, selection=None):
            seen.append(len(betas))
            return super().judged(mdp, betas, selection)

    seen = []
    solver = Counted(members=(Margin(), Prefix()), orderings=(Given(),))
    found = searched(solver)
    laid = found.laid_out(0.05, lambda c: bool(c.excess.mean() < 0.05), EVERY_ROW)
    assert seen == [len(BETAS)]
    assert len(found.candidates) > 2 * len(BETAS)
    assert 1 < len(laid) < len(found.candidates)
    evaluated = np.array([c.n_evaluated.mean() for c in laid])
    assert (evaluated[1:] > 0.8 * evaluated[:-1]).all()


def test_the_ladder_of_a_family_is_fine_everywhere():
    found = searched(Margin())
    laid = found.laid_out(1.0, lambda c: True, EVERY_ROW)
    evaluated = np.array([c.n_evaluated.mean() for c in laid])
    assert laid[0] is found.candidates[0]
    assert evaluated[-1] == 0  # the boldest threshold
    between = evaluated[1:-1]
    assert (between[1:] > 0.8 * between[:-1]).all()
    assert len(laid) > 2 * len(BETAS)
    betas = [c.beta for c in laid]
    assert min(betas) >= 0
    assert np.isfinite(betas).all()


def test_a_descent_keeps_a_budget():
    """Its policies depend on the price: it is no family, and solves price by price."""
    descent = Descent(n_starts=0, n_sweeps=1, n_cells=4, z=1.0, random_state=0)
    assert searched(descent).within_budget(5, EVERY_ROW).n_evaluated.mean() <= 5
