"""Pipelines: a fitted transformer and an ensemble behind it are sparsified as one; raw rows in."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import mddag
from mddag import MDDAGClassifier
from mddag.solvers import Margin, Prefix

rng = np.random.default_rng(0)
COLOURS = np.array(["blue", "green", "red"])
FRAME = pd.DataFrame(
    {
        "size": rng.normal(size=900) * 100,
        "colour": COLOURS[rng.integers(3, size=900)],
        "age": rng.integers(90, size=900),
    }
)
X = rng.normal(size=(900, 4)) * [1, 10, 100, 1000]
Y = np.array(["no", "yes"])[(X @ [1, 0.1, 0.01, 0] + rng.normal(size=900) > 0).astype(int)]
FRAME_Y = ((FRAME["size"] > 0) ^ (FRAME["colour"] == "red")).to_numpy().astype(int)
TRAIN, REST = slice(0, 300), slice(300, 900)
ARGUMENTS = {"beta": 1e-3, "solver": Margin()}


def boosted(**options):
    return GradientBoostingClassifier(n_estimators=20, random_state=0, **options)


@pytest.fixture(scope="module")
def pipeline():
    return make_pipeline(StandardScaler(), PCA(3), boosted()).fit(X[TRAIN], Y[TRAIN])


@pytest.fixture(scope="module")
def fast(pipeline):
    return mddag.sparsify(pipeline, X[REST], Y[REST], **ARGUMENTS)


def by_hand(pipeline):
    """The sparse model of the last step, on rows that are transformed before."""
    before = pipeline[:-1].transform
    inner = mddag.sparsify(pipeline[-1], before(X[REST]), Y[REST], **ARGUMENTS)
    return lambda name: getattr(inner, name)(before(X))


def frame_pipeline(final, **options):
    columns = ColumnTransformer(
        [("colour", OneHotEncoder(), ["colour"]), ("numbers", StandardScaler(), ["size", "age"])],
        **options,
    )
    return make_pipeline(columns, final).fit(FRAME[TRAIN], FRAME_Y[TRAIN])


@pytest.mark.parametrize("name", ["predict", "predict_proba", "n_evaluated", "scores"])
def test_raw_rows_give_what_transformed_rows_give_to_the_last_step(pipeline, fast, name):
    np.testing.assert_array_equal(getattr(fast, name)(X), by_hand(pipeline)(name))


def test_trace_and_score_take_raw_rows(pipeline, fast):
    assert fast.trace(X).paths() == by_hand(pipeline)("trace").paths()
    assert fast.score(X, Y) == (fast.predict(X) == Y).mean() > 0.7
    assert fast.n_evaluated(X).mean() < 20


def test_columns_are_those_of_the_pipeline(pipeline, fast):
    assert fast.n_features_in_ == 4
    assert fast.ensemble_.n_features == 3
    assert not hasattr(fast, "feature_names_in_")
    with pytest.raises(ValueError, match="X has 3 features, but StandardScaler is expecting 4"):
        fast.predict(X[:, :3])


def test_the_sparse_model_can_be_cloned_and_pickled(fast):
    again = clone(fast).fit(X[REST], Y[REST])
    assert again.predict(X[:5]).tolist() == fast.predict(X[:5]).tolist()
    assert again.n_features_in_ == 4
    copy = pickle.loads(pickle.dumps(fast))
    np.testing.assert_array_equal(copy.predict_proba(X), fast.predict_proba(X))


def test_without_labels_the_pipeline_gives_the_targets(pipeline):
    fast = mddag.sparsify(pipeline, X[REST], beta=1e-3, solver=Margin())
    assert (fast.predict(X) == pipeline.predict(X)).mean() > 0.95
    said = pipeline.predict_proba(X)[:, 1]
    assert np.corrcoef(fast.predict_proba(X)[:, 1], said)[0, 1] > 0.9


@pytest.mark.parametrize("wrap", [lambda m: m, FrozenEstimator])
def test_a_fitted_pipeline_serves_an_estimator_as_it_is(pipeline, wrap):
    model = MDDAGClassifier(wrap(pipeline), beta=1e-3, solver=Margin(), random_state=0)
    model.fit(X[REST], Y[REST])
    np.testing.assert_array_equal(model.ensemble_.nodes, mddag.as_ensemble(pipeline[-1]).nodes)
    assert model.score(X, Y) > 0.7


def test_an_unfitted_pipeline_is_cloned_and_fitted_on_a_part_of_the_rows():
    given = make_pipeline(StandardScaler(), PCA(3), GradientBoostingClassifier(n_estimators=10))
    fits = [
        MDDAGClassifier(given, beta=1e-3, solver=Margin(), random_state=0).fit(X, Y)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*(model.predict_proba(X) for model in fits))
    assert fits[0].n_features_in_ == 4
    with pytest.raises(NotFittedError):
        given.predict(X)


def test_sweep_learns_on_raw_rows_and_its_policies_can_be_adopted(pipeline):
    curve = mddag.sweep(
        pipeline, X[REST], Y[REST], betas=[1e-3], X_test=X, y_test=Y, solver=Margin()
    )
    before = pipeline[:-1].transform
    inside = mddag.sweep(
        pipeline[-1],
        before(X[REST]),
        Y[REST],
        betas=[1e-3],
        X_test=before(X),
        y_test=Y,
        solver=Margin(),
    )
    assert curve.test_loss == inside.test_loss
    model = MDDAGClassifier(pipeline, beta=1e-3).adopt(curve.policies[0], X[REST], Y[REST])
    assert np.mean(model.predict(X) != Y) == pytest.approx(curve.test_loss[0])


@pytest.mark.parametrize("options", [{}, {"sparse_threshold": 0.0}, {"sparse_threshold": 1.0}])
def test_frames_go_through_a_column_transformer(options):
    pipeline = frame_pipeline(boosted(), **options)
    fast = mddag.sparsify(pipeline, FRAME[REST], FRAME_Y[REST], beta=0, solver=Prefix())
    assert fast.feature_names_in_.tolist() == ["size", "colour", "age"]
    assert fast.n_features_in_ == 3
    np.testing.assert_array_equal(fast.predict(FRAME), pipeline.predict(FRAME))
    shuffled = FRAME[["age", "size", "colour"]]  # a ColumnTransformer goes by names
    np.testing.assert_array_equal(fast.predict(shuffled), fast.predict(FRAME))


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "catboost"])
def test_absent_entries_of_sparse_rows_are_what_the_library_takes_them_for(library):
    package = pytest.importorskip(library)
    final = {
        "lightgbm": lambda: package.LGBMClassifier(n_estimators=20, verbose=-1),
        "xgboost": lambda: package.XGBClassifier(n_estimators=20, max_depth=3),
        "catboost": lambda: package.CatBoostClassifier(
            n_estimators=20, depth=3, verbose=False, allow_writing_files=False
        ),
    }[library]()
    texts = np.array([" ".join(words) for words in COLOURS[rng.integers(3, size=(900, 3))]])
    y = np.array([text.count("red") > text.count("blue") for text in texts]).astype(int)
    pipeline = make_pipeline(CountVectorizer(dtype=np.float32), final).fit(texts[TRAIN], y[TRAIN])
    fast = mddag.sparsify(pipeline, texts[REST], y[REST], beta=0, solver=Prefix())
    np.testing.assert_array_equal(fast.predict(texts), pipeline.predict(texts))
    assert fast.score(texts, y) > 0.95


def test_steps_that_pass_rows_through_leave_nothing_to_transform(tmp_path):
    final = boosted().fit(X[TRAIN], Y[TRAIN])
    pipeline = Pipeline([("nothing", "passthrough"), ("none", None), ("boosted", final)])
    np.testing.assert_array_equal(mddag.as_ensemble(pipeline).nodes, mddag.as_ensemble(final).nodes)
    fast = mddag.sparsify(pipeline, X[REST], Y[REST], **ARGUMENTS)
    fast.save(tmp_path / "model.mddag")
    np.testing.assert_array_equal(mddag.load(tmp_path / "model.mddag").predict(X), fast.predict(X))


def test_a_pipeline_within_a_pipeline_is_one_pipeline(fast, pipeline):
    inner = make_pipeline(PCA(3), boosted())
    outer = make_pipeline(StandardScaler(), inner).fit(X[TRAIN], Y[TRAIN])
    again = mddag.sparsify(outer, X[REST], Y[REST], **ARGUMENTS)
    np.testing.assert_array_equal(again.predict_proba(X), fast.predict_proba(X))


def test_as_ensemble_does_not_drop_the_transformer(pipeline, fast):
    for model in (pipeline, FrozenEstimator(pipeline), fast):
        with pytest.raises(TypeError, match="reads rows after StandardScaler, PCA; sparsify"):
            mddag.as_ensemble(model)


@pytest.mark.parametrize("leave", ["save", "export", "predictor"])
def test_what_only_scikit_learn_can_run_is_not_saved(fast, tmp_path, leave):
    arguments = () if leave == "predictor" else (tmp_path / "model",)
    with pytest.raises(ValueError, match="reads rows after StandardScaler, PCA, which only"):
        getattr(fast, leave)(*arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ask", ["predict_one", "predict_proba_one"])
def test_single_rows_of_a_pipeline_are_asked_for_as_a_batch(fast, ask):
    with pytest.raises(ValueError, match="StandardScaler, PCA, which transform rows together; use"):
        getattr(fast, ask)(X[0])


def test_rows_are_transformed_and_encoded_once(fast):
    rows = fast.encode(X)
    for method in ("predict", "predict_proba", "scores", "n_evaluated"):
        np.testing.assert_array_equal(getattr(fast, method)(rows), getattr(fast, method)(X))
    assert fast.encode(rows).tolist() == rows.tolist()


class Sampler(BaseEstimator):
    """What imblearn's samplers are: they change rows while fitting, and are skipped after."""

    def fit_resample(self, X, y):
        return X, y


class Halving(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X[::2]


def test_pipelines_that_cannot_be_taken_apart_are_refused():
    final = boosted().fit(X[TRAIN], Y[TRAIN])
    cases = [
        (Pipeline([("smote", Sampler()), ("m", final)]), r"step 'smote' \(Sampler\).*no transform"),
        (Pipeline([("halve", Halving()), ("m", final)]), r"Halving makes \(300, 4\) of 600 rows"),
        (
            Pipeline([("scale", StandardScaler()), ("m", "passthrough")]),
            "step .* 'passthrough'",
        ),
        (Pipeline([]), "Pipeline without steps"),
        (make_pipeline(StandardScaler(), boosted()), "GradientBoostingClassifier is not fitted"),
        (make_pipeline(StandardScaler(), final), "StandardScaler instance is not fitted yet"),
    ]
    for pipeline, words in cases:
        with pytest.raises(ValueError, match=words):
            mddag.sparsify(pipeline, X[REST], Y[REST], **ARGUMENTS)
    with pytest.raises(TypeError, match="model is a StandardScaler, which mddag cannot read"):
        mddag.sparsify(make_pipeline(StandardScaler()), X[REST], Y[REST], **ARGUMENTS)


def test_transformed_rows_are_checked_as_rows_are():
    class Infinite(Halving):
        def transform(self, X):
            return np.where(np.arange(len(X))[:, None] == 0, np.inf, X)

    final = boosted().fit(X[TRAIN], Y[TRAIN])
    pipeline = Pipeline([("infinite", Infinite()), ("m", final)])
    with pytest.raises(ValueError, match="infinity"):
        MDDAGClassifier(pipeline).fit(X[REST], Y[REST])
