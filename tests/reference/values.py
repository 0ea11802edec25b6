"""Twins of native/solvers/values.hpp: value functions that are linear in what they learn.

``features(slot, action, s)`` names the learned numbers that make up Q(s, action), each with its
factor; ``learned`` holds them. ``grown`` says what a large error adds to them.
"""

import math
from collections import defaultdict


class Values:
    def __init__(self):
        self.learned = defaultdict(float)

    def value(self, slot, action, s):
        return sum(x * self.learned[p] for p, x in self.features(slot, action, s).items())

    def grown(self, slot, action, s, error):
        return {}


class Table(Values):
    """Equal bins, closed on the right; the first one on both sides."""

    def __init__(self, n_bins):
        super().__init__()
        self.n_bins = n_bins

    def features(self, slot, action, s):
        holds = (b for b in range(self.n_bins) if s * self.n_bins <= b + 1)
        return {(slot, action, next(holds)): 1.0}


class RadialBasis(Values):
    """Gaussian bumps, 0 beyond five sigma."""

    def __init__(self, n_centers, sigma, max_centers, normalized):
        super().__init__()
        self.sigma, self.max_centers, self.normalized = sigma, max_centers, normalized
        start = [(i + 1) / (n_centers + 1) for i in range(n_centers)]
        self.centers = defaultdict(lambda: list(start))

    def activations(self, slot, action, s):
        reach = 5 * self.sigma
        return {
            (slot, action, c): math.exp(-(((s - c) / self.sigma) ** 2) / 2)
            for c in self.centers[slot, action]
            if s - reach <= c <= s + reach
        }

    def features(self, slot, action, s):
        active = self.activations(slot, action, s)
        total = sum(active.values()) if self.normalized else 1.0
        return {p: x / total for p, x in active.items()}

    def grown(self, slot, action, s, error):
        """A center at s, where the error is large and no center is near."""
        centers = self.centers[slot, action]
        largest = max((abs(self.learned[slot, action, c]) for c in centers), default=0.0)
        near = max(self.activations(slot, action, s).values(), default=0.0)
        if near >= 0.4 or abs(error) <= 0.1 * largest or len(centers) == self.max_centers:
            return {}
        return {(slot, action, s): error}

    def add(self, grown):
        for (slot, action, s), weight in grown.items():
            self.centers[slot, action].append(s)
            self.learned[slot, action, s] = weight
