"""Acquisition: policies over sets of paid feature groups, each set with a model of its own.

``feature_sets`` has the sets and the fares between them, ``set_sample`` what rows lose in each,
``set_policy`` a policy, ``backward`` and ``thresholds`` two ways to learn one, ``search`` the
members and the choice among them, ``block_policy`` the policy over the steps of an ensemble.
"""
