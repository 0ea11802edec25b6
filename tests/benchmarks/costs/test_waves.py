"""The best offer within a number of waves."""

from benchmarks.costs.waves import Offer, chosen


def offer(loss, cost, waves):
    return Offer(0.0, "static", None, loss, cost, waves)


def test_an_offer_of_more_waves_is_not_taken():
    many, few, bad = offer(0.1, 1.0, 3.0), offer(0.1, 2.0, 1.0), offer(0.5, 1.0, 1.0)
    assert chosen([many, few, bad], 0.01, 3.0) is many
    assert chosen([many, few, bad], 0.01, 2.0) is few
    assert chosen([many, few, bad], 1.0, 2.0) is bad
