"""Every library with every kind of model that it knows, and the task it is trained on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import catboost as cat
import lightgbm as lgb
import xgboost as xgb
from sklearn import ensemble as sk
from sklearn.tree import DecisionTreeClassifier

CAT = {"verbose": False, "allow_writing_files": False}
FOREST = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.7}


@dataclass(frozen=True)
class Case:
    """A model, not yet trained, and the name of its task."""

    name: str
    task: str
    model: Any


def cases() -> Iterator[Case]:
    quiet = {"verbose": -1}
    yield Case("classifier", "electricity", lgb.LGBMClassifier(n_estimators=200, **quiet))
    yield Case("missing values", "spambase, 10% NaN", lgb.LGBMClassifier(**quiet))
    yield Case("categorical", "adult", lgb.LGBMClassifier(**quiet))
    yield Case("26 classes", "letter", lgb.LGBMClassifier(n_estimators=20, **quiet))
    yield Case("regressor", "electricity price", lgb.LGBMRegressor(n_estimators=100, **quiet))
    yield Case("ranker", "mq2008", lgb.LGBMRanker(**quiet))
    yield Case("DART", "electricity", lgb.LGBMClassifier(boosting_type="dart", **quiet))
    yield Case("random forest", "electricity", lgb.LGBMClassifier(**FOREST, **quiet))
    yield Case("deep trees", "electricity", lgb.LGBMClassifier(num_leaves=1023, **quiet))
    yield Case(
        "early stopping", "spambase",
        lgb.LGBMClassifier(n_estimators=2000, early_stopping_round=5, **quiet),
    )  # fmt: skip
    yield Case("classifier", "electricity", xgb.XGBClassifier(n_estimators=200))
    yield Case("missing values", "spambase, 10% NaN", xgb.XGBClassifier())
    yield Case("categorical", "adult", xgb.XGBClassifier(enable_categorical=True))
    yield Case("26 classes", "letter", xgb.XGBClassifier(n_estimators=20))
    vectors = xgb.XGBClassifier(n_estimators=20, multi_strategy="multi_output_tree")
    yield Case("26 classes, vector leaves", "letter", vectors)
    yield Case("regressor", "electricity price", xgb.XGBRegressor(n_estimators=100))
    yield Case("ranker", "mq2008", xgb.XGBRanker())
    yield Case("DART", "electricity", xgb.XGBClassifier(booster="dart", rate_drop=0.1))
    yield Case("random forest", "electricity", xgb.XGBRFClassifier())
    yield Case("deep trees", "electricity", xgb.XGBClassifier(max_depth=14))
    yield Case(
        "early stopping", "spambase", xgb.XGBClassifier(n_estimators=2000, early_stopping_rounds=5)
    )
    yield Case("classifier", "electricity", cat.CatBoostClassifier(iterations=200, **CAT))
    yield Case("missing values", "spambase, 10% NaN", cat.CatBoostClassifier(iterations=200, **CAT))
    yield Case("26 classes", "letter", cat.CatBoostClassifier(iterations=30, **CAT))
    yield Case("regressor", "electricity price", cat.CatBoostRegressor(iterations=100, **CAT))
    yield Case("ranker", "mq2008", cat.CatBoostRanker(iterations=50, **CAT))
    lossguide = cat.CatBoostClassifier(iterations=100, grow_policy="Lossguide", **CAT)
    yield Case("Lossguide trees", "electricity", lossguide)
    yield Case(
        "early stopping", "spambase",
        cat.CatBoostClassifier(iterations=2000, early_stopping_rounds=5, **CAT),
    )  # fmt: skip
    hist = {"max_iter": 100, "early_stopping": False}
    yield Case("Hist classifier", "electricity", sk.HistGradientBoostingClassifier(**hist))
    yield Case("Hist missing values", "spambase, 10% NaN", sk.HistGradientBoostingClassifier())
    yield Case("Hist categorical", "adult", sk.HistGradientBoostingClassifier())
    yield Case("Hist 26 classes", "letter", sk.HistGradientBoostingClassifier(max_iter=10))
    yield Case("Hist regressor", "electricity price", sk.HistGradientBoostingRegressor(**hist))
    yield Case("GB classifier", "spambase", sk.GradientBoostingClassifier(n_estimators=200))
    yield Case("GB 26 classes", "letter", sk.GradientBoostingClassifier(n_estimators=2))
    yield Case("GB early stopping", "spambase", sk.GradientBoostingClassifier(
        n_estimators=2000, learning_rate=0.3, n_iter_no_change=5))  # fmt: skip
    yield Case("GB regressor", "electricity price", sk.GradientBoostingRegressor(n_estimators=100))
    yield Case("RF deep classifier", "electricity", sk.RandomForestClassifier(100))
    yield Case("RF missing values", "spambase, 10% NaN", sk.RandomForestClassifier(100))
    yield Case("RF 26 classes", "letter", sk.RandomForestClassifier(50))
    yield Case("RF regressor", "electricity price", sk.RandomForestRegressor(50))
    yield Case("ET classifier", "spambase", sk.ExtraTreesClassifier(100, min_samples_leaf=5))
    yield Case("ET 26 classes", "letter", sk.ExtraTreesClassifier(50, max_depth=8))
    yield Case("AdaBoost stumps", "spambase", sk.AdaBoostClassifier(n_estimators=200))
    yield Case("AdaBoost deep, 26 classes", "letter", sk.AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=10), n_estimators=10))  # fmt: skip
