"""Learn models that buy only the features a row needs (``mddag.acquire``).

``feature_sets`` chooses sets of feature groups and follows policies from set to set, ``models``
trains a model for each of them, and ``rows`` says what rows lose with each model. ``search`` learns
policies at a price, and ``front`` holds them for a target to choose from.
``dag`` makes the DAG of the chosen one, and ``display`` draws what rows buy.
"""
