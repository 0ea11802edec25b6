"""Calls are counted, seconds are not: no test has a time limit."""

from benchmarks.clock import mean_seconds, seconds, turns


def test_a_call_between_two_looks_at_the_clock():
    ticks = iter([3.0, 5.5])
    assert seconds(lambda: None, lambda: next(ticks)) == 2.5


def test_calls_take_turns():
    order = []
    taken = turns([lambda: order.append("a"), lambda: order.append("b")], 3)
    assert order == ["a", "b"] * 3
    assert taken.shape == (3, 2)


def test_one_call_at_least():
    seen = []
    assert mean_seconds(0.0, seen.append, "row") > 0
    assert seen == ["row"]
