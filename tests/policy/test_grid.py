import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mddag.ensemble.votes import Votes
from mddag.policy.grid import Grid
from tests import strategies
from tests.reference import rollout as twin

number = st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 1e-300, 1e300, np.inf, -np.inf])
finite = st.floats(allow_nan=False, allow_infinity=False)


def twin_cells(grid, scores):
    return [twin.cell(grid, f) for f in scores.tolist()]


def dense_votes(n, n_classifiers, n_scores, seed=0):
    rng = np.random.default_rng(seed)
    return Votes.from_dense(rng.normal(size=(n, n_classifiers, n_scores)), bias=0.25)


@given(st.lists(finite, unique_by=lambda e: e + 0.0, max_size=40), st.lists(number, min_size=1))
@example([-1.7e308, 1.7e308], [0.0, np.inf, -np.inf])  # the span overflows
@example([0.0, 5e-324], [0.0, 5e-324, 1.0])  # the inverse of the span overflows
@settings(deadline=None)
def test_one_score_is_placed_by_counting_edges(edges, scores):
    grid = Grid(np.sort(edges))
    column = np.array([*scores, *edges])[:, None]
    assert grid.cells(column).tolist() == twin_cells(grid, column)


@given(st.data(), st.sampled_from([2, 3, 5]))
@settings(deadline=None)
def test_several_scores_are_placed_by_top_class_and_margin(data, n_scores):
    grid = data.draw(strategies.grids(n_scores))
    score = st.sampled_from([-1.0, 0.0, 0.5, 1.0]) | st.floats(-3, 3)
    row = st.lists(score, min_size=n_scores, max_size=n_scores)
    scores = np.array(data.draw(st.lists(row, min_size=1, max_size=20)))
    assert grid.cells(scores).tolist() == twin_cells(grid, scores)


def test_a_tie_goes_to_the_first_class():
    grid = Grid(np.array([0.0, 1.0]), n_scores=3)
    ties = np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 2.0], [3.0, 3.0, 3.0], [0.0, 0.0, 0.5]])
    assert grid.cells(ties).tolist() == [0, 3, 0, 7]


@pytest.mark.parametrize("n_scores", [1, 2, 3])
def test_nan_stays_inside_the_grid(n_scores):
    grid = Grid(np.array([-1.0, 0.0, 1.0]), n_scores)
    for k in range(n_scores):
        scores = np.zeros((1, n_scores))
        scores[0, k] = np.nan
        assert 0 <= grid.cells(scores)[0] < grid.n_cells
    assert Grid(np.array([-1.0, 0.0])).cells(np.array([[np.nan]])).tolist() == [0]


@pytest.mark.parametrize("n_scores", [1, 4])
def test_a_grid_without_edges_has_one_cell_per_top_class(n_scores):
    grid = Grid(np.empty(0), n_scores)
    assert grid.n_cells == n_scores
    assert grid.cells(np.eye(n_scores)).tolist() == list(range(n_scores))
    assert grid.centers.tolist() == [0.0]


@given(st.lists(finite, unique_by=lambda e: e + 0.0, min_size=1, max_size=20))
@example([1.0, np.nextafter(1.0, 2.0)])
@example([1e16, 1e16 + 2])
@settings(deadline=None)
def test_centers_lie_in_their_cells(edges):
    grid = Grid(np.unique(np.clip(edges, -1e300, 1e300)))
    assert grid.cells(grid.centers[:, None]).tolist() == list(range(grid.n_cells))


@pytest.mark.parametrize("n_cells", [2, 3, 8, 9, 1024])
@pytest.mark.parametrize("n_scores", [1, 2, 5])
def test_uniform_cells_are_equal_and_cover_what_votes_can_reach(n_cells, n_scores):
    votes = dense_votes(20, 6, n_scores)
    grid = Grid.uniform(votes, n_cells)
    reach = 0.25 + np.abs(votes.dense()).max(axis=(0, 2)).sum()
    step = reach / (n_cells // 2) if n_scores == 1 else 2 * reach / (n_cells - 1)
    assert 0.0 in grid.edges
    np.testing.assert_allclose(np.diff(grid.edges), step)
    np.testing.assert_allclose(grid.edges[-1] + step, reach if n_scores == 1 else 2 * reach)
    wanted = n_cells - n_cells % 2 if n_scores == 1 else n_cells
    assert len(grid.edges) + 1 == wanted


@pytest.mark.parametrize(("n_scores", "wanted"), [(1, 1024), (2, 512), (26, 39), (100, 32)])
def test_the_default_number_of_cells(n_scores, wanted):
    votes = dense_votes(40, 60, n_scores)
    assert Grid.uniform(votes).n_cells == wanted * n_scores
    # every row starts at the same f^(0), so that some quantiles coincide
    assert 0.95 * wanted * n_scores < Grid.quantile(votes).n_cells <= wanted * n_scores


@pytest.mark.parametrize("n_scores", [1, 3])
def test_quantile_cells_hold_equally_many_partial_sums(n_scores):
    votes = dense_votes(300, 10, n_scores)
    grid = Grid.quantile(votes, 9)
    sums = 0.25 + np.cumsum(votes.dense(), axis=1)
    cells = grid.cells(sums.reshape(-1, n_scores)) % (len(grid.edges) + 1)
    share = np.bincount(cells, minlength=9) / len(cells)
    assert 0.0 in grid.edges
    assert share.max() < 1.5 / 8


@pytest.mark.parametrize("n_scores", [1, 3])
def test_rounded_sums_stay_in_their_quantile_cells(n_scores):
    """Votes of few values: sums repeat, and an executor adds them in other units."""
    rng = np.random.default_rng(0)
    dense = rng.choice([-0.1, 0.1, 0.3], size=(400, 12, n_scores))
    grid = Grid.quantile(Votes.from_dense(dense), 64)
    sums = np.cumsum(dense, axis=1).reshape(-1, n_scores)
    cells = grid.cells(sums)
    away = np.abs(sums[:, 0] if n_scores == 1 else np.ptp(np.sort(sums)[:, -2:], axis=1)) > 1e-6
    for noise in (-1e-9, 1e-9):
        moved = grid.cells(sums + noise * np.arange(1, n_scores + 1))
        assert np.array_equal(moved[away], cells[away])  # 0 is an edge, whatever lies there


@pytest.mark.parametrize("make", [Grid.uniform, Grid.quantile])
@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("shape", [(5, 4), (1, 1), (3, 0)])
def test_votes_that_say_nothing_have_a_grid(make, n_scores, shape):
    grid = make(Votes.from_dense(np.zeros((*shape, n_scores))), 16)
    assert grid.cells(np.zeros((1, n_scores)))[0] < grid.n_cells
    assert 0.0 in grid.edges


@pytest.mark.parametrize("make", [Grid.uniform, Grid.quantile])
@given(data=st.data())
@settings(deadline=None, max_examples=50)
def test_grids_of_ensembles_place_their_scores_like_the_twin(make, data):
    ensemble = data.draw(strategies.ensembles())
    votes = ensemble.votes(data.draw(strategies.rows(ensemble.n_features)))
    grid = make(votes, data.draw(st.integers(2, 40)))
    assert grid.cells(votes.scores()).tolist() == twin_cells(grid, votes.scores())


@pytest.mark.parametrize("n_scores", [1, 3])
def test_quantile_cells_of_weighted_rows_hold_equal_weights(n_scores):
    votes, weight = dense_votes(300, 10, n_scores), np.random.default_rng(1).uniform(0.1, 3, 300)
    grid = Grid.quantile(votes, 9, weight=weight)
    sums = 0.25 + np.cumsum(votes.dense(), axis=1)
    cells = grid.cells(sums.reshape(-1, n_scores)) % (len(grid.edges) + 1)
    share = np.bincount(cells, np.repeat(weight, 10), 9) / (10 * weight.sum())
    assert 0.0 in grid.edges
    assert share.max() < 1.5 / 8
    assert not np.array_equal(grid.edges, Grid.quantile(votes, 9).edges)


def test_quantile_cells_know_neither_equal_weights_nor_rows_of_weight_zero():
    votes, weight = dense_votes(300, 10, 1), (np.arange(300) % 3 > 0).astype(float)
    plain = Grid.quantile(votes, 64)
    assert np.array_equal(Grid.quantile(votes, 64, weight=np.full(300, 0.2)).edges, plain.edges)
    among = Grid.quantile(votes, 64, weight=weight)
    alone = Grid.quantile(votes.rows(np.flatnonzero(weight)), 64)
    assert np.abs(among.edges - alone.edges).max() < 0.1 < np.abs(plain.edges).max()
