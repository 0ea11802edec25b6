"""Learn models that buy only the features a row needs (``mddag.acquire``).

``feature_sets`` chooses sets of feature groups, ``models`` trains a model for each of them,
``rows`` says what rows lose with each model, ``policy`` is a policy from set to set and its DAG,
``search`` learns policies at many prices, and ``acquire`` is the function, which chooses one.
``display`` draws what rows buy.
"""
