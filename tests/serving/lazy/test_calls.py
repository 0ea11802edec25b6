import threading

import numpy as np
import pytest

from mddag.serving.lazy.calls import call_each, check_fetch, checked_timeout
from mddag.serving.lazy.session import Plan, Session
from tests.serving.lazy.stores import Table
from tests.serving.lazy.test_predictions import priced


def test_a_time_limit_moves_calls_into_threads():
    predictor, X = priced("prices")
    table, seen = Table(predictor, X), set()

    def call(request):
        seen.add(threading.current_thread() is threading.main_thread())
        return table(request.name, request.rows)

    for timeout, main in ((None, True), (60, False)):
        session = Session(Plan.of(predictor.model.dag), len(X))
        call_each(session, call, session.answer, timeout)
        assert seen == {main}
        seen.clear()
        np.testing.assert_array_equal(session.walk.finish()[0], predictor.scores(X))


def test_groups_are_not_fetched_for_rows_that_have_failed_in_the_same_wave():
    predictor, _ = priced("prices")
    asked = []

    def call(request):
        asked.append(request.name)
        raise OSError

    session = Session(Plan.of(predictor.model.dag), 5, "quit")
    call_each(session, call, session.answer, None)
    assert len(asked) == 1
    assert session.failed.all()


def test_arguments():
    with pytest.raises(TypeError, match=r"fetch is 3; wanted a function fetch\(group\)"):
        check_fetch("fetch", 3, "fetch(group)")
    for timeout in (0, -1, np.nan, "1", True):
        with pytest.raises(ValueError, match=r"timeout is .*; wanted a number above 0"):
            checked_timeout(timeout)
