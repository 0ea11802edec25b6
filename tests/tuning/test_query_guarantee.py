"""Bounds that queries prove."""

import pytest

from mddag.tuning.query_guarantee import queries_needed, query_guarantee


def test_what_is_to_be_proved():
    assert query_guarantee("beta", 0.1, 0.9, 5) is None
    assert query_guarantee("max_loss", 0.1, None, 5) is None
    found = query_guarantee("max_loss", 0.005, 0.9, 45)
    assert (found.knob, found.bound, found.confidence) == ("max_loss", 0.005, 0.9)
    assert queries_needed(found) == 45
    assert queries_needed(query_guarantee("max_loss", 0.3, 0.9, 99)) == 30
    with pytest.raises(ValueError, match=r"44 queries are too few to promise max_loss=0.005"):
        query_guarantee("max_loss", 0.005, 0.9, 44)
