"""Coordinate descent on Eq. (8): an MDP comes in, the best policy of many sweeps goes out.

``descent`` has the solver and the reasons: start there. ``descents`` are its starts and its way to
a local optimum, ``sweep`` one backward pass over all decisions, by the native kernel.
"""
