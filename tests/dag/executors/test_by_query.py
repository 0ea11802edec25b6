"""Policies that look at whole queries: natively, and step by step with the same bits."""

import numpy as np
import pytest

import mddag
from mddag.metrics.queries import Queries
from mddag.solvers.ranking import (
    CapacityExits,
    PrefixExits,
    ProximityExits,
    QueryExits,
    RankExits,
    ScoreExits,
    UrgencyExits,
)
from tests import rankings

MEMBERS = [
    (UrgencyExits(), 1e-4),
    (UrgencyExits(), 3e-3),
    (UrgencyExits(16, 1.0), 1e-3),
    (ProximityExits(k=3), (1.0, 0.6)),
    (ScoreExits(), (-1.0, 1.0)),
    (RankExits(k=3), (0.5, 1.0)),
    (CapacityExits(), (0.3, 1.0)),
    (QueryExits(), 1e-3),
    (PrefixExits(), 0.5),
]


def dag_of(member, knob):
    family = member.fit(rankings.problem())
    return mddag.compile(rankings.ensemble(), family.policy(knob)), family


@pytest.mark.parametrize(("member", "knob"), MEMBERS)
def test_kernel_and_steps_give_the_same_bits(member, knob):
    dag, _ = dag_of(member, knob)
    X, _, qid = rankings.documents(seed=5)
    mixed = np.random.default_rng(0).permutation(len(qid))
    X, qid = X[mixed], qid[mixed]
    queries = Queries.of(qid, len(qid))
    trace = dag.by_query._followed(dag.ensemble.features.rows(X), queries, 1)
    assert dag.by_query.has_kernel == (type(member) not in (RankExits, CapacityExits, QueryExits))
    for n_threads in (1, 3):
        found = dag.run(X, qid, n_threads=n_threads)
        for name in ("scores", "exit_step", "indptr", "indices"):
            assert (getattr(found, name) == getattr(trace, name)).all(), name
        np.testing.assert_allclose(found.cost, trace.cost)
        scores, exit_step, n_evaluated = dag.lengths(X, qid, n_threads=n_threads)
        assert (scores == trace.scores).all()
        assert (exit_step == trace.exit_step).all()
        assert (n_evaluated == trace.n_evaluated).all()
        assert (dag.scores(X, qid=qid, n_threads=n_threads) == trace.scores).all()
    assert 0 < trace.n_evaluated.mean() < 80


@pytest.mark.parametrize(("member", "knob"), MEMBERS[:4])
def test_a_query_is_decided_alike_in_any_batch(member, knob):
    dag, _ = dag_of(member, knob)
    X, _, qid = rankings.documents(300, seed=6)
    scores = dag.scores(X, qid=qid)
    for q in (0, 17, 299):
        alone = qid == q
        assert (dag.scores(X[alone], qid=qid[alone]) == scores[alone]).all()
    assert (dag.scores(X.astype(np.float32), qid=qid) == scores).all()


def test_simulation_is_the_policy_but_for_rounding():
    dag, family = dag_of(UrgencyExits(), 1e-3)
    problem = rankings.problem(seed=7)
    X, _, qid = rankings.documents(seed=7)
    readings, steps = family.run(family.blocks(problem), problem.queries, 1e-3)
    found = dag.run(X, qid)
    alike = found.exit_step == steps
    assert alike.mean() > 0.98
    np.testing.assert_allclose(found.scores[alike, 0], readings[alike], atol=1e-5)


def test_large_queries_run_step_by_step():
    dag, _ = dag_of(UrgencyExits(), 1e-3)
    most = dag.program.forest.most_documents
    X = np.tile(rankings.documents(seed=8)[0], (-(-(most + 1) // 60), 1))[: most + 1]
    qid = np.zeros(len(X), int)
    assert dag.scores(X, qid=qid).shape == (most + 1, 1)
    starts, out = np.array([0, len(X)]), np.zeros(len(X))
    decisions, steps = dag.by_query.decisions, np.zeros(len(X), np.int32)
    with pytest.raises(ValueError, match="more documents than a block"):
        dag.program.forest.run_queries(X, starts, decisions, out, steps, 1)


def test_one_document():
    dag, _ = dag_of(UrgencyExits(), 1e-3)
    X, _, _ = rankings.documents()
    assert dag.run(X[:1], [5]).exit_step.tolist() == [8]  # it has nothing to move


def test_what_is_missing():
    dag, _ = dag_of(UrgencyExits(), 1e-3)
    X, _, qid = rankings.documents()
    assert dag.needs_queries
    assert 0 < dag.expected_speedup < 2
    for call in (dag.run, dag.scores, dag.lengths):
        with pytest.raises(ValueError, match="qid is missing"):
            call(X)
    with pytest.raises(ValueError, match="wanted qid"):
        dag.exits(X)
    full = mddag.compile(rankings.ensemble())
    assert not full.needs_queries
    assert (full.run(X, qid).scores == full.run(X).scores).all()
