import numpy as np
import pytest

from mddag.solvers.td.values import RadialBasis


def test_centres_start_evenly():
    weights, centres, counts, sigma, normalised = RadialBasis().start(n_steps=2, n_parts=3)
    assert weights.shape == centres.shape
    assert len(counts) == len(centres) == 2 * 3 * 3
    assert (counts == 11).all()
    np.testing.assert_allclose(centres[0, :11], np.arange(1, 12) / 12)
    assert sigma == 0.01
    assert normalised is False


@pytest.mark.parametrize(("n_centres", "sigma"), [(0, 0.01), (11, 0.01), (100, 1 / 220)])
def test_the_width_follows_the_centres(n_centres, sigma):
    assert RadialBasis(n_centres).start(1, 1)[3] == pytest.approx(sigma)
    assert RadialBasis(n_centres, sigma=0.3).start(1, 1)[3] == 0.3


@pytest.mark.parametrize("sigma", [0.003, 0.01, 0.2])
def test_there_is_room_for_all_centres_that_fit(sigma):
    """A centre is added where no activation reaches 0.4; count the densest such packing."""
    room = RadialBasis(n_centres=0, sigma=sigma).start(1, 1)[0].shape[1]
    step = sigma * np.sqrt(2 * np.log(1 / 0.4)) * (1 + 1e-9)
    assert len(np.arange(0, 1 + 1e-12, step)) <= room
    assert room <= 1000


def test_room_is_limited():
    assert RadialBasis(n_centres=3, max_centres=5).start(1, 1)[0].shape[1] == 5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_centres": -1}, "n_centres is -1; wanted a whole number, 0 or more"),
        ({"n_centres": 9, "max_centres": 8}, "max_centres is 8; wanted a whole number, 9 or more"),
        ({"sigma": 0}, "sigma is 0; wanted a number above 0"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        RadialBasis(**parameters)
