"""The family's contract: the check, unwrapping, refusals, absent libraries."""

import subprocess
import sys
from dataclasses import replace

import lightgbm
import numpy as np
import pytest
import xgboost
from catboost import CatBoostClassifier, CatBoostRegressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mddag
from mddag import AdaBoostMHClassifier, Ensemble, Features, MDDAGClassifier
from mddag.adapters import MEMBERS, adapter
from mddag.adapters.adapter import FAR, probe_rows
from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.tasks import Classification
from mddag.solvers import Sarsa

UNFITTED = [
    AdaBoostClassifier(),
    CatBoostClassifier(),
    CatBoostRegressor(),
    ExtraTreesClassifier(),
    GradientBoostingClassifier(),
    HistGradientBoostingClassifier(),
    HistGradientBoostingRegressor(),
    RandomForestRegressor(),
    lightgbm.LGBMClassifier(),
    lightgbm.LGBMRanker(),
    xgboost.XGBClassifier(),
    xgboost.XGBRFRegressor(),
    xgboost.Booster(),
]


@pytest.fixture(scope="module")
def boosted(three) -> lightgbm.LGBMClassifier:
    return lightgbm.LGBMClassifier(n_estimators=5, num_leaves=4, verbose=-1).fit(*three)


def test_an_ensemble_is_returned_as_it_is(boosted) -> None:
    ensemble = mddag.as_ensemble(boosted)
    assert mddag.as_ensemble(ensemble) is ensemble


def test_all_trees_of_a_round_are_one_base_classifier(boosted) -> None:
    ensemble = mddag.as_ensemble(boosted)
    assert (len(ensemble), ensemble.n_trees) == (5, 15)
    assert ensemble.cost.tolist() == [3.0] * 5


def test_a_wrong_conversion_is_refused(boosted) -> None:
    member = next(member for member in MEMBERS if member.accepts(boosted))
    ensemble = member.convert(boosted)
    adapter.verify(member, boosted, ensemble)
    nodes = ensemble.nodes.copy()
    nodes["threshold"][0] = np.nextafter(nodes["threshold"][0], np.inf)
    with pytest.raises(
        ValueError,
        match=r"the adapter for lightgbm \d\S* disagrees with the model on \d+ of 256 probe rows "
        r"\(largest difference .+; first rows \[\d.*\); please report this model",
    ):
        adapter.verify(member, boosted, replace(ensemble, nodes=nodes))


def test_other_labels_of_the_same_scores_are_refused(boosted) -> None:
    member = next(member for member in MEMBERS if member.accepts(boosted))
    ensemble = member.convert(boosted)
    with pytest.raises(ValueError, match=r"predicts other labels on \d+ of 256 probe rows"):
        adapter.verify(
            member, boosted, replace(ensemble, task=Classification(classes=ensemble.classes[::-1]))
        )


def test_rows_that_rounding_could_decide_prove_nothing(boosted, monkeypatch) -> None:
    member = next(member for member in MEMBERS if member.accepts(boosted))
    ensemble = member.convert(boosted)
    monkeypatch.setattr(member, "tolerance", 1e9, raising=False)
    backwards = replace(ensemble, task=Classification(classes=ensemble.classes[::-1]))
    assert adapter.verify(member, boosted, backwards) is None


def test_a_model_that_predicts_no_labels_is_proved_by_its_scores(two) -> None:
    def squared(y, f):
        return f - y, np.ones_like(f)

    model = lightgbm.LGBMClassifier(n_estimators=3, objective=squared, verbose=-1).fit(*two)
    assert len(mddag.as_ensemble(model)) == 3


@pytest.mark.parametrize("model", UNFITTED, ids=lambda model: type(model).__name__)
def test_an_unfitted_model_is_refused(model) -> None:
    with pytest.raises(ValueError, match="is not fitted"):
        mddag.as_ensemble(model)


@pytest.mark.parametrize("kind", [GradientBoostingClassifier, ExtraTreesClassifier])
def test_a_threshold_that_is_no_number_is_refused(kind, two) -> None:
    model = kind(n_estimators=3, random_state=0).fit(*two)
    np.ravel(model.estimators_)[1].tree_.threshold[0] = np.nan
    message = "tree 1 of the model cannot be read: node 0 has the threshold nan; wanted a number"
    with pytest.raises(ValueError, match=message):
        mddag.as_ensemble(model)


def test_an_unknown_model_lists_the_known_ones() -> None:
    with pytest.raises(TypeError, match="AdaBoostRegressor, which mddag cannot read") as caught:
        mddag.as_ensemble(AdaBoostRegressor())
    for member in MEMBERS:
        assert member.models in str(caught.value)


@pytest.mark.parametrize(
    ("wrapper", "words"),
    [
        (make_pipeline(StandardScaler(), AdaBoostClassifier()), r"model\.steps\[-1\]\[1\]"),
        (CalibratedClassifierCV(AdaBoostClassifier()), "calibrated_classifiers_.*FrozenEstimator"),
        (GridSearchCV(AdaBoostClassifier(), {}), "model.best_estimator_"),
        (TransformedTargetRegressor(RandomForestRegressor()), "model.regressor_.*inverse"),
    ],
)
def test_a_wrapper_points_at_what_it_wraps_and_says_what_is_lost(wrapper, words: str) -> None:
    with pytest.raises(TypeError, match=rf"pass the final, fitted estimator \(.*{words}"):
        mddag.as_ensemble(wrapper)


@pytest.mark.parametrize("wrapper", [TunedThresholdClassifierCV, FixedThresholdClassifier])
def test_a_threshold_is_not_lost_without_a_word(two, wrapper) -> None:
    model = wrapper(AdaBoostClassifier(n_estimators=3))
    with pytest.raises(NotFittedError, match=wrapper.__name__):
        mddag.as_ensemble(model)
    fixed = FixedThresholdClassifier(AdaBoostClassifier(n_estimators=3), threshold=0.45).fit(*two)
    with pytest.raises(ValueError, match=r"decides at probability 0\.45.*sparsify"):
        mddag.as_ensemble(fixed)


@pytest.mark.parametrize(
    "model",
    [ExtraTreesClassifier(2), AdaBoostClassifier(), lightgbm.LGBMClassifier(verbose=-1)],
    ids=lambda model: type(model).__name__,
)
def test_a_single_class_is_refused(model, two) -> None:
    X, _ = two
    with pytest.raises(ValueError, match="knows one class only"):
        mddag.as_ensemble(model.fit(X, np.zeros(len(X), int)))


@pytest.fixture(scope="module")
def models(two) -> dict[str, object]:
    return {
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=2, verbose=-1).fit(*two),
        "xgboost": xgboost.XGBClassifier(n_estimators=2).fit(*two),
        "catboost": CatBoostClassifier(iterations=2, verbose=False, allow_writing_files=False).fit(
            *two
        ),
        "sklearn": GradientBoostingClassifier(n_estimators=2).fit(*two),
    }


def test_without_treelite(models, monkeypatch) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == "treelite"]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "treelite", None)
    for library in ("catboost", "sklearn"):
        assert len(mddag.as_ensemble(models[library])) == 2
    for library in ("lightgbm", "xgboost"):
        with pytest.raises(ImportError, match=r"needs treelite.*pip install treelite"):
            mddag.as_ensemble(models[library])


def test_only_the_models_own_library_is_imported() -> None:
    code = """
import sys, numpy as np, mddag
from sklearn.ensemble import GradientBoostingRegressor
mddag.as_ensemble(GradientBoostingRegressor(n_estimators=2).fit(np.eye(9), np.arange(9)))
print([name for name in ("xgboost", "lightgbm", "catboost", "treelite") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_our_own_classifier_gives_the_ensemble_that_it_sparsifies() -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40) // 10 % 2
    solver = Sarsa(n_episodes=100, evaluate_every=100)
    model = MDDAGClassifier(AdaBoostMHClassifier(n_rounds=3), solver=solver, random_state=0)
    with pytest.raises(NotFittedError, match="not fitted"):
        mddag.as_ensemble(model)
    assert mddag.as_ensemble(model.fit(X, y)) is model.ensemble_


def test_predictions_that_no_link_makes_of_scores_are_refused(two) -> None:
    model = lightgbm.LGBMRegressor(n_estimators=5, reg_sqrt=True, verbose=-1).fit(*two)
    ensemble = mddag.as_ensemble(model)
    assert ensemble.link == "unknown"
    with pytest.raises(ValueError, match="neither its scores nor exp of them"):
        ensemble.task.means(ensemble.scores(two[0]))


def stump(feature: int, threshold: float):
    tree = TreeBuilder()
    leaves = tree.leaf(-1.0), tree.leaf(1.0)
    return tree.finish(tree.split(feature, threshold, *leaves, missing_left=False))


def test_numeric_columns_sit_around_their_thresholds() -> None:
    ensemble = Ensemble.from_trees([stump(0, 0.1)], features=Features(2))
    rows = probe_rows(ensemble)
    assert rows.shape == (256, 2)
    single = np.float32(0.1)
    for value in (0.1, np.nextafter(0.1, 1), np.nextafter(0.1, 0), 0.0, FAR, -FAR, single):
        assert value in rows[:, 0]
    assert float(np.nextafter(single, np.float32(1))) in rows[:, 0]
    assert np.isnan(rows).any()


@pytest.mark.parametrize("package", ["xgboost", "lightgbm", "catboost"])
def test_without_a_library_the_others_are_read(package, models, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for library, model in models.items():
        if library != package:
            assert len(mddag.as_ensemble(model)) == 2
    with pytest.raises(ImportError, match=f"needs {package} .*pip install {package}"):
        mddag.as_ensemble(models[package])
