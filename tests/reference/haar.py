"""Haar features in plain Python: what an integral image, a feature and its normalized value are."""

import math

import numpy as np


def integral(picture, exponent=1):
    """Cell (y, x) is the sum of pixel ** exponent over all rows above y and columns left of x."""
    pixels = np.asarray(picture).astype(object)
    height, width = pixels.shape
    return [
        [sum(int(p) ** exponent for p in pixels[:y, :x].ravel()) for x in range(width + 1)]
        for y in range(height + 1)
    ]


def features(height, width):
    """Every feature as a set of (x, y, w, h, weight of each pixel), one weight map per feature."""
    shapes = [[[1, -1]], [[1], [-1]], [[-1, 2, -1]], [[-1], [2], [-1]], [[1, -1], [-1, 1]]]
    for signs in shapes:
        rows, columns = len(signs), len(signs[0])
        for w in range(1, width // columns + 1):
            for h in range(1, height // rows + 1):
                pattern = np.kron(np.array(signs), np.ones((h, w), int))
                for y in range(height - rows * h + 1):
                    for x in range(width - columns * w + 1):
                        yield placed(pattern, y, x, height, width)


def placed(pattern, y, x, height, width):
    weights = np.zeros((height, width), int)
    weights[y : y + pattern.shape[0], x : x + pattern.shape[1]] = pattern
    return weights


def pixel_weights(rectangles, height, width):
    """The weight of each pixel in a feature of rectangles (x, y, w, h, weight)."""
    weights = np.zeros((height, width), int)
    for x, y, w, h, weight in rectangles:
        weights[y : y + h, x : x + w] += weight
    return weights


def scale(patch):
    """1 / (area x deviation), with a deviation of at least one grey level."""
    pixels = [int(p) for p in np.asarray(patch).ravel()]
    area = len(pixels)
    spread = area * sum(p * p for p in pixels) - sum(pixels) ** 2
    return np.float32(1.0 / math.sqrt(max(spread, area**2)))


def value(patch, rectangles):
    """The normalized value of one feature on one patch, float32."""
    weights = pixel_weights(rectangles, *np.shape(patch))
    total = int((weights * np.asarray(patch, int)).sum())
    return np.float32(total) * scale(patch)


def codes(values, n_bins):
    """Byte codes of a column: bins of equal width within mean ± 3.5 deviations."""
    values = np.asarray(values, np.float32)
    lanes = [[0.0, 0.0] for _ in range(8)]  # the order of summation is part of the result
    whole = len(values) // 8 * 8
    for i, x in enumerate(values.astype(float).tolist()):
        lane = lanes[i % 8 if i < whole else 0]
        lane[0] += x
        lane[1] += x * x
    total, squares = lanes[0]
    for lane in lanes[1:]:
        total += lane[0]
        squares += lane[1]
    mean = total / len(values)
    deviation = math.sqrt(max(squares / len(values) - mean * mean, 0.0))
    width = 2 * 3.5 * deviation / n_bins
    low = np.float32(mean - 3.5 * deviation)
    per_width = np.float32(0.0 if width < 1e-9 else 1.0 / width)
    return [min(max(int((x - low) * per_width), 0), n_bins - 1) for x in values]
