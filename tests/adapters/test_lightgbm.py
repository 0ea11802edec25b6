"""LightGBM models as Ensembles."""

import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest

from mddag import as_ensemble

SMALL = {"n_estimators": 12, "num_leaves": 6, "verbose": -1, "n_jobs": 1}
FOREST = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}
SETS = {"min_data_per_group": 1, "cat_smooth": 1, "max_cat_to_onehot": 1, "min_child_samples": 5}


@pytest.mark.parametrize(
    "options",
    [{}, {"boosting_type": "dart", "drop_rate": 0.5}, FOREST, {"use_missing": False}],
    ids=["gbdt", "dart", "rf", "no missing"],
)
def test_two_classes(check, two_missing, options) -> None:
    X, y = two_missing
    model = lgb.LGBMClassifier(**SMALL, **options).fit(X, np.where(y, "yes", "no"))
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_scores, ensemble.kind) == (12, 1, "classifier")
    assert ensemble.classes.tolist() == ["no", "yes"]


@pytest.mark.parametrize("options", [{}, FOREST], ids=["gbdt", "rf"])
def test_three_classes(check, three, options) -> None:
    X, y = three
    model = lgb.LGBMClassifier(**SMALL, **options).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_trees, ensemble.n_scores) == (12, 36, 3)


def test_regressor_and_ranker(check, two) -> None:
    X, y = two
    regressor = lgb.LGBMRegressor(**SMALL).fit(X, X[:, 0] * 1e6)
    assert check(regressor, X).kind == "regressor"
    forest = lgb.LGBMRegressor(**SMALL, **FOREST).fit(X, X[:, 0])
    np.testing.assert_allclose(as_ensemble(forest).scores(X)[:, 0], forest.predict(X), atol=1e-9)
    ranker = lgb.LGBMRanker(**SMALL).fit(X, y, group=[70] * 10)
    assert check(ranker, X).kind == "ranker"


@pytest.mark.parametrize(
    ("objective", "kind", "n_scores"),
    [
        ({"objective": "binary"}, "classifier", 1),
        ({"objective": "multiclass", "num_class": 2}, "classifier", 1),
        ({"objective": "multiclassova", "num_class": 3}, "classifier", 3),
        ({"objective": "poisson"}, "regressor", 1),
        ({"objective": "rank_xendcg"}, "ranker", 1),
        ({"objective": lambda f, rows: (f - rows.get_label(), np.ones_like(f))}, "regressor", 1),
    ],
)
def test_bare_booster(check, two, objective, kind: str, n_scores: int) -> None:
    X, y = two
    booster = lgb.train(objective | {"verbose": -1}, lgb.Dataset(X, y, group=[70] * 10), 5)
    ensemble = check(booster, X)
    assert (ensemble.kind, ensemble.n_scores, len(ensemble)) == (kind, n_scores, 5)
    if kind == "classifier":
        assert ensemble.classes.tolist() == list(range(max(n_scores, 2)))


def test_early_stopping(check, two) -> None:
    X, y = two
    model = lgb.LGBMClassifier(n_estimators=99, early_stopping_round=2, learning_rate=1, verbose=-1)
    model.fit(X[:350], y[:350], eval_X=X[350:], eval_y=y[350:])
    assert len(check(model, X, model.predict(X))) == model.best_iteration_ < 99


def test_category_columns_of_a_frame(check, frame) -> None:
    X, y = frame
    model = lgb.LGBMClassifier(**SMALL, **SETS).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (ensemble.nodes["n_words"] > 0).any()
    assert ensemble.features.categories[1] == ("top", "low", "high", "mid")
    assert ensemble.features.names == tuple(X.columns)


def test_unknown_categories_are_missing_as_in_lightgbm(check, frame) -> None:
    X, y = frame
    model = lgb.LGBMClassifier(**SMALL, **SETS).fit(X, y)
    some = X.assign(x1=X["x1"].cat.rename_categories({"low": "lower"}))
    check(model, some, model.predict(some))
    none = X.assign(x1=X["x1"].cat.rename_categories(str.upper))
    with pytest.warns(UserWarning, match=r"no value of column 'x1' .*got 'TOP', wanted 'top', "):
        check(model, none)


def test_category_columns_of_another_type_are_refused(frame) -> None:
    """LightGBM itself refuses the codes unless they are categories, which it takes for missing."""
    X, y = frame
    model = lgb.LGBMClassifier(**SMALL, **SETS).fit(X, y)
    codes = X.assign(x1=X["x1"].cat.codes)
    with pytest.raises(ValueError, match="categorical_feature do not match"):
        model.predict(codes)
    for given in (codes, X.assign(x1=pd.Categorical(X["x1"].cat.codes))):
        with pytest.raises(
            ValueError, match=r"column 'x1' holds numbers, .* on strings there, 'top"
        ):
            as_ensemble(model).scores(given)


def test_category_codes(check, codes) -> None:
    X, y = codes
    model = lgb.LGBMClassifier(**SMALL, **SETS).fit(X, y, categorical_feature=[1, 4])
    ensemble = check(model, X, model.predict(X))
    assert (ensemble.nodes["n_words"] > 0).any()
    strange = X.copy()
    strange[:, 4] = np.resize([-1, -7, 44, 3, 1000, 5e8], len(X))
    check(model, strange, model.predict(strange))


def test_the_prior_sits_in_the_bias(two) -> None:
    X = two[0]
    y = X[:, 0] + 0.3 * X[:, 1] > 1
    log_odds = np.log(y.mean() / (1 - y.mean()))
    ensemble = as_ensemble(lgb.LGBMClassifier(**SMALL, learning_rate=0.02).fit(X, y))
    first = ensemble.votes(X).dense()[:, 0]
    assert abs(ensemble.bias[0] - log_odds) < 0.05
    assert abs((ensemble.scores(X) - first).mean() - log_odds) < 0.1
    assert abs(first.mean()) < 0.05


def test_names_with_spaces_are_known_by_underscores(check, two) -> None:
    X, y = two
    frame = pd.DataFrame(X, columns=[f"mean {i}" for i in range(8)])
    model = lgb.LGBMClassifier(**SMALL).fit(frame, y)
    assert check(model, frame, model.predict(frame)).features.names[0] == "mean_0"
    assert as_ensemble(lgb.LGBMClassifier(**SMALL).fit(X, y)).features.names is None


def test_constant_trees(check, two) -> None:
    X, y = two
    model = lgb.LGBMClassifier(n_estimators=3, min_child_samples=9999, verbose=-1).fit(X, y)
    assert check(model, X, model.predict(X)).scores(X).std() == 0


def test_linear_leaves_are_refused(two) -> None:
    model = lgb.LGBMClassifier(**SMALL, linear_tree=True).fit(*two)
    with pytest.raises(
        ValueError,
        match=r"LightGBM model has linear leaves \(tree \d+\); mddag needs constant leaves: "
        "train with linear_tree=False",
    ):
        as_ensemble(model)


def test_zeros_as_missing_are_refused(two) -> None:
    X, y = two
    model = lgb.LGBMClassifier(**SMALL, zero_as_missing=True).fit(np.round(X), y)
    with pytest.raises(ValueError, match="train with zero_as_missing=False"):
        as_ensemble(model)


def test_unnamed_ordered_categories_are_refused(frame) -> None:
    X, y = frame
    X = X.assign(x1=X["x1"].cat.as_ordered())
    model = lgb.LGBMClassifier(**SMALL).fit(X, y)
    with pytest.raises(ValueError, match="unsupported categorical encodings"):
        as_ensemble(model)
