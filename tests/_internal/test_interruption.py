"""Ctrl-C raises, or returns what was found by then if asked to: at every entry point alike."""

import threading
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_friedman1, make_hastie_10_2
from sklearn.ensemble import GradientBoostingRegressor

import mddag
from mddag import AdaBoostMHClassifier, MDDAGClassifier, MDDAGRegressor
from mddag._internal.interruption import Interrupted, ending_all, keeping
from mddag.learners import Stump
from mddag.losses import Squared, ZeroOne
from mddag.ordering import Given
from mddag.solvers import Descent, Margin, Portfolio, Prefix, Sarsa, WatkinsQ


class StoppedAt:
    """Ctrl-C comes at the k-th call, once; counts the calls."""

    def __init__(self, k):
        self.k, self.n_calls = k, 0

    def __call__(self):
        self.n_calls += 1
        if self.n_calls == self.k:
            raise KeyboardInterrupt


def stopped_loss(k, loss=None):
    """A loss during whose k-th call Ctrl-C comes."""
    call, loss = StoppedAt(k), ZeroOne() if loss is None else loss

    def of(scores, labels):
        call()
        return loss(scores, labels)

    return of


class StoppedPrefix:
    """Solves price by price, for it shows no candidates; Ctrl-C comes at the k-th."""

    def __init__(self, k=None):
        self.call = StoppedAt(k)

    def solve(self, mdp, selection=None):
        self.call()
        return Prefix().solve(mdp, selection)


class StoppedMember(Prefix):
    """Ctrl-C comes while its candidates are made."""

    def candidates(self, mdp):
        raise KeyboardInterrupt


STOPPED_POOL = {"members": (Margin(), StoppedMember()), "orderings": (Given(),), "random_state": 0}
LEARNERS = [
    Sarsa(n_episodes=600, evaluate_every=100, random_state=0),
    WatkinsQ(n_episodes=600, evaluate_every=100, random_state=0),
    Descent(n_starts=1, random_state=0),
]


@pytest.fixture(scope="module")
def hastie():
    X, y = make_hastie_10_2(4000, random_state=0)
    boost = AdaBoostMHClassifier(n_rounds=20).fit(X[:1000], y[:1000])
    return boost, X[1000:3000], y[1000:3000], X[3000:]


def test_the_warning_names_the_users_line(hastie):
    boost, X, y, _ = hastie
    with pytest.warns(Interrupted) as caught:
        mddag.sweep(boost, X, y, solver=StoppedPrefix(3), on_interrupt="return")
    assert [w.filename for w in caught] == [__file__]


@pytest.mark.parametrize("solver", LEARNERS, ids=lambda s: type(s).__name__)
def test_fit_raises_and_is_as_before_or_returns_the_best_so_far(hastie, solver):
    boost, X, y, _ = hastie
    model = MDDAGClassifier(boost, solver=solver, random_state=0).fit(X[:200], y[:200])
    calls = {"Descent": 40}.get(type(solver).__name__, 300)
    before, scores = dict(vars(model)), model.scores(X)
    model.set_params(loss=stopped_loss(calls))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:300], y[:300])
    assert vars(model) == {**before, "loss": model.loss}
    assert_array_equal(model.scores(X), scores)
    model.set_params(loss=stopped_loss(calls), on_interrupt="return")
    with pytest.warns(Interrupted, match=r"was stopped after \d+ candidates"):
        model.fit(X[:300], y[:300])
    assert model.evaluation_.objective <= model.full_evaluation_.objective


def test_a_regressor_does_the_same():
    X, y = make_friedman1(600, random_state=0)
    boost = GradientBoostingRegressor(n_estimators=10).fit(X[:200], y[:200])
    for on_interrupt in ("raise", "return"):
        loss = stopped_loss(300, Squared())
        model = MDDAGRegressor(boost, solver=LEARNERS[0], loss=loss, on_interrupt=on_interrupt)
        if on_interrupt == "raise":
            with pytest.raises(KeyboardInterrupt):
                model.fit(X[200:], y[200:])
            assert not hasattr(model, "policy_")
        else:
            with pytest.warns(Interrupted, match="Sarsa was stopped after 2 candidates"):
                model.fit(X[200:], y[200:])
            assert model.predict(X).shape == (600,)


def test_what_a_solver_was_asked_for_holds_within_fit(hastie):
    boost, X, y, _ = hastie
    solver = Portfolio(**STOPPED_POOL, on_interrupt="return")
    with pytest.warns(Interrupted, match="Portfolio was stopped after 1 steps"):
        MDDAGClassifier(boost, solver=solver).fit(X, y)


def test_ctrl_c_before_there_is_anything_raises_all_the_same(hastie):
    boost, X, y, _ = hastie
    model = MDDAGClassifier(boost, solver=StoppedPrefix(1), on_interrupt="return")
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert not hasattr(model, "policy_")
    with pytest.raises(KeyboardInterrupt):
        mddag.sparsify(boost, X, y, budget=5, solver=StoppedPrefix(1), on_interrupt="return")
    with pytest.raises(KeyboardInterrupt):  # after some that take more than the budget
        mddag.sparsify(boost, X, y, budget=1, solver=StoppedPrefix(3), on_interrupt="return")
    with pytest.raises(KeyboardInterrupt):
        mddag.sweep(boost, X, y, solver=StoppedPrefix(1), on_interrupt="return")


KNOBS = [
    {"budget": 5},
    {"max_loss": 0.05},
    {"max_disagreement": 0.05},
    {"max_disagreement": 0.05, "confidence": None},
]


@pytest.mark.parametrize("knob", KNOBS, ids=str)
@pytest.mark.parametrize("pool", [False, True])
def test_sparsify_keeps_budgets_and_promises_of_what_was_found_by_then(hastie, knob, pool):
    boost, X, y, fresh = hastie
    solver = Portfolio(**STOPPED_POOL) if pool else StoppedPrefix(9)
    with pytest.raises(KeyboardInterrupt):
        mddag.sparsify(boost, X, y, **knob, solver=solver)
    solver = Portfolio(**STOPPED_POOL) if pool else StoppedPrefix(9)
    with pytest.warns(Interrupted, match=r"after 1 steps; returning|after 8 policies; one of"):
        fast = mddag.sparsify(boost, X, y, **knob, solver=solver, on_interrupt="return")
    if "budget" in knob:
        assert 1 < fast.n_evaluated(fresh).mean() < 5.5
        return
    assert hasattr(fast, "promise_") == ("confidence" not in knob)
    if "max_loss" not in knob:
        changed = np.mean(fast.predict(fresh) != boost.predict(fresh))
        assert changed <= (0.05 if hasattr(fast, "promise_") else 0.07)


def test_sparsify_at_one_price_returns_what_its_solver_has(hastie):
    boost, X, y, _ = hastie
    solver = Portfolio(**STOPPED_POOL)
    with pytest.raises(KeyboardInterrupt):
        mddag.sparsify(boost, X, y, beta=0.01, solver=solver)
    with pytest.warns(Interrupted, match="Portfolio was stopped after 1 steps"):
        fast = mddag.sparsify(boost, X, y, beta=0.01, solver=solver, on_interrupt="return")
    assert fast.on_interrupt == "return"


@pytest.mark.parametrize("solver", LEARNERS, ids=lambda s: type(s).__name__)
def test_sparsify_at_one_price_returns_what_any_solver_has(hastie, solver):
    boost, X, y, _ = hastie
    calls = {"Descent": 40}.get(type(solver).__name__, 300)
    given = {"beta": 0.01, "solver": solver, "random_state": 0}
    with pytest.raises(KeyboardInterrupt):
        mddag.sparsify(boost, X, y, loss=stopped_loss(calls), **given)
    with pytest.warns(Interrupted, match=r"was stopped after \d+ candidates"):
        fast = mddag.sparsify(boost, X, y, loss=stopped_loss(calls), on_interrupt="return", **given)
    assert fast.summary_.knob == "beta"


@pytest.fixture
def stopped_at_the_twelfth(monkeypatch):
    """Ctrl-C comes while the twelfth candidate of a search is judged."""
    replayed, call = mddag.tuning.candidates.CandidateSearch._replayed, StoppedAt(12)

    def stopped(self, beta, policy):
        call()
        return replayed(self, beta, policy)

    monkeypatch.setattr(mddag.tuning.candidates.CandidateSearch, "_replayed", stopped)


@pytest.mark.usefixtures("stopped_at_the_twelfth")
@pytest.mark.parametrize("on_interrupt", ["raise", "return"])
def test_ctrl_c_while_a_front_is_replayed(hastie, on_interrupt):
    boost, X, y, fresh = hastie
    solver = Portfolio(members=(Margin(),), orderings=(Given(),), sizes=())
    settings = {"budget": 5, "solver": solver, "on_interrupt": on_interrupt}
    if on_interrupt == "raise":
        with pytest.raises(KeyboardInterrupt):
            mddag.sparsify(boost, X, y, **settings)
        return
    with pytest.warns(Interrupted, match="Portfolio was stopped after 10 policies"):
        fast = mddag.sparsify(boost, X, y, **settings)
    assert fast.n_evaluated(fresh).mean() < 5.5


def test_sweep_raises_or_returns_the_prices_that_are_done(hastie):
    boost, X, y, _ = hastie
    betas = [0.1, 0.03, 0.01, 0.003]
    solver = StoppedAtPrice(0.01)
    for n_jobs in (None, 2):
        with pytest.raises(KeyboardInterrupt):
            mddag.sweep(boost, X, y, betas=betas, solver=solver, n_jobs=n_jobs)
    with pytest.warns(Interrupted, match="stopped after 2 of 4 betas; the curve has those alone"):
        curve = mddag.sweep(boost, X, y, betas=betas, solver=solver, on_interrupt="return")
    assert curve.beta.tolist() == betas[:2]


class StoppedAtPrice(Prefix):
    def __init__(self, beta):
        super().__init__()
        self.beta = beta

    def solve(self, mdp, selection=None):
        if mdp.beta == self.beta:
            raise KeyboardInterrupt
        return super().solve(mdp, selection)


class StoppedStump(Stump):
    """Ctrl-C comes in the k-th round."""

    def __init__(self, k):
        self.call = StoppedAt(k)

    def fit(self, columns, targets, weights):
        self.call()
        return super().fit(columns, targets, weights)


@pytest.mark.parametrize("settings", [{}, {"early_stopping": 50}, {"calibration_fraction": 0.2}])
def test_boosting_keeps_the_rounds_that_were_played(hastie, settings):
    _, X, y, _ = hastie
    settings = {"random_state": 0, "n_rounds": 20, **settings}
    model = AdaBoostMHClassifier(StoppedStump(8), on_interrupt="return", **settings)
    with pytest.warns(Interrupted, match="AdaBoost.MH was stopped after 7 of 20 rounds"):
        model.fit(X, y)
    short = AdaBoostMHClassifier(**(settings | {"n_rounds": 7})).fit(X, y)
    assert (model.n_rounds_, model.stopped_by_) == (short.n_rounds_, "interrupt")
    assert_array_equal(model.scores(X), short.scores(X))
    assert_array_equal(model.predict_proba(X), short.predict_proba(X))
    assert_array_equal(model.history_["held_out_error"], short.history_["held_out_error"])
    with pytest.raises(KeyboardInterrupt):
        AdaBoostMHClassifier(StoppedStump(1), on_interrupt="return", **settings).fit(X, y)


def test_boosting_goes_on_from_where_it_was_stopped(hastie):
    _, X, y, _ = hastie
    model = AdaBoostMHClassifier(
        StoppedStump(8), n_rounds=20, warm_start=True, on_interrupt="return"
    )
    with pytest.warns(Interrupted):
        model.fit(X, y)
    whole = AdaBoostMHClassifier(n_rounds=20).fit(X, y)
    assert_array_equal(model.set_params(learner=None).fit(X, y).scores(X), whole.scores(X))


def test_half_a_round_is_taken_back(hastie, monkeypatch):
    """Ctrl-C comes after the votes of a round were added up and before it was written down."""
    _, X, y, _ = hastie
    keep, call = mddag.boosting.training.Training._keep, StoppedAt(8)

    def stopped(self, new, seconds):
        if call.n_calls == call.k - 1:
            self.played.append(new)
        call()
        keep(self, new, seconds)

    monkeypatch.setattr(mddag.boosting.training.Training, "_keep", stopped)
    model = AdaBoostMHClassifier(n_rounds=20, on_interrupt="return")
    with pytest.warns(Interrupted, match="after 7 of 20 rounds"):
        model.fit(X, y)
    monkeypatch.undo()
    short = AdaBoostMHClassifier(n_rounds=7).fit(X, y)
    assert_array_equal(model.predict_proba(X), short.predict_proba(X))
    assert len(model.history_["edge"]) == len(model.history_["seconds"]) == 7


def test_bad_values_are_refused_before_any_work(hastie):
    boost, X, y, _ = hastie
    wanted = "on_interrupt is 'ignore'; wanted one of 'raise', 'return'"
    for call in (
        lambda: MDDAGClassifier(boost, on_interrupt="ignore").fit(X, y),
        lambda: AdaBoostMHClassifier(on_interrupt="ignore").fit(X, y),
        lambda: mddag.sparsify(boost, X, y, beta=0.01, on_interrupt="ignore"),
        lambda: mddag.sweep(boost, X, y, on_interrupt="ignore"),
    ):
        with pytest.raises(ValueError, match=wanted):
            call()


def test_one_interruption_ends_everything_in_the_main_thread_alone():
    """Filters of warnings belong to all threads: the others must not touch them."""

    def filters_inside():
        with ending_all():
            inside.append(list(warnings.filters))

    inside = []
    before = list(warnings.filters)
    other = threading.Thread(target=filters_inside)
    other.start()
    other.join()
    assert inside == [before]
    with pytest.raises(Interrupted), ending_all():
        warnings.warn("stopped", Interrupted, stacklevel=1)
    assert list(warnings.filters) == before


@pytest.mark.parametrize("on_interrupt", ["raise", "return"])
def test_a_solver_inside_that_warns_ends_what_is_around_it(on_interrupt):
    seen = []

    def work():
        with keeping(on_interrupt, lambda: f"kept {len(seen)}" if seen else ""):
            seen.append(1)
            warnings.warn("of the solver", Interrupted, stacklevel=1)
            seen.append(2)

    if on_interrupt == "raise":
        with pytest.raises(KeyboardInterrupt):
            work()
    else:
        with pytest.warns(Interrupted, match="kept 1"):
            work()
    assert seen == [1]
