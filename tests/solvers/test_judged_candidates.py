import numpy as np
import pytest

from mddag.mdp.grid import Grid
from mddag.mdp.policy import Policy
from mddag.solvers.judged_candidates import JudgedCandidates


class Prefixes(JudgedCandidates):
    """Candidate n evaluates 4 - n base classifiers of 4."""

    losses = np.array([0.1, 0.1, 0.2, 0.5, 0.9])
    costs = np.array([4.0, 3.0, 2.0, 1.0, 0.0])

    def candidate(self, at):
        return Policy.prefix(4 - at, 4, Grid(np.array([0.0])))


@pytest.mark.parametrize(("beta", "at"), [(0.0, 0), (1e-9, 1), (0.15, 2), (0.35, 3), (1.0, 4)])
def test_the_best_has_the_smallest_loss_and_cost_together(beta, at):
    assert Prefixes().best(beta) == at
    assert Prefixes().policy(beta).n_reached == 4 - at


def test_the_front_rises_in_cost():
    assert Prefixes().front().tolist() == [4, 3, 2, 1, 0]


def test_a_spaced_front_begins_with_the_dearest_and_leaves_out_the_cheapest():
    prices, policies = zip(*Prefixes().spaced_front(1.4), strict=True)
    assert [policy.n_reached for policy in policies] == [4, 2, 1]
    assert prices == pytest.approx([0.05, 0.3, 0.4])
