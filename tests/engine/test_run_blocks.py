"""Rows through a policy, block by block, against the walk of one row at a time."""

from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.fixed_point import FixedPoint
from tests.engine.forests import forest_of, run_of
from tests.reference import forest as twin
from tests.strategies import ensembles, policies, rows


@given(st.data(), st.booleans())
@settings(deadline=None)
def test_blocks_are_the_twin(data, portable):
    ensemble = data.draw(ensembles())
    policy = data.draw(policies(ensemble.n_classifiers, ensemble.n_scores))
    X = data.draw(rows(ensemble.n_features))
    fixed = FixedPoint.of(ensemble.tables)
    forest = forest_of(ensemble, policy.order, portable)
    sums, exit_step, n_evaluated = run_of(forest, policy, fixed, X)
    wanted = twin.run(ensemble, policy, fixed, X)
    assert (sums.tolist(), exit_step.tolist(), n_evaluated.tolist()) == wanted
