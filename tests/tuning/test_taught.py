import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mddag import AdaBoostMHClassifier, as_ensemble
from mddag.tuning.folded_rows import ALL, FOLDS
from mddag.tuning.shape_models import ShapeModel
from mddag.tuning.shapes import Shape, shaped
from mddag.tuning.taught import OPINION, Teaching, can_be_taught
from tests.tuning.few_shapes import QUIET, model_of, rows_of, small

FULL = Shape(4, 0.3, 6)
ESTIMATOR = LGBMClassifier(**QUIET)


def drawn(seed=0):
    random = np.random.RandomState(seed)
    X = random.normal(size=(600, 4))
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * random.normal(size=600) > 0, "yes", "no")


@pytest.fixture(scope="module")
def rows():
    return rows_of(*drawn(), proves=True)


def first_look(rows):
    return ShapeModel.first_look(FULL, rows.fitted(shaped(ESTIMATOR, FULL), 0), rows)


@pytest.fixture(scope="module")
def teaching(rows):
    return Teaching.of(ESTIMATOR, first_look(rows), rows)


@pytest.fixture(scope="module")
def complete(teaching, rows):
    return teaching.with_opinions_of(model_of(shaped(ESTIMATOR, FULL), rows, FULL))


def test_a_target_is_half_label_and_half_opinion(complete, rows):
    labels = (rows.targets == "yes").astype(float)
    assert set(complete.targets) == {*range(FOLDS), ALL}
    for fold, targets in complete.targets.items():
        taught = np.isin(rows.fold, [f for f in range(FOLDS) if f != fold])
        moved = np.abs(targets - labels)
        assert (moved[taught] > 0).all()
        assert (moved[taught] < OPINION).all()
        assert not moved[~taught].any()


def test_opinions_for_a_model_do_not_know_the_fold_that_judges_it(teaching, rows):
    fold = 1
    look = first_look(rows)
    other = rows.targets.copy()
    out = rows.fold == fold
    other[out] = np.where(other[out] == "yes", "no", "yes")
    turned = Teaching.of(ESTIMATOR, look, rows_like(rows, other))
    np.testing.assert_allclose(turned.targets[fold][~out], teaching.targets[fold][~out])
    assert not np.allclose(turned.targets[0][~out], teaching.targets[0][~out])


def rows_like(rows, targets):
    """The same rows in the same folds with other targets."""
    given = (rows.weight, rows.fold, rows.certifying, rows.judging, rows.seed)
    return type(rows)(rows.X, targets, *given)


def test_a_target_of_labels_alone_trains_as_labels_do(rows):
    labels = (rows.targets == "yes").astype(float)
    by_labels = rows.fitted(shaped(ESTIMATOR, FULL), 0)
    between = rows.fitted_between(shaped(ESTIMATOR, FULL), 0, labels)
    for model in (by_labels, between):
        assert list(model.classes_) == ["no", "yes"]
    ours, theirs = (as_ensemble(model).scores(rows.X[:50]) for model in (between, by_labels))
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_weights_of_rows_count_in_both_classes(rows):
    class Kept:
        def fit(self, X, y, sample_weight):
            self.weight = dict(zip(["no", "yes"], _sums(y, sample_weight), strict=True))
            return self

    weight = np.full(len(rows.targets), 3.0)
    weighted = type(rows)(
        rows.X, rows.targets, weight, rows.fold, rows.certifying, rows.judging, rows.seed
    )
    model = weighted.fitted_between(Kept(), ALL, np.full(len(rows.targets), 0.25))
    n = len(rows.training(ALL))
    assert model.weight == pytest.approx({"no": 3 * n * 0.75, "yes": 3 * n * 0.25})


def _sums(y, weight):
    return [weight[y == label].sum() for label in ("no", "yes")]


def test_taught_models_are_judged_in_folds_and_are_no_reference(complete, monkeypatch):
    small(monkeypatch)
    looks = list(complete.first_looks())
    assert [look.shape.n_leaves for look in looks] == [16, 16]
    found = complete.trained_again(looks[0])
    assert found.name.endswith("taught")
    assert found.loss == np.inf
    assert len(found.parts.models) == FOLDS + 1


def test_two_classes_a_rate_and_weights_are_needed(rows):
    assert can_be_taught(ESTIMATOR, rows)
    assert not can_be_taught(RandomForestClassifier(), rows)
    assert not can_be_taught(AdaBoostMHClassifier(), rows)
    assert not can_be_taught(make_pipeline(StandardScaler(), ESTIMATOR), rows)
    three = rows_of(rows.X, np.arange(600) % 3)
    assert not can_be_taught(ESTIMATOR, three)
