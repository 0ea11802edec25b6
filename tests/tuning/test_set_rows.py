"""What rows lose in every set."""

import numpy as np

from mddag.tuning.set_rows import SetRows
from tests.solvers.acquisition.problems import all_sets


def made(n_scores, n=200, seed=0):
    rng, sets = np.random.default_rng(seed), all_sets()
    scores = rng.normal(size=(n, len(sets), n_scores)) * 2
    labels = rng.integers(0, max(n_scores, 2), n)
    return SetRows(sets, scores, labels)


def test_two_classes_decide_by_the_score():
    rows = made(1)
    np.testing.assert_array_equal(rows.values, rows.scores[:, :, 0])
    np.testing.assert_array_equal(rows.codes, rows.scores[:, :, 0] > 0)
    samples = rows.samples("beta", 0)
    assert list(samples) == ["mean", "opinion"]
    wrong = rows.codes != rows.labels[:, None]
    half = 2 * samples["mean"].losses - samples["opinion"].losses
    np.testing.assert_allclose(half, wrong, atol=1e-12)
    assert samples["opinion"].judged is samples["mean"].losses


def test_more_classes_decide_by_the_margin():
    rows = made(3)
    ordered = np.sort(rows.scores, axis=2)
    np.testing.assert_allclose(rows.values, ordered[:, :, -1] - ordered[:, :, -2])
    assert rows.samples("beta", 0)["mean"].around is None


def test_disagreement_is_with_the_full_model():
    rows = made(1)
    (sample,) = rows.samples("max_disagreement", 0).values()
    np.testing.assert_array_equal(sample.losses, rows.codes != rows.codes[:, -1:])


def test_without_labels_the_full_model_is_the_truth():
    known = made(1)
    rows = SetRows(known.sets, known.scores, None).rows(np.arange(50))
    assert list(rows.samples("beta", 0)) == ["opinion"]
    np.testing.assert_array_equal(rows.truth, rows.codes[:, -1])
    np.testing.assert_allclose(rows.opinion()[:, 1], 1 / (1 + np.exp(-rows.scores[:, -1, 0])))
