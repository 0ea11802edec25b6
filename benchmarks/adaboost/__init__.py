"""AdaBoost.MH measured: test errors, training time compared with scikit-learn, growth.

    MDDAG_DATA=... python -m benchmarks.adaboost [--only errors speed growth]

    errors  test errors by rounds on five data sets, compared with scikit-learn and one-against-all
    speed   seconds to train and scikit-learn / mddag, from interleaved runs of one process
    growth  processor seconds by rows, features and rounds, with a picture

A module per table, each with its fields and `measure`; tables go to benchmarks/results/adaboost.
Seconds depend on the machine, ratios much less.
"""
