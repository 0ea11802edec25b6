"""Predict without scikit-learn: from memory, from a file, or in another language.

Nothing here imports scikit-learn. Start with ``predictor``.
"""
