import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.composition import Routed, ranges
from mddag.ensemble.nodes import Nodes
from tests import strategies


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_composed_trees_are_sound_and_parts_agree_with_them(data):
    ensemble = data.draw(strategies.uniform_ensembles())
    routing = data.draw(strategies.routings(ensemble))
    X = data.draw(strategies.rows(ensemble.n_features))
    routed = Routed(routing, ensemble)
    composed = routed.composed
    assert len(composed) == routing.n_steps
    for t in range(composed.n_trees):
        assert isinstance(composed.tree(t), Nodes)  # which checks it
    dense, regions = composed.votes(X).dense(), routing.regions(np.asarray(X, np.float64))
    for q in range(routing.n_regions):
        part, here = routed.part(q), regions == q
        assert part.routed is None
        np.testing.assert_array_equal(part.votes(X).dense()[here], dense[here])
        values = routing.tables.values[routed.values_of(q)]
        np.testing.assert_array_equal(part.tables.values, values)
        assert routed.sources(q).tolist() == [len(ensemble), *routing.order[q]]
    assert composed.reordered(np.arange(len(composed))).routed is None


def test_ranges():
    assert ranges(np.array([5, 0]), np.array([2, 3])).tolist() == [5, 6, 0, 1, 2]
