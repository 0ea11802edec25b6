"""Urgency, document by document and pair by pair."""

from math import erfc, exp, pi, sqrt

import numpy as np


def excess(z):
    """E[(N(0, 1) - z)+]."""
    return exp(-z * z / 2) / sqrt(2 * pi) - z * erfc(z / sqrt(2)) / 2


def worth(readings, discounts, mean, gain):
    """What the position of each document by its reading is worth."""
    n = len(readings)
    order = sorted(range(n), key=lambda i: -readings[i])
    depth = n if mean else min(len(discounts), n)
    ideals = np.cumsum([discounts[r] * gain(readings[order[r]]) for r in range(depth)])
    found = [0.0] * n
    for r in range(depth):
        if mean:
            found[order[r]] = discounts[r] * sum(1 / i for i in ideals[r:] if i > 1e-9) / n
        else:
            found[order[r]] = discounts[r] / ideals[-1] if ideals[-1] > 1e-9 else 0.0
    return found


def urgency(readings, spreads, alive, discounts, mean, gain, slope):
    """Of the documents of one query."""
    n, value = len(readings), worth(readings, discounts, mean, gain)
    found = [0.0] * n
    for i in range(n):
        for j in range(n):
            if alive[i] and i != j:
                z = abs(readings[i] - readings[j]) / sqrt(spreads[i] ** 2 + spreads[j] ** 2)
                found[i] += slope * abs(value[i] - value[j]) * spreads[i] * excess(z)
    return found
