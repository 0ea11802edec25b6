"""What every exported solver must do. Episodes are few here; how well they learn is elsewhere."""

import copy
import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from mddag import MDP, AdaBoostMHClassifier, Grid, solvers
from mddag.ensemble.votes import Votes
from mddag.learners import Stump, Tree
from mddag.losses import Logistic
from mddag.policy.policy import ACTIONS, Policy
from mddag.solvers import Sarsa, WatkinsQ
from mddag.solvers.solver import (
    Family,
    SearchingSolver,
    Solver,
    as_solver,
    configured,
)
from tests.reference.solvers import best_objective
from tests.solvers.problems import LOSSES, mdp_of, three_classifiers

SETTINGS = ("every", "random_state", "n_jobs", "verbose")
CONTRACTS = ("Candidates", "Family", "Solver")
SOLVERS = [getattr(solvers, name) for name in solvers.__all__ if name not in CONTRACTS]
FAMILIES = [kind for kind in SOLVERS if issubclass(kind, Family)]
SKIPPING = ("Descent", "Portfolio", "Sarsa", "WatkinsQ")  # others leave nothing out but the end
EXITS = [kind for kind in SOLVERS if kind.__name__ not in SKIPPING]
LEARNERS = [kind for kind in SOLVERS if kind not in EXITS]


def short(kind, **parameters):
    """A solver that is done in milliseconds, whatever it calls its effort."""
    known = inspect.signature(kind).parameters
    effort = {"n_episodes": 2000, "evaluate_every": 200, "random_state": 0}
    return kind(**{name: v for name, v in effort.items() if name in known}, **parameters)


class Holder(BaseEstimator):
    """An estimator with a solver among its parameters."""

    def __init__(self, solver=None):
        self.solver = solver


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("labels", ["classes", "shares"])
def test_the_answer_is_a_policy_that_evaluates(kind, n_scores, labels):
    if n_scores > 1 and kind is solvers.QWYC:
        pytest.skip("QWYC has a low and a high end of one score")
    mdp = mdp_of(0, n_scores=n_scores, labels=labels, n=30)
    policy = short(kind).solve(mdp, mdp)
    assert isinstance(policy, Policy)
    assert policy.grid is mdp.grid or kind is solvers.Portfolio  # another order, another grid
    value = mdp.evaluate(policy)
    assert value.objective <= mdp.evaluate(mdp.evaluate_all()).objective


@pytest.mark.parametrize("kind", [*LEARNERS, solvers.Prefix])
@pytest.mark.parametrize("loss", ["squared", "callback"])
def test_regression(kind, loss):
    mdp = mdp_of(0, labels="values", loss=LOSSES[loss], n=30)
    value = mdp.evaluate(short(kind).solve(mdp))
    assert value.objective <= mdp.evaluate(mdp.evaluate_all()).objective


@pytest.mark.parametrize("kind", [k for k in FAMILIES if k is not solvers.Prefix])
def test_rules_of_a_sign_refuse_numbers(kind):
    mdp = mdp_of(0, labels="values", loss=LOSSES["squared"])
    with pytest.raises(ValueError, match="labels are numbers; wanted Prefix"):
        kind().solve(mdp)


@pytest.mark.parametrize("kind", SOLVERS)
def test_a_seed_decides_everything(kind):
    mdp = mdp_of(1, n=30)
    first, second = (short(kind).solve(mdp).actions for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("actions", [("eval",), ("eval", "skip"), ("eval", "quit")])
def test_only_actions_of_the_mdp_are_taken(kind, actions):
    policy = short(kind).solve(mdp_of(2, n=30, actions=actions))
    assert set(np.unique(policy.actions)) <= {ACTIONS.index(name) for name in actions}


@pytest.mark.parametrize("kind", SOLVERS)
def test_solving_leaves_the_mdp_alone(kind):
    mdp = mdp_of(3, n=30, weighted=True)
    before = copy.deepcopy(vars(mdp) | {"codes": mdp.votes.codes, "edges": mdp.grid.edges})
    short(kind).solve(mdp)
    for name in ("labels", "costs", "weight"):
        np.testing.assert_array_equal(getattr(mdp, name), before[name])
    np.testing.assert_array_equal(mdp.votes.codes, before["codes"])
    np.testing.assert_array_equal(mdp.grid.edges, before["edges"])


@pytest.fixture(scope="module")
def best():
    return best_objective(three_classifiers())


@pytest.mark.parametrize("kind", LEARNERS)
def test_the_three_classifier_problem_is_solved(kind, best):
    mdp = three_classifiers()
    policy = short(kind).solve(mdp, mdp)
    assert mdp.evaluate(policy).objective == pytest.approx(best)


@pytest.mark.parametrize("kind", SOLVERS)
def test_selection_rows_choose(kind):
    """Labels turned round: what is best for them is not what is best for the learning rows."""
    mdp = three_classifiers()
    selection = MDP(mdp.votes, 1 - mdp.labels, beta=0.05, grid=mdp.grid)
    own, others = short(kind).solve(mdp), short(kind).solve(mdp, selection)
    assert selection.evaluate(others).objective <= selection.evaluate(own).objective


@pytest.mark.parametrize("kind", SOLVERS)
def test_selection_rows_must_fit(kind):
    with pytest.raises(ValueError, match=r"policy is for 3 base classifiers.*but got 4 and 1"):
        short(kind).solve(three_classifiers(), mdp_of(0))


@pytest.mark.parametrize("kind", SOLVERS)
def test_an_error_of_the_loss_reaches_the_caller(kind):
    calls = iter(range(20 if kind in LEARNERS else 2))

    def failing(scores, labels):
        if next(calls, None) is None:
            raise ZeroDivisionError("the loss of a user")
        return np.abs(scores[:, 0] - labels)

    mdp = mdp_of(0, loss=failing)
    with pytest.raises(ZeroDivisionError, match="the loss of a user"):
        short(kind).solve(mdp)
    # the interpreter is in order, and the same solver can be used again
    assert isinstance(short(kind).solve(three_classifiers()), Policy)


@pytest.mark.parametrize("kind", SOLVERS)
def test_solvers_serve_scikit_learn(kind):
    solver = short(kind)
    for again in (clone(Holder(solver)).solver, pickle.loads(pickle.dumps(solver))):
        assert again == solver
        assert again is not solver
    for name, value in {"random_state": 7, "every": 2}.items():
        if name in solver.get_params():
            holder = Holder(solver).set_params(**{f"solver__{name}": value})
            assert getattr(holder.solver, name) == value
            assert f"solver__{name}" in holder.get_params()


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_family_evaluates_its_candidates_together(kind, weighted):
    mdp = mdp_of(4, n=40, n_steps=6, weighted=weighted)
    candidates = kind().candidates(mdp)
    losses, costs = candidates.evaluate(mdp)
    values = [mdp.evaluate(policy) for policy in candidates]
    assert len(values) == len(candidates) > 1
    assert losses == pytest.approx([v.loss for v in values])
    assert costs == pytest.approx([v.cost for v in values])
    assert values[0] == mdp.evaluate(mdp.evaluate_all())
    chosen = mdp.evaluate(kind().solve(mdp)).objective
    assert chosen == pytest.approx(min(v.objective for v in values))


@pytest.mark.parametrize("kind", FAMILIES)
def test_candidates_do_not_depend_on_beta(kind):
    mdp = mdp_of(5, n=40)
    cheap, dear = (kind().candidates(mdp.with_beta(beta)) for beta in (0.0, 1.0))
    for one, other in zip(cheap, dear, strict=True):
        np.testing.assert_array_equal(one.actions, other.actions)


@pytest.mark.parametrize("kind", [k for k in FAMILIES if "every" in k().get_params()])
def test_a_family_decides_every_few_steps(kind):
    mdp = mdp_of(6, n=40, n_steps=7)
    policy = kind(every=3).solve(mdp)
    assert policy.every == 3
    assert policy.actions.shape == (3, mdp.grid.n_cells)


def noisy(weight=None, loss=None, n=300, n_steps=12):
    """Rows with labels of one score; grid and votes do not depend on the weights."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, n)
    votes = np.round(0.4 * (2 * labels - 1)[:, None] + rng.normal(size=(n, n_steps)), 2)
    grid = Grid.uniform(Votes.from_dense(votes), 64)
    return MDP(votes, labels, loss=loss, beta=0.01, weight=weight, grid=grid)


def assert_same(one, other):
    np.testing.assert_array_equal(one.grid.edges, other.grid.edges)
    np.testing.assert_array_equal(one.order, other.order)
    np.testing.assert_array_equal(one.actions, other.actions)


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("loss", [None, Logistic()])
@pytest.mark.parametrize("selects", [False, True])
def test_a_factor_of_all_weights_changes_nothing(kind, loss, selects):
    weight = np.random.default_rng(1).uniform(0.1, 3, 300)
    one, other = (noisy(w, loss) for w in (weight, weight * 2.0**-20))
    found = (short(kind).solve(m, m if selects else None) for m in (one, other))
    assert_same(*found)


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("loss", [None, Logistic()])
@pytest.mark.parametrize("selects", [False, True])
def test_rows_of_weight_zero_are_as_if_they_were_not_there(kind, loss, selects):
    weight = np.random.default_rng(1).integers(0, 3, 300).astype(float)
    weight[:2] = 0.0, 1.5
    among = noisy(weight, loss)
    alone = among.rows(among.counting())
    found = (short(kind).solve(m, m if selects else None) for m in (among, alone))
    assert_same(*found)


COPIES = [*FAMILIES, lambda: solvers.Descent(n_starts=0, n_cells=0, z=0.0)]


@pytest.mark.parametrize("make", COPIES)
def test_a_row_of_weight_two_is_two_rows(make):
    weight = np.random.default_rng(1).integers(1, 4, 300)
    weighted, plain = noisy(weight), noisy()
    copies = plain.rows(np.repeat(np.arange(300), weight))
    one, two = make().solve(weighted), make().solve(copies)
    assert_same(one, two)
    value, copied = weighted.evaluate(one), copies.evaluate(two)
    assert value.objective == pytest.approx(copied.objective, rel=1e-12)
    assert value.n_evaluated == pytest.approx(copied.n_evaluated, rel=1e-12)


@pytest.mark.parametrize("kind", SOLVERS)
def test_weights_say_whose_errors_count(kind):
    """The first vote is right about the first half of the rows, all votes about the second."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 400)
    sign, first = 2.0 * labels - 1, np.arange(400) < 200
    votes = np.column_stack([np.where(first, sign, -sign), np.where(first, 0.0, 2 * sign)])
    weights = np.where(first, 1.0, 1e-3), np.where(first, 1e-3, 1.0)
    second = MDP(votes, labels).rows(np.flatnonzero(~first))
    losses = [
        second.evaluate(short(kind).solve(MDP(votes, labels, beta=0.1, weight=w))).loss
        for w in weights
    ]
    assert losses[0] > 0.8  # where they hardly count they are left to the first vote
    assert losses[1] < 0.1


class Plain:
    """A user's object: there is nothing to inherit."""

    def __init__(self, answer=None):
        self.answer = answer

    def solve(self, mdp, selection=None):
        return mdp.evaluate_all() if self.answer is None else self.answer


def test_an_object_with_solve_alone_is_a_solver():
    plain, mdp = Plain(), mdp_of(0)
    solver = as_solver(plain)
    assert isinstance(solver, Solver)
    assert (solver.name, repr(solver)) == ("Plain", repr(plain))
    assert configured(solver, n_jobs=4, verbose=True, random=np.random.RandomState(0)) is solver
    assert (solver.arranges, solver.cells_per_class) == (False, None)
    assert len(list(solver.solve_path(mdp, [0.1, 0.2], mdp))) == 2
    again = pickle.loads(pickle.dumps(solver))
    np.testing.assert_array_equal(again.solve(mdp).actions, solver.solve(mdp).actions)


def test_what_a_plain_solver_returns_must_be_a_policy():
    with pytest.raises(TypeError, match=r"Plain returned .*; wanted a Policy, such as"):
        as_solver(Plain("evaluate all")).solve(mdp_of(0))


@pytest.mark.parametrize("wrong", [None, "sarsa", Plain, object(), solvers.Sarsa])
def test_what_cannot_solve_is_refused(wrong):
    with pytest.raises(TypeError, match=r"solver is .*; wanted an object with solve"):
        as_solver(wrong)


def test_a_solve_of_one_sample_is_refused():
    class OneSample:
        def solve(self, mdp):
            return mdp.evaluate_all()

    with pytest.raises(TypeError, match=r"OneSample.solve cannot be called with \(mdp, selection"):
        as_solver(OneSample())


@pytest.mark.parametrize("kind", SOLVERS)
def test_settings_are_parameters_and_change_in_a_copy(kind):
    solver = kind()
    assert as_solver(solver) is solver
    own, random = set(SETTINGS) & set(solver.get_params()), np.random.RandomState(0)
    other = configured(solver, verbose=True, n_jobs=2, random=random)
    if "every" in own:
        other = configured(other, every=3)
    else:
        with pytest.raises(ValueError, match=r"every is 3.*decides at each base classifier"):
            configured(solver, every=3)
    assert {name for name in own if getattr(other, name) != getattr(solver, name)} == own
    assert solver == kind()
    assert "verbose" not in own or not configured(other, verbose=False).verbose
    assert configured(other, random=random) is other  # it has a seed of its own


@pytest.mark.parametrize("kind", SOLVERS)
def test_a_path_is_a_policy_per_price(kind):
    mdp, betas = mdp_of(1, n=30), [0.3, 0.01]
    path = list(short(kind).solve_path(mdp, betas, mdp))
    assert len(path) == 2
    if kind is solvers.Portfolio:
        return  # its candidates of one price compete at the other
    for policy, beta in zip(path, betas, strict=True):
        price = mdp.with_beta(beta)
        assert_same(policy, short(kind).solve(price, price))


def test_judged_candidates_are_for_base_classifiers_in_their_own_order():
    mdp = mdp_of(1, n=30)
    judged = short(solvers.Portfolio).judged(mdp, [0.01], mdp)
    costs = [mdp.evaluate(judged.candidate(at)).cost for at in range(len(judged.costs))]
    np.testing.assert_allclose(judged.costs, costs, atol=1e-12)


def prefixes(mdp):
    for n in range(mdp.n_steps):
        yield n + 1, Policy.prefix(n, mdp.n_steps, mdp.grid)


class Prefixes(SearchingSolver):
    verbose, _n_total = False, 4

    def _made(self, mdp):
        return prefixes(mdp)


def test_the_best_of_all_is_kept_and_all_are_remembered():
    mdp = mdp_of(6, n=30)
    search = Prefixes().search(mdp)
    full = mdp.evaluate(mdp.evaluate_all()).objective
    assert search.best == min([full, *search.history])
    assert mdp.evaluate(search.policy).objective == search.best
    assert len(search.history) == mdp.n_steps


def letter(data):
    X, y, is_test = data.letter()
    return X[~is_test][:3000].astype(np.float32), y[~is_test][:3000], Tree(n_leaves=8)


def mnist(data):
    X, y, _, _ = data.mnist()
    inner = X[:1500, 4:24:2, 4:24:2]
    return inner.reshape(1500, -1).astype(np.float32), y[:1500], Stump()


@pytest.mark.parametrize("kind", [Sarsa, WatkinsQ])
@pytest.mark.parametrize("read", [letter, mnist])
def test_the_dag_is_better_than_the_full_ensemble_at_its_price(data, read, kind):
    X, y, learner = read(data)
    boost = AdaBoostMHClassifier(learner, n_rounds=50, random_state=0).fit(X, y)
    mdp = MDP(boost.ensemble_.votes(X), y, beta=0.01)
    assert mdp.n_scores == len(np.unique(y)) > 2
    value = mdp.evaluate(kind(n_episodes=200_000, random_state=0).solve(mdp))
    assert value.objective < mdp.evaluate(mdp.evaluate_all()).objective
    assert value.loss < 0.5
    assert 1 < value.n_evaluated < 30
