import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.inspection.report.facts import reads_of
from tests import strategies


@given(st.data())
@settings(deadline=None, max_examples=30)
def test_the_columns_of_all_splits(data):
    ensemble = data.draw(strategies.ensembles())
    found = reads_of(ensemble)
    for j in range(len(ensemble)):
        trees = ensemble.tables.trees_of([j])
        split = [ensemble.tree(int(t)).records["feature"] for t in trees]
        wanted = {int(i) for features in split for i in features if i >= 0}
        assert set(found[j].tolist()) == wanted


def test_callables_read_what_they_like():
    assert reads_of(mddag.Ensemble.from_callables([np.ndarray.sum], n_features=1)) == {}
