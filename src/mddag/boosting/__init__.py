"""AdaBoost.MH: rows, labels, weights and a learner go in, an Ensemble comes out.

``training`` is one fit, from checked rows to fitted attributes: start there. ``training_set``
checks and splits the rows, ``rounds`` has the equations.
"""
