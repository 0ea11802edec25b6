"""A picture scanned window by window, in plain loops. Twin of native/scan."""

import numpy as np


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
