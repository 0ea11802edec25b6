import pickle

import numpy as np
import pytest

from mddag.solvers.td.exploration import Flat, Growing


@pytest.mark.parametrize(
    ("episode", "epsilon"),
    [(1, 0.3), (10_000, 0.3), (10_001, 0.15), (20_000, 0.15), (20_001, 0.1), (10**6, 0.003)],
)
def test_epsilon_falls_with_every_period(episode, epsilon):
    np.testing.assert_allclose(Flat()(episode, 4), np.full(4, epsilon))


def test_the_printed_formula_is_not_used():
    episode = 500_000
    printed = 0.3 / np.ceil(10_000 / episode)
    assert printed == 0.3
    assert Flat()(episode, 1)[0] < 0.01


def test_growing_reaches_flat_at_the_last_step():
    epsilon = Growing(start=0.4, period=10)(11, 5)
    np.testing.assert_allclose(epsilon, 0.2 * np.array([0.2, 0.4, 0.6, 0.8, 1.0]))
    assert epsilon[-1] == Flat(start=0.4, period=10)(11, 5)[-1]


@pytest.mark.parametrize("family", [Flat, Growing])
def test_every_member(family):
    member = family(start=0.5, period=7)
    assert repr(member) == f"{family.__name__}(start=0.5, period=7)"
    assert pickle.loads(pickle.dumps(member)) == member
    assert member(1, 0).shape == (0,)
    epsilon = np.array([member(tau, 3) for tau in range(1, 50)])
    assert ((epsilon >= 0) & (epsilon <= 1)).all()
    assert (np.diff(epsilon, axis=0) <= 0).all()


@pytest.mark.parametrize("family", [Flat, Growing])
def test_bad_parameters_are_refused(family):
    for start in (-0.1, 1.5, float("nan")):
        with pytest.raises(ValueError, match=f"start is {start}; wanted a probability"):
            family(start=start)
    with pytest.raises(ValueError, match="period is 0; wanted a whole number, 1 or more"):
        family(period=0)
