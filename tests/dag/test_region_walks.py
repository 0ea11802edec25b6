import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.dag.region_walks import RegionWalks
from mddag.ensemble.composition import Routed
from tests import strategies


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_single_rows_go_where_batches_go(data):
    ensemble = data.draw(strategies.uniform_ensembles())
    routing = data.draw(strategies.routings(ensemble))
    X = np.asarray(data.draw(strategies.rows(ensemble.n_features)), np.float64)
    dag = mddag.compile(Routed(routing, ensemble).composed)
    walks = RegionWalks.of(dag.program)
    assert [walks.region(row) for row in np.ascontiguousarray(X)] == routing.regions(X).tolist()
    wanted = dag.verdicts(X)
    found = [walks.parts[walks.region(row)].predict_one(row) for row in np.ascontiguousarray(X)]
    assert found == wanted.tolist()
