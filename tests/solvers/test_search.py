from mddag.mdp.policy import Policy
from mddag.solvers.search import Search
from tests.solvers.problems import mdp_of


def prefixes(mdp):
    for n in range(mdp.n_steps):
        yield n + 1, Policy.prefix(n, mdp.n_steps, mdp.grid)


def searched(candidates, mdp):
    return Search.among(candidates, mdp, None, name="Some", total=4, verbose=False)


def test_the_best_of_all_is_kept_and_all_are_remembered():
    mdp = mdp_of(6, n=30)
    search = searched(prefixes(mdp), mdp)
    full = mdp.evaluate(mdp.evaluate_all()).objective
    assert search.best == min([full, *search.history])
    assert mdp.evaluate(search.policy).objective == search.best
    assert len(search.history) == mdp.n_steps
