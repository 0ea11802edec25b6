"""The parts of training that can be seen from outside."""

import numpy as np
import pytest

from mddag.detection.detector import Detector
from mddag.detection.training import Training, drawn_features, lengths_of, parted
from tests.detection.targets import SETTINGS, backgrounds, patches


def test_rounds_become_longer_and_the_last_has_all_trees():
    assert lengths_of(500, 5) == [20, 80, 180, 320, 500]
    assert lengths_of(1, 3) == [1, 1, 1]


@pytest.mark.parametrize("n", [2, 7, 100])
def test_some_are_held_out_and_none_lost(n):
    kept, held = parted(n, np.random.default_rng(0))
    assert sorted(kept + held) == list(range(n))
    assert len(held) == max(1, round(0.15 * n))


def test_features_are_drawn_without_repetition():
    some = drawn_features((12, 12), 50, np.random.default_rng(0)).rectangles
    assert len(np.unique(some.reshape(50, -1), axis=0)) == 50
    everything = drawn_features((6, 6), None, np.random.default_rng(0))
    assert everything.n == drawn_features((6, 6), 10**6, np.random.default_rng(0)).n


def test_the_bank_is_bounded():
    settings = Detector(**{**SETTINGS, "n_negatives": 200, "n_trees": 20})
    training = Training.begin(settings, patches(300), backgrounds(), None, 1)
    training.run(lambda n_done, note: None)
    assert len(training.negatives) <= 200
    assert training.min_deviation > 1
    assert [r.n_trees for r in training.rounds] == lengths_of(20, 2)[: len(training.rounds)]


def test_narrow_pictures_are_turned_back():
    narrow = [np.ascontiguousarray(picture[:60, :15]) for picture in backgrounds()]
    settings = Detector(**(SETTINGS | {"window": (40, 12)}))
    training = Training.begin(settings, patches(30), narrow, None, 1)
    assert {picture.shape for picture in training.seen(narrow)} == {(60, 15)}
