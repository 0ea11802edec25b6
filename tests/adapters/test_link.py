"""Regressors predict their scores, or exp of them, and say which."""

import numpy as np
import pytest
from catboost import CatBoostRegressor
from lightgbm import LGBMRegressor
from sklearn.datasets import load_diabetes
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from xgboost import XGBRegressor

import mddag

X, y = load_diabetes(return_X_y=True)
LGBM = {"n_estimators": 5, "num_leaves": 4, "verbose": -1}
XGB = {"n_estimators": 5, "max_depth": 2}
CAT = {"iterations": 5, "depth": 2, "verbose": False, "allow_writing_files": False}


@pytest.mark.parametrize(
    ("model", "link"),
    [
        (LGBMRegressor(**LGBM), "identity"),
        (LGBMRegressor(objective="poisson", **LGBM), "exp"),
        (LGBMRegressor(objective="gamma", **LGBM), "exp"),
        (LGBMRegressor(objective="tweedie", **LGBM), "exp"),
        (LGBMRegressor(reg_sqrt=True, **LGBM), "unknown"),
        (XGBRegressor(**XGB), "identity"),
        (XGBRegressor(objective="count:poisson", **XGB), "exp"),
        (XGBRegressor(objective="reg:gamma", **XGB), "exp"),
        (CatBoostRegressor(**CAT), "identity"),
        (CatBoostRegressor(loss_function="Poisson", **CAT), "exp"),
        (HistGradientBoostingRegressor(max_iter=5), "identity"),
        (HistGradientBoostingRegressor(loss="poisson", max_iter=5), "exp"),
        (GradientBoostingRegressor(n_estimators=5), "identity"),
        (RandomForestRegressor(n_estimators=5), "identity"),
    ],
    ids=lambda p: p if isinstance(p, str) else type(p).__name__,
)
def test_the_link_makes_the_predictions_of_the_scores(model, link):
    ensemble = mddag.as_ensemble(model.fit(X, y))
    assert ensemble.link == link
    if link == "unknown":
        with pytest.raises(ValueError, match="neither its scores nor exp of them"):
            ensemble.means(ensemble.scores(X))
    else:
        np.testing.assert_allclose(ensemble.means(ensemble.scores(X)), model.predict(X), rtol=1e-4)


def test_bare_boosters_have_links_too():
    for model in (
        LGBMRegressor(objective="poisson", **LGBM).fit(X, y).booster_,
        XGBRegressor(objective="count:poisson", **XGB).fit(X, y).get_booster(),
    ):
        assert mddag.as_ensemble(model).link == "exp"
