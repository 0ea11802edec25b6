"""Twin of native/walk/lazy_run.hpp: one row, one step at a time, from its whole path.

A row that has some groups evaluates the beginning of its path, up to the first base classifier that
reads another group.
"""

import numpy as np


def reached(path, buys, had):
    """How many of the path are evaluated, and the groups that the next one lacks."""
    for place, classifier in enumerate(path):
        lacking = set(np.flatnonzero(buys[classifier])) - set(had)
        if lacking:
            return place, lacking
    return len(path), set()


def waves(path, buys):
    """The sets of groups that are fetched together, in order."""
    had, found = set(), []
    while True:
        _, lacking = reached(path, buys, had)
        if not lacking:
            return found
        found.append(lacking)
        had |= lacking
