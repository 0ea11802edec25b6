"""Whether all that can run a model gives the same answers, bit by bit."""

import tempfile
from pathlib import Path

import numpy as np
import pytest

from mddag.engine.dag import Dag
from mddag.engine.dag import compile as compile_dag
from mddag.engine.executors import Blocks
from mddag.ensemble.patches import PatchFeatures
from mddag.metrics.ranking import Queries
from mddag.policy.rollout import roll_out
from mddag.policy.state import Stages
from mddag.ranking.predictor import RankPredictor
from mddag.serving.export import export
from mddag.serving.export.tables import WalkTables
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor
from tests.reference import serving as exported

N_ROWS = 600  # more than a block of any executor
MOST_FEATURES = 2000  # of which so many rows are made; of more, one row or none
FEW = 6
FEW_LAZY = 60
# Without classes; those of others are refused by name.
PREDICTED = [("regressor", "identity"), ("regressor", "exp")]
PREDICTED += [("ranker", link) for link in ("identity", "exp", "unknown")]


def check(model):
    """Raises where two ways to run a model differ, or where one fails."""
    dag, predictor = model.dag, Predictor(model)
    assert str(dag)
    assert str(predictor)
    assert Model.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
    _ = dag.program.forest  # made, whatever the cost model would choose
    if dag.program.has_kernels:
        _ = Blocks(dag.program).decisions  # likewise
    if dag.ensemble.n_features > MOST_FEATURES:
        return
    if dag.needs_queries:
        queries_agree(model)
        return
    if isinstance(dag.ensemble.features, PatchFeatures):
        patches_agree(dag, predictor)
        return
    rows = rows_for(dag.ensemble)
    with np.errstate(over="ignore"):
        narrow = rows.astype(np.float32)
    for X in (narrow, rows, np.asfortranarray(narrow)):
        scores = executors_agree(dag, X)
        with np.errstate(all="ignore"):  # numbers of any size are multiplied
            predictions_agree(predictor, X, scores)
    executors_agree(compile_dag(dag.ensemble), narrow)
    exports_agree(predictor, narrow[:FEW])


def patches_agree(dag, predictor):
    """The same of patches, whose columns are computed."""
    features = dag.ensemble.features
    if features.n_given > MOST_FEATURES:
        return
    X = np.random.default_rng(0).integers(0, 256, (N_ROWS, *features.window), np.uint8)
    scores = executors_agree(dag, features.rows(X))
    predictions_agree(predictor, X, scores)
    exports_agree(predictor, features.rows(X)[:FEW])


def queries_agree(model):
    """The same of documents of queries, also interleaved, where each keeps its order: ties."""
    predictor, rng = RankPredictor(model), np.random.default_rng(0)
    X = rows_for(model.dag.ensemble)
    qid = np.repeat(np.arange(N_ROWS), rng.integers(1, 40, N_ROWS))[:N_ROWS]
    mixed = np.empty(N_ROWS, np.intp)
    mixed[np.argsort(rng.permutation(qid), kind="stable")] = np.arange(N_ROWS)
    with np.errstate(over="ignore"):
        narrow = X.astype(np.float32)
    for rows in (narrow, X):
        trace = stepwise(model.dag, rows, qid)
        assert np.isfinite(trace.scores).all()
        for found in (predictor.run(rows, qid), predictor.on_threads(2).run(rows, qid)):
            np.testing.assert_array_equal(found.scores, trace.scores)
            np.testing.assert_array_equal(found.exit_step, trace.exit_step)
            np.testing.assert_array_equal(found.indices, trace.indices)
        readings = predictor.predict(rows, qid)
        np.testing.assert_array_equal(readings, trace.scores[:, 0])
        np.testing.assert_array_equal(predictor.n_evaluated(rows, qid), trace.n_evaluated)
        np.testing.assert_array_equal(predictor.predict(rows[mixed], qid[mixed]), readings[mixed])
        few = qid < FEW
        np.testing.assert_array_equal(predictor.predict(rows[few], qid[few]), readings[few])
        assert sorted(predictor.rank(rows, qid)) == list(range(N_ROWS))
    with pytest.raises(ValueError, match="one row has no prediction of its own"):
        predictor.predict_one(X[0])


def stepwise(dag, rows, qid):
    """The trace without kernels."""
    queries, ready = Queries.of(qid, len(rows)), dag.ensemble.features.rows(rows)
    return dag.by_query.followed(ready, queries, 1)


def rows_for(ensemble):
    """Rows on thresholds and beside them, categories, infinities and, where allowed, NaN."""
    rng = np.random.default_rng(0)
    n = ensemble.n_features
    splits = ensemble.nodes[ensemble.nodes["feature"] >= 0]
    rows = rng.normal(size=(N_ROWS, n)) * rng.choice([1.0, 1.0, 30.0], size=(N_ROWS, 1))
    for f in np.unique(splits["feature"]):
        on = rng.choice(splits["threshold"][splits["feature"] == f], N_ROWS)
        rows[:, f] = np.where(rng.random(N_ROWS) < 0.5, on, rows[:, f])
    strange = [np.inf, -np.inf, 0.0, -0.0, 1e300, *([np.nan] if ensemble.features.missing else [])]
    odd = rng.random(rows.shape) < 0.1
    rows[odd] = rng.choice(strange, odd.sum())
    with np.errstate(over="ignore"):
        return np.where(rng.random(rows.shape) < 0.5, rows.astype(np.float32), rows)


def executors_agree(dag, X):
    """The scores of all executors."""
    wanted, exit_step = Dag(dag.ensemble, dag.policy, "walk").exits(X)
    trace = dag.run(X)
    np.testing.assert_array_equal(trace.scores, wanted)
    np.testing.assert_array_equal(trace.exit_step, exit_step)
    if isinstance(dag.policy.state, Stages):
        staged_runs_agree(dag, X, trace)
    for name in [executor.name for executor in dag.possible]:
        other = Dag(dag.ensemble, dag.policy, name, dag.expected_evaluations)
        np.testing.assert_array_equal(other.scores(X), wanted)
        for got, want in zip(other.exits(X), (wanted, exit_step), strict=True):
            np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(other.verdicts(X), trace.verdict)
    for i in range(FEW):
        assert dag.walk.scores_one(np.ascontiguousarray(X[i])) == tuple(wanted[i])
    if dag.policy.evaluates_all:
        full = dag.ensemble.scores(X)
        bound = dag.fixed_point.bound + 1e-12 * np.abs(full).max(initial=0)
        assert (np.abs(wanted - full) <= bound).all()
    return wanted


def staged_runs_agree(dag, X, trace):
    """The walk on integers against a rollout of the same integers in float64."""
    found = roll_out(dag.policy, dag.ensemble.votes(X))
    np.testing.assert_array_equal(found.scores, trace.scores)
    np.testing.assert_array_equal(found.exit_step, trace.exit_step)
    np.testing.assert_array_equal(found.codes, trace.verdict)


def predictions_agree(predictor, X, scores):
    ensemble = predictor.model.dag.ensemble
    if ensemble.classes is None and (ensemble.kind, ensemble.link) not in PREDICTED:
        return
    predicted = predictor.predict(X)
    for i in range(FEW):
        x = np.ascontiguousarray(X[i])
        for one in (predictor.predict_one(x), predictor.predict(x[None])[0]):
            assert one == predicted[i] or (one != one and predicted[i] != predicted[i])
    if ensemble.kind != "ranker":
        lazy_agrees(predictor, X[:FEW_LAZY], predicted[:FEW_LAZY])
    if ensemble.classes is None or ensemble.kind != "classifier":
        return
    codes = predictor.run(X).verdict
    np.testing.assert_array_equal(predicted, ensemble.classes[codes])
    if predictor.model.dag.policy.verdict is None:
        np.testing.assert_array_equal(codes, ensemble.codes(scores))
    if predictor.model.calibration is not None:
        p = predictor.predict_proba(X)
        np.testing.assert_array_equal(p.argmax(axis=1), ensemble.codes(scores))
        assert ((p >= 0) & (p <= 1)).all()
        for i in range(FEW):
            one = predictor.predict_proba_one(np.ascontiguousarray(X[i]))
            np.testing.assert_array_equal(one, p[i])


def lazy_agrees(predictor, X, predicted):
    """The same with features that are fetched, and what they cost."""
    if isinstance(predictor.model.dag.ensemble.features, PatchFeatures):
        return
    if predictor.feature_prices is None:
        groups = {"first": list(range(min(2, X.shape[1])))}
        predictor = predictor.with_prices(np.arange(X.shape[1], dtype=float), groups, 0.25)
    fetch, trace = Table(predictor, X), predictor.run(X)
    result = predictor.predict_lazy(fetch, n_rows=len(X), return_details=True)
    np.testing.assert_array_equal(result.predictions, predicted)
    assert result.predictions.dtype == predicted.dtype
    for name in ("groups", "waves", "feature_cost", "scores", "exit_step"):
        np.testing.assert_array_equal(getattr(result, name), getattr(trace, name))
    assert result.n_calls == len(fetch.calls) <= result.n_rounds * len(result.names)
    fetched = {name: sum(n for group, n in fetch.calls if group == name) for name in result.names}
    assert list(fetched.values()) == result.groups.sum(axis=0).tolist()
    if predictor.has_probabilities:
        np.testing.assert_array_equal(result.probabilities, predictor.predict_proba(X))


def exports_agree(predictor, X):
    """The tables of the exported code, walked in Python."""
    dag = predictor.model.dag
    if dag.ensemble.link == "unknown" and dag.ensemble.kind != "classifier":
        return
    with tempfile.TemporaryDirectory() as folder:
        export(predictor, Path(folder) / "net.h")
    tables, trace = WalkTables.of(dag), dag.run(X)
    for i, row in enumerate(X):
        sums, n_evaluated, code = exported.run(tables, row)
        scores = np.ldexp(np.array(sums, np.float64), -tables.exponent)
        assert scores.tolist() == trace.scores[i].tolist()
        assert n_evaluated == trace.n_evaluated[i]
        assert code == trace.verdict[i] or not dag.ensemble.task.predicts_classes


class Table:
    """fetch(group, rows) out of a matrix.

    calls : (group, number of rows), in order
    """

    def __init__(self, predictor, X):
        self.X, self.calls = np.asarray(X), []
        prices = predictor.feature_prices
        names = predictor.model.dag.ensemble.features
        self.columns = (
            {names.called(c): (c,) for c in range(names.n)}
            if prices is None
            else dict(zip(prices.names, prices.columns, strict=True))
        )

    def __call__(self, group, rows):
        self.calls.append((group, len(rows)))
        return self.X[rows][:, self.columns[group]]

    async def fetch(self, group, rows):
        return self(group, rows)

    def one(self, i):
        """fetch_one(group) of row i."""
        return lambda group: self(group, np.array([i]))[0]
