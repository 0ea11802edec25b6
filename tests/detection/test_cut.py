"""The cut for a wanted number of false objects."""

import numpy as np
import pytest

from mddag.detection.cut import cut_for


def test_an_exponential_tail_is_continued():
    rng = np.random.default_rng(0)
    false = rng.exponential(3.0, 1000)
    exact = 3.0 * np.log(1000 / 0.5)
    cuts = [cut_for(rng.exponential(3.0, 1000), 10.0, 0.05) for _ in range(200)]
    assert np.mean(cuts) == pytest.approx(exact, rel=0.05)
    assert cut_for(false, 10.0, 0.01) > cut_for(false, 10.0, 0.05) > cut_for(false, 10.0, 1.0)


def test_where_many_are_wanted_they_are_counted():
    false = np.arange(1000.0)
    cut = cut_for(false, 10.0, 10.0)
    assert (false > cut).sum() == pytest.approx(100, abs=1)


@pytest.mark.parametrize("false", [[], [5.0], [1.0, 2.0]])
def test_with_few_false_objects_all_may_stay(false):
    assert cut_for(np.array(false), 1.0, 3.0) == 0.0
