"""What rivals pay."""

import numpy as np

from benchmarks.costs.rivals import path_groups
from mddag.features.prices import FeaturePrices
from tests.dag.test_dag import stumps


def test_a_row_pays_for_the_columns_on_its_paths():
    ensemble = stumps(4, seed=0)
    prices = FeaturePrices.of(ensemble.features, np.ones(2))
    read = np.unique(ensemble.nodes["feature"][ensemble.nodes["feature"] >= 0])
    found = path_groups(ensemble, prices, np.zeros((3, 2)))
    assert found[:, read].all()
    assert found.sum() == 3 * len(read)
