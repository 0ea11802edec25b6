"""An AdaBoostMHClassifier hands over the Ensemble it holds."""

import pytest

from mddag import Ensemble, Features, as_ensemble
from mddag.adapters.adaboost_mh import AdaBoostMH
from mddag.ensemble.nodes import TreeBuilder


class AdaBoostMHClassifier:
    """Stands in for the estimator: what the adapter relies on, and nothing else."""

    __module__ = "mddag.estimators.adaboost"

    def fit(self) -> "AdaBoostMHClassifier":
        tree = TreeBuilder()
        leaves = tree.leaf(-1.0), tree.leaf(1.0)
        stump = tree.finish(tree.split(0, 0.5, *leaves, missing_left=True))
        self.ensemble_ = Ensemble.from_trees([stump], features=Features(2), classes=[0, 1])
        return self


def test_the_ensemble_is_the_models_own() -> None:
    model = AdaBoostMHClassifier().fit()
    assert as_ensemble(model) is model.ensemble_


def test_only_our_own_class_is_accepted() -> None:
    assert AdaBoostMH().accepts(AdaBoostMHClassifier())
    assert not AdaBoostMH().accepts(object())


def test_an_unfitted_one_is_refused() -> None:
    with pytest.raises(ValueError, match="this AdaBoostMHClassifier is not fitted"):
        as_ensemble(AdaBoostMHClassifier())
