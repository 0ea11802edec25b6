import pytest

from mddag.solvers.td.values import Table


def test_one_number_per_step_part_bin_and_action():
    q, n_bins = Table(n_bins=7).start(n_steps=5, n_parts=2)
    assert q.shape == (5 * 2 * 7 * 3,)
    assert n_bins == 7


@pytest.mark.parametrize("n_bins", [0, -1, 2.5, "11"])
def test_bins_are_counted(n_bins):
    with pytest.raises(ValueError, match=r"n_bins is .*; wanted a whole number, 1 or more"):
        Table(n_bins=n_bins)
