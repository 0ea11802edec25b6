import warnings

import numpy as np
import pytest

from mddag import DoubtfulResult
from mddag.detection.cascades import VJCascadeClassifier
from mddag.detection.cascades.vj_cascade import Rates, vj_cascade
from tests.detection.cascades.rows import material, two_classes


def stage_rates(stages, rows):
    """FPR and TPR of the first m stages on held-out rows, one pair for each m."""
    votes = np.stack([rows.aside.votes(nodes) for nodes in stages.trees], axis=1)
    positive = rows.aside.positive
    for m in range(1, stages.chain.n_stages + 1):
        accepted = stages.chain.truncated(m).left(votes).accepted
        yield accepted[~positive].mean(), accepted[positive].mean()


def test_every_stage_reaches_its_rates():
    rows = material(1500, 1000)
    stages = vj_cascade(rows, Rates(0.6, 0.95), n_stages=3, max_rounds=100)
    assert stages.stopped_by == "n_stages"
    before = 1.0, 1.0
    for fpr, tpr in stage_rates(stages, rows):
        assert fpr <= 0.6 * before[0] + 1e-9
        assert tpr >= 0.95 * before[1] - 1e-9
        before = fpr, tpr


def test_the_first_stages_together_reach_the_powers():
    rows = material(1500, 1000)
    stages = vj_cascade(rows, Rates(0.6, 0.95, "cascade"), n_stages=4, max_rounds=100)
    for m, (fpr, tpr) in enumerate(stage_rates(stages, rows), 1):
        assert fpr <= 0.6**m + 1e-9
        assert tpr >= 0.95**m - 1e-9


def test_a_stage_is_no_longer_than_it_must_be():
    rows = material(1500, 1000)
    stages = vj_cascade(rows, Rates(0.5, 0.95), n_stages=1, max_rounds=100)
    n = int(stages.chain.ends[0])
    assert n > 1
    shorter = vj_cascade(rows, Rates(0.5, 0.95), n_stages=1, max_rounds=n - 1)
    assert shorter.stopped_by == "rates"
    assert next(stage_rates(shorter, rows))[0] > 0.5


def test_later_stages_are_trained_on_what_passes():
    """A stage with its own score: what it adds does not depend on scores of stages before."""
    rows = material(1500, 1000)
    stages = vj_cascade(rows, Rates(0.6, 0.95), n_stages=2, max_rounds=100)
    votes = np.stack([rows.aside.votes(nodes) for nodes in stages.trees], axis=1)
    scores = stages.chain.stage_scores(votes)
    first = int(stages.chain.ends[0])
    np.testing.assert_allclose(scores[:, 0], votes[:, :first].sum(axis=1))
    np.testing.assert_allclose(scores[:, 1], votes[:, first:].sum(axis=1))


def test_a_stage_that_cannot_reach_its_rates_ends_the_cascade_and_is_kept():
    X, y = two_classes(600)
    model = VJCascadeClassifier(max_fpr=0.01, min_tpr=0.999, max_rounds=5, random_state=0)
    with pytest.warns(DoubtfulResult, match=r"stage 1 does not reach max_fpr=0\.01"):
        model.fit(X, y)
    assert model.stopped_by_ == "rates"
    assert len(model.ensemble_) == 5
    assert model.predict(X)[y == 1].mean() > 0.9


def test_where_negatives_run_out_the_cascade_ends_and_is_kept():
    X, y = two_classes(300)
    model = VJCascadeClassifier(max_fpr=0.3, min_tpr=0.9, n_stages=30, random_state=0)
    with pytest.warns(DoubtfulResult, match="too few negatives pass the first"):
        model.fit(X, y)
    assert model.stopped_by_ == "negatives"
    assert 0 < model.chain_.n_stages < 30


def test_a_pool_of_negatives_allows_more_stages():
    X, y = two_classes(600)
    pool = np.random.default_rng(5).normal(size=(20_000, 10))
    setting = {"max_fpr": 0.4, "min_tpr": 0.9, "n_stages": 6, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubtfulResult)
        alone = VJCascadeClassifier(**setting).fit(X, y)
        refilled = VJCascadeClassifier(**setting).fit(X, y, negatives=pool)
    assert refilled.chain_.n_stages > alone.chain_.n_stages
    fresh = np.random.default_rng(6).normal(size=(5000, 10))
    assert refilled.predict(fresh).mean() < alone.predict(fresh).mean()


def test_an_empty_pool_is_as_none():
    X, y = two_classes(300)
    model = VJCascadeClassifier(max_fpr=0.3, min_tpr=0.9, n_stages=30, random_state=0)
    with pytest.warns(DoubtfulResult, match="too few negatives"):
        model.fit(X, y, negatives=X[:0])
    assert model.chain_.n_stages > 0
