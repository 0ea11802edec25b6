"""The rounds of AdaBoost.MH: rows, labels, weights and a learner come in, an Ensemble goes out.

``training`` is one fit, from checked rows to fitted attributes: start there. ``training_set``
checks and parts the rows, ``rounds`` has the equations, ``early_stopping`` the held-out error,
``thresholds`` the cuts that are tried, ``importance`` the share of each feature, ``callbacks``
scikit-learn's callbacks."""
