"""Few small shapes, so that tests of training are quick."""

from mddag.tuning import shapes, trained_front

QUIET = {"n_estimators": 15, "verbose": -1, "n_jobs": 1, "random_state": 0}


def small(patch):
    """Two numbers of leaves, few rounds, no second training, and one portfolio."""
    patch.setattr(shapes, "LEAVES", (4, 16))
    patch.setattr(shapes, "WORK", 3.0)
    patch.setattr(shapes, "LONGEST", 3.0)
    patch.setattr(shapes, "ROUNDS", (12, 12))
    patch.setattr(trained_front, "MOST_SHAPES", 1)
