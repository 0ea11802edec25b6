"""Exits that are baselines: they trade loss for steps, and run natively where kernels know them."""

import numpy as np
import pytest

pytest.importorskip("lightgbm")
import mddag
from benchmarks.ranking.baselines import (
    CapacityExits,
    PrefixExits,
    QueryExits,
    QueryUrgency,
    Rank,
    RankExits,
    Reading,
    ScoreExits,
    Share,
)
from mddag.mdp.grid import Grid
from mddag.metrics import NDCG
from mddag.metrics.ranking import Queries
from mddag.ranking.states import Documents, Urgency
from mddag.serving.model_file import Model
from tests import rankings
from tests.ranking.test_exits import readings

MEMBERS = [
    (ScoreExits(), (-1.0, 1.0), True),
    (PrefixExits(), 0.5, True),
    (RankExits(k=3), (0.5, 1.0), False),
    (CapacityExits(), (0.3, 1.0), False),
    (QueryExits(), 1e-3, False),
]


@pytest.mark.parametrize(("exits", "setting", "has_kernel"), MEMBERS)
def test_exits(exits, setting, has_kernel):
    found, problem = exits.fit(rankings.problem()), rankings.problem(seed=3)
    blocks, gains = found.blocks(problem), found.gains(problem)
    settings = exits.settings[:: max(len(exits.settings) // 25, 1)]
    runs = [found.run(blocks, problem.queries, tried) for tried in settings]
    steps = np.array([s.mean() for _, s in runs])
    lost = np.array([problem.order_loss(r, gains).mean() for r, _ in runs])
    assert lost[steps >= steps.max() - 1e-9].min() < 0.02
    assert steps.min() < 30 < steps.max()
    assert np.corrcoef(steps, lost)[0, 1] < 0
    dag = mddag.compile(rankings.ensemble(), found.policy(setting))
    assert dag.by_query.has_kernel == has_kernel
    X, _, qid = rankings.documents(seed=5)
    rankings.check_steps(dag, X, qid)
    with pytest.raises(TypeError, match="which a file cannot keep"):
        Model(dag).to_bytes()


def test_numbers_of_documents():
    given = Grid(np.array([-1.0, 0.0, 1.0])), readings()
    read, queries = np.array([1.0, 3.0, 2.0, 5.0, 5.0]), Queries.of_sizes([3, 2])
    documents = Documents(queries, np.zeros((5, 3)), read, np.ones(5), np.ones(5, bool))
    assert Reading(*given).numbers(documents).tolist() == read.tolist()
    assert Rank(*given).numbers(documents).tolist() == [-2, 0, -1, 0, -1]  # ties keep their order
    assert Share(*given).numbers(documents) == pytest.approx([-2 / 3, 0, -1 / 3, 0, -1 / 2])
    urgency = Urgency(*given, NDCG(1)).numbers(documents)
    of_query = QueryUrgency(*given, NDCG(1)).numbers(documents)
    assert of_query == pytest.approx(np.repeat([urgency[:3].mean(), urgency[3]], [3, 2]))
