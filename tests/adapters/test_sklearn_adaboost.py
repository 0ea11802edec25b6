"""scikit-learn's AdaBoostClassifier as Ensembles."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from mddag import as_ensemble


@pytest.mark.parametrize("depth", [1, 3, None])
def test_two_classes(check, two, depth) -> None:
    X, y = two
    tree = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=2, random_state=0)
    model = AdaBoostClassifier(tree, n_estimators=12, random_state=0).fit(X, np.where(y, "b", "a"))
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_scores) == (len(model.estimators_), 1)
    assert not ensemble.features.missing


def test_three_classes(check, three) -> None:
    X, y = three
    tree = DecisionTreeClassifier(max_depth=2)
    model = AdaBoostClassifier(tree, n_estimators=12, random_state=0).fit(X, y)
    ensemble = check(model, X, model.predict(X))
    assert (len(ensemble), ensemble.n_scores) == (12, 3)


def test_other_base_learners_are_refused(two) -> None:
    model = AdaBoostClassifier(LogisticRegression(), n_estimators=2).fit(*two)
    with pytest.raises(ValueError, match=r"boosts LogisticRegression.*Ensemble\.from_callables"):
        as_ensemble(model)
