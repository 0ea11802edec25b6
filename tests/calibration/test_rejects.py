import numpy as np

from mddag.calibration.rejects import reject_calibration


def sample(seed=0, n=3000, length=6, n_steps=8):
    """Rejected rows with f in [-1, 0], rows that passed with f in [-1, 3]."""
    rng = np.random.default_rng(seed)
    exit_step = rng.integers(1, length + 1, n)
    passed = exit_step == length
    scores = np.where(passed, rng.uniform(-1, 3, n), rng.uniform(-1, 0, n))
    labels = (rng.random(n) < np.where(passed, 1 / (1 + np.exp(-2 * scores)), 0.02)).astype(int)
    return scores[:, None], exit_step, labels, np.full(n_steps + 1, -1.0), length


def test_rejected_rows_are_below_all_others_and_later_exits_higher():
    scores, exit_step, labels, lows, length = sample()
    found = reject_calibration(scores, exit_step, labels, lows, length)
    odds = found.log_odds(scores, exit_step)
    for step in range(1, length):
        assert odds[exit_step == step].max() < odds[exit_step > step].min()


def test_at_each_exit_scores_keep_their_order():
    scores, exit_step, labels, lows, length = sample()
    odds = reject_calibration(scores, exit_step, labels, lows, length).log_odds(scores, exit_step)
    for step in range(1, length + 1):
        at = np.flatnonzero(exit_step == step)
        np.testing.assert_array_equal(np.argsort(scores[at, 0]), np.argsort(odds[at]))


def test_no_winner_is_changed():
    scores, exit_step, labels, lows, length = sample()
    found = reject_calibration(scores, exit_step, labels, lows, length)
    np.testing.assert_array_equal(found.log_odds(scores, exit_step) > 0, scores[:, 0] > 0)
    p = found.probabilities(scores, exit_step)
    np.testing.assert_array_equal(p.argmax(axis=1), scores[:, 0] > 0)
    np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-found.log_odds(scores, exit_step))))


def test_probabilities_are_near_the_shares_of_positives():
    scores, exit_step, labels, lows, length = sample(n=30_000)
    found = reject_calibration(scores, exit_step, labels, lows, length)
    p = found.probabilities(scores, exit_step)[:, 1]
    rejected = exit_step < length
    assert abs(p[rejected].mean() - labels[rejected].mean()) < 0.01
    high = ~rejected & (scores[:, 0] > 1)
    assert abs(p[high].mean() - labels[high].mean()) < 0.02


def test_weights_are_rows_that_repeat():
    scores, exit_step, labels, lows, length = sample(n=400)
    times = 1 + np.arange(400) % 3
    one = reject_calibration(scores, exit_step, labels, lows, length, times.astype(float))
    repeated = (np.repeat(a, times, axis=0) for a in (scores, exit_step, labels))
    many = reject_calibration(*repeated, lows, length)
    np.testing.assert_allclose(one.factors, many.factors)
    np.testing.assert_allclose(one.offsets, many.offsets)


def test_rows_that_all_pass_or_none():
    lows = np.full(5, -1.0)
    one = reject_calibration(np.ones((3, 1)), np.full(3, 4), np.array([1, 0, 1]), lows, 4)
    none = reject_calibration(-np.ones((3, 1)), np.full(3, 1), np.array([1, 0, 0]), lows, 4)
    for found in (one, none):
        assert np.isfinite(found.offsets).all()
        assert (found.factors > 0).all()
        assert (found.offsets <= 0).all()
