"""Prices of the thresholds: what dearer evaluations and misses do."""

import numpy as np

from mddag.detection.prices import Prices
from mddag.detection.soft_cascade import thresholds_of


def sums():
    rng = np.random.default_rng(0)
    return rng.normal(0.2, 1, (400, 30)).cumsum(axis=1), rng.normal(-0.3, 1, (2000, 30)).cumsum(1)


def survivors(values, reject):
    return (values > reject).all(axis=1).mean()


def test_dearer_evaluations_reject_more():
    objects, negatives = sums()
    cheap, dear = (
        thresholds_of(objects, negatives, Prices(evaluation=price))[0] for price in (1e-5, 1e-2)
    )
    assert survivors(negatives, dear) < survivors(negatives, cheap)
    assert survivors(objects, dear) < survivors(objects, cheap)


def test_the_last_threshold_loses_the_share_that_it_may():
    objects, negatives = sums()
    _, accept = thresholds_of(objects, negatives, Prices(miss=0.1))
    assert abs((objects[:, -1] < accept).mean() - 0.1) < 0.01
    assert accept < 0


def test_objects_that_are_easy_to_tell_keep_a_margin():
    objects, negatives = sums()
    assert thresholds_of(objects + 20, negatives, Prices(miss=0.1))[1] == 0.0
