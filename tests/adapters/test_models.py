"""Models of every library as Ensembles."""

import catboost as cb
import lightgbm as lgb
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xgboost as xgb
from sklearn.base import clone
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from mddag import as_ensemble

LGBM = {"n_estimators": 12, "num_leaves": 6, "verbose": -1, "n_jobs": 1}
XGB = {"n_estimators": 12, "max_depth": 3, "n_jobs": 1}
QUIET = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
CAT = QUIET | {"iterations": 12, "depth": 3}
FOREST = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}
STOPPED = {"n_iter_no_change": 2, "learning_rate": 0.5}
QUERIES = np.repeat(np.arange(10), 70)


def trees(depth):
    return DecisionTreeClassifier(max_depth=depth, min_samples_leaf=2, random_state=0)


TAKE_MISSING = [
    lgb.LGBMClassifier(**LGBM),
    lgb.LGBMClassifier(**LGBM, boosting_type="dart", drop_rate=0.5),
    lgb.LGBMClassifier(**LGBM, **FOREST),
    lgb.LGBMClassifier(**LGBM, use_missing=False),
    xgb.XGBClassifier(**XGB),
    xgb.XGBClassifier(**XGB, booster="dart", rate_drop=0.5),
    xgb.XGBClassifier(**XGB | {"max_depth": 0}, max_leaves=9, grow_policy="lossguide", gamma=1.0),
    xgb.XGBClassifier(**XGB, tree_method="exact"),
    xgb.XGBClassifier(**XGB, base_score=0.2),
    *[
        cb.CatBoostClassifier(**CAT, grow_policy=policy, nan_mode=mode)
        for policy in ("SymmetricTree", "Depthwise", "Lossguide")
        for mode in ("Min", "Max")
    ],
    *[
        forest(12, random_state=0, **options)
        for forest in (RandomForestClassifier, ExtraTreesClassifier)
        for options in ({}, {"max_depth": 4}, {"max_leaf_nodes": 9}, {"bootstrap": True})
    ],
    HistGradientBoostingClassifier(max_iter=12),
    HistGradientBoostingClassifier(max_iter=300, early_stopping=True, **STOPPED),
]
REFUSE_MISSING = [
    GradientBoostingClassifier(n_estimators=12),
    GradientBoostingClassifier(n_estimators=12, loss="exponential"),
    GradientBoostingClassifier(n_estimators=12, init="zero"),
    GradientBoostingClassifier(n_estimators=12, max_leaf_nodes=7),
    *[AdaBoostClassifier(trees(d), n_estimators=12, random_state=0) for d in (1, 3, None)],
]


def name_of(value):
    return type(value).__name__


@pytest.mark.parametrize("model", TAKE_MISSING + REFUSE_MISSING, ids=name_of)
def test_binary(check, two, two_missing, model) -> None:
    missing = any(model is other for other in TAKE_MISSING)
    X, y = two_missing if missing else two
    labels = y if isinstance(model, xgb.XGBClassifier) else np.where(y, "yes", "no")
    model = clone(model).fit(X, labels)
    ensemble = check(model, X, model.predict(X))
    assert (ensemble.n_scores, ensemble.kind) == (1, "classifier")
    assert ensemble.classes.tolist() == np.unique(labels).tolist()
    assert ensemble.features.missing == missing
    assert len(ensemble) == getattr(model, "n_iter_", 12) < 300


@pytest.mark.parametrize(
    ("model", "n_trees"),
    [
        (lgb.LGBMClassifier(**LGBM), 36),
        (lgb.LGBMClassifier(**LGBM, **FOREST), 36),
        (xgb.XGBClassifier(**XGB, multi_strategy="one_output_per_tree"), 36),
        (xgb.XGBClassifier(**XGB, multi_strategy="multi_output_tree"), 12),
        (xgb.XGBRFClassifier(**XGB, subsample=0.5, random_state=0), 36),
        *[
            (cb.CatBoostClassifier(**CAT, grow_policy=policy, loss_function=loss), 12)
            for policy in ("SymmetricTree", "Lossguide")
            for loss in ("MultiClass", "MultiClassOneVsAll")
        ],
        (GradientBoostingClassifier(n_estimators=12), 36),
        (RandomForestClassifier(12, random_state=0), 12),
        (ExtraTreesClassifier(12, random_state=0, bootstrap=True), 12),
        (AdaBoostClassifier(trees(2), n_estimators=12, random_state=0), 12),
        (HistGradientBoostingClassifier(max_iter=12), 36),
    ],
    ids=name_of,
)
def test_multiclass(check, three, model, n_trees) -> None:
    X, y = three
    model = clone(model).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_trees, ensemble.n_scores) == (12, n_trees, 3)
    if type(model) is xgb.XGBClassifier:
        assert np.ptp(ensemble.bias) > 0  # one base score per class


@pytest.mark.parametrize(
    "model",
    [
        lgb.LGBMRegressor(**LGBM),
        lgb.LGBMRegressor(**LGBM, **FOREST),
        xgb.XGBRegressor(**XGB),
        xgb.XGBRegressor(**XGB, objective="count:poisson"),
        xgb.XGBRFRegressor(**XGB),
        cb.CatBoostRegressor(**CAT),
        GradientBoostingRegressor(n_estimators=300, **STOPPED),
        RandomForestRegressor(12, random_state=0),
        ExtraTreesRegressor(12, random_state=0),
        *[
            HistGradientBoostingRegressor(max_iter=12, loss=loss)
            for loss in ("squared_error", "poisson", "gamma", "absolute_error")
        ],
    ],
    ids=name_of,
)
def test_regressors(check, two, model) -> None:
    X, _ = two
    model = clone(model).fit(X, 0.1 + 1e3 * np.abs(X[:, 0]))
    ensemble = check(model, X)
    assert ensemble.kind == "regressor"
    assert len(ensemble) < 300
    means = ensemble.task.predictions(ensemble.scores(X))
    np.testing.assert_allclose(means, model.predict(X), rtol=1e-3)


def test_rankers(check, two) -> None:
    X, y = two
    for model in (
        lgb.LGBMRanker(**LGBM).fit(X, y, group=[70] * 10),
        xgb.XGBRanker(**XGB).fit(X, y, qid=QUERIES),
        cb.CatBoostRanker(**CAT).fit(cb.Pool(X, y, group_id=QUERIES)),
    ):
        assert check(model, X).kind == "ranker"


def lgb_booster(X, y, **options):
    rows = lgb.Dataset(X, y, group=[70] * 10)
    return lgb.train(options | {"verbose": -1}, rows, 5)


def xgb_booster(X, y, **options):
    return xgb.train(options, xgb.DMatrix(X, y, qid=QUERIES), 5)


def bare_catboost(X, y, **options):
    return cb.CatBoost(CAT | {"iterations": 5} | options).fit(cb.Pool(X, y, group_id=QUERIES))


def squared(f, rows):
    return f - rows.get_label(), np.ones_like(f)


@pytest.mark.parametrize(
    ("train", "options", "kind", "n_scores"),
    [
        (lgb_booster, {"objective": "binary"}, "classifier", 1),
        (lgb_booster, {"objective": "multiclass", "num_class": 2}, "classifier", 1),
        (lgb_booster, {"objective": "multiclassova", "num_class": 3}, "classifier", 3),
        (lgb_booster, {"objective": "poisson"}, "regressor", 1),
        (lgb_booster, {"objective": "rank_xendcg"}, "ranker", 1),
        (lgb_booster, {"objective": squared}, "regressor", 1),
        (xgb_booster, {"objective": "binary:logistic"}, "classifier", 1),
        (xgb_booster, {"objective": "multi:softprob", "num_class": 2}, "classifier", 1),
        (xgb_booster, {"objective": "multi:softmax", "num_class": 3}, "classifier", 3),
        (xgb_booster, {"objective": "reg:squarederror"}, "regressor", 1),
        (xgb_booster, {"objective": "rank:ndcg"}, "ranker", 1),
        (bare_catboost, {"loss_function": "Logloss"}, "classifier", 1),
        (bare_catboost, {"loss_function": "RMSE"}, "regressor", 1),
        (bare_catboost, {"loss_function": "QueryRMSE"}, "ranker", 1),
    ],
)
def test_bare_boosters(check, two, train, options, kind: str, n_scores: int) -> None:
    ensemble = check(train(*two, **options), two[0])
    assert (ensemble.kind, ensemble.n_scores, len(ensemble)) == (kind, n_scores, 5)
    if kind == "classifier":
        assert ensemble.classes.tolist() == list(range(max(n_scores, 2)))


def test_early_stopping_counts_as_in_the_objects_own_predict(check, two) -> None:
    X, y, X_held, y_held = two[0][:350], two[1][:350], two[0][350:], two[1][350:]
    model = lgb.LGBMClassifier(n_estimators=99, early_stopping_round=2, learning_rate=1, verbose=-1)
    model.fit(X, y, eval_X=X_held, eval_y=y_held)
    assert len(check(model, X, model.predict(X))) == model.best_iteration_ < 99
    model = xgb.XGBClassifier(n_estimators=99, early_stopping_rounds=2, learning_rate=1.0)
    model.fit(X, y, eval_set=[(X_held, y_held)], verbose=False)
    assert len(check(model, X, model.predict(X))) == model.best_iteration + 1
    booster = model.get_booster()
    assert len(check(booster, X)) == booster.num_boosted_rounds() > model.best_iteration + 1
    model = cb.CatBoostClassifier(
        **QUIET, iterations=200, learning_rate=1.0, early_stopping_rounds=3
    )
    model.fit(X, y, eval_set=(X_held, y_held))
    assert len(check(model, X, model.predict(X))) == model.tree_count_ < 200


@pytest.mark.parametrize(
    "model",
    [lgb.LGBMClassifier(**LGBM), xgb.XGBClassifier(**XGB), cb.CatBoostClassifier(**CAT)],
    ids=name_of,
)
def test_names(check, two, model) -> None:
    X, y = two
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    named = clone(model).fit(frame, y)
    assert check(named, frame, named.predict(frame)).features.names == tuple("abcdefgh")
    assert as_ensemble(clone(model).fit(X, y)).features.names is None


def test_names_with_spaces_are_known_to_lightgbm_by_underscores(check, two) -> None:
    frame = pd.DataFrame(two[0], columns=[f"mean {i}" for i in range(8)])
    model = lgb.LGBMClassifier(**LGBM).fit(frame, two[1])
    assert check(model, frame, model.predict(frame)).features.names[0] == "mean_0"


SETS = {"min_data_per_group": 1, "cat_smooth": 1, "max_cat_to_onehot": 1, "min_child_samples": 5}
XGB_SETS = {"enable_categorical": True, "max_cat_to_onehot": 1}
XGB_TYPES = ["c" if i in (1, 4) else "q" for i in range(8)]
HIST = {"max_iter": 12, "min_samples_leaf": 5}
WITH_SETS = {
    "lightgbm": lgb.LGBMClassifier(**LGBM, **SETS),
    "xgboost": xgb.XGBClassifier(**XGB, **XGB_SETS),
    "xgboost dart": xgb.XGBClassifier(**XGB, **XGB_SETS, booster="dart"),
    "sklearn": HistGradientBoostingClassifier(**HIST),
}


@pytest.mark.parametrize("name", WITH_SETS)
def test_category_columns_of_a_frame(check, frame, name: str) -> None:
    X, y = frame
    model = clone(WITH_SETS[name]).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert set(ensemble.nodes["feature"][ensemble.nodes["n_words"] > 0]) == {1, 4}
    order = ("high", "low", "mid", "top") if name == "sklearn" else ("top", "low", "high", "mid")
    assert ensemble.features.categories[1] == order
    assert ensemble.features.categories[4][:3] == (0, 5, 10)
    assert ensemble.features.names == tuple(X.columns)
    codes = X.assign(x1=X["x1"].cat.codes)
    for other in (codes, X.assign(x1=pd.Categorical(X["x1"].cat.codes))):
        with pytest.raises(ValueError, match=r"column 'x1' holds numbers, .* on strings there"):
            ensemble.scores(other)


@pytest.mark.parametrize("name", ["lightgbm", "sklearn"])
def test_unknown_categories_are_missing(check, frame, name: str) -> None:
    X, y = frame
    model = clone(WITH_SETS[name]).fit(X, y)
    some = X.assign(x1=X["x1"].cat.rename_categories({"low": "lower"}))
    check(model, some, model.predict(some))
    none = X.assign(x1=X["x1"].cat.rename_categories(str.upper))
    with pytest.warns(UserWarning, match=r"no value of column 'x1' .*got 'TOP', wanted '\w+', "):
        check(model, none)


def test_unknown_categories_are_refused_as_in_xgboost(frame) -> None:
    """XGBoost 3.2 finds those that sort behind all others; the rest it takes for a neighbor."""
    X, y = frame
    model = clone(WITH_SETS["xgboost"]).fit(X, y)
    unknown = X.assign(x1=X["x1"].cat.rename_categories({"low": "zero"}))
    with pytest.raises(ValueError, match="category not in the training set"):
        model.predict(unknown)
    ensemble = as_ensemble(model)
    assert ensemble.features.unknown == "error"
    with pytest.raises(ValueError, match="column 'x1' holds 'zero', which was not there in train"):
        ensemble.scores(unknown)


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (lgb.LGBMClassifier(**LGBM, **SETS), {"categorical_feature": [1, 4]}),
        (xgb.XGBClassifier(**XGB, **XGB_SETS, feature_types=XGB_TYPES), {}),
        (HistGradientBoostingClassifier(**HIST, categorical_features=[1, 4]), {}),
    ],
    ids=name_of,
)
def test_category_codes(check, codes, model, options) -> None:
    X, y = codes
    model = clone(model).fit(X, y, **options)
    ensemble = check(model, X, model.predict(X))
    assert set(ensemble.nodes["feature"][ensemble.nodes["n_words"] > 0]) == {1, 4}
    strange = X.copy()
    strange[:, 4] = np.resize([-1, -7, 44, 3, 1000, 2**24], len(X))
    check(model, strange, model.predict(strange))


def test_bools_are_categories_too(check, frame) -> None:
    X, y = frame
    X = X.assign(x1=pd.Categorical(X["x2"] > 0))
    model = HistGradientBoostingClassifier(**HIST).fit(X, y)
    check(model, X, model.predict(X))
    plain = X.assign(x1=X["x2"] > 0)
    check(model, plain, model.predict(plain))


def of_lightgbm(two, **options):
    return lgb.LGBMClassifier(**LGBM, **options).fit(np.round(two[0]), two[1])


def with_ordered_categories(frame):
    X, y = frame
    return lgb.LGBMClassifier(**LGBM).fit(X.assign(x1=X["x1"].cat.as_ordered()), y)


def with_words(frame):
    X, y = frame
    X = X.assign(x1=X["x1"].astype(object).fillna("none"), x4=X["x4"].astype(float))
    return cb.CatBoostClassifier(**CAT, cat_features=["x1"]).fit(X, y)


def with_nulls_of_polars(frame):
    X, y = frame
    words = pl.Series([None if w != w else w for w in X["x1"]], dtype=pl.Categorical)
    rows = pl.DataFrame({"x0": X["x0"].to_numpy(), "x1": words})
    return HistGradientBoostingClassifier(max_iter=2).fit(rows, y)


def with_halves(codes):
    X, y = codes
    return HistGradientBoostingClassifier(max_iter=2, categorical_features=[1]).fit(X - 0.5, y)


def with_another_threshold(two):
    model = cb.CatBoostClassifier(**CAT).fit(*two)
    model.set_probability_threshold(0.3)
    return model


def of_labels(two, loss, n_labels):
    X, y = two
    labels = np.c_[y, 1 - y, y][:, :n_labels]
    return cb.CatBoostClassifier(**CAT, loss_function=loss).fit(X, labels)


def of_targets(model, two):
    return model.fit(two[0], np.c_[two[1], 1 - two[1]])


TARGETS = "predicts 2 targets at once"
NO_TREES = "XGBoost model has no trees; train it for at least"
REFUSED = [
    ("two", lambda two: of_lightgbm(two, linear_tree=True), r"linear leaves \(tree \d+\); .*train"),
    ("two", lambda two: of_lightgbm(two, zero_as_missing=True), "with zero_as_missing=False"),
    ("frame", with_ordered_categories, "unsupported categorical encodings"),
    ("two", lambda two: xgb.XGBClassifier(booster="gblinear").fit(*two), "model is linear"),
    ("two", lambda two: xgb.XGBClassifier(n_estimators=0).fit(*two), NO_TREES),
    ("two", lambda two: xgb.train({}, xgb.DMatrix(*two), num_boost_round=0), NO_TREES),
    ("frame", with_words, r"1 categorical feature\(s\) \(the first is 'x1'\)"),
    ("two", with_another_threshold, r"decides at probability 0\.3"),
    *[
        ("two", lambda two, loss=loss, n=n: of_labels(two, loss, n), rf"several labels .*'{loss}'")
        for loss in ("MultiLogloss", "MultiCrossEntropy")
        for n in (2, 3)
    ],
    ("frame", with_nulls_of_polars, "column 1 holds None, which counts as a category there"),
    ("codes", with_halves, r"unsupported categorical encodings: column 1 .*-0\.5"),
    (
        "two",
        lambda two: GradientBoostingClassifier(init=LogisticRegression()).fit(*two),
        r"starts from init=LogisticRegression\(\)",
    ),
    (
        "two",
        lambda two: AdaBoostClassifier(LogisticRegression(), n_estimators=2).fit(*two),
        r"boosts LogisticRegression.*Ensemble\.from_callables",
    ),
    *[
        ("two", lambda two, model=model: of_targets(clone(model), two), TARGETS)
        for model in (
            xgb.XGBRegressor(**XGB, multi_strategy="one_output_per_tree"),
            xgb.XGBRegressor(**XGB, multi_strategy="multi_output_tree"),
            xgb.XGBClassifier(**XGB),
            cb.CatBoostRegressor(**CAT, loss_function="MultiRMSE"),
            RandomForestClassifier(3),
            RandomForestRegressor(3),
        )
    ],
]


@pytest.mark.parametrize(("rows", "make", "words"), REFUSED)
def test_what_cannot_be_an_ensemble_is_refused(request, rows, make, words) -> None:
    model = make(request.getfixturevalue(rows))
    with pytest.raises(ValueError, match=words):
        as_ensemble(model)


# LightGBM


def test_the_prior_sits_in_the_bias_of_lightgbm(two) -> None:
    X = two[0]
    y = X[:, 0] + 0.3 * X[:, 1] > 1
    log_odds = np.log(y.mean() / (1 - y.mean()))
    ensemble = as_ensemble(lgb.LGBMClassifier(**LGBM, learning_rate=0.02).fit(X, y))
    first = ensemble.votes(X).dense()[:, 0]
    assert abs(ensemble.bias[0] - log_odds) < 0.05
    assert abs((ensemble.scores(X) - first).mean() - log_odds) < 0.1
    assert abs(first.mean()) < 0.05


def test_constant_trees(check, two) -> None:
    X, y = two
    model = lgb.LGBMClassifier(n_estimators=3, min_child_samples=9999, verbose=-1).fit(X, y)
    assert check(model, X, model.predict(X)).scores(X).std() == 0


# XGBoost


def test_parallel_trees_belong_to_their_round(check, three) -> None:
    X, y = three
    model = xgb.XGBClassifier(n_estimators=4, max_depth=2, num_parallel_tree=3).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert ensemble.tables.rounds.tolist() == [0, 9, 18, 27, 36]


def test_each_tree_of_a_forest_votes_for_the_classes_in_turn(check, three) -> None:
    X, y = three
    model = xgb.XGBRFClassifier(**XGB, subsample=0.5, random_state=0).fit(X, y)
    assert check(model, X).tables.score[:6].tolist() == [0, 1, 2, 0, 1, 2]


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


# CatBoost


def test_a_softmax_of_two_classes_has_one_score(check, two) -> None:
    X, y = two
    model = cb.CatBoostClassifier(**CAT, loss_function="MultiClass").fit(X, y)
    assert check(model, X, model.predict(X)).n_scores == 1


def test_scale_and_bias(check, two) -> None:
    X, y = two
    model = cb.CatBoostClassifier(**CAT).fit(X, y)
    model.set_scale_and_bias(0.5, 0.25)
    assert check(model, X, model.predict(X)).bias[0] == 0.25
    far = cb.CatBoostRegressor(**CAT).fit(X, X[:, 0] + 1e3)
    assert abs(check(far, X).bias[0] - 1e3) < 1


def test_columns_that_catboost_ignores(check, two) -> None:
    X, y = two
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = cb.CatBoostClassifier(**CAT, ignored_features=["a", "d"]).fit(frame, y)
    assert check(model, frame, model.predict(frame)).features.names == tuple("abcdefgh")


def test_missing_values_in_columns_that_had_none(check, two, two_missing) -> None:
    model = cb.CatBoostClassifier(**CAT).fit(*two)
    check(model, two_missing[0], model.predict(two_missing[0]))


# scikit-learn


def test_the_start_is_the_bias(two) -> None:
    X, _ = two
    y = X[:, 0] > 1.5
    ensemble = as_ensemble(GradientBoostingClassifier(n_estimators=3).fit(X, y))
    np.testing.assert_allclose(ensemble.bias, np.log(y.mean() / (1 - y.mean())), rtol=1e-6)


def test_ties_stay_ties_in_any_order(check, two) -> None:
    X, _ = two
    noise = np.random.default_rng(0).integers(0, 2, len(X))
    model = RandomForestClassifier(10, random_state=0).fit(X[:350], noise[:350])
    ensemble = check(model, X, model.predict(X))
    tied = model.predict_proba(X)[:, 0] == 0.5
    assert tied.sum() > 10
    assert (ensemble.scores(X)[tied] == 0).all()
    assert (ensemble.reordered(range(9, -1, -1)).scores(X) == ensemble.scores(X)).all()


def test_the_prior_sits_in_the_bias_of_a_forest(two) -> None:
    X, _ = two
    y = X[:, 0] > 1.5
    ensemble = as_ensemble(RandomForestClassifier(12, random_state=0).fit(X, y))
    prior = 2 * y.mean() - 1
    votes = ensemble.votes(X).dense()
    assert abs(ensemble.bias[0] - prior) < 0.05
    assert abs((ensemble.scores(X) - votes[:, 0]).mean() - prior) < 0.05
