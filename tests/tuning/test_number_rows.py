"""What rows lose with the regressor of every set."""

import numpy as np

from mddag.tuning.number_rows import NumberRows, variance_of
from tests.solvers.acquisition.problems import all_sets


def made(n=300, labelled=True):
    rng, sets = np.random.default_rng(0), all_sets()
    labels = rng.normal(size=n) * 3
    scores = labels[:, None, None] + rng.normal(size=(n, len(sets), 1))
    return NumberRows(sets, scores, labels if labelled else None, variance_of(labels))


def test_a_loss_of_one_is_that_of_the_mean():
    rows = made()
    np.testing.assert_allclose(rows.lost(np.full(len(rows), rows.labels.mean())).mean(), 1.0)
    assert variance_of(np.ones(3)) == 1.0


def test_members_learn_from_numbers_and_from_the_full_model():
    rows = made()
    samples = rows.samples("beta", 0)
    assert list(samples) == ["mean", "opinion"]
    true = np.square(rows.values - rows.labels[:, None]) / rows.unit
    np.testing.assert_allclose(2 * samples["mean"].losses - samples["opinion"].losses, true)
    own = samples["opinion"].losses[:, -1]
    np.testing.assert_allclose(own, rows.lost(rows.full).mean())
    assert samples["mean"].around is None
    np.testing.assert_allclose(rows.risks(), samples["mean"].losses.mean(axis=0))


def test_without_labels_the_full_model_is_right():
    rows = made(labelled=False)
    (sample,) = rows.samples("beta", 0).values()
    assert not sample.losses[:, -1].any()
    assert not rows.lost(rows.full).any()


def test_answers_are_those_of_the_last_set():
    rows = made()
    last = np.arange(len(rows)) % len(rows.sets)
    said = rows.said(last)
    np.testing.assert_array_equal(said, rows.scores[np.arange(len(rows)), last, 0])
    np.testing.assert_allclose(rows.changed(said), np.square(said - rows.full) / rows.unit)


def test_parts_keep_their_unit():
    rows = made()
    some = rows.rows(np.arange(10))
    both = some.joined(rows.rows(np.arange(20)))
    assert some.unit == both.unit == rows.unit
    assert len(both) == len(both.labels) == 30
