from dataclasses import replace

import numpy as np
import pytest

from mddag.serving.lazy.session import Plan, Session
from tests.serving.lazy.stores import Table
from tests.serving.lazy.test_predictions import priced


def opened(n_rows=4, on_error="raise"):
    predictor, X = priced("prices")
    return Session(Plan.of(predictor.model.dag), n_rows, on_error), Table(predictor, X)


def test_requests_are_one_for_each_group_and_computed_groups_come_last():
    predictor, X = priced("prices")
    dag, table = predictor.model.dag, Table(predictor, X)
    buys = np.ones_like(dag.purchases.buys)
    dag = replace(dag, purchases=replace(dag.purchases, buys=buys))
    session = Session(Plan.of(dag), 50)
    while wave := session.next_wave():
        names = [request.name for phase in wave for request in phase]
        assert len(set(names)) == len(names)
        assert "form+bank" not in names or names[-1] == "form+bank"
        assert [len(phase) for phase in wave] == [4, 1]
        for phase in wave:
            for request in phase:
                assert (np.diff(request.rows) > 0).all()
                session.answer(request, table(request.name, request.rows))
    assert session.n_rounds == 1
    assert not session.faults


def test_a_wave_that_is_not_answered_comes_again():
    session, _ = opened()
    first, again = session.next_wave(), session.next_wave()
    assert [r.name for p in first for r in p] == [r.name for p in again for r in p]


def test_a_failed_request_stops_its_rows():
    session, _ = opened(on_error="quit")
    request = session.next_wave()[0][0]
    session.fail(request, OSError("gone"))
    assert session.failed[request.rows].all()
    assert len(session.remaining(request).rows) == 0
    assert session.next_wave() == []


def test_waves_of_free_groups_cost_nothing():
    predictor, X = priced("prices")
    free = predictor.with_prices(np.zeros(X.shape[1]), wave_cost=5.0)
    result = free.predict_lazy(Table(free, X), n_rows=len(X), return_details=True)
    assert result.n_rounds > 0
    assert not result.waves.any()
    assert not result.feature_cost.any()


def test_arguments():
    plan = Plan.of(priced("prices")[0].model.dag)
    for n_rows in (0, -1, 1.5, None, True):
        with pytest.raises(ValueError, match=r"n_rows is .*; wanted a whole number, 1 or more"):
            Session(plan, n_rows)
    with pytest.raises(ValueError, match="on_error is 'skip'; wanted one of 'raise', 'quit'"):
        Session(plan, 1, "skip")
