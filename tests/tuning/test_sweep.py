import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

import mddag
from mddag._utils.arrays import stratified
from mddag.losses import Exponential
from mddag.solvers import Margin, Portfolio, Sarsa, Solver
from tests.tuning.sweeps import BETAS, BestPrefix, noisy, swept


@pytest.fixture(scope="module")
def curve():
    return swept()


def test_every_column_is_what_the_mdp_says_of_the_policy(curve):
    (votes, labels), held_out = noisy(0), stratified(noisy(0)[1], 0.3, np.random.RandomState(0))
    learn = np.setdiff1d(np.arange(len(labels)), held_out)
    samples = {
        "train": (votes[learn], labels[learn]),
        "selection": (votes[held_out], labels[held_out]),
        "test": noisy(1),
    }
    for row, beta in enumerate(BETAS):
        for name, sample in samples.items():
            mdp = mddag.MDP(*sample, beta=beta)
            for prefix, policy in [("", curve.policies[row]), ("full_", mdp.evaluate_all())]:
                evaluation = mdp.evaluate(policy)
                for measure in ("loss", "cost", "objective", "n_evaluated"):
                    got = getattr(curve, f"{prefix}{name}_{measure}")[row]
                    assert got == getattr(evaluation, measure)


def test_jobs_do_not_change_the_result(curve):
    again = swept(n_jobs=2)
    assert len(swept(betas=BETAS[:2], n_jobs=10**12).policies) == 2
    assert list(again.columns) == list(curve.columns)
    for name, column in again.columns.items():
        np.testing.assert_array_equal(column, curve.columns[name])


def test_samples_that_are_not_given_have_no_columns():
    alone = swept(betas=0.01, X_test=None, y_test=None)
    assert alone.samples == ("train", "selection")
    with pytest.raises(AttributeError, match="no column 'test_loss'; it has beta, train_loss"):
        _ = alone.test_loss


def test_the_selection_rows_choose(curve):
    assert curve.chooser == "selection"
    np.testing.assert_array_equal(curve.envelope(), curve.envelope("selection"))


def test_the_solver_sees_the_selection_rows_and_never_the_test_rows():
    seen = []

    class Listening(BestPrefix):
        def solve(self, mdp, selection=None):
            seen.append((mdp.n_rows, selection.n_rows, selection.beta))
            return super().solve(mdp)

    swept(Listening(), [0.1, 0.2], selection_fraction=0.4)
    assert seen == [(360, 240, 0.1), (360, 240, 0.2)]


def test_a_solver_may_go_along_the_prices_by_itself(curve):
    class AtOnce(BestPrefix, Solver):
        def solve_path(self, mdp, betas, selection):
            assert selection.n_rows == 180
            return [self.solve(mdp.with_beta(beta)) for beta in betas]

    for name, column in swept(AtOnce()).columns.items():
        np.testing.assert_array_equal(column, curve.columns[name])


def test_the_curve_knows_its_loss():
    assert swept(betas=[0.1], loss=Exponential()).loss == Exponential()


@pytest.mark.parametrize(
    ("betas", "named"),
    [
        ([], r"\(0,\)"),
        ([[0.1]], r"\(1, 1\)"),
        ([0.1, -1.0], r"betas\[1\] is -1.0"),
        ([np.nan], "nan"),
    ],
)
def test_bad_betas_are_named(betas, named):
    with pytest.raises(ValueError, match=named):
        swept(betas=betas)


@pytest.fixture(scope="module")
def boosted():
    X, y = load_breast_cancer(return_X_y=True)
    boost = mddag.AdaBoostMHClassifier(n_rounds=20).fit(X[::2], y[::2])
    return boost, X[1::2], y[1::2]


def test_sweep_reads_any_model_and_reports_on_test_rows(boosted):
    boost, X, y = boosted
    curve = mddag.sweep(
        boost,
        X[:200],
        y[:200],
        betas=[0.1, 0.001],
        X_test=X[200:],
        y_test=y[200:],
        solver=BestPrefix(),
    )
    assert curve.samples == ("train", "selection", "test")
    assert curve.train_cost[0] < curve.train_cost[1] <= 20
    dag = mddag.compile(boost.ensemble_, curve.policies[1])
    error = np.mean(boost.ensemble_.labels(dag.scores(X[200:])) != y[200:])
    assert curve.test_loss[1] == pytest.approx(error)


def test_sweep_takes_loss_solver_and_actions_of_an_estimator(boosted):
    boost, X, y = boosted
    solver = Sarsa(n_episodes=2000, random_state=0)
    model = mddag.MDDAGClassifier(
        boost, loss=Exponential(), solver=solver, actions=("eval", "quit")
    ).fit(X, y)
    curve = mddag.sweep(model, X, y, betas=[0.01])
    assert curve.loss == Exponential()
    assert not (curve.policies[0].actions == 1).any()


@pytest.mark.parametrize("grid", ["quantile", "uniform"])
def test_sweep_takes_the_grid_of_an_estimator(boosted, grid):
    boost, X, y = boosted
    model = mddag.MDDAGClassifier.paper(boost, grid=grid, solver=Margin()).fit(X, y)
    edges = mddag.sweep(model, X, y, betas=[0.01]).policies[0].grid.edges
    uniform = mddag.Grid.uniform(model.ensemble_.votes(X)).edges
    assert len(edges) > 0
    assert np.isin(edges, uniform).all() == (grid == "uniform")  # equal cells are one cell


def test_sweep_takes_every_of_an_estimator_and_any_random_state(boosted):
    boost, X, y = boosted
    model = mddag.MDDAGClassifier(boost, solver=Margin(), every=4, random_state=0).fit(X, y)
    for every, decisions in ((None, 5), (2, 10)):
        curve = mddag.sweep(
            model, X, y, betas=[0.01], every=every, random_state=np.random.RandomState(0)
        )
        assert len(curve.policies[0].actions) == decisions


def test_a_seed_decides_the_sweep(boosted):
    boost, X, y = boosted
    solver = Sarsa(n_episodes=3000, evaluate_every=1000)
    first, second = (mddag.sweep(boost, X, y, betas=[0.01], solver=solver) for _ in range(2))
    np.testing.assert_array_equal(first.policies[0].actions, second.policies[0].actions)


def test_the_full_objective_of_a_regressor_is_in_units_of_the_loss_too():
    X, y = load_diabetes(return_X_y=True)
    model = GradientBoostingRegressor(n_estimators=9, random_state=0).fit(X[::2], y[::2])
    curve = mddag.sweep(model, X[1::2], y[1::2], betas=[0.01, 0.1], solver=BestPrefix())
    for prefix in ("", "full_"):
        loss, cost, objective = (
            curve.columns[f"{prefix}selection_{m}"] for m in ("loss", "cost", "objective")
        )
        np.testing.assert_allclose(objective, loss + curve.beta * np.var(y[1::2]) * cost)


@pytest.mark.parametrize(("n_jobs", "n_threads"), [(None, 3), (1, 1), (2, 2)])
def test_the_default_solver_has_a_thread_per_job(n_jobs, n_threads, monkeypatch):
    def solve_path(self, mdp, betas, selection):
        seen.append(self.n_jobs)
        return [mdp.evaluate_all() for _ in betas]

    seen = []
    monkeypatch.setattr(Portfolio, "solve_path", solve_path)
    X, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=3, max_depth=1).fit(X, y)
    fitted = mddag.MDDAGClassifier(model, solver=Margin(), n_jobs=3).fit(X, y)
    fitted.set_params(solver=None)
    mddag.sweep(fitted, X, y, betas=[0.01], n_jobs=n_jobs)
    assert seen == [n_threads]


def test_sweep_weighs_rows_and_test_rows(boosted):
    boost, X, y = boosted
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    counted = weight > 0
    settings = {"betas": [0.01, 0.001], "solver": Margin()}
    curve = mddag.sweep(
        boost, X, y, sample_weight=weight, X_test=X, y_test=y, sample_weight_test=weight, **settings
    )
    alone = mddag.sweep(
        boost,
        X[counted],
        y[counted],
        sample_weight=10 * weight[counted],
        X_test=X,
        y_test=y,
        **settings,
    )
    for name in ("train_loss", "selection_loss", "train_cost", "selection_n_evaluated"):
        np.testing.assert_array_equal(getattr(curve, name), getattr(alone, name))
    policy = mddag.compile(mddag.as_ensemble(boost), curve.policies[0])
    wrong = mddag.as_ensemble(boost).labels(policy.scores(X)) != y
    assert curve.test_loss[0] == pytest.approx(np.average(wrong, weights=weight))
    assert alone.test_loss[0] == pytest.approx(wrong.mean())
    assert curve.test_loss[0] != pytest.approx(wrong.mean())


def test_few_rows_are_told():
    X, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X[:300], y[:300])
    few = "X has 499 rows, but beta wants 500 or more .*; give more rows"
    with pytest.warns(mddag.DoubtfulResult, match=few) as told:
        mddag.sweep(model, X[:499], y[:499], betas=[0.01], solver=Margin())
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", mddag.DoubtfulResult)
        mddag.sweep(model, X[:500], y[:500], betas=[0.01], solver=Margin())
