"""Pictures in plain loops: Haar features, windows and groups of boxes."""

import math

import numpy as np

# Haar features in plain Python: what an integral image, a feature and its normalized value are.


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


# A picture scanned window by window, in plain loops. Twin of native/scan.


def resized(picture, height, width):
    """Bilinear interpolation at (i + 1/2) n / m - 1/2 in steps of 1/256 pixel; sums are rounded."""

    def axis(n_from, n_to):
        for i in range(n_to):
            at = min(max((i + 0.5) * (1 / (n_to / n_from)) - 0.5, 0.0), n_from - 1.0)
            low = int(np.floor(at))
            yield low, min(low + 1, n_from - 1), int(np.rint((at - low) * 256))

    out = np.empty((height, width), np.uint8)
    pixels = picture.astype(int)
    for y, (top, bottom, down) in enumerate(axis(len(picture), height)):
        for x, (left, right, along) in enumerate(axis(picture.shape[1], width)):
            above = pixels[top, left] * (256 - along) + pixels[top, right] * along
            below = pixels[bottom, left] * (256 - along) + pixels[bottom, right] * along
            out[y, x] = (above * (256 - down) + below * down + (1 << 15)) >> 16
    return out


def deviation_scale(patch, margin):
    """1 / (area x deviation) in float32, the deviation at least 1, of all but the margin."""
    inside = patch[margin : len(patch) - margin, margin : patch.shape[1] - margin].astype(int)
    spread = inside.size * int((inside**2).sum()) - int(inside.sum()) ** 2
    return np.float32(1 / np.sqrt(max(spread, inside.size**2)))


def classified(classifier, patch):
    """The score of a window, or the number of the stage that rejects it (0 is the first; -1: flat);
    and how many trees were evaluated."""
    height, width = patch.shape
    scale = deviation_scale(patch, classifier.margin)
    area = (height - 2 * classifier.margin) * (width - 2 * classifier.margin)
    if classifier.min_deviation > 0 and area * float(scale) >= 1 / classifier.min_deviation:
        return None, -1, 0
    score, n_evaluated = 0.0, 0
    for s, reject in enumerate(classifier.stage_reject):
        if classifier.stage_fresh[s]:
            score = 0.0
        for tree in range(classifier.stage_starts[s], classifier.stage_starts[s + 1]):
            score += vote(classifier, tree, patch.astype(int), scale)
            n_evaluated += 1
        if score < reject:
            return None, s, n_evaluated
    accepted = score if score >= classifier.accept else None
    return accepted, len(classifier.stage_reject), n_evaluated


def vote(classifier, tree, patch, scale):
    node = classifier.tree_starts[tree]
    while True:
        feature = classifier.features[classifier.node_feature[node]]
        value = sum(c * int(patch[y : y + h, x : x + w].sum()) for x, y, w, h, c in feature)
        side = 0 if np.float32(value) * scale <= classifier.node_threshold[node] else 1
        if classifier.node_next[node, side] < 0:
            return classifier.node_votes[node, side]
        node = classifier.node_next[node, side]


def scanned(classifier, picture, levels):
    """Hits as (level, x, y, score), windows looked at, trees evaluated."""
    height, width = classifier.window
    hits, n_windows, n_evaluated = [], 0, 0
    for level, (rows, columns, step) in enumerate(levels):
        scaled = resized(picture, rows, columns)
        for y in range(0, rows - height + 1, step):
            hidden = False
            for x in range(0, columns - width + 1, step):
                if hidden:
                    hidden = False
                    continue
                patch = scaled[y : y + height, x : x + width]
                score, stage, n = classified(classifier, patch)
                n_windows, n_evaluated = n_windows + 1, n_evaluated + n
                hidden = classifier.skips and stage == 0
                if score is not None:
                    hits.append((level, x, y, score))
    return hits, n_windows, n_evaluated


# Groups of boxes by comparing every pair. Twin of native/scan/grouping.hpp.


def overlap(a, b):
    """Intersection over union of two boxes."""
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    return w * h / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h)


def greedy(boxes, weights, least):
    """The number of each box's group: the heaviest box left takes all left that overlap it."""
    group, n = [-1] * len(boxes), 0
    for seed in np.argsort(-np.asarray(weights), kind="stable"):
        if group[seed] >= 0:
            continue
        for i, box in enumerate(boxes):
            if group[i] < 0 and (i == seed or overlap(boxes[seed], box) >= least):
                group[i] = n
        n += 1
    return group


def similar(boxes, part):
    """The number of each box's chain of similar boxes, by the first box of the chain."""

    def near(a, b):
        sides = min(a[2] - a[0], b[2] - b[0]) + min(a[3] - a[1], b[3] - b[1])
        return all(abs(a[k] - b[k]) <= part * sides * 0.5 for k in range(4))

    chain = list(range(len(boxes)))
    changed = True
    while changed:
        changed = False
        for i, a in enumerate(boxes):
            for j, b in enumerate(boxes):
                if near(a, b) and chain[j] != chain[i]:
                    chain[i] = chain[j] = min(chain[i], chain[j])
                    changed = True
    firsts = sorted(set(chain))
    return [firsts.index(c) for c in chain]
