"""Models that are made sparse, each trained once."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.datasets import make_friedman1, make_hastie_10_2

from tests.tuning.small_models import LGBM


@pytest.fixture(scope="session")
def hastie():
    X, y = make_hastie_10_2(12_000, random_state=0)
    y = np.where(y > 0, "in", "out")
    model = LGBMClassifier(n_estimators=60, **LGBM).fit(X[:3000], y[:3000])
    return model, X[3000:9000], y[3000:9000], X[9000:], y[9000:]


@pytest.fixture(scope="session")
def friedman():
    X, y = make_friedman1(8000, random_state=0)
    model = LGBMRegressor(n_estimators=60, **LGBM).fit(X[:2000], y[:2000])
    return model, X[2000:6000], y[2000:6000], X[6000:], y[6000:]


@pytest.fixture(scope="module")
def hastie_rows():
    X, y = make_hastie_10_2(3500, random_state=0)
    y = np.where(y > 0, "in", "out")
    return X[:1500], y[:1500], X[1500:], y[1500:]
