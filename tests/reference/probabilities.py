"""Twin of native/walk/probabilities.hpp: class probabilities of the scores (K,) of one row."""

import math


def probabilities(f, factor, offset=0.0):
    if len(f) == 1:
        odds = factor * f[0] + offset
        small = math.exp(-abs(odds))
        p = [(1.0 if z >= 0 else small) / (1.0 + small) for z in (-odds, odds)]
        winner = int(f[0] > 0)
    else:
        winner = f.index(max(f))
        powers = [math.exp(factor * (score - f[winner])) for score in f]
        total = 0.0  # sum() would compensate for rounding
        for power in powers:
            total += power
        p = [power / total for power in powers]
    if p.index(max(p)) != winner:
        p[winner] = math.nextafter(max(p), 1.0)
    return p
