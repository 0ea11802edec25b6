"""Trees of random shape, for tests of kernels."""

from mddag.ensemble.nodes import TreeBuilder


def grown_tree(rng, n_leaves, split, width=1):
    """A tree of `n_leaves` leaves that vote normal numbers.

    split : gives feature, threshold and whether NaN goes left, of each split when it is made
    """
    tree = TreeBuilder()

    def grow(n):
        if n == 1:
            return tree.leaf(rng.normal(size=width))
        n_left = int(rng.integers(1, n))
        left, right = grow(n_left), grow(n - n_left)
        feature, threshold, missing_left = split()
        return tree.split(feature, threshold, left, right, missing_left)

    return tree.finish(grow(n_leaves))
