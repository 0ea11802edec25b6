import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag.ensemble.nodes import TreeBuilder
from mddag.learners import Tree
from mddag.learners.columns import Columns
from tests.learners.problems import labels
from tests.reference.boosting import code, cuts

TINY = 5e-324
VALUES = [-1e308, -1.0, -TINY, -0.0, 0.0, TINY, 1.0, np.nextafter(1.0, 2), 1e308, np.nan]
value = st.one_of(st.sampled_from(VALUES), st.floats(allow_nan=True, allow_infinity=False))


@given(st.lists(value, min_size=1, max_size=30), st.one_of(st.none(), st.integers(2, 6)))
def test_cuts_and_codes_equal_their_twins(values, max_bins):
    columns = Columns.from_rows(np.array(values)[:, None], max_bins=max_bins)
    wanted = cuts(values, max_bins)
    assert columns.cuts[0].tolist() == wanted
    assert columns.n_codes[0] == len(wanted) + 1
    assert columns.codes[0].tolist() == [code(x, wanted, len(wanted) + 1, False) for x in values]
    assert columns.missing[0] == np.isnan(values).any()


@given(st.lists(value, min_size=2, max_size=30))
def test_cuts_lie_between_neighbours(values):
    columns = Columns.from_rows(np.array(values)[:, None])
    distinct = np.unique([v for v in values if not np.isnan(v)])
    assert (distinct[:-1] <= columns.cuts[0]).all()
    assert (columns.cuts[0] < distinct[1:]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_layout_and_threads_do_not_matter(dtype, order):
    X = np.random.default_rng(0).normal(size=(1000, 3)).astype(dtype)
    wanted = Columns.from_rows(X.astype(np.float64))
    got = Columns.from_rows(np.array(X, order=order), n_jobs=2)
    assert (got.codes == wanted.codes).all()
    assert got.codes.dtype == np.uint16
    assert got.codes.flags.c_contiguous


def test_few_codes_fit_a_byte():
    X = np.arange(1000.0)[:, None]
    assert Columns.from_rows(X, max_bins=255).codes.dtype == np.uint8
    assert Columns.from_rows(X, max_bins=256).codes.dtype == np.uint16
    assert Columns.from_rows(X, max_bins=255).n_codes[0] == 255


def test_beyond_65536_rows_there_are_255_bins_unless_asked():
    X = np.arange(65_537.0)[:, None]
    assert Columns.from_rows(X).n_codes[0] == 255
    assert Columns.from_rows(X[1:]).n_codes[0] == 65_536
    assert Columns.from_rows(X, max_bins=1000).n_codes[0] == 1000


def test_more_than_256_leaves_are_walked_too():
    columns = Columns.from_rows(np.arange(300.0)[:, None])
    tree = TreeBuilder()
    root = tree.leaf([299.0])
    for cut in reversed(range(299)):
        low = tree.leaf([float(cut)])
        root = tree.split(0, columns.threshold(0, cut), low, root, missing_left=True)
    nodes = tree.finish(root)
    assert nodes.votes[columns.leaf_codes(nodes), 0].tolist() == list(range(300))


def test_the_most_codes_of_all_are_walked():
    columns = Columns.from_rows(np.arange(65_536.0)[:, None])
    targets, weights = labels(np.random.default_rng(0), 65_536, 1)
    nodes = Tree(2).fit(columns, targets, weights)
    below = np.arange(65_536) <= nodes.records["threshold"][0]
    assert (columns.leaf_codes(nodes) == np.where(below, 0, 1)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Columns.from_rows([[1.5]], nominal=[True]), "nominal column 0 contains 1.5"),
        (lambda: Columns.from_rows([[-1.0]], nominal=[True]), "nominal column 0 contains -1.0"),
        (lambda: Columns.from_rows([[7e4]], nominal=[True]), "nominal column 0 contains 70000.0"),
        (lambda: Columns.from_rows([[np.inf]], nominal=[True]), "nominal column 0 contains inf"),
        (lambda: Columns.from_rows([[1.0]], nominal=[0]), "wanted one bool per column"),
        (lambda: Columns.from_rows([[1.0]], max_bins=1), "max_bins is 1; wanted None or a number"),
        (lambda: Columns.from_rows([[1.0]], n_jobs=0), "n_jobs is 0; wanted a whole number"),
        (lambda: Columns.from_rows([[1.0]]).restricted([1]), "candidates contain column 1"),
        (lambda: Columns.from_rows([[1.0]]).restricted([True]), "candidates are bool"),
        (lambda: Columns.from_rows([[1.0]]).restricted([-1]), "candidates contain column -1"),
    ],
)
def test_refuses_what_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_refuses_thresholds_that_codes_do_not_know():
    tree = TreeBuilder()
    root = tree.split(0, 0.4, tree.leaf([1.0]), tree.leaf([-1.0]), missing_left=True)
    with pytest.raises(ValueError, match=r"column 0 has threshold 0.4, which is not one of its 1"):
        Columns.from_rows([[0.0], [1.0]]).leaf_codes(tree.finish(root))
