"""CatBoost models as Ensembles."""

import numpy as np
import pandas as pd
import pytest
from catboost import (
    CatBoost,
    CatBoostClassifier,
    CatBoostRanker,
    CatBoostRegressor,
    Pool,
)

from mddag import as_ensemble

QUIET = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
SMALL = QUIET | {"iterations": 12, "depth": 3}


@pytest.mark.parametrize("policy", ["SymmetricTree", "Depthwise", "Lossguide"])
@pytest.mark.parametrize("nan_mode", ["Min", "Max"])
def test_two_classes(check, two_missing, policy: str, nan_mode: str) -> None:
    X, y = two_missing
    model = CatBoostClassifier(**SMALL, grow_policy=policy, nan_mode=nan_mode)
    model.fit(X, np.where(y, "yes", "no"))
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_scores, ensemble.kind) == (12, 1, "classifier")


@pytest.mark.parametrize("policy", ["SymmetricTree", "Lossguide"])
@pytest.mark.parametrize("loss", ["MultiClass", "MultiClassOneVsAll"])
def test_three_classes(check, three, policy: str, loss: str) -> None:
    X, y = three
    model = CatBoostClassifier(**SMALL, grow_policy=policy, loss_function=loss).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_scores) == (12, 3)


def test_a_softmax_of_two_classes_has_one_score(check, two) -> None:
    X, y = two
    model = CatBoostClassifier(**SMALL, loss_function="MultiClass").fit(X, y)
    assert check(model, X, model.predict(X)).n_scores == 1


def test_regressor_and_ranker(check, two) -> None:
    X, y = two
    regressor = CatBoostRegressor(**SMALL).fit(X, X[:, 0] + 1e3)
    ensemble = check(regressor, X)
    assert ensemble.kind == "regressor"
    assert abs(ensemble.bias[0] - 1e3) < 1
    ranker = CatBoostRanker(**SMALL).fit(Pool(X, y, group_id=np.repeat(np.arange(10), 70)))
    assert check(ranker, X).kind == "ranker"


@pytest.mark.parametrize(
    ("loss", "kind"),
    [("Logloss", "classifier"), ("RMSE", "regressor"), ("QueryRMSE", "ranker")],
)
def test_bare_catboost(check, two, loss: str, kind: str) -> None:
    X, y = two
    model = CatBoost(SMALL | {"loss_function": loss})
    model.fit(Pool(X, y, group_id=np.repeat(np.arange(10), 70)))
    assert check(model, X).kind == kind


def test_scale_and_bias(check, two) -> None:
    X, y = two
    model = CatBoostClassifier(**SMALL).fit(X, y)
    model.set_scale_and_bias(0.5, 0.25)
    ensemble = check(model, X, model.predict(X))
    assert ensemble.bias[0] == 0.25


def test_early_stopping(check, two) -> None:
    X, y = two
    model = CatBoostClassifier(**QUIET, iterations=200, learning_rate=1.0, early_stopping_rounds=3)
    model.fit(X[:350], y[:350], eval_set=(X[350:], y[350:]))
    assert len(check(model, X, model.predict(X))) == model.tree_count_ < 200


def test_columns_and_names(check, two) -> None:
    X, y = two
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = CatBoostClassifier(**SMALL, ignored_features=["a", "d"]).fit(frame, y)
    assert check(model, frame, model.predict(frame)).features.names == tuple("abcdefgh")
    assert as_ensemble(CatBoostClassifier(**SMALL).fit(X, y)).features.names is None


def test_missing_values_in_columns_that_had_none(check, two, two_missing) -> None:
    model = CatBoostClassifier(**SMALL).fit(*two)
    check(model, two_missing[0], model.predict(two_missing[0]))


def test_categorical_features_are_refused_by_name(frame) -> None:
    X, y = frame
    X = X.assign(x1=X["x1"].astype(object).fillna("none"), x4=X["x4"].astype(float))
    model = CatBoostClassifier(**SMALL, cat_features=["x1"]).fit(X, y)
    with pytest.raises(ValueError, match=r"1 categorical feature\(s\) \(the first is 'x1'\)"):
        as_ensemble(model)


def test_another_decision_threshold_is_refused(two) -> None:
    model = CatBoostClassifier(**SMALL).fit(*two)
    model.set_probability_threshold(0.3)
    with pytest.raises(ValueError, match=r"decides at probability 0\.3"):
        as_ensemble(model)


def test_several_outputs_are_refused(two) -> None:
    X, y = two
    model = CatBoostRegressor(**SMALL, loss_function="MultiRMSE").fit(X, np.c_[y, 1 - y])
    with pytest.raises(ValueError, match="predicts 2 targets at once"):
        as_ensemble(model)


@pytest.mark.parametrize("loss", ["MultiLogloss", "MultiCrossEntropy"])
@pytest.mark.parametrize("n_labels", [2, 3])
def test_several_labels_at_once_are_refused(two, loss: str, n_labels: int) -> None:
    X, y = two
    labels = np.c_[y, 1 - y, y][:, :n_labels]
    model = CatBoostClassifier(**SMALL, loss_function=loss).fit(X, labels)
    with pytest.raises(ValueError, match=rf"several labels at once \(loss_function='{loss}'\)"):
        as_ensemble(model)
