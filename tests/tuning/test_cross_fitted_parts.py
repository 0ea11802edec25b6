"""Cross-fitted rows vote by the models that judge them, those that certify by the final model."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from mddag import compile as compile_dag
from mddag.adapters import ensemble_of, parts_of
from mddag.dag.replay import visited
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, SKIP, Policy
from mddag.tuning.cross_fitted_parts import CrossFittedParts
from mddag.tuning.folded_rows import ALL, FOLDS, FoldedRows
from mddag.tuning.node_prices import node_prices

EVERY_FOLD = (*range(FOLDS), ALL)
LENGTHS = dict(zip(EVERY_FOLD, (14, 12, 13, 12), strict=True))


def rows_of(n_classes, proves=True, weight=None):
    X, y = make_classification(400, n_informative=4, n_classes=n_classes, random_state=0)
    return FoldedRows.of(X, y, weight, y, proves, np.random.RandomState(0))


def sources_of(rows, model=GradientBoostingClassifier):
    made = {f: model(n_estimators=LENGTHS[f], max_depth=3, random_state=0) for f in EVERY_FOLD}
    return [parts_of(rows.fitted(made[fold], fold)) for fold in EVERY_FOLD]


@pytest.fixture(scope="module", params=[2, 3])
def case(request):
    """Rows, models and parts; the models differ in length and bias."""
    rows = rows_of(request.param)
    sources = sources_of(rows)
    return rows, sources, CrossFittedParts.of_models(sources, rows)


def some_policy(parts):
    """A policy that evaluates the first base classifier, which has the bias, then does anything."""
    n, grid = parts.ensemble.n_classifiers, Grid.quantile(parts.votes, 8)
    actions = np.random.default_rng(0).choice([EVAL, EVAL, SKIP, QUIT], (n, grid.n_cells))
    actions[0] = EVAL
    return Policy(actions.astype(np.uint8), grid, np.arange(n))


def test_every_row_has_the_scores_of_the_model_that_judges_it(case):
    rows, sources, parts = case
    for fold, source in zip(EVERY_FOLD, sources, strict=True):
        own = rows.judged_by(fold)
        model = ensemble_of(source).truncated(12)  # as long as the shortest
        np.testing.assert_allclose(parts.scores[own], model.scores(rows.given[own]), atol=1e-12)
    np.testing.assert_array_equal(parts.full, parts.ensemble.task.predictions(parts.scores))
    assert parts.ensemble.n_classifiers == 12


def test_the_ensemble_is_the_model_of_all_rows(case):
    rows, sources, parts = case
    wanted = ensemble_of(sources[-1]).scores(rows.X)
    np.testing.assert_array_equal(parts.ensemble.scores(rows.X), wanted)
    assert parts.models[-1] is parts.ensemble


def test_parts_are_those_of_the_rows(case):
    rows, _, parts = case
    np.testing.assert_array_equal(parts.seen, np.arange(len(rows.judging)))
    np.testing.assert_array_equal(rows.numbers[parts.certifying], rows.certifying)
    np.testing.assert_array_equal(parts.truth, rows.targets[rows.numbers])
    assert not np.intersect1d(parts.learning, parts.choosing).size
    assert parts.weight is None


def test_rows_that_certify_have_the_votes_of_the_ensemble(case):
    rows, _, parts = case
    own = parts.ensemble.votes(rows.given[parts.certifying])
    found = parts.votes_of(parts.certifying)
    np.testing.assert_array_equal(found.codes, own.codes)
    np.testing.assert_array_equal(found.scores(), own.scores())
    assert found.tables is parts.ensemble.tables
    some = parts.certifying[[4, 2]]
    np.testing.assert_array_equal(parts.votes_of(some).scores(), own.scores()[[4, 2]])
    judging = parts.votes_of(parts.choosing)
    np.testing.assert_array_equal(judging.codes, parts.votes.codes[parts.choosing])


def test_a_policy_does_to_rows_that_certify_what_its_dag_does(case):
    rows, _, parts = case
    policy = some_policy(parts)
    found, dag = parts.replayed(policy), compile_dag(parts.ensemble, policy)
    trace = dag.run(rows.given[parts.certifying])
    at = parts.certifying
    np.testing.assert_array_equal(found.scores[at], trace.scores)
    np.testing.assert_array_equal(found.n_evaluated[at], trace.n_evaluated)
    np.testing.assert_array_equal(found.verdict[at], trace.verdict)
    assert len(set(found.n_evaluated[at])) > 1


def test_a_policy_does_to_other_rows_what_it_does_in_their_models(case):
    rows, _, parts = case
    policy = some_policy(parts)
    found = parts.replayed(policy)
    for fold, model in zip(range(FOLDS), parts.models, strict=False):
        own = rows.judged_by(fold)
        trace = compile_dag(model, policy).run(rows.given[own])
        np.testing.assert_array_equal(found.n_evaluated[own], trace.n_evaluated)
        np.testing.assert_allclose(found.scores[own], trace.scores, atol=1e-6)


def test_a_cut_is_that_of_shorter_models(case):
    rows, sources, parts = case
    short = parts.cut(5)
    assert isinstance(short, CrossFittedParts)
    assert [len(model) for model in (*short.models, short.ensemble)] == [5] * (FOLDS + 2)
    for fold, source in zip(EVERY_FOLD, sources, strict=True):
        own = rows.judged_by(fold)
        wanted = ensemble_of(source).truncated(5).scores(rows.given[own])
        np.testing.assert_allclose(short.scores[own], wanted, atol=1e-12)
    own = short.ensemble.scores(rows.given[short.certifying])
    np.testing.assert_array_equal(short.votes_of(short.certifying).scores(), own)
    assert short.leaf_depths().of_rows(short.votes.codes).shape == (len(short), 5)


def test_nodes_are_counted_in_the_model_that_judges_the_row(case):
    rows, _, parts = case
    policy, prices = some_policy(parts), node_prices(parts)
    counted = prices.on(parts.votes)
    for fold, model in zip(EVERY_FOLD, parts.models, strict=True):
        own, dag = rows.judged_by(fold), compile_dag(model, policy)
        np.testing.assert_array_equal(counted.under(policy)[own], visited(dag, rows.given[own]))
        whole = visited(compile_dag(model), rows.given[own])
        np.testing.assert_array_equal(counted.everything()[own], whole)
    nodes = parts.leaf_depths().of_rows(parts.votes.codes)[parts.seen]
    np.testing.assert_allclose(prices.means, nodes.mean(axis=0))


def test_where_nothing_is_proved_no_row_certifies():
    rows = rows_of(2, proves=False)
    parts = CrossFittedParts.of_models(sources_of(rows), rows)
    assert len(parts.certifying) == 0
    assert len(parts) == len(parts.seen) == 400
    assert len(parts.votes_of(parts.certifying)) == 0
    found = parts.replayed(some_policy(parts))
    assert len(found.scores) == 400
    assert parts.cut(4).scores.shape == (400, 1)


def test_numbers_and_weights():
    X, y = make_friedman1(300, random_state=0)
    weight = np.arange(300.0) + 1
    rows = FoldedRows.of(X, y, weight, np.zeros(300), True, np.random.RandomState(0))
    sources = sources_of(rows, GradientBoostingRegressor)
    parts = CrossFittedParts.of_models(sources, rows)
    assert len({float(model.bias[0]) for model in parts.models}) == FOLDS + 1
    for fold, model in zip(EVERY_FOLD, parts.models, strict=True):
        own = rows.judged_by(fold)
        np.testing.assert_allclose(parts.full[own], model.scores(rows.given[own])[:, 0])
    np.testing.assert_array_equal(parts.weight, weight[rows.numbers])


def test_models_that_differ_in_form_have_no_parts():
    rows, other = rows_of(2), rows_of(3)
    sources = sources_of(rows)
    assert CrossFittedParts.of_models([*sources[:-1], *sources_of(other)[-1:]], rows) is None
