"""Random probabilities and labels for tests of classifier metrics, with ties and weights."""

import numpy as np
from hypothesis import strategies as st

FEW_CLASSES = st.sampled_from([2, 3, 5])


@st.composite
def rated_rows(draw, n_classes=FEW_CLASSES):
    """Probabilities (n, K), class numbers (n,) of at least two classes, and weights (n,)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k, n = draw(n_classes), draw(st.integers(8, 60))
    scores = rng.normal(size=(n, k))
    if draw(st.booleans()):
        scores = scores.round()  # ties
    p = np.exp(scores)
    labels = rng.integers(0, k, n)
    labels[:k] = np.arange(k)
    weight = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else np.ones(n)
    return p / p.sum(axis=1, keepdims=True), labels, weight


def check_soft_labels(metric, rows):
    """Shares of classes are rows of these weights."""
    p, labels, weight = rows
    k = p.shape[1]
    shares = 0.75 * np.eye(k)[labels] + 0.25 * np.eye(k)[(labels + 1) % k]
    copied = np.concatenate([0.75 * weight, 0.25 * weight])
    both = np.concatenate([labels, (labels + 1) % k])
    found = metric(p, shares, weight)
    np.testing.assert_allclose(found, metric(np.concatenate([p, p]), both, copied), rtol=1e-9)


def check_influence(metric, rows, step=1e-6):
    """The number of a row is the value and its derivative by the weight of the row."""
    p, labels, weight = rows
    shares = np.eye(p.shape[1])[labels]
    numbers = metric.of_rows(p, shares, weight)
    value = np.average(numbers, weights=weight)
    for i in (0, len(p) // 2):
        more = weight.copy()
        more[i] += step * weight.sum()
        slope = (np.average(metric.of_rows(p, shares, more), weights=more) - value) / step
        np.testing.assert_allclose(numbers[i] - value, slope, atol=1e-3, rtol=1e-3)
