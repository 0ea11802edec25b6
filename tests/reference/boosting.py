"""Boosting in plain Python: cuts and codes of columns, and the rounds of AdaBoost.MH."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

# Columns in plain Python: what a cut and a code are.


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


# AdaBoost.MH in plain Python: specifies boosting/rounds.py and native/boosting/rounds.hpp.
#
# Rows, targets and weights are lists; sums are taken over exact fractions. The base learner is a
# function of targets and weights that gives the votes h_k(x_i) in {+1, -1} of every row.


@dataclass
class Round:
    edge: float
    alpha: float
    weights: list  # after the round
    scores: list
    error: float


def initial_units(labels, n_classes, sample_weight, class_weight):
    """The weight of one copy of each row, spread over its label and the other classes."""
    by_class = [0.0] * n_classes
    for label, mass in zip(labels, sample_weight, strict=True):
        by_class[label] += mass
    total = sum(mass * factor for mass, factor in zip(by_class, class_weight, strict=True))
    units = []
    for label in labels:
        unit = class_weight[label] / total
        if n_classes == 2:
            units.append([unit])
        else:
            others = 0.5 / (n_classes - 1)
            units.append([unit * (0.5 if k == label else others) for k in range(n_classes)])
    return units


def targets_of(labels, n_classes):
    classes = [1] if n_classes == 2 else range(n_classes)
    return [[1 if label == k else -1 for k in classes] for label in labels]


def boost(labels, n_classes, sample_weight, class_weight, learn, n_rounds):
    """Play at most `n_rounds` rounds."""
    targets = targets_of(labels, n_classes)
    units = initial_units(labels, n_classes, sample_weight, class_weight)
    delta = 0.01 / sum(sample_weight)
    n, n_scores = len(labels), len(targets[0])
    every = [(i, k) for i in range(n) for k in range(n_scores)]
    scores = [[0.0] * n_scores for _ in range(n)]
    weights = read(units, sample_weight)
    played = []
    for _ in range(n_rounds):
        h = learn(targets, weights)
        right = sum(fixed(weights[i][k]) for i, k in every if h[i][k] == targets[i][k])
        wrong = sum(fixed(weights[i][k]) for i, k in every if h[i][k] != targets[i][k])
        eps_right, eps_wrong = float(Fraction(right, 2**60)), float(Fraction(wrong, 2**60))
        alpha = 0.5 * math.log((eps_right + delta) / (eps_wrong + delta))
        if right <= wrong:
            break
        z = eps_right * math.exp(-alpha) + eps_wrong * math.exp(alpha)
        for i, k in every:
            agrees = h[i][k] == targets[i][k]
            units[i][k] *= (math.exp(-alpha) if agrees else math.exp(alpha)) / z
            scores[i][k] += alpha * h[i][k]
        weights = read(units, sample_weight)
        bad = sum(m for m, f, y in zip(sample_weight, scores, targets, strict=True) if errs(f, y))
        edge = float(Fraction(right - wrong, 2**60))
        copy = [list(row) for row in scores]
        played.append(Round(edge, alpha, weights, copy, bad / sum(sample_weight)))
        if wrong == 0:
            break
    return played


def fixed(weight):
    """The nearest multiple of 2^-60, halves away from zero, as an integer."""
    return math.floor(Fraction(weight) * 2**60 + Fraction(1, 2))


def read(units, mass):
    """Weights: units on the grid of 2^-52, times the mass of the row."""
    return [[m * grid(u) for u in row] for m, row in zip(mass, units, strict=True)]


def grid(unit):
    return unit if unit > 1 else round(unit * 2**52) / 2**52


def errs(scores, targets):
    """Whether another class than the right one wins; the first wins ties."""
    if len(scores) == 1:
        return (scores[0] > 0) != (targets[0] > 0)
    return targets[scores.index(max(scores))] < 0
