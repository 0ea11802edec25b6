import pytest

from mddag.solvers.exits.family import check_classes
from mddag.solvers.exits.prefix import Prefix
from tests.solvers.problems import mdp_of


def test_candidates_are_a_sequence():
    mdp = mdp_of(2)
    candidates = Prefix().candidates(mdp)
    assert len(candidates[1:3]) == 2
    assert (candidates[-1].actions == candidates[len(candidates) - 1].actions).all()
    with pytest.raises(IndexError):
        candidates[len(candidates)]


def test_the_best_is_that_of_the_smallest_objective():
    mdp = mdp_of(4, n=50)
    candidates = Prefix().candidates(mdp)
    chosen = mdp.evaluate(Prefix().solve(mdp)).objective
    assert chosen == pytest.approx(min(mdp.evaluate(policy).objective for policy in candidates))


def test_rules_of_a_sign_refuse_numbers():
    mdp = mdp_of(0, labels="values", loss=lambda f, y: abs(f[:, 0] - y))
    with pytest.raises(ValueError, match="labels are numbers; wanted"):
        check_classes("a rule", mdp)
