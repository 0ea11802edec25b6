"""What rows pay for features, of estimators with and without prices."""

import numpy as np
import pytest

from tests.tuning.costly import bought


def test_costs_are_those_of_the_groups():
    estimator, X, _ = bought()
    groups, prices = estimator.groups_bought(X), estimator.dag_.purchases.prices
    np.testing.assert_allclose(estimator.feature_cost(X), groups @ prices.costs)
    assert groups.shape == (len(X), prices.n_groups)


def test_without_prices_there_is_nothing_to_pay():
    from tests.messages.models import X, fast

    with pytest.raises(ValueError, match="features of this model have no prices; wanted one that"):
        fast().feature_cost(X)
    with pytest.raises(ValueError, match="no prices"):
        fast().groups_bought(X)
