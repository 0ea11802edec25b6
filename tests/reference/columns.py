"""Columns in plain Python: what a cut and a code are, and which leaf a row reaches."""

import math
from itertools import pairwise


def cuts(values, max_bins):
    """The cuts of a numeric column; `values` is a list of floats."""
    distinct = sorted({v for v in values if not math.isnan(v)})
    if max_bins is None:
        max_bins = len(distinct)
    pairs = list(pairwise(distinct))
    if len(distinct) > max_bins:
        pairs = [pairs[(b * len(distinct)) // max_bins - 1] for b in range(1, max_bins)]
    return [between(low, high) for low, high in pairs]


def between(low, high):
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def code(x, cuts, n_codes, nominal):
    if math.isnan(x):
        return n_codes
    return int(x) if nominal else sum(cut < x for cut in cuts)


def leaf(nodes, x):
    """The leaf code of one row of raw values."""
    node = nodes.records[0]
    while node["feature"] >= 0:
        value = float(x[node["feature"]])
        if math.isnan(value):
            left = node["missing_left"]
        elif node["n_words"]:
            words = nodes.words[node["word"] : node["word"] + node["n_words"]]
            left = int(value) in {32 * w + b for w in range(len(words)) for b in bits(words[w])}
        else:
            left = value <= node["threshold"]
        node = nodes.records[node["left"] if left else node["right"]]
    return node["left"]


def bits(word):
    return [b for b in range(32) if int(word) >> b & 1]
