"""The scikit-learn face: X and y come in, a fitted estimator goes out.

``AdaBoostMHClassifier`` trains an ensemble; ``MDDAGClassifier`` and ``MDDAGRegressor`` make it a
sparse decision DAG. Start with ``dag_estimator``.
"""
