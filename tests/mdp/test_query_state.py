"""States that look at a whole query."""

import numpy as np
import pytest

from mddag.mdp.grid import Grid
from mddag.mdp.query_state import Gap, QueryUrgency, Rank, Reading, Share, Urgency
from mddag.metrics import MAP, NDCG, MeanNDCG
from mddag.metrics.queries import Queries
from tests.mdp.test_readings import readings

GRID = Grid(np.array([-1.0, 0.0, 1.0]))
READ = np.array([1.0, 3.0, 2.0, 5.0, 5.0])
QUERIES = Queries.of_sizes([3, 2])


def numbers(state):
    return state.numbers(READ, np.ones(5), np.ones(5, bool), QUERIES)


def test_numbers_of_documents():
    given = GRID, readings()
    assert numbers(Reading(*given)).tolist() == READ.tolist()
    assert numbers(Rank(*given)).tolist() == [-2, 0, -1, 0, -1]  # ties keep the order of the file
    assert numbers(Share(*given)) == pytest.approx([-2 / 3, 0, -1 / 3, 0, -1 / 2])
    assert numbers(Gap(*given, 2)).tolist() == [-1, 1, 0, 0, 0]
    assert numbers(Gap(*given, 9)).tolist() == [0, 2, 1, 0, 0]  # of few documents the last
    urgency = numbers(Urgency(*given, NDCG(1)))
    assert (urgency > 0).all()
    assert urgency[3] == urgency[4]
    of_query = numbers(QueryUrgency(*given, NDCG(1)))
    assert of_query == pytest.approx(np.repeat([urgency[:3].mean(), urgency[3]], [3, 2]))
    assert isinstance(Urgency(*given).metric, NDCG)
    assert (numbers(Urgency(*given, MeanNDCG())) > 0).all()


def test_what_is_carried():
    state = Gap(GRID, readings(), 1)
    queries = Queries.of([7, 9, 7], 3)
    carried = state.start_queries(np.zeros(1), queries)
    rows = np.arange(3)
    for j in range(8):
        state.add(carried, j, rows, np.array([[0.1], [0.2], [0.3]]))
    assert state.scores(carried)[:, 0] == pytest.approx([0.5 + 1.6, 0.5 + 3.2, 0.5 + 4.8])
    assert state.cells(carried, 8, rows).tolist() == [0, 1, 1]
    assert state.cells(carried, 3, rows).tolist() == [0, 0, 0]  # no check point
    for j in range(8, 16):
        state.add(carried, j, np.array([2]), np.zeros((1, 1)))
    assert state.scores(carried)[0, 0] == pytest.approx(2.1)  # as it left
    assert state.scores(carried)[2, 0] == pytest.approx(0.25 + 1.5 * 2.4)
    assert not state.folds(0, 8)


def test_refused():
    with pytest.raises(ValueError, match=r"in its query \(a Gap\); wanted qid"):
        Gap(GRID, readings()).start(np.zeros(1), 3)
    with pytest.raises(TypeError, match="metric is an MAP; wanted NDCG"):
        Urgency(GRID, readings(), MAP())
    with pytest.raises(ValueError, match="k is 0; wanted a whole number"):
        Gap(GRID, readings(), 0)
    with pytest.raises(TypeError, match="readings is None; wanted Readings"):
        Rank(GRID, None)
    with pytest.raises(ValueError, match="the grid is of 3 scores"):
        Rank(Grid(np.array([0.5]), 3), readings())
