"""Predict without scikit-learn, from memory, from a file, or in another language.

A ``Dag`` with calibration and labels, or a file of one, comes in; a ``Predictor``, a model file or
source code goes out. ``model_file`` writes and reads files without running code, ``predictor``
predicts, ``export`` writes other languages. Nothing here imports scikit-learn. Start with
``predictor``.
"""
