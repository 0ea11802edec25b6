import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import Votes, _core
from mddag.ordering import QWYCOrder
from mddag.ordering.qwyc import SHARES, cuts
from tests.reference import quit_cuts as twin


def test_cuts_by_hand():
    there = np.array([[3.0, 0.0, 2.0, 4.0, 1.0]])
    wrong = np.array([[0.0, 0.0, 1.0, 2.0, 0.0]])
    for budget, wanted in ((0, (0, 4, 4)), (1, (2, 4, 6)), (2, (0, 3, 8)), (3, (0, 2, 10))):
        low, high, quits = cuts(there, wrong, budget)
        assert (low[0], high[0], quits[0]) == wanted


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_cuts_keep_the_budget_and_end_at_rows(data):
    n_cells = data.draw(st.integers(1, 6))
    count = st.integers(0, 4)
    there = np.array(data.draw(st.lists(count, min_size=n_cells, max_size=n_cells)), float)
    wrong = np.array([data.draw(st.integers(0, int(n))) for n in there], float)
    budget = data.draw(st.integers(0, 6))
    (low,), (high,), (quits,) = cuts(there[None], wrong[None], budget)
    leaves = (np.arange(n_cells) <= low) | (np.arange(n_cells) >= high)
    assert wrong[leaves].sum() <= budget
    assert there[leaves].sum() == quits
    assert low == -1 or there[low] > 0
    assert high == n_cells or there[high] > 0
    one_sided = [np.cumsum(t)[np.cumsum(w) <= budget] for t, w in both_ways(there, wrong)]
    assert quits >= max([0, *(s.max(initial=0) for s in one_sided)])


@given(
    seed=st.integers(0, 10_000),
    m=st.integers(0, 4),
    n_cells=st.integers(1, 12),
    weighted=st.booleans(),
)
@settings(deadline=None, max_examples=100)
def test_cuts_are_the_twins(seed, m, n_cells, weighted):
    rng = np.random.default_rng(seed)
    there = rng.integers(0, 4, (m, n_cells)) * (rng.random((m, n_cells)) if weighted else 1.0)
    wrong = there * rng.choice([0.0, 0.0, 1.0], (m, n_cells))
    budgets = rng.choice([-1e-17, 0.0, 0.3, 1.0, 2.0, 5.0, 1000.0], m)
    found = zip(*cuts(there, wrong, budgets), strict=True)
    wanted = [
        twin.cut(*one, SHARES)
        for one in zip(there.tolist(), wrong.tolist(), budgets.tolist(), strict=True)
    ]
    assert [tuple(cut) for cut in found] == wanted


def test_cuts_refuse_arrays_that_do_not_fit():
    there, budget, cells = np.ones((2, 3)), np.zeros(2), np.zeros(2, np.int64)
    for other in (np.ones((2, 4)), np.ones((1, 3))):
        with pytest.raises(ValueError, match="histograms, budgets and cuts do not fit"):
            _core.quit_cuts(there, other, budget, budget, cells, cells, budget)


def both_ways(there, wrong):
    return (there, wrong), (there[::-1], wrong[::-1])


def test_whoever_lets_rows_quit_comes_first():
    """h_1 decides the sum alone; after it every row can quit, after the others none can."""
    rng = np.random.default_rng(0)
    votes = rng.choice([-0.1, 0.1], size=(200, 3))
    votes[:, 1] = rng.choice([-5.0, 5.0], size=200)
    assert QWYCOrder(rate=0)(Votes.from_dense(votes)).tolist() == [1, 0, 2]


def test_the_price_counts():
    truth = np.repeat([-5.0, 5.0], 50)
    votes = Votes.from_dense(np.stack([truth, truth], axis=1))
    assert QWYCOrder()(votes, [2.0, 1.0])[0] == 1
    assert QWYCOrder()(votes, [1.0, 2.0])[0] == 0


def test_several_classes_are_refused():
    with pytest.raises(ValueError, match="votes have 3 scores; QWYC has a low and a high end"):
        QWYCOrder()(Votes.from_dense(np.zeros((4, 2, 3))))


def test_rows_without_weight_do_not_count():
    rng = np.random.default_rng(0)
    votes = rng.normal(size=(300, 6)) + rng.normal(size=(300, 1))
    weight = np.repeat([1.0, 0.0], [100, 200])
    some = QWYCOrder()(Votes.from_dense(votes[:100]))
    np.testing.assert_array_equal(QWYCOrder()(Votes.from_dense(votes), None, weight), some)
    assert sorted(QWYCOrder()(Votes.from_dense(votes), None, 0 * weight)) == list(range(6))


def test_refuses_parameters_that_make_no_sense():
    with pytest.raises(ValueError, match=r"rate is 1.5; wanted a fraction of the rows"):
        QWYCOrder(rate=1.5)
    with pytest.raises(ValueError, match="n_cells is 1; wanted a whole number, 2 or more"):
        QWYCOrder(n_cells=1)
