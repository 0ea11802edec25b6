"""XGBoost models as Ensembles."""

import numpy as np
import pandas as pd
import pytest
import xgboost as xgb

from mddag import as_ensemble

SMALL = {"n_estimators": 12, "max_depth": 3, "n_jobs": 1}
TYPES = ["c" if i in (1, 4) else "q" for i in range(8)]
SETS = {"enable_categorical": True, "max_cat_to_onehot": 1}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"booster": "dart", "rate_drop": 0.5},
        {"max_depth": 0, "max_leaves": 9, "grow_policy": "lossguide", "gamma": 1.0},
        {"tree_method": "exact"},
        {"base_score": 0.2},
    ],
    ids=["gbtree", "dart", "lossguide", "exact", "base_score"],
)
def test_two_classes(check, two_missing, options) -> None:
    X, y = two_missing
    model = xgb.XGBClassifier(**SMALL | options).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_scores, ensemble.kind) == (12, 1, "classifier")


@pytest.mark.parametrize("strategy", ["one_output_per_tree", "multi_output_tree"])
def test_three_classes(check, three, strategy: str) -> None:
    X, y = three
    model = xgb.XGBClassifier(**SMALL, multi_strategy=strategy).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_scores) == (12, 3)
    assert ensemble.n_trees == (36 if strategy == "one_output_per_tree" else 12)
    assert np.ptp(ensemble.bias) > 0  # one base score per class


def test_regressor_and_ranker(check, two) -> None:
    X, y = two
    assert check(xgb.XGBRegressor(**SMALL).fit(X, X[:, 0]), X).kind == "regressor"
    poisson = xgb.XGBRegressor(**SMALL, objective="count:poisson").fit(X, y)
    assert check(poisson, X).kind == "regressor"
    ranker = xgb.XGBRanker(**SMALL).fit(X, y, qid=np.repeat(np.arange(10), 70))
    assert check(ranker, X).kind == "ranker"


def test_parallel_trees_belong_to_their_round(check, three) -> None:
    X, y = three
    model = xgb.XGBClassifier(n_estimators=4, max_depth=2, num_parallel_tree=3).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert ensemble.tables.rounds.tolist() == [0, 9, 18, 27, 36]
    by_tree = check(model, X, model.predict(X), granularity="tree")
    assert len(by_tree) == 36


def test_each_tree_of_a_forest_is_a_classifier(check, two, three) -> None:
    X, y = three
    model = xgb.XGBRFClassifier(**SMALL, subsample=0.5, random_state=0).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_trees) == (12, 36)
    assert ensemble.tables.score[:6].tolist() == [0, 1, 2, 0, 1, 2]
    X, y = two
    assert len(check(xgb.XGBRFRegressor(**SMALL).fit(X, y), X)) == 12


@pytest.mark.parametrize(
    ("objective", "kind", "n_scores"),
    [
        ({"objective": "binary:logistic"}, "classifier", 1),
        ({"objective": "multi:softprob", "num_class": 2}, "classifier", 1),
        ({"objective": "multi:softmax", "num_class": 3}, "classifier", 3),
        ({"objective": "reg:squarederror"}, "regressor", 1),
        ({"objective": "rank:ndcg"}, "ranker", 1),
    ],
)
def test_bare_booster(check, two, objective, kind: str, n_scores: int) -> None:
    X, y = two
    rows = xgb.DMatrix(X, y, qid=np.repeat(np.arange(10), 70))
    ensemble = check(xgb.train(objective, rows, 5), X)
    assert (ensemble.kind, ensemble.n_scores, len(ensemble)) == (kind, n_scores, 5)


def test_early_stopping_counts_as_the_objects_own_predict_does(check, two) -> None:
    X, y = two
    model = xgb.XGBClassifier(n_estimators=99, early_stopping_rounds=2, learning_rate=1.0)
    model.fit(X[:350], y[:350], eval_set=[(X[350:], y[350:])], verbose=False)
    assert len(check(model, X, model.predict(X))) == model.best_iteration + 1
    booster = model.get_booster()
    assert len(check(booster, X)) == booster.num_boosted_rounds() > model.best_iteration + 1


@pytest.mark.parametrize("booster", ["gbtree", "dart"])
def test_category_columns_of_a_frame(check, frame, booster: str) -> None:
    X, y = frame
    model = xgb.XGBClassifier(**SMALL, **SETS, booster=booster).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (ensemble.nodes["n_words"] > 0).any()
    assert ensemble.features.categories[1] == ("top", "low", "high", "mid")
    assert ensemble.features.categories[4][:3] == (0, 5, 10)


def test_unknown_categories_are_refused_as_in_xgboost(frame) -> None:
    """XGBoost 3.2 finds those that sort behind all others; the rest it takes for a neighbour."""
    X, y = frame
    model = xgb.XGBClassifier(**SMALL, **SETS).fit(X, y)
    unknown = X.assign(x1=X["x1"].cat.rename_categories({"low": "zero"}))
    with pytest.raises(ValueError, match="category not in the training set"):
        model.predict(unknown)
    ensemble = as_ensemble(model)
    assert ensemble.features.unknown == "error"
    with pytest.raises(ValueError, match="column 'x1' holds 'zero', which was not there in train"):
        ensemble.scores(unknown)
    with pytest.raises(ValueError, match="column 'x1' holds numbers"):
        ensemble.scores(X.assign(x1=X["x1"].cat.codes))


def test_category_codes(check, codes) -> None:
    X, y = codes
    model = xgb.XGBClassifier(**SMALL, **SETS, feature_types=TYPES).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (ensemble.nodes["n_words"] > 0).any()
    strange = X.copy()
    strange[:, 4] = np.resize([-1, -7, 44, 3, 1000, 2**24], len(X))
    check(model, strange, model.predict(strange))


def test_names(check, two) -> None:
    X, y = two
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = xgb.XGBClassifier(**SMALL).fit(frame, y)
    assert check(model, frame, model.predict(frame)).features.names == tuple("abcdefgh")
    assert as_ensemble(xgb.XGBClassifier(**SMALL).fit(X, y)).features.names is None


def test_a_missing_value_is_kept_where_the_splits_allow_it(check, two) -> None:
    X, y = two
    stump = {"n_estimators": 1, "max_depth": 1}
    # Missing values have the same label as the large ones, then as the small ones.
    X = np.where(np.arange(700)[:, None] < 300, X, np.where(X > 0, 1e6, X))
    y = X[:, 0] > 0
    kept = xgb.XGBClassifier(**stump, missing=1e6).fit(X, y)
    check(kept, X, kept.predict(X))
    lost = xgb.XGBClassifier(**stump, missing=1e6).fit(X, (X[:, 0] < 0.5) | (X[:, 0] == 1e6))
    with pytest.raises(ValueError, match=r"treats 1000000.0 as missing.*train with missing=nan"):
        as_ensemble(lost)


def test_a_linear_model_is_refused(two) -> None:
    with pytest.raises(ValueError, match="XGBoost model is linear"):
        as_ensemble(xgb.XGBClassifier(booster="gblinear", n_estimators=2).fit(*two))


@pytest.mark.parametrize("strategy", ["one_output_per_tree", "multi_output_tree"])
def test_several_targets_are_refused(two, strategy: str) -> None:
    X, y = two
    model = xgb.XGBRegressor(**SMALL, multi_strategy=strategy).fit(X, np.c_[y, 1 - y])
    with pytest.raises(ValueError, match="predicts 2 targets at once"):
        as_ensemble(model)
    with pytest.raises(ValueError, match="predicts 2 targets at once"):
        as_ensemble(xgb.XGBClassifier(**SMALL).fit(X, np.c_[y, y]))


def test_a_model_without_trees_is_refused(two) -> None:
    X, y = two
    bare = xgb.train({}, xgb.DMatrix(X, y), num_boost_round=0)
    for model in (xgb.XGBClassifier(n_estimators=0).fit(X, y), bare):
        with pytest.raises(ValueError, match="XGBoost model has no trees; train it for at least"):
            as_ensemble(model)
