import warnings

import pytest

from mddag._internal.interruption import Interrupted
from mddag.mdp.policy import Policy
from mddag.solvers.search import Search
from tests.solvers.problems import mdp_of


def prefixes(mdp):
    for n in range(mdp.n_steps):
        yield n + 1, Policy.prefix(n, mdp.n_steps, mdp.grid)


def searched(candidates, mdp, on_interrupt="raise"):
    return Search.among(
        candidates, mdp, None, name="Some", total=4, verbose=False, on_interrupt=on_interrupt
    )


def test_the_best_of_all_is_kept_and_all_are_remembered():
    mdp = mdp_of(6, n=30)
    search = searched(prefixes(mdp), mdp)
    full = mdp.evaluate(mdp.evaluate_all()).objective
    assert search.best == min([full, *search.history])
    assert mdp.evaluate(search.policy).objective == search.best
    assert len(search.history) == mdp.n_steps


def interrupted(mdp, after):
    for n, candidate in enumerate(prefixes(mdp)):
        if n == after:
            raise KeyboardInterrupt
        yield candidate


def test_ctrl_c_is_an_error_unless_the_best_so_far_was_asked_for():
    mdp = mdp_of(6)
    with pytest.raises(KeyboardInterrupt):
        searched(interrupted(mdp, 2), mdp)
    with pytest.warns(Interrupted, match="Some was stopped after 2 candidates"):
        assert len(searched(interrupted(mdp, 2), mdp, "return").history) == 2
    with warnings.catch_warnings(), pytest.raises(KeyboardInterrupt):
        searched(interrupted(mdp, 0), mdp, "return")
